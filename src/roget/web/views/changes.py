"""View: the changes that `roget grow` made when it added new text."""

from __future__ import annotations

from typing import TypedDict

from roget.report.format import brief
from roget.report.growth import list_changes
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import Phrase, Sheet, View, describe_context

# The syntax for classes cannot be used, because "from" is a Python keyword.
Change = TypedDict(
    "Change",
    {
        "number": int,
        "kind": str,
        "words": list[str],
        "from": int | None,
        "to": int,
        "from_label": str | None,
        "to_label": str,
        "score": float | None,
        "reasons": list[Phrase],
        "tokens": float,
        "state": str,
    },
)


class ChangesView(TypedDict):
    """Data of the changes view."""

    revision: int
    changes: list[Change]


def make(snapshot: ThesaurusSnapshot) -> ChangesView:
    """Return the changes made by `roget grow`, with the contexts that support them."""
    changes = list_changes(snapshot.thesaurus.changes, snapshot.thesaurus)
    for one in changes:
        one["reasons"] = [describe_context(snapshot, context) for context in one["reasons"]]
        one["score"] = brief(one["score"])
    return {"revision": snapshot.revision, "changes": changes}  # type: ignore[typeddict-item]


def sheet(data: ChangesView, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view, with one row per change."""
    names = ["number", "kind", "from_label", "to_label", "score", "tokens", "state"]
    rows = []
    for one in data["changes"]:
        words = ", ".join(one["words"])
        reasons = ", ".join(reason["context"] for reason in one["reasons"])
        rows.append([words, reasons, *map(dict(one).get, names)])
    return ["words", "reasons", *names], rows


VIEW = View("changes", make, ChangesView, sheet=sheet)
