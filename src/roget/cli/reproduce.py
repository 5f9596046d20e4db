"""`roget reproduce [NAME]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roget.cli.shared import Figures, Format, Output, deliver


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Such as soft/figure-1; without it, a list."),
    ] = None,
    figures: Figures = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Make the tables and figures of the papers again."""
    from roget.papers import load, report_names

    found = report_names() if name is None else load(name)(Path(figures) if figures else None)
    deliver(found, format, output)
