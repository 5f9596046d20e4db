"""What a table of counts holds, as text: `roget count --show`."""

from __future__ import annotations

import io
import json
import os
import textwrap
from collections.abc import Mapping
from typing import Any

from roget.errors import InputError
from roget.report.text import width


def look(name: str, top: int = 10) -> dict[str, Any]:
    """A summary of a counts folder, of any other file of counts, or of a bundled sample."""
    import tempfile

    from roget.core.counts import Counts
    from roget.core.counts_files import summary
    from roget.data import SAMPLES, sample

    if os.path.isdir(name):
        return summary(name, top)
    bundled = name in SAMPLES and not os.path.exists(name)
    counts = sample(name) if bundled else Counts.read(name)
    if not isinstance(counts, Counts):
        raise InputError(f"{name} holds quadruples, not counts")
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        counts.write(os.path.join(folder, "counts"))
        return summary(os.path.join(folder, "counts"), top)


def render(name: str, summary: Mapping[str, Any]) -> str:
    """Sizes, where the counts come from, and the most frequent words with their contexts."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = io.StringIO()
    for line in [f"{name}: {sizes(summary)}", *_origin(summary)]:
        out.write(textwrap.fill(line, width(), subsequent_indent="  ") + "\n")
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
    grid.add_column("word", overflow="fold")
    grid.add_column("seen", justify="right")
    grid.add_column("contexts, most frequent first", ratio=1, overflow="fold")
    for entry in summary["words"]:
        contexts = ", ".join(f"{one['context']} {one['count']:,}" for one in entry["contexts"])
        grid.add_row(Text(entry["word"]), Text(f"{entry['total']:,}"), Text(contexts))
    console = Console(file=out, width=width(), color_system=None, highlight=False, emoji=False)
    console.print()
    console.print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def as_json(summary: Mapping[str, Any]) -> str:
    """The summary for machines."""
    return json.dumps(summary, ensure_ascii=False, indent=2) + "\n"


def sizes(summary: Mapping[str, Any]) -> str:
    """Words, contexts, pairs and tokens in one line."""
    rows, columns = summary["shape"]
    once = summary.get("hapax", {}).get("pairs")
    seen_once = "" if once is None else f" ({once:.0%} of them once)"
    return (
        f"{_many(rows, 'word')} × {_many(columns, 'context')}, {_many(summary['entries'], 'pair')} "
        f"seen {_many(summary['total'], 'time')}{seen_once}"
    )


def _many(number: float, noun: str) -> str:
    return f"{number:,.15g}" + f" {noun}{'' if number == 1 else 's'}"


def _origin(summary: Mapping[str, Any]) -> list[str]:
    origin = summary["provenance"]
    lines = []
    if summary["relations"]:
        lines.append("relations: " + ", ".join(summary["relations"]))
    inputs = origin.get("inputs", [])
    if inputs:
        names = ", ".join(_input_name(one["path"]) for one in inputs[:3])
        more = f" and {len(inputs) - 3:,} more" if len(inputs) > 3 else ""
        read = f" ({origin['tokens']:,} tokens read)" if origin.get("tokens") else ""
        lines.append(f"from: {names}{more}{read}")
    if "source" in origin:
        lines.append(f"from: {origin['source']}")
    return lines


def _input_name(path: str) -> str:
    return "standard input" if path == "-" else path
