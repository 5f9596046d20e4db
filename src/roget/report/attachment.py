"""How a model of attachment did, as a table: `roget attach test`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from roget.learn.attachment import Test
from roget.report.counts import many
from roget.report.text import width


def render(found: Test) -> str:
    """Accuracy with its interval, and a table of stages, in per cent."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
    grid.add_column("stage", no_wrap=True, overflow="ellipsis")
    grid.add_column("coverage %", justify="right", no_wrap=True, min_width=10)
    grid.add_column("accuracy %", justify="right", no_wrap=True, min_width=10)
    for one in found.stages:
        accuracy = "–" if one.accuracy is None else f"{one.accuracy:.1%}".rstrip("%")
        grid.add_row(*map(Text, (one.stage, f"{one.coverage:.1%}".rstrip("%"), accuracy)))
    out = io.StringIO()
    console = Console(file=out, width=width(), color_system=None, highlight=False, emoji=False)
    console.print(
        f"{many(found.items, 'quadruple')}: {found.accuracy:.2%} right "
        f"(95 % interval {found.low:.1%} to {found.high:.1%})\n"
    )
    console.print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def as_json(found: Test) -> str:
    """The same for machines; shares from 0 to 1."""
    return json.dumps(found.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def answers(quads: Iterable[Sequence[str]], nouns: Iterable[float]) -> str:
    """Lines of quadruple, answer and its probability, with tabs between."""
    return "".join(_line(quad, float(p)) for quad, p in zip(quads, nouns, strict=True))


def _line(quad: Sequence[Any], noun: float) -> str:
    answer, p = ("N", noun) if noun >= 0.5 else ("V", 1 - noun)
    return "\t".join([*map(str, quad[:4]), answer, f"{p:.4f}"]) + "\n"
