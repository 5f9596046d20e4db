"""View: concordance lines of a word, or of the words of a class in a context."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NotRequired, TypedDict

from roget.core.counts.evidence import SORTS, EvidenceLine, sort_lines
from roget.errors import InputError, UnknownName
from roget.learn.thesaurus import lookup
from roget.report.format import part_text
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import (
    WORD,
    Number,
    Sheet,
    StaticPage,
    Text,
    View,
    check_index,
    check_rows,
    rows_parameter,
)
from roget.web.views.word_class import WORDS

LINES = 40
"""Default number of sentences in the response."""


class LineView(TypedDict):
    """A sentence split into pieces, each with its kind: "word", "context" or ""."""

    source: str
    line: int
    pieces: list[tuple[str, str]]
    word: str
    contexts: list[str]


class LinesView(TypedDict):
    """Data of the concordance view."""

    word: NotRequired[str]
    node: NotRequired[int]
    context: str | None
    phrase: str | None
    sort: str
    kept: bool
    of: NotRequired[int]
    lines: list[LineView]


def make(
    snapshot: ThesaurusSnapshot,
    word: str = "",
    node: int | None = None,
    context: str | None = None,
    sort: str = "corpus",
    n: int = LINES,
) -> LinesView:
    """Return sentences with a word, or with words of a class in a context."""
    if node is None:
        return _word_lines(snapshot, word, context, sort, n)
    if context is None:
        raise InputError(
            "the sentences of a class require a context; pass context=…", code="missing-option"
        )
    return _class_lines(snapshot, node, context, sort, n)


def _word_lines(
    snapshot: ThesaurusSnapshot, word: str, context: str | None, sort: str, n: int
) -> LinesView:
    thesaurus = snapshot.thesaurus
    thesaurus.row(word)
    lines = lookup.find_lines(thesaurus, word, context, check_rows(n), sort)
    evidence = thesaurus.counts.evidence
    kept = 0 if evidence is None else evidence.count(word, context)
    return {**_concordance(snapshot, context, sort, lines), "word": word, "of": kept}


def _class_lines(
    snapshot: ThesaurusSnapshot, node: int, context: str, sort: str, n: int
) -> LinesView:
    """Return sentences with the most typical words of a class, at most n/8 per word."""
    thesaurus = snapshot.thesaurus
    check_index("class", node, thesaurus.tree.n_nodes)
    words = [one.word for one in thesaurus.word_class(node, WORDS).words]
    per_word = max(1, check_rows(n) // 8)
    lines = (
        line for word in words for line in lookup.find_lines(thesaurus, word, context, per_word)
    )
    first = sort_lines(itertools.islice(lines, n), sort)
    return {**_concordance(snapshot, context, sort, first), "node": node}


def _concordance(
    snapshot: ThesaurusSnapshot, context: str | None, sort: str, lines: Sequence[EvidenceLine]
) -> LinesView:
    if context is not None and context not in snapshot.columns:
        raise UnknownName("context", context, [])
    return {
        "context": context,
        "phrase": None if context is None else snapshot.phrase(context),
        "sort": sort,
        "kept": snapshot.thesaurus.counts.evidence is not None,
        "lines": merge_lines(lines),
    }


def merge_lines(lines: Iterable[EvidenceLine]) -> list[LineView]:
    """Merge repeated sentences, and list the contexts in which each sentence was found."""
    same: dict[Any, list[EvidenceLine]] = {}
    for one in lines:
        same.setdefault((one.source, one.line, one.text, one.word), []).append(one)
    return [_split_line(group) for group in same.values()]


def _split_line(same: Sequence[EvidenceLine]) -> LineView:
    """Split a sentence into pieces before, at and after its marked words.

    Offsets cannot be used instead, because Python and JavaScript count characters differently.
    """
    first = same[0]
    marks = {one.context: "context" for one in same if one.context is not None}
    return {
        "source": first.source,
        "line": first.line,
        "pieces": part_text(first.text, {**marks, first.word: "word"}.items()),
        "word": first.pair[0],
        "contexts": [one.pair[1] for one in same],
    }


def sheet(data: LinesView, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view, with one row per sentence."""
    rows = [
        [
            one["source"],
            one["line"],
            "".join(text for text, _ in one["pieces"]),
            one["word"],
            " ".join(one["contexts"]),
        ]
        for one in data["lines"]
    ]
    return ["source", "line", "sentence", "word", "contexts"], rows


def embed(page: StaticPage) -> dict[str, Any]:
    """Return the sentences for each word and its contexts, if sentences are requested."""
    thesaurus, blocks = page.snapshot.thesaurus, dict[str, Any]()
    if page.evidence:
        for number, rows in page.shards():
            blocks[f"lines-{number}"] = [
                merge_lines(
                    line
                    for context in page.word_contexts[row]
                    for line in lookup.find_lines(
                        thesaurus, str(thesaurus.words[row]), context, page.evidence
                    )
                )
                for row in rows
            ]
    return blocks


VIEW = View(
    "lines",
    make,
    LinesView,
    parameters=(
        WORD,
        Number("node"),
        Text("context", None),
        Text("sort", "corpus", SORTS),
        rows_parameter(LINES),
    ),
    sheet=sheet,
    static=embed,
)
