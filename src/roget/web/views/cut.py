"""View: the thesaurus cut into k classes."""

from __future__ import annotations

from typing import TypedDict

from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import Named, Number, Sheet, View, name_class


class CutView(TypedDict):
    """Data for the cut view."""

    k: int
    classes: list[Named]


def make(snapshot: ThesaurusSnapshot, k: int) -> CutView:
    """Return the k classes of the cut."""
    nodes = snapshot.thesaurus.nodes(k)
    return {"k": len(nodes), "classes": [name_class(snapshot, node) for node in nodes]}


def sheet(data: CutView, snapshot: ThesaurusSnapshot) -> Sheet:
    """Return each word with its class as a CSV table, which is a label file for `roget score`."""
    labels = snapshot.thesaurus.cut(data["k"]).tolist()
    names = [one["label"] for one in data["classes"]]
    words = map(str, snapshot.thesaurus.words)
    rows = ([word, code + 1, names[code]] for word, code in zip(words, labels, strict=True))
    return ["item", "label", "class"], rows


VIEW = View("cut", make, CutView, route="/api/cut/{k}", parameters=(Number("k"),), sheet=sheet)
