"""Decide whether the first row of a table is a header or data.

Each field in the first row is compared with the rest of its column. A field indicates a header if
it looks like a column name (`record_id`, `cell_type`), or if it is text but the other values are
numbers or ids with digits. A field indicates data if the same value occurs again in its column. The
decision combines all fields.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import Enum

SAMPLE = 100
"""Number of rows to compare with the first row."""

_MIN_IDS = 3
"""Minimum number of ids for header detection.

A field without digits that is followed by at least this many ids with digits is probably a column
name.
"""

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
"""Words that often occur at the end of column names."""

_NO_CLUSTER = frozenset({"noise", "outlier", "outliers", "none", "na", "null", "unknown"})


class _Verdict(Enum):
    """Verdict of one field on whether the first row is a header or data."""

    HEADER = "header"
    NAME = "usual name of a column"
    OPEN = "either"
    DATA = "data"


def parse_number(text: str) -> float | None:
    """Parse a number. Return None for any other string.

    >>> parse_number("1e-3"), parse_number("NaN"), parse_number("1_000"), parse_number("x")
    (0.001, nan, None, None)
    """
    return float(text) if _NUMBER.fullmatch(text) else None


def is_column_name(text: str, words: Collection[str] = COLUMN_WORDS) -> bool:
    """Return True if a string looks like a column name.

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
    """Return True if the first row is a header, False if it is data, and None if this is unclear.

    `words` are words with which column names typically end. If the table is a list of words, any of
    these words may be data, so pass an empty collection.

    >>> detect_header(["record_id", "entity_id"], [["r1", "e1"], ["r2", "e1"], ["r3", "e2"]])
    True
    >>> detect_header(["d1", "x"], [["d2", "x"], ["d3", "y"]])
    False
    """
    rows = [row for row in rest if len(row) == len(first)]
    if not rows or not all(first) or any(parse_number(field) is not None for field in first):
        return False
    verdicts = set()
    for at, field in enumerate(first):
        column = [row[at] for row in rows if row[at]]
        numeric = bool(column) and all(parse_number(cell) is not None for cell in column)
        verdicts.add(_judge(field, column, is_column_name(field, words), numeric))
    if verdicts <= {_Verdict.HEADER, _Verdict.NAME}:
        # If the only column contains numbers, text in the first row may be a class label.
        alone = len(first) == 1 and _Verdict.NAME not in verdicts
        return None if alone else True
    if _Verdict.DATA in verdicts or _Verdict.HEADER not in verdicts or len(rows) < _MIN_IDS:
        return False
    return None


def _judge(field: str, column: Sequence[str], is_name: bool, numeric: bool) -> _Verdict:
    """Compare a field of the first row with the rest of its column, and return a verdict.

    `is_name` is True if the field looks like a column name, `numeric` if the column has numbers.
    """
    if field in column or field.lower() in _NO_CLUSTER:
        return _Verdict.DATA
    if is_name:
        return _Verdict.NAME
    if numeric:
        return _Verdict.HEADER
    if any(map(str.isdigit, field)):
        return _Verdict.DATA
    ids = len(column) >= _MIN_IDS and all(any(map(str.isdigit, cell)) for cell in column)
    return _Verdict.HEADER if ids else _Verdict.OPEN
