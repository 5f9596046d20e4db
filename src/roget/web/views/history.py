"""View: the history of edits (done, waiting and undone)."""

from __future__ import annotations

from typing import TypedDict

from roget.report.edits import list_edits
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import View, list_columns


class EditRow(TypedDict):
    """An edit. Its `number` can be passed to the edit "undo_to"."""

    number: int | None
    state: str
    kind: str
    what: str


class HistoryView(TypedDict):
    """Data of the history view."""

    revision: int
    edits: list[EditRow]


def make(snapshot: ThesaurusSnapshot) -> HistoryView:
    """Return all edits of the thesaurus, in order."""
    edits = list(list_edits(snapshot.thesaurus))
    return {"revision": snapshot.revision, "edits": edits}  # type: ignore[typeddict-item]


VIEW = View(
    "history", make, HistoryView, sheet=list_columns("edits", "number", "what", "kind", "state")
)
