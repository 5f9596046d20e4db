"""`roget reproduce [NAME]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import Figures, bar
from roget.papers.options import ReproduceOptions
from roget.report import Report


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="Such as soft/figure-1, or a paper, such as nvi; without it, all of them.",
        ),
    ] = None,
    *,
    options: ReproduceOptions,
    list: Annotated[bool, typer.Option("--list", help="List what can be made again.")] = False,
    figures: Figures = None,
) -> Report:
    """Make the tables and figures of the papers again, published values beside ours.

    Without a name, all are made that the data at hand allow, which takes some minutes; what is
    left out is told, with what it needs.
    """
    from roget.papers.reproduce import report_names
    from roget.papers.reproduce import reproduce as run

    if list:
        return report_names()
    with bar("making again", "tables and figures") as progress:
        return run(name, options, figures, progress=progress)
