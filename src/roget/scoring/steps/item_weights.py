"""Item weights: passed by the caller, or chosen to give all classes the same total weight.

A weight is a multiplicity: an item of weight 2 counts as two identical items. Pair counts and bias
corrections are therefore defined only for integer weights.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from roget.core.types import CountArray
from roget.errors import InputError
from roget.scoring.labels import AlignedLabels
from roget.scoring.labels.labels import separate_groups, take, whole_counts


def weight_items(
    sides: AlignedLabels, weights: Any = None, balance: str | None = None
) -> AlignedLabels:
    """Apply item weights, and balance the classes if requested."""
    if weights is not None:
        sides = _apply_weights(sides, weights)
    return sides if balance is None else _balance_classes(sides)


def _apply_weights(sides: AlignedLabels, weights: Any) -> AlignedLabels:
    """Validate and apply the weights, dropping items of weight 0."""
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"sample_weight: {error}; expected one number per item", code="bad-weight"
        ) from None
    if sides.weighed:
        raise InputError(
            "sample_weight cannot be combined with a weight column", code="conflicting-options"
        )
    if sides.counts is not None or sides.gold.weighted or sides.system.weighted:
        raise InputError(
            "sample_weight requires one label per item, and cannot be combined with cells",
            code="conflicting-options",
        )
    if values.shape != (len(sides.gold),):
        raise InputError(
            f"sample_weight: expected {len(sides.gold)} weights, one for each scored gold item, "
            f"but got {values.size}",
            code="length-mismatch",
        )
    if not np.all(np.isfinite(values) & (values >= 0)) or not values.any():
        raise InputError(
            "sample_weight: expected finite numbers ≥ 0, of which at least one is positive",
            code="bad-weight",
        )
    kept = np.flatnonzero(values)
    return replace(
        sides,
        gold=take(sides.gold, kept),
        system=take(sides.system, kept),
        groups=None if sides.groups is None else sides.groups[kept],
        counts=whole_counts(values[kept]),
        weighed=("items",),
    )


def _balance_classes(sides: AlignedLabels) -> AlignedLabels:
    """Give all classes of a group equal weight, without changing the total weight of the group."""
    gold = sides.gold
    if gold.weighted or sides.system.weighted:
        raise InputError("balance=class requires one label per item", code="conflicting-options")
    counts: CountArray = np.ones(len(gold)) if sides.counts is None else sides.counts
    keys = separate_groups(gold, sides.groups).codes.astype(np.int64)
    classes, row_classes = np.unique(keys, return_inverse=True)
    class_groups = classes // gold.n_labels
    sizes = np.bincount(row_classes, counts)
    # Each class gets the weight of its group, divided by the number of classes.
    targets = np.bincount(class_groups, sizes) / np.maximum(np.bincount(class_groups), 1)
    balanced = counts * (targets[class_groups] / sizes)[row_classes]
    return replace(sides, counts=whole_counts(balanced), weighed=(*sides.weighed, "classes"))
