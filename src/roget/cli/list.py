"""`roget list KIND`."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from roget.catalogue import KINDS
from roget.errors import UnknownName

_LISTED = [kind.replace(" ", "-") for kind in KINDS]


def _parse(kind: str) -> str:
    if kind not in _LISTED:
        raise typer.BadParameter(str(UnknownName("kind", kind, _LISTED)))
    return kind.replace("-", " ")


def list_names(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", parser=_parse, help=f"One of {', '.join(_LISTED)}.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List what can be named: measures, entropies, readers, relations, clusterers and so on."""
    from roget.report.listing import describe, render

    entries = describe(kind)
    if as_json:
        json.dump(entries, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(render(entries))
