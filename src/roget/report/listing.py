"""What the catalogue holds, as text: `roget list` and the documentation both print this."""

from __future__ import annotations

import inspect
import io
import math
from dataclasses import fields
from typing import Any

from roget import catalogue
from roget.report.text import width


def describe(kind: str) -> list[dict[str, Any]]:
    """One plain dictionary per name, in catalogue order."""
    describe_one = {"measures": _measure, "entropies": _estimator}.get(kind, _plain)
    parts = [describe_one(name, catalogue.load(kind, name)) for name in catalogue.names(kind)]
    if kind == "relations":
        parts.append({"name": "all", "summary": "all of these"})
    return parts


def _measure(name: str, declared: Any) -> dict[str, Any]:
    measure = declared()
    low, high = (None if math.isinf(bound) else bound for bound in measure.range)
    parameters = {field.name: field.default for field in fields(measure)}
    return {
        "name": name,
        "summary": _summary(measure),
        "about": inspect.getdoc(measure) or "",
        "better": measure.direction,
        "low": low,
        "high": high,
        "best": measure.best,
        "symmetric": measure.symmetric,
        "needs": list(measure.needs),
        "parameters": parameters,
        "reference": measure.reference,
    }


def _estimator(name: str, estimator: Any) -> dict[str, Any]:
    return {
        "name": name,
        "summary": _summary(estimator),
        "assumes": estimator.assumes,
        "joint support": "|C|·|K|" if estimator.joint_support == "product" else "cells seen",
        "reference": estimator.reference,
    }


def _plain(name: str, thing: Any) -> dict[str, Any]:
    return {"name": name, "summary": _summary(thing)}


def _summary(thing: Any) -> str:
    """What a part says of itself: a pattern, what a recipe says, or the begin of its docstring."""
    said = thing if isinstance(thing, str) else getattr(thing, "says", None)
    if said is not None:
        return str(said)
    first = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return " ".join(first.split())


def render(entries: list[dict[str, Any]]) -> str:
    """Name, meaning and reference, wrapped to 100 columns."""
    return two_columns([(entry["name"], _line(entry)) for entry in entries])


def _line(entry: dict[str, Any]) -> str:
    given = ", ".join(
        f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in entry.get("parameters", {}).items()
    )
    parts = [
        str(entry["summary"]),
        f"Assumes {entry['assumes']}." if "assumes" in entry else "",
        f"[{entry['reference']}]" if "reference" in entry else "",
        f"Parameters: {given}." if given else "",
    ]
    return " ".join(part for part in parts if part)


def two_columns(rows: list[tuple[str, str]]) -> str:
    """Names and what they mean, the meanings wrapped to the width of the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    for name, meaning in rows:
        grid.add_row(Text(name), Text(meaning))
    out = io.StringIO()
    Console(file=out, width=width(), color_system=None, highlight=False, emoji=False).print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
