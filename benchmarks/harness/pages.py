"""Measured figures in the documentation: what stands between marks is written by a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from harness.growth import draw_curves
from harness.report import judge_bars, list_absent, tabulate, tabulate_curves, tell_facts
from harness.suite import Results, find_folder
from roget.core.store import write_atomic
from roget.errors import InputError
from roget.report import Report, ReportTable
from roget.report.figures import save_picture

BLOCK = re.compile(r"(<!-- measured: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
"""Named by a benchmark or a campaign, or "growth" for all curves."""
PICTURE = "pictures/growth.svg"


def write_pages(found: Results, docs: Path | None = None) -> list[Path]:
    """Write the blocks of the benchmarks that ran and, if that are all, how their costs grow."""
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
    """Write Markdown between the marks that have its names; whether that changed the page."""
    before = page.read_text(encoding="utf-8")
    after = BLOCK.sub(
        lambda mark: f"{mark[1]}{blocks[mark[2]]}{mark[3]}" if mark[2] in blocks else mark[0],
        before,
    )
    if after != before:
        write_atomic(page, after)
    return after != before


def make_blocks(found: Results) -> dict[str, str]:
    """The Markdown of each benchmark that ran, and of the curves."""
    flags = " --quick" if found.quick else ""
    blocks = {}
    for one in found.outcomes:
        if not (one.rows or one.notes):
            continue
        command = f"python -m benchmarks --only {one.name}{flags}"
        absent = [note for note in list_absent(found) if note.startswith(f"left out: {one.name}/")]
        tables = [tabulate(one, found)] if one.rows else []
        notes = [*one.notes, *judge_bars(one.rows, found.quick), *absent]
        blocks[one.name] = _tell(command, found, tables, notes)
    if found.whole and found.curves:
        command = f"python -m benchmarks{flags}"
        tables = [tabulate_curves(found.curves)]
        picture = f"![Cost against size]({PICTURE})\n\n"
        blocks["growth"] = _tell(command, found, tables, []) + picture
    return blocks


def _tell(command: str, found: Results, tables: list[ReportTable], notes: list[str]) -> str:
    head = f"By `{command}`: {tell_facts(found)}.\n\n"
    text = Report("", tables=tables).render("markdown") if tables else ""
    text = re.sub(r"^#+ .*\n+|^\*\*.*\*\*\n+", "", text)
    listed = "".join(f"- {' '.join(note.split())}\n" for note in notes if note)
    return "\n\n".join(part.strip("\n") for part in (head, text, listed) if part.strip()) + "\n\n"
