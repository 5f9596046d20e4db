"""View: search results, the words and classes that match a query."""

from __future__ import annotations

from typing import TypedDict

from roget.web.search import fold
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import (
    Named,
    Sheet,
    Text,
    View,
    check_rows,
    name_class,
    rows_parameter,
)

# The syntax for classes cannot be used, because "class" is a Python keyword.
FoundWord = TypedDict("FoundWord", {"id": int, "word": str, "class": Named})


class Found(TypedDict):
    """Data of the search view."""

    query: str
    words: list[FoundWord]
    classes: list[Named]


def make(snapshot: ThesaurusSnapshot, q: str, n: int = 10) -> Found:
    """Return up to n matching words, and the first few classes whose label contains the query."""
    query = fold(q.strip())
    rows = snapshot.search.find(q, check_rows(n))
    nodes = [node for node, label in enumerate(snapshot.folded_labels) if query and query in label]
    words, places = snapshot.thesaurus.words, snapshot.thesaurus.places
    return {
        "query": q,
        "words": [
            {"id": row, "word": str(words[row]), "class": name_class(snapshot, int(places[row]))}
            for row in rows
        ],
        "classes": [name_class(snapshot, node) for node in nodes[: max(3, n // 3)]],
    }


def sheet(data: Found, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view, with one row per word."""
    return ["word", "class"], [[one["word"], one["class"]["label"]] for one in data["words"]]


VIEW = View("search", make, Found, parameters=(Text("q"), rows_parameter(10)), sheet=sheet)
