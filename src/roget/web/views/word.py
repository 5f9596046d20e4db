"""View: a word with its classes, senses, neighbours, contexts and place in the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roget.learn.thesaurus import Neighbour, lookup
from roget.learn.thesaurus.neighbours import list_neighbours
from roget.report.format import brief
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import (
    WORD,
    Context,
    Named,
    Notes,
    Number,
    Sheet,
    StaticPage,
    View,
    Word,
    check_index,
    check_rows,
    name_class,
    read_notes,
    rows_parameter,
    short,
)
from roget.web.views.word_class import measure_context

NEIGHBOURS, CONTEXTS, MEMBERSHIPS, SENSE_CONTEXTS = 16, 24, 12, 8
"""Default numbers of neighbours, contexts, classes, and words and contexts per sense."""

STATIC_NEIGHBOURS, STATIC_MEMBERSHIPS = 12, 8
"""Numbers of neighbours and classes per word in the static page."""


class Member(Named):
    """A class of the word, with p(class|word)."""

    probability: float


class Sense(Named):
    """A sense: its share of the word's uses, similar words, and contexts."""

    weight: float
    like: list[Word]
    contexts: list[Context]


class Similar(Word):
    """A neighbour and its similarity."""

    similarity: float


class WordView(Word):
    """Data of the word view."""

    observations: float
    files: int | None
    """Number of files with a stored sentence.

    It is null if there is only one file, or if there are no sentences.
    """
    keyness: float | None
    """Frequency in the text divided by the frequency in the background. It is null if the
    background does not contain the word."""
    path: list[Named]
    among: int
    """Number of classes that the word belongs to."""
    memberships: list[Member]
    notes: Notes
    senses: list[Sense]
    neighbours: list[Similar]
    contexts: list[Context]


def make(snapshot: ThesaurusSnapshot, row: int, n: int = NEIGHBOURS) -> WordView:
    """Return the data of the word with the given row number, with n neighbours."""
    check_index("word number", row, len(snapshot.thesaurus))
    return next(make_many(snapshot, range(row, row + 1), n))


def make_by_name(snapshot: ThesaurusSnapshot, word: str, n: int = NEIGHBOURS) -> WordView:
    """Return the data of a word, looked up by name."""
    return make(snapshot, snapshot.thesaurus.row(word), n)


def make_many(
    snapshot: ThesaurusSnapshot, rows: range, n: int = NEIGHBOURS, contexts: int = CONTEXTS
) -> Iterator[WordView]:
    """Yield the data of several words. Their neighbours are computed together, which is faster."""
    thesaurus = snapshot.thesaurus
    near = list_neighbours(thesaurus, np.array(rows), check_rows(n)) if n else [[]] * len(rows)
    for row, neighbours in zip(rows, near, strict=True):
        yield _make_word(snapshot, row, neighbours, contexts)


def _make_word(
    snapshot: ThesaurusSnapshot, row: int, neighbours: Sequence[Neighbour], contexts: int
) -> WordView:
    thesaurus = snapshot.thesaurus
    word, total = str(thesaurus.words[row]), float(thesaurus.counts.word_totals[row])
    memberships = thesaurus.membership(word)
    path = lookup.list_path(thesaurus, int(thesaurus.places[row]))
    return {
        "id": row,
        "word": word,
        "observations": short(total),
        "files": kept.count_files(word) if (kept := thesaurus.counts.evidence) else None,
        "keyness": snapshot.keyness(word),
        "path": [name_class(snapshot, node) for node in path],
        "among": len(memberships),
        "memberships": [
            {**name_class(snapshot, node), "probability": short(p)}
            for node, p in list(memberships.items())[:MEMBERSHIPS]
        ],
        "notes": read_notes(snapshot, word),
        "senses": _list_senses(snapshot, word, total),
        "neighbours": [
            {
                "id": thesaurus.rows[one.word],
                "word": one.word,
                "similarity": short(one.similarity),
            }
            for one in neighbours
        ],
        "contexts": [
            measure_context(one, one.context, snapshot.phrase(one.context), total)
            for one in thesaurus.evidence(word, contexts)
        ],
    }


def _list_senses(snapshot: ThesaurusSnapshot, word: str, total: float) -> list[Sense]:
    """Return the senses of a word, or an empty list if it has only one."""
    thesaurus = snapshot.thesaurus
    ends = thesaurus.sense_memberships.indptr
    row = thesaurus.rows[word]
    # Most words have a single sense, so their contexts need not be ranked.
    if ends[row + 1] - ends[row] < 2:
        return []
    return [
        {
            **name_class(snapshot, sense.node),
            "weight": short(sense.share),
            "like": [{"id": thesaurus.rows[like], "word": like} for like in sense.words],
            "contexts": [
                measure_context(one, one.context, snapshot.phrase(one.context), total)
                for one in sense.contexts
            ],
        }
        for sense in thesaurus.senses(word, SENSE_CONTEXTS)
    ]


def sheet(data: WordView, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view: classes, senses, neighbours and contexts with values."""
    rows: list[list[Any]] = [
        ["class", one["label"], one["probability"]] for one in data["memberships"]
    ]
    rows += [["sense", one["label"], one["weight"]] for one in data["senses"]]
    rows += [["neighbour", one["word"], one["similarity"]] for one in data["neighbours"]]
    rows += [["context", one["context"], one["amount"]] for one in data["contexts"]]
    return ["kind", "name", "value"], rows


def embed(page: StaticPage) -> dict[str, Any]:
    """Return the word data of the static page, in blocks of up to `SHARD` words."""
    blocks: dict[str, Any] = {}
    for number, rows in page.shards():
        words = list(make_many(page.snapshot, rows, STATIC_NEIGHBOURS, page.CONTEXTS))
        blocks[f"words-{number}"] = [_flatten(page, one) for one in words]
        page.word_contexts += [
            [one["context"] for one in word["contexts"][: page.CONTEXTS]] for word in words
        ]
        page.report(rows.stop)
    blocks["words"] = [str(word) for word in page.snapshot.thesaurus.words]
    blocks["places"] = page.snapshot.thesaurus.places.tolist()
    return blocks


def _flatten(page: StaticPage, data: WordView) -> list[Any]:
    memberships = data["memberships"][:STATIC_MEMBERSHIPS]
    return [
        data["observations"],
        data["files"],
        data["keyness"],
        data["among"],
        page.flatten(memberships, "node", "probability"),
        page.flatten(data["neighbours"], "id", "similarity"),
        page.flatten_contexts(data["contexts"]),
        [
            [
                sense["node"],
                brief(sense["weight"], page.DIGITS),
                [like["id"] for like in sense["like"]],
                page.flatten_contexts(sense["contexts"]),
            ]
            for sense in data["senses"]
        ],
    ]


VIEW = View(
    "word",
    make,
    WordView,
    route="/api/word/{row}",
    parameters=(Number("row"), rows_parameter(NEIGHBOURS)),
    sheet=sheet,
    static=embed,
)
BY_NAME = replace(
    VIEW,
    make=make_by_name,
    route="/api/word",
    parameters=(WORD, rows_parameter(NEIGHBOURS)),
    static=None,
)
