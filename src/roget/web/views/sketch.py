"""View: the sketch of a word (its relations and collocates), or of two words compared."""

from __future__ import annotations

from typing import Any, TypedDict

from roget.learn.usage import sketch
from roget.report.format import brief
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import (
    Number,
    Sheet,
    StaticPage,
    Text,
    View,
    check_index,
    check_rows,
    rows_parameter,
    short,
)

COLLOCATES = 12
"""Default number of collocates per relation."""


class Collocate(TypedDict):
    """A collocate with a count and a logDice score for each word."""

    context: str
    name: str
    counts: list[float]
    scores: list[float | None]
    phrase: str


class Relation(TypedDict):
    """A relation with its share of each word's occurrences."""

    slot: str
    name: str
    totals: list[float]
    shares: list[float]
    more: int
    collocates: list[Collocate]


class SketchView(TypedDict):
    """Data of the sketch view."""

    id: int
    words: list[str]
    totals: list[float]
    least: int
    left: list[str]
    relations: list[Relation]


def make(
    snapshot: ThesaurusSnapshot, row: int, other: str | None = None, n: int = COLLOCATES
) -> SketchView:
    """Return the sketch of a word, or of two words compared."""
    check_index("word number", row, len(snapshot.thesaurus))
    word = str(snapshot.thesaurus.words[row])
    made = snapshot.sketches.sketch(word, other, max(check_rows(n), 1))
    return {
        "id": row,
        "words": list(made.words),
        "totals": [short(float(total)) for total in made.totals],
        "least": made.least,
        "left": list(made.left),
        "relations": [
            {
                "slot": one.slot,
                "name": one.name,
                "totals": [short(float(total)) for total in one.totals],
                "shares": [short(share) for share in one.shares],
                "more": one.more,
                "collocates": [_describe(snapshot, each) for each in one.collocates],
            }
            for one in made.relations
        ],
    }


def _describe(snapshot: ThesaurusSnapshot, one: sketch.Collocate) -> Collocate:
    return {
        "context": one.context,
        "name": one.name,
        "counts": [short(float(count)) for count in one.counts],
        "scores": [brief(score) for score in one.scores],
        "phrase": snapshot.phrase(one.context),
    }


def sheet(data: SketchView, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view: collocates with the count and score for each word."""
    names = [f"{name} {word}" for name in ("count", "logDice") for word in data["words"]]
    rows = [
        [one["slot"], each["name"], *each["counts"], *each["scores"]]
        for one in data["relations"]
        for each in one["collocates"]
    ]
    return ["relation", "collocate", *names], rows


def embed(page: StaticPage) -> dict[str, Any]:
    """Return the sketches of all words, if sketches are requested."""
    if not page.sketches:
        return {}
    return {
        f"sketches-{number}": [make(page.snapshot, row) for row in rows]
        for number, rows in page.shards()
    }


VIEW = View(
    "sketch",
    make,
    SketchView,
    route="/api/sketch/{row}",
    parameters=(Number("row"), Text("other", None), rows_parameter(COLLOCATES)),
    sheet=sheet,
    static=embed,
)
