"""`roget list measures|entropies|readers|relations|clusterers|models|engines`."""

from __future__ import annotations

import enum
import json
import sys
from typing import Annotated

import typer


class Kind(enum.StrEnum):
    """What can be listed."""

    measures = enum.auto()
    entropies = enum.auto()
    readers = enum.auto()
    relations = enum.auto()
    clusterers = enum.auto()
    models = enum.auto()
    engines = enum.auto()


def list_names(
    kind: Annotated[Kind, typer.Argument(help="What to list.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List measures, entropies, readers, relations, clusterers, class models or engines."""
    from roget.report.listing import describe, render

    entries = describe(kind.value)
    if as_json:
        json.dump(entries, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(render(entries))
