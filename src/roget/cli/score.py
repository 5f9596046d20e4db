"""`roget score GOLD SYSTEM`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import (
    Cite,
    Classes,
    Clusters,
    Format,
    Mapping,
    Output,
    bar,
    deliver,
    tell,
    tell_written,
    write_sets,
)
from roget.scoring.options import ScoreOptions


def score(
    gold: Annotated[
        str | None,
        typer.Argument(
            metavar="GOLD",
            help="File of gold labels; alone, a file with two aligned columns. '-' is stdin.",
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Argument(metavar="SYSTEM", help="File of the system's labels.")
    ] = None,
    *,
    asked: ScoreOptions,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="SCORE=LEAST",
            help="End with exit code 1 if a score is worse: v@jk=0.6, ari=0.4. May be repeated.",
        ),
    ] = None,
    cite: Cite = False,
    classes: Classes = None,
    clusters: Clusters = None,
    mapping: Mapping = None,
    format: Format = None,
    output: Output = None,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Also draw the scores of --cuts: a file that ends in .svg, .pdf or .png.",
        ),
    ] = None,
) -> None:
    """Score a clustering against a gold standard.

    Prints homogeneity, completeness, V, VI, NVI, ARI, AMI, B-cubed and one-to-one, plug-in and
    bias-corrected, beside what trivial answers get on the same gold standard.
    """
    from roget.errors import InputError
    from roget.report.figures import check_format, save_picture
    from roget.report.score import report
    from roget.scoring.score import score as score_labels

    if figure is not None:
        # What could not be drawn or written is better refused before the work.
        if asked.cuts is None:
            said = "a picture is of --cuts; say --cuts all, or 1..500"
            raise InputError(f"--figure {figure}: {said}")
        check_format(figure)
    # The cells of several gold standards are never kept: only tables asked for need them then.
    keep = not asked.golds or any((classes, clusters, mapping))
    with bar("scoring", "scores") as progress:
        table = score_labels(gold, system, **vars(asked), keep=keep, progress=progress)
    short = table.falls_short(fail_under or ())
    told = report(table)
    deliver(told, format, output, table.cite() if cite else None)
    if asked.items is not None:
        tell_written([asked.items])
    write_sets(table, classes=classes, clusters=clusters, mapping=mapping)
    if figure is not None and told.picture is not None:
        save_picture(told.picture(), figure)
        tell_written([figure])
    tell(*short)
    if short:
        raise typer.Exit(1)
