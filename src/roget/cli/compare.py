"""The command `roget compare GOLD SYSTEM…`."""

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
    save_option,
    split_pair,
    write_saved,
)
from roget.scoring.options import CompareOptions

SECTIONS = {
    "Options": (
        "measures", "entropy", "main", "missing", "noise", "ci", "paired", "details", "all",
        "format", "output",
    ),
    "Input": ("labels", "columns", "header", "extra", "average", "baselines", "golds"),
    "More options": ("seed", "engine", "save", "fail_on"),
}  # fmt: skip


def compare(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help="Label file of the gold standard, or one table with a gold column and systems.",
        ),
    ],
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYSTEM...",
            help="Label files of the systems, as FILE or NAME=FILE, or one folder of label files.",
        ),
    ] = None,
    *,
    options: CompareOptions,
    save: Annotated[
        list[str] | None,
        save_option(
            "a table (pairs: differences of systems with intervals and p; classes, clusters, "
            "mapping: csv, tsv, json, parquet), a folder of figures (figures) or citations (bibtex)"
        ),
    ] = None,
    fail_on: FailOn = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Compare several systems against one gold standard.

    Prints one row per system and baseline, with the rank, the main score with its 95 % interval,
    and three more scores. --ci adds pairwise tests with Holm's correction, and letters: systems
    that share a letter do not differ significantly. --all shows all scores.
    """
    from roget.report.comparison import report
    from roget.report.comparison.figures import write
    from roget.scoring.compare import compare as compare_systems

    saved = dict(map(split_pair, save or ()))
    with bar("scoring", "systems") as progress:
        comparison = compare_systems(gold, systems, **vars(options), progress=progress)
    deliver(report(comparison), format, output)
    write_saved(comparison, saved, figures=write)
    fail_on_codes(comparison.warnings, fail_on)
