"""`roget list [KIND]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.catalogue import KINDS
from roget.cli.shared import AsJson, Format, Output, deliver
from roget.errors import UnknownName

_LISTED = [kind.replace(" ", "-") for kind in KINDS]


def _parse(kind: str) -> str:
    if kind not in _LISTED:
        raise typer.BadParameter(str(UnknownName("kind", kind, _LISTED)))
    return kind.replace("-", " ")


def list(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND]",
            parser=_parse,
            help=f"One of {', '.join(_LISTED)}; without it, the names of all.",
        ),
    ] = None,
    as_json: AsJson = False,
    format: Format = None,
    output: Output = None,
) -> None:
    """List what can be named: measures, entropies, readers, relations, clusterers and so on."""
    from roget.report.listing import report

    deliver(report(kind), "json" if as_json else format, output)
