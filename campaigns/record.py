"""Writing what a campaign has tried, and what came of it, into a page of the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from roget.core.machine import describe_machine, tell_machine
from roget.core.store import write_atomic

DOCS = Path(__file__).resolve().parents[1] / "docs"
BEGIN, END = "<!-- recorded by: {command} -->", "<!-- end -->"


def record(
    page: str,
    command: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    told: str,
    seed: int,
    libraries: Iterable[str] = (),
) -> Path:
    """Put a table, what there is to tell, and what it was run with, between the page's markers.

    The first column is text, the others are numbers; the last row is the sum.
    """
    file, begin = DOCS / page, BEGIN.format(command=command)
    text = file.read_text(encoding="utf-8")
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(END)
    if not (found and closed):
        raise SystemExit(f"{file}: expected {begin} and {END}")
    measured = tell_machine(describe_machine(libraries))
    lines = [
        "| " + " | ".join(columns) + " |",
        "|" + "|".join(["---", *["---:"] * (len(columns) - 1)]) + "|",
        *("| " + " | ".join(map(_cell, row)) + " |" for row in rows),
    ]
    told = f"{told}\n\n(Seed {seed}; {measured}.)"
    body = "\n".join(lines)
    write_atomic(file, f"{head}{begin}\n\n{body}\n\n{told}\n\n{END}{tail}")
    return file


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
