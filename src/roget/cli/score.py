"""The command `roget score GOLD SYSTEM`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import (
    FailOn,
    Format,
    Output,
    bar,
    deliver,
    fail_on_codes,
    print_notes,
    print_written,
    save_option,
    split_pair,
    write_saved,
)
from roget.errors import InputError, UnknownName
from roget.scoring.options import ScoreOptions

SECTIONS = {
    "Options": (
        "measures", "entropy", "missing", "noise", "ci", "chance", "details", "all",
        "format", "output",
    ),
    "Input": (
        "labels", "columns", "header", "extra", "average", "golds", "cells", "matrix",
    ),
    "More options": ("seed", "engine", "save", "fail_under", "fail_on"),
}  # fmt: skip


def score(
    gold: Annotated[
        str | None,
        typer.Argument(
            metavar="GOLD",
            help="Label file of the gold standard (- for stdin), or one file with gold and "
            "system labels.",
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Argument(metavar="SYSTEM", help="Label file of the system.")
    ] = None,
    *,
    options: ScoreOptions,
    save: Annotated[
        list[str] | None,
        save_option(
            "a table (items, classes, clusters, mapping: csv, tsv, json, parquet), citations "
            "(bibtex) or a plot of --set cuts=... (figure: svg, pdf, png)"
        ),
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="SCORE=MIN",
            help="Exit with code 1 if a score is worse than this value, e.g. v@jk=0.6. Can be "
            "repeated.",
        ),
    ] = None,
    fail_on: FailOn = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Score a clustering against a gold standard.

    Prints seven scores with 95 % intervals, next to three baselines: one big cluster, one cluster
    per item, random clusters. For coreference and entities, recall, precision and F are printed as
    well.
    """
    from roget.report.score import report
    from roget.scoring.score import score as score_labels

    saved = dict(map(split_pair, save or ()))
    if "figure" in saved and options.cuts is None:
        raise InputError(
            f"--save figure={saved['figure']} requires the cuts to plot, e.g. --set cuts=1..500",
            code="missing-option",
        )
    known = ("items", "classes", "clusters", "mapping", "bibtex", "figure")
    if wrong := [kind for kind in saved if kind not in known]:
        raise UnknownName("kind of --save", wrong[0], known)
    values = vars(options) | ({"items": saved["items"]} if "items" in saved else {})
    # Tables of classes and clusters require the contingency table. With several gold standards, the
    # table is kept only on request, to save memory.
    keep = not options.golds or any(kind in saved for kind in ("classes", "clusters", "mapping"))
    with bar("scoring", "scores") as progress:
        table = score_labels(gold, system, **values, keep=keep, progress=progress)
    short = table.falls_short(fail_under) if fail_under else []
    made = report(table)
    deliver(made, format, output)
    if saved:
        write_saved(table, saved, picture=made.picture)
    if values["items"] is not None:
        print_written([values["items"]])
    if short:
        print_notes(*short)
    if fail_on:
        fail_on_codes(table.warnings, fail_on)
    if short:
        raise typer.Exit(1)
