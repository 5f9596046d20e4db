"""How much items count: by weights that the caller gives, and so that all classes count alike.

A weight says how many items like it there are: twos are the same as every line given twice. So a
pair of items, or what a bias correction knows of rare things, has a meaning for whole weights only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from roget.core.types import CountArray
from roget.errors import InputError
from roget.scoring.labels import AlignedLabels
from roget.scoring.labels.labels import keep_apart, take, whole_counts


def weigh(sides: AlignedLabels, weights: Any = None, balance: str | None = None) -> AlignedLabels:
    """The same items, each counting so much as its weight, and perhaps all classes alike."""
    if weights is not None:
        sides = _weigh_items(sides, weights)
    return sides if balance is None else _balance_classes(sides)


def _weigh_items(sides: AlignedLabels, weights: Any) -> AlignedLabels:
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight: {error}; expected a number for each item") from None
    if sides.weighed:
        raise InputError("sample_weight beside a weight column: items cannot be weighed twice")
    if sides.counts is not None or sides.gold.weighted or sides.system.weighted:
        raise InputError("sample_weight goes with hard labels in memory; cells have counts instead")
    if given.shape != (len(sides.gold),):
        raise InputError(
            f"sample_weight: found {given.size} weights; expected {len(sides.gold)}, one for each "
            "item of gold that is scored"
        )
    if not np.all(np.isfinite(given) & (given >= 0)) or not given.any():
        raise InputError("sample_weight: expected numbers that are 0 or more, one above 0 at least")
    kept = np.flatnonzero(given)
    return replace(
        sides,
        gold=take(sides.gold, kept),
        system=take(sides.system, kept),
        groups=None if sides.groups is None else sides.groups[kept],
        counts=whole_counts(given[kept]),
        weighed=("items",),
    )


def _balance_classes(sides: AlignedLabels) -> AlignedLabels:
    """Every class of a group weighs the same; the group weighs what it did."""
    gold = sides.gold
    if gold.weighted or sides.system.weighted:
        raise InputError("balance: classes are balanced where every item has one label only")
    counts: CountArray = np.ones(len(gold)) if sides.counts is None else sides.counts
    keys = keep_apart(gold, sides.groups).codes.astype(np.int64)
    classes, of_row = np.unique(keys, return_inverse=True)
    group_of = classes // gold.n_labels
    sizes = np.bincount(of_row, counts)
    # What a class should weigh: its group's items shared by the group's classes.
    shares = np.bincount(group_of, sizes) / np.maximum(np.bincount(group_of), 1)
    balanced = counts * (shares[group_of] / sizes)[of_row]
    return replace(sides, counts=whole_counts(balanced), weighed=(*sides.weighed, "classes"))
