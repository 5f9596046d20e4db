"""View: the contexts that two words share."""

from __future__ import annotations

from typing import TypedDict

from roget.learn.thesaurus import lookup
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import (
    WORD,
    Named,
    Phrase,
    Sheet,
    Text,
    View,
    check_rows,
    describe_context,
    name_class,
    rows_parameter,
)

CONTEXTS = 8
"""Default number of contexts in the response."""


class SharedContext(Phrase):
    """A shared context with the count of each word in it."""

    counts: list[float]


SharedView = TypedDict(
    "SharedView",
    {"words": list[str], "class": Named, "kept": bool, "contexts": list[SharedContext]},
)


def make(snapshot: ThesaurusSnapshot, word: str, other: str, n: int = CONTEXTS) -> SharedView:
    """Return n shared contexts of two words, and the smallest class that contains both words."""
    thesaurus = snapshot.thesaurus
    rows = [thesaurus.row(word), thesaurus.row(other)]
    shared = lookup.shared_evidence(thesaurus, word, other, check_rows(n))
    columns = [snapshot.columns[one.context] for one in shared]
    counts = thesaurus.counts.matrix[rows][:, columns].toarray().T.tolist() if columns else []
    return {
        "words": [word, other],
        "class": name_class(snapshot, thesaurus.common_class(word, other)),
        "kept": thesaurus.counts.evidence is not None,
        "contexts": [
            {**describe_context(snapshot, one.context), "counts": pair}
            for one, pair in zip(shared, counts, strict=True)
        ],
    }


def sheet(data: SharedView, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view, with one row per context."""
    rows = [[one["context"], *one["counts"]] for one in data["contexts"]]
    return ["context", *data["words"]], rows


VIEW = View(
    "shared",
    make,
    SharedView,
    parameters=(WORD, Text("other"), rows_parameter(CONTEXTS)),
    sheet=sheet,
)
