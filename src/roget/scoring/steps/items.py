"""The function `roget.score_items`, which returns the scores of each item."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from roget.core.types import Floats, Ints
from roget.scoring.inputs import read_sides
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.labels.align import choose_rules
from roget.scoring.labels.labels import separate_groups
from roget.scoring.labels.write import write_columns
from roget.scoring.measures import parse
from roget.scoring.measures.base import list_requests
from roget.scoring.options import LabelOptions, PipelineOptions
from roget.scoring.results import Result
from roget.scoring.signature import sign_scores, write_signature
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.cover_table import CoverTable
from roget.scoring.tables.statistics import Statistics
from roget.scoring.tabulate import split_groups, tabulate

SCORES = ("element-centric", "b3-precision", "b3-recall")
"""Names of the scores computed for each item. For weighted labels, only the first is computed."""


@dataclass(frozen=True, repr=False, eq=False)
class ItemScores(Result):
    """The labels and scores of each item.

    `scores["element-centric"]` is a column, and `scores.to_pandas()` is a data frame.
    """

    kind = "items"

    columns: Mapping[str, Sequence[Any]]
    """The columns: item, group (if there are groups), gold, system, and one column per score.

    Items are identified by their ids, by the index of a Series, or by their position, counted from
    0.
    """
    signature: str = ""
    groups: int = 1

    def __len__(self) -> int:
        return len(self.columns["item"])

    def __getitem__(self, name: str) -> Sequence[Any]:
        """Return a column by name."""
        return self.columns[name]

    def __repr__(self) -> str:
        return f"<ItemScores of {len(self):,} items: {', '.join(self.columns)}>"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV, TSV, Parquet or JSON lines file.

        The file extension determines the format.
        """
        write_columns(self.columns, path)


def score_items(
    gold: Any,
    system: Any = None,
    *,
    alpha: float = 0.9,
    missing: str | None = LabelOptions.missing,
    noise: str | int | None = LabelOptions.noise,
    extra: str | None = LabelOptions.extra,
    answers: str = LabelOptions.answers,
    several: str | None = LabelOptions.several,
    labels: str | None = LabelOptions.labels,
    columns: Mapping[str, str] | None = LabelOptions.columns,
) -> ItemScores:
    """Score each item of a clustering by how well its cluster matches its class.

    The scores are the item's element-centric similarity (Gates et al. 2019), B-cubed precision and
    B-cubed recall. `roget.score` reports their means over items.

    Parameters
    ----------
    gold, system
        The gold standard and the clustering, as in `roget.score`.
    alpha
        Probability that the random walk of element-centric similarity continues.
    missing, noise, extra, answers, several, labels, columns
        As in `roget.score`.

    Returns
    -------
    ItemScores
        The labels and scores of each item.

    Examples
    --------
    >>> score_items(["a", "a", "b"], [1, 2, 2])["element-centric"]
    [0.5, 0.5, 0.5]
    """
    options = PipelineOptions(
        missing=missing,
        noise=noise,  # type: ignore[arg-type]
        extra=extra,
        labels=labels,
        columns=columns,
        answers=answers,
        several=several,
    )
    sides = read_sides(gold, system, options, by_item=True)
    sides.system.require_flat()
    scores = score_each(sides, alpha)
    requests = list_requests([name for name in SCORES if name in scores.columns], "ml")
    rules = choose_rules(sides.gold, "none", missing, extra, sides.system, options.noise)
    signature = write_signature(sign_scores(sides, requests, rules, options))
    return replace(scores, signature=signature, groups=len(sides.group_names or [1]))


def score_each(sides: AlignedLabels, alpha: float = 0.9) -> ItemScores:
    """Return the scores of aligned items.

    If the system is a tree, the clusters of its cut are scored.
    """
    sides = replace(sides, leaves=None)
    parse(f"element-centric(alpha={alpha!r})")
    gold, groups = sides.gold, sides.groups
    columns: dict[str, Sequence[Any]] = {
        "item": list(range(len(gold))) if gold.items is None else list(gold.items)
    }
    if groups is not None:
        names = sides.group_names or ()
        columns["group"] = [str(names[code]) for code in groups.tolist()]
    columns |= {"gold": _list_labels(gold), "system": _list_labels(sides.system)}
    values = _score_values(sides, alpha)
    return ItemScores(columns | {name: each.tolist() for name, each in values.items()})


def _score_values(sides: AlignedLabels, alpha: float) -> dict[str, Floats]:
    """Return the scores of each item, keyed by the name of the score."""
    if not (sides.gold.weighted or sides.system.weighted):
        table = tabulate(sides, pooled=True)
        assert isinstance(table, Contingency)
        return _score_cells(table, sides, alpha)
    tables = tabulate(sides, pooled=False)
    if isinstance(tables, Statistics):
        return _score_several(tables, alpha)
    parts = [_score_several(table, alpha) for table in tables.tables]
    assert sides.groups is not None
    # Groups are scored one by one, so restore the original order of the items.
    order = np.concatenate(split_groups(sides.groups))
    scores = {}
    for name in parts[0]:
        scores[name] = np.empty(order.size)
        scores[name][order] = np.concatenate([part[name] for part in parts])
    return scores


def _score_several(table: Statistics, alpha: float) -> dict[str, Floats]:
    """Score items with several labels.

    In a cover, items that belong to the same classes and clusters have the same scores.
    """
    each = table.elements.each(alpha)
    if not isinstance(table, CoverTable):
        return {SCORES[0]: each}
    _, precision, recall = table.cover.pairs
    kinds = table.cover.kinds
    assert kinds is not None
    scores = zip(SCORES, (each, precision, recall), strict=True)
    return {name: values[kinds] for name, values in scores}


def _score_cells(table: Contingency, sides: AlignedLabels, alpha: float) -> dict[str, Floats]:
    """Score items with one class and one cluster. Items in the same cell have the same scores."""
    cells = _find_cells(table, sides)
    counts = table.counts[cells].astype(np.float64)
    scores = {
        SCORES[0]: table.elements.each(alpha)[cells],
        SCORES[1]: counts / table.column_totals[table.columns[cells]],
        SCORES[2]: counts / table.row_totals[table.rows[cells]],
    }
    if table.held is None:
        return scores
    # Items that are missing from gold or from the system score 0.
    both = table.held.cells[cells]
    return {name: np.where(both, values, 0.0) for name, values in scores.items()}


def _find_cells(table: Contingency, sides: AlignedLabels) -> Ints:
    """Return the index of each item's contingency cell."""
    rows, columns = (
        np.searchsorted(known, separate_groups(side, sides.groups).codes)
        for known, side in ((table.class_codes, sides.gold), (table.cluster_codes, sides.system))
    )
    width = table.shape[1]
    return np.searchsorted(table.rows * width + table.columns, rows * width + columns)


def _list_labels(labels: Labels) -> list[str]:
    """Return the label of each item. Multiple labels are separated by spaces, as in key files."""
    names = np.array([labels.label(code) for code in range(labels.n_labels)], dtype=object)
    texts: list[str] = names[labels.codes.astype(np.int64)].tolist()
    if labels.indptr is None or labels.weights is None:
        return texts
    if not labels.cover:
        weights = labels.weights.tolist()
        texts = [f"{text}/{weight:g}" for text, weight in zip(texts, weights, strict=True)]
    bounds = labels.indptr.tolist()
    return [" ".join(texts[i:j]) for i, j in pairwise(bounds)]
