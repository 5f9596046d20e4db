"""Reports of `roget edit`: the history of edits, and the edits just made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roget.learn.editing import EditResult
from roget.learn.thesaurus import Edit, Thesaurus
from roget.report import Column, Report, ReportTable
from roget.report.format import plural, printable

DONE, WAITING, UNDONE = "done", "waiting", "undone"
"""States of an edit. A waiting edit could not be applied when the thesaurus was rebuilt."""


def list_edits(thesaurus: Thesaurus) -> Iterator[dict[str, Any]]:
    """Yield all edits in order as plain data. `number` is the argument for `undo_to`."""
    number = 0
    for one in thesaurus.edits:
        number += not one.waiting
        at = None if one.waiting else number
        yield {"number": at, "state": WAITING if one.waiting else DONE, **_describe(one)}
    for at, one in enumerate(thesaurus.undone, number + 1):
        yield {"number": at, "state": UNDONE, **_describe(one)}


def history(thesaurus: Thesaurus) -> Report:
    """Report all edits: done, waiting and undone."""
    rows = list(list_edits(thesaurus))
    count = {state: sum(row["state"] == state for row in rows) for state in (DONE, WAITING, UNDONE)}
    lead = f"{plural(count[DONE], 'edit')}"
    if count[UNDONE]:
        lead += f", {count[UNDONE]} undone (--redo applies the next one again)"
    notes = []
    if count[WAITING]:
        notes.append(
            f"{plural(count[WAITING], 'edit')} could not be applied when the thesaurus was "
            "rebuilt; they will be tried again in the next build"
        )
    return _report([lead], rows, notes)


def changes(edited: EditResult, dry_run: bool) -> Report:
    """Report the edits just made or undone.

    With `dry_run`, the edits were not made, and the report lists what would change.
    """
    total = len(edited.thesaurus.editor.done)
    done, undone = (f"would be {one}" if dry_run else one for one in (DONE, UNDONE))
    rows = [
        {"number": total - len(edited.done) + at, "state": done, **_describe(one)}
        for at, one in enumerate(edited.done, 1)
    ]
    rows += [
        {"number": total + len(edited.undone) - at, "state": undone, **_describe(one)}
        for at, one in enumerate(edited.undone)
    ]
    many = plural(len(rows), "edit")
    verb = "undone" if edited.undone else "made"
    lead = f"{many} {verb}; {total} in total"
    if dry_run:
        lead = f"{many} would be {verb}; nothing was written"
    return _report([lead], rows, [])


def _report(lead: Sequence[str], rows: list[dict[str, Any]], notes: Sequence[str]) -> Report:
    shown = [
        ("" if row["number"] is None else str(row["number"]), row["state"], printable(row["what"]))
        for row in rows
    ]
    columns = [Column("number", right=True), Column("state", fit="keep"), Column("edit", share=1)]
    return Report(
        "Edits",
        lead,
        tables=[ReportTable(columns, shown)] if rows else [],
        notes=notes,
        data={"edits": rows},
        sheet=ReportTable.of(
            ("number", "state", "kind", "edit"), [[*row.values()] for row in rows]
        ),
    )


def _describe(one: Edit) -> dict[str, str]:
    return {"kind": one.kind, "what": str(one)}
