"""`roget compare GOLD SYSTEM…`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from roget.cli.shared import Figures, Format, Output, bar, deliver
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
    format: Format = None,
    output: Output = None,
    figures: Figures = None,
) -> None:
    """Compare several systems on one gold standard.

    One row per system and trivial answer, with ranks; with --ci also 95% intervals, tests of all
    pairs corrected by Holm's method, and letters that systems share if they do not differ.
    """
    from roget.report.comparison import report
    from roget.scoring.compare import compare as compare_systems

    with bar("scoring", "systems") as progress:
        comparison = compare_systems(gold, _name_systems(systems), **vars(asked), progress=progress)
    deliver(report(comparison), format, output)
    if figures is not None:
        from roget.report.comparison.figures import write

        for path in write(comparison, Path(figures)):
            print(f"wrote {path}", file=sys.stderr)


def _name_systems(systems: list[str]) -> dict[str, str]:
    from roget.errors import InputError

    named: dict[str, str] = {}
    for text in systems:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            name, path = Path(text).stem, text
        if name in named:
            raise InputError(f"two systems are named {name!r}: name one yourself, NAME={path}")
        named[name] = path
    return named
