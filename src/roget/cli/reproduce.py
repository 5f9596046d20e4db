"""`roget reproduce [NAME]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="Such as soft/figure-1; without it, a list."),
    ] = None,
    figures: Annotated[
        str | None, typer.Option("--figures", metavar="FOLDER", help="Write pictures as well.")
    ] = None,
) -> None:
    """Make the tables and figures of the papers again."""
    from roget.papers import listing, load

    if name is None:
        from roget.report.listing import two_columns

        sys.stdout.write(two_columns(listing()))
    else:
        sys.stdout.write(load(name)(None if figures is None else Path(figures)))
