"""`roget compare GOLD SYSTEM…`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roget.cli.shared import (
    Cite,
    Classes,
    Clusters,
    Figures,
    Format,
    Mapping,
    Output,
    bar,
    deliver,
    tell_written,
    write_sets,
)
from roget.scoring.options import CompareOptions


def compare(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File of gold labels.")],
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...", help="Files of the systems' labels, named by file or as NAME=FILE."
        ),
    ],
    *,
    asked: CompareOptions,
    cite: Cite = False,
    classes: Classes = None,
    clusters: Clusters = None,
    mapping: Mapping = None,
    format: Format = None,
    output: Output = None,
    figures: Figures = None,
) -> None:
    """Compare several systems on one gold standard.

    One row per system and trivial answer, with ranks; with --ci also 95% intervals, tests of all
    pairs corrected by Holm's method, and letters that systems share if not shown to differ.
    """
    from roget.report.comparison import report
    from roget.scoring.compare import compare as compare_systems

    with bar("scoring", "systems") as progress:
        comparison = compare_systems(gold, systems, **vars(asked), progress=progress)
    deliver(report(comparison), format, output, comparison.cite() if cite else None)
    write_sets(comparison, classes=classes, clusters=clusters, mapping=mapping)
    if figures is not None:
        from roget.report.comparison.figures import write

        tell_written(write(comparison, Path(figures)))
