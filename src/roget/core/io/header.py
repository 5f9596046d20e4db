"""Decide whether the first row of a table is a header.

A field of the first row speaks for a header if its column holds only numbers, or only ids with
digits, and the field does not, or if it is a usual name of a column (`record_id`, `cell_type`).
It speaks for data if the column contains it again. All fields together decide.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import Enum

SAMPLE = 100
"""Number of rows compared with the first."""

_MIN_IDS = 3
"""Rows with digits from which a field without digits stands out."""

_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE | re.ASCII
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

COLUMN_WORDS = frozenset(
    [
        "algorithm",
        "annotation",
        "annotator",
        "assignment",
        "barcode",
        "batch",
        "category",
        "cell",
        "class",
        "cluster",
        "clustering",
        "code",
        "column",
        "community",
        "component",
        "condition",
        "confidence",
        "count",
        "dataset",
        "date",
        "doc",
        "document",
        "domain",
        "entity",
        "example",
        "family",
        "feature",
        "file",
        "frequency",
        "genre",
        "gold",
        "group",
        "hdbscan",
        "id",
        "identifier",
        "index",
        "instance",
        "intent",
        "item",
        "key",
        "kind",
        "kmeans",
        "label",
        "language",
        "leiden",
        "lemma",
        "louvain",
        "lemma",
        "mention",
        "message",
        "method",
        "model",
        "name",
        "node",
        "number",
        "object",
        "observation",
        "organ",
        "output",
        "paragraph",
        "part",
        "partition",
        "person",
        "pos",
        "pred",
        "predicted",
        "prediction",
        "probability",
        "query",
        "record",
        "reference",
        "relation",
        "response",
        "row",
        "sample",
        "score",
        "section",
        "segment",
        "sense",
        "sentence",
        "sentiment",
        "set",
        "size",
        "source",
        "speaker",
        "species",
        "split",
        "state",
        "subject",
        "subreddit",
        "system",
        "tag",
        "target",
        "text",
        "theme",
        "timestamp",
        "title",
        "token",
        "topic",
        "train",
        "true",
        "truth",
        "type",
        "url",
        "user",
        "uuid",
        "value",
        "verb",
        "weight",
        "word",
        "year",
    ]
)
"""Words that end the names of columns."""

_NO_CLUSTER = frozenset({"noise", "outlier", "outliers", "none", "na", "null", "unknown"})


class _Verdict(Enum):
    """What one field of the first row speaks for."""

    HEADER = "header"
    NAME = "usual name of a column"
    OPEN = "either"
    DATA = "data"


def parse_number(text: str) -> float | None:
    """Return the number that a text is, None for any other text.

    >>> parse_number("1e-3"), parse_number("NaN"), parse_number("1_000"), parse_number("x")
    (0.001, nan, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def is_column_name(text: str, words: Collection[str] = COLUMN_WORDS) -> bool:
    """Return True if a text is built like the name of a column.

    >>> [is_column_name(text) for text in ("record_id", "cellType", "labels_", "Paris", "id 7")]
    [True, True, True, False, False]
    """
    parts = [part.lower() for part in _WORD.findall(text)]
    if not parts or any(map(str.isdigit, text)):
        return False
    return parts[-1] in words or parts[-1].removesuffix("s") in words


def detect_header(
    first: Sequence[str], rest: Sequence[Sequence[str]], words: Collection[str] = COLUMN_WORDS
) -> bool | None:
    """Return whether the first row is a header, None if it may be either.

    `words` are the words that names of columns end in; none for lists of words, which may contain
    any of them.

    >>> detect_header(["record_id", "entity_id"], [["r1", "e1"], ["r2", "e1"], ["r3", "e2"]])
    True
    >>> detect_header(["d1", "x"], [["d2", "x"], ["d3", "y"]])
    False
    """
    rows = [row for row in rest if len(row) == len(first)]
    if not rows or not all(first) or any(parse_number(field) is not None for field in first):
        return False
    verdicts = {
        _judge(field, [row[at] for row in rows if row[at]], words) for at, field in enumerate(first)
    }
    if verdicts <= {_Verdict.HEADER, _Verdict.NAME}:
        # A single column of numbers below one text may begin with the name of a class.
        alone = len(first) == 1 and _Verdict.NAME not in verdicts
        return None if alone else True
    if _Verdict.DATA in verdicts or _Verdict.HEADER not in verdicts or len(rows) < _MIN_IDS:
        return False
    return None


def _judge(field: str, column: Sequence[str], words: Collection[str]) -> _Verdict:
    """Return what a field says about its row, compared with the rest of its column."""
    if field in column or field.lower() in _NO_CLUSTER:
        return _Verdict.DATA
    if is_column_name(field, words):
        return _Verdict.NAME
    if column and all(parse_number(cell) is not None for cell in column):
        return _Verdict.HEADER
    if any(map(str.isdigit, field)):
        return _Verdict.DATA
    ids = len(column) >= _MIN_IDS and all(any(map(str.isdigit, cell)) for cell in column)
    return _Verdict.HEADER if ids else _Verdict.OPEN
