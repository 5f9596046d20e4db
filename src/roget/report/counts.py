"""What a table of counts holds, as text: `roget count --show`."""

from __future__ import annotations

import io
import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import fsum
from pathlib import Path
from typing import Any, Literal

from roget.report.text import width


def look(name: str, top: int = 10) -> dict[str, Any]:
    """A summary of a counts folder, of any other file of counts, or of a bundled sample."""
    from roget.core.counts.files import summary

    with _folder(name) as folder:
        return summary(folder, top)


def look_up(name: str, word: str) -> dict[str, Any]:
    """A word of such counts with its total and all its contexts, the most frequent first."""
    from roget.core.counts import files as counts_files
    from roget.core.counts.names import NotCounted
    from roget.core.folder import open_folder
    from roget.core.io.duck import database, readable

    with _folder(name) as place, database() as connection, readable(place):
        folder = open_folder(place, counts_files.KIND)
        folder.verify()
        words, contexts, entries = (
            folder.query(connection, file, numbered=True) for file in counts_files.FILES
        )
        query = f"SELECT file_row_number FROM {words} WHERE word = ?"
        row = connection.execute(query, [word]).fetchone()
        if row is None:
            known = connection.execute(f"SELECT word FROM {words}").fetchall()
            raise NotCounted("word", word, (text for (text,) in known))
        rows = connection.execute(
            f'SELECT context, count FROM {entries} e JOIN {contexts} c ON e."column" ='
            ' c.file_row_number WHERE "row" = ? ORDER BY count DESC, context',
            row,
        ).fetchall()
    whole = folder.record["dtype"] == "int64"
    total = sum(n for _, n in rows) if whole else fsum(n for _, n in rows)
    found = [{"context": context, "count": n} for context, n in rows]
    return {"word": word, "total": total, "contexts": found}


@contextmanager
def _folder(name: str) -> Iterator[Path]:
    """A counts directory: the one of that name, or one made of what else has it."""
    import tempfile

    from roget.learn.opening import open_counts

    if os.path.isdir(name):
        yield Path(name)
        return
    counts, _ = open_counts(name)
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        counts.write(os.path.join(folder, "counts"))
        yield Path(folder) / "counts"


def render(name: str, summary: Mapping[str, Any]) -> str:
    """Sizes, where the counts come from, and the most frequent words with their contexts."""
    rows = []
    for entry in summary["words"]:
        contexts = ", ".join(f"{one['context']} {one['count']:,}" for one in entry["contexts"])
        rows.append((entry["word"], f"{entry['total']:,}", contexts))
    titles = ("word", "seen", "contexts, most frequent first")
    return _printed([f"{name}: {sizes(summary)}", *_origin(summary)], titles, rows)


def render_word(found: Mapping[str, Any]) -> str:
    """A word with all its contexts, one in each line."""
    contexts = found["contexts"]
    line = (
        f"{found['word']}: seen {many(found['total'], 'time')} in {many(len(contexts), 'context')}"
    )
    rows = [(one["context"], f"{one['count']:,}") for one in contexts]
    return _printed([line], ("context", "seen"), rows)


def _printed(lines: Iterable[str], titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lines, and a table in which numbers of times stand in the column "seen"."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = io.StringIO()
    for line in lines:
        out.write(textwrap.fill(line, width(), subsequent_indent="  ") + "\n")
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
    for title in titles:
        justify: Literal["right", "left"] = "right" if title == "seen" else "left"
        grid.add_column(title, justify=justify, overflow="fold")
    for row in rows:
        grid.add_row(*map(Text, row))
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
        f"{many(rows, 'word')} × {many(columns, 'context')}, {many(summary['entries'], 'pair')} "
        f"seen {many(summary['total'], 'time')}{seen_once}"
    )


def many(number: float, noun: str) -> str:
    """A number and its noun.

    >>> many(1, "word"), many(2000, "word")
    ('1 word', '2,000 words')
    """
    return f"{number:,.15g}" + f" {noun}{'' if number == 1 else 's'}"


def _origin(summary: Mapping[str, Any]) -> list[str]:
    from roget.learn.counting.recipe import UNITS

    origin = summary["provenance"]
    lines = []
    if summary["relations"]:
        lines.append("relations: " + ", ".join(summary["relations"]))
    inputs = origin.get("inputs", [])
    if inputs:
        names = ", ".join(_input_name(one["path"]) for one in inputs[:3])
        more = f" and {len(inputs) - 3:,} more" if len(inputs) > 3 else ""
        unit = UNITS.get(origin.get("recipe", {}).get("reader"), "token")
        read = f" ({many(origin['tokens'], unit)} read)" if origin.get("tokens") else ""
        lines.append(f"from: {names}{more}{read}")
    if "source" in origin:
        lines.append(f"from: {origin['source']}")
    return lines


def _input_name(path: str) -> str:
    return "standard input" if path == "-" else path
