"""The command `roget reproduce [NAME]`."""

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
            metavar="NAME",
            help="Table or figure to reproduce, e.g. soft/figure-1, or a paper, e.g. nvi "
            "[default: all].",
        ),
    ] = None,
    *,
    options: ReproduceOptions,
    list: Annotated[bool, typer.Option("--list", help="List the available reproductions.")] = False,
    figures: Figures = None,
) -> Report:
    """Reproduce tables and figures of the papers, and compare them with the published values.

    Without NAME, all reproductions whose data are available are run, which takes some minutes. The
    remaining ones are listed with the data they require. The report ends with the number of claims
    by paper, kind and verdict.
    """
    from roget.papers.reproduce import report_names
    from roget.papers.reproduce import reproduce as run

    if list:
        return report_names()
    with bar("reproducing", "tables and figures") as progress:
        return run(name, options, figures, progress=progress)
