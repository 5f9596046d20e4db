"""Write measured figures into the documentation, between marks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from harness.growth import draw_curves
from harness.report import describe_run, judge_bars, list_absent, tabulate, tabulate_curves
from harness.suite import Results, find_folder
from roget.core.store import write_atomic
from roget.errors import InputError
from roget.report import Report, ReportTable
from roget.report.figures import save_picture

BLOCK = re.compile(r"(<!-- measured: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
"""A block of figures. Its name is that of a benchmark or campaign, or "growth" for all curves."""
PICTURE = "pictures/growth.svg"


def write_pages(found: Results, docs: Path | None = None) -> list[Path]:
    """Write the figures of the benchmarks that ran and, after a complete run, the curves."""
    docs = docs or find_folder().parent / "docs"
    pages = sorted(docs.glob("*.md")) if docs.is_dir() else []
    marked = [page for page in pages if BLOCK.search(page.read_text(encoding="utf-8"))]
    if not marked:
        raise InputError(f"{docs}: no page there has figures of benchmarks; use a clone of roget")
    blocks = make_blocks(found)
    written = [page for page in marked if fill_blocks(page, blocks)]
    if found.whole and found.curves:
        save_picture(draw_curves(found.curves), docs / PICTURE)
        written.append(docs / PICTURE)
    return written


def fill_blocks(page: Path, blocks: Mapping[str, str]) -> bool:
    """Replace the blocks of a page that are in `blocks`; return True if the page changed."""
    before = page.read_text(encoding="utf-8")
    after = BLOCK.sub(
        lambda mark: f"{mark[1]}{blocks[mark[2]]}{mark[3]}" if mark[2] in blocks else mark[0],
        before,
    )
    if after != before:
        write_atomic(page, after)
    return after != before


def make_blocks(found: Results) -> dict[str, str]:
    """Return the Markdown of each benchmark that ran, and of the curves."""
    flags = " --quick" if found.quick else ""
    blocks = {}
    for one in found.outcomes:
        if not (one.rows or one.notes):
            continue
        command = f"python -m benchmarks --only {one.name}{flags}"
        absent = [note for note in list_absent(found) if note.startswith(f"left out: {one.name}/")]
        tables = [tabulate(one, found)] if one.rows else []
        notes = [*one.notes, *judge_bars(one.rows, found.quick), *absent]
        blocks[one.name] = _write_block(command, found, tables, notes)
    if found.whole and found.curves:
        command = f"python -m benchmarks{flags}"
        tables = [tabulate_curves(found.curves)]
        picture = f"![Cost against size]({PICTURE})\n\n"
        blocks["growth"] = _write_block(command, found, tables, []) + picture
    return blocks


def _write_block(command: str, found: Results, tables: list[ReportTable], notes: list[str]) -> str:
    head = f"`{command}`\n"
    text = Report("", tables=tables).render("markdown") if tables else ""
    text = re.sub(r"^#+ .*\n+|^\*\*.*\*\*\n+", "", text)
    listed = "".join(f"- {' '.join(note.split())}\n" for note in notes if note)
    run = f"<small>{describe_run(found)}</small>\n"
    return (
        "\n\n".join(part.strip("\n") for part in (head, text, listed, run) if part.strip()) + "\n\n"
    )
