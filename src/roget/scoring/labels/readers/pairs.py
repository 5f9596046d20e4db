"""Read pairs of item ids that belong to the same cluster, the usual output of entity resolution.

The table has two columns of ids, such as id1,id2. A third column may contain the match status or
the match probability of each pair. Clusters are the connected components of the matching pairs.
Items that do not occur in a matching pair are singletons, including items that occur only in the
other file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from roget import catalogue
from roget.core.io.problems import Problems, plural
from roget.core.io.table import Table, inspect_text
from roget.errors import Notice
from roget.scoring.labels.columns import SINGLE, Columns
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.labels import Coder, LabelCodes, Labels, NoItems
from roget.scoring.labels.readers.base import LabelReader, refuse_json

_SIDES = ("1 2", "l r", "a b", "left right", "first second", "ltable rtable", "id1 id2")
_SIDE_PARTS = [tuple(pair.split()) for pair in _SIDES]
"""Words that distinguish the names of the two id columns, e.g. left and right."""

_MATCH = (
    "match", "is_match", "matches", "label", "same", "duplicate", "is_duplicate", "link", "is_link",
    "prediction", "predicted", "pred", "y_pred", "gold", "truth", "y_true", "match_probability",
    "probability", "prob", "confidence", "confidence_score", "match_confidence", "match_score",
    "score", "similarity",
)  # fmt: skip
"""Names of columns that contain a pair's match status or match probability, best name first."""
_YES, _NO = {"1", "true", "yes", "y", "match"}, {"0", "false", "no", "n", "nonmatch", "non-match"}

THRESHOLD = 0.5
"""Minimum probability at which a pair is considered a match."""


def _find_ids(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the indices of the two id columns in a header, or None if there are no such columns.

    >>> _find_ids(["id1", "id2", "match"]), _find_ids(["unique_id_l", "unique_id_r"])
    ((0, 1), (0, 1))
    >>> _find_ids(["item", "label"]), _find_ids(["leiden_1", "leiden_2"])
    (None, None)
    """
    lowered = [name.lower() for name in names]
    if len(names) <= 3 and {"source", "target"} <= {*lowered}:
        # An edge list, as networkx and pandas name its columns.
        return lowered.index("source"), lowered.index("target")
    parts = [re.findall(r"[a-z]+|\d+", name) for name in lowered]
    for left, right in _SIDE_PARTS:
        for at, one in enumerate(parts):
            # The two names must differ in exactly one word, and must contain a word that means
            # "id".
            if left not in one or not {"id", "ids", "record", "rec", "row", "entity"} & {*one}:
                continue
            partner = [right if part == left else part for part in one]
            if partner in parts:
                return at, parts.index(partner)
    return None


def _sniff(lines: Sequence[str]) -> bool:
    delimiter = "\t" if "\t" in lines[0] else ","
    try:
        names = [cell.strip() for cell in next(csv.reader(lines[:1], delimiter=delimiter), [])]
    except csv.Error:  # The line is too long to be a header.
        return False
    return len(names) > 1 and _find_ids(names) is not None and not {"gold", "system"} & {*names}


def read_pairs(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read pairs of matching ids. Connected ids form a cluster, whose label is its first item."""
    if columns:
        # If the user specified columns, the file is a table of items and labels.
        reader = catalogue.load("label formats", "tsv" if "\t" in file.first_line[1] else "csv")
        labels: Labels = reader(file, columns=columns, gold=gold)
        return labels
    refuse_json(file, "two columns of item ids")
    problems = Problems(file.name)
    items = Coder()
    scores: list[str] = []
    pairs: list[tuple[int, int]] = []
    apart: list[tuple[int, int]] = []
    for (left, right), matches in _list_pairs(file, problems, scores):
        one, other = items.codes([left, right], 2).tolist()
        (pairs if matches else apart).append((one, other))
    problems.check()
    if not len(items):
        raise NoItems(f"{file.name}: no items")
    codes, roots = _connect(len(items), pairs)
    names = list(items)
    coded = LabelCodes(codes.astype(np.int64), roots.size, [names[root] for root in roots])
    return Labels(
        **coded._asdict(),
        items=names,
        source=file.name,
        warnings=(
            *_warn_threshold(file.name, scores, len(pairs), len(pairs) + len(apart)),
            *_warn(file.name, pairs, apart, codes),
        ),
        pairs=True,
    )


def _list_pairs(
    file: LabelFile, problems: Problems, scores: list[str]
) -> Iterator[tuple[tuple[str, str], bool]]:
    """Yield the two ids of each pair, and True if they match.

    Without a match column, all pairs match. If the column contains a probability, its name is added
    to `scores`.
    """
    if not file.first_line[1]:
        return
    format = "tsv" if "\t" in file.first_line[1] else "csv"
    table = Table(file.name, file.plain.path, format, source=file.plain)
    table, _ = inspect_text(table, SINGLE, header=True)
    ids = _find_ids(table.first)
    match = _find_match(table.first, ids)
    if ids is None:
        ids, match = (0, 1), 2 if len(table.first) > 2 else None
        table = replace(table, header=False)
    if len(table.first) < 2:
        problems.add(file.first_line[0], "expected two columns of ids; found 1 column")
        return
    for line, row in table.whole_rows(problems):
        cells = [str(cell).strip() for cell in row]
        if not cells[ids[0]] or not cells[ids[1]]:
            problems.add(line, "an id is empty; expected two ids", code="empty-field")
        else:
            verdict = True if match is None else _parse_match(cells[match], line, problems)
            if match is not None and not scores and cells[match].lower() not in _YES | _NO:
                scores.append(table.first[match] if table.header else str(match + 1))
            yield (cells[ids[0]], cells[ids[1]]), verdict


def _find_match(names: Sequence[str], ids: tuple[int, int] | None) -> int | None:
    """Return the index of the match column, which may have any name in a table of three columns.

    >>> _find_match(["id1", "id2", "score", "match"], (0, 1))
    3
    """
    lowered = [name.lower() for name in names]
    found = next((lowered.index(name) for name in _MATCH if name in lowered), None)
    if found is None and ids is not None and len(names) == 3:
        return next(at for at in range(3) if at not in ids)
    return found


def _parse_match(text: str, line: int, problems: Problems) -> bool:
    """Parse a cell of the match column: a word such as yes, 0 or 1, or a probability.

    Return True if the pair matches.
    """
    if text.lower() in _YES | _NO:
        return text.lower() in _YES
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        problems.add(
            line,
            f"invalid match {text!r}; expected 0 (no match), 1 (match) or a probability between "
            "them",
        )
    return number >= THRESHOLD


def _connect(size: int, pairs: Sequence[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the connected component of each item, and the first item of each component."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(links)), links.T), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    _, first, codes = np.unique(component, return_index=True, return_inverse=True)
    # Number the components in the order of their first items.
    order = np.argsort(first)
    return np.argsort(order)[codes], first[order]


def _warn_threshold(name: str, scores: Sequence[str], matching: int, total: int) -> Iterator[str]:
    """Yield a notice if pairs were selected by their match probability."""
    for column in scores:
        text = (
            f"{name}: {matching:,} of {plural(total, 'pair', ',')} match, because column {column} "
            f"is at least {THRESHOLD}; to use another threshold, pass only the matching pairs"
        )
        yield Notice(text, code="match-threshold")


def _warn(
    name: str,
    pairs: Sequence[tuple[int, int]],
    apart: Sequence[tuple[int, int]],
    codes: np.ndarray,
) -> Iterator[str]:
    """Yield notices if clusters contain pairs that are not listed or are listed as non-matches."""
    sizes = np.bincount(codes)
    implied = int((sizes * (sizes - 1) // 2).sum())
    listed = len({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    if implied > listed:
        text = (
            f"{name}: the clusters are the connected components of "
            f"{plural(listed, 'matching pair', ',')}, which imply {implied:,} pairs"
        )
        yield Notice(text, code="implied-pairs")
    against = sum(codes[one] == codes[other] for one, other in apart)
    if against:
        text = (
            f"{name}: found {plural(int(against), 'pair', ',')} that are listed as different but "
            "connected by other pairs"
        )
        yield Notice(text, code="implied-pairs")


READER = LabelReader(
    "Pairs of item ids, id1,id2[,match]: clusters are the connected components.",
    sniff=_sniff,
    labels=read_pairs,
    inside=("csv", "tsv"),
)
