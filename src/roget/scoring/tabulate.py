"""Make contingency tables from aligned labels, per group or for all items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from roget.core.types import Codes, Ints
from roget.errors import InputError
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.labels.labels import separate_groups, take
from roget.scoring.tables.contingency import Contingency, Leaves
from roget.scoring.tables.statistics import Separate, Statistics


def tabulate(sides: AlignedLabels, *, pooled: bool) -> Statistics | Separate:
    """Return the statistics for every group or, if `pooled`, for all items together."""
    gold, system, groups = sides.gold.require_flat(), sides.system.require_flat(), sides.groups
    unmatched = gold.absent or system.absent
    if sides.overlapping and (unmatched or sides.weighed or sides.counts is not None):
        raise InputError(
            "overlapping clusters cannot be combined with unmatched items, item weights or "
            "counts; omit the weights, and pass --missing cluster --extra drop",
            code="conflicting-options",
        )
    if unmatched and (gold.weighted or system.weighted or sides.weighed):
        raise InputError(
            "handling unmatched items requires exactly one label per item, without weights; pass "
            "--missing cluster --extra drop, or --set answers=top",
            code="conflicting-options",
        )
    if not (gold.weighted or system.weighted):
        return _tabulate_hard(sides, pooled=pooled)
    make = _choose_table(sides)
    if groups is None:
        return make(gold, system)
    if not pooled:
        parts = (
            [_renumber(take(side, rows)) for side in (gold, system)]
            for rows in split_groups(groups)
        )
        return Separate([make(*part) for part in parts])
    if not sides.overlapping:
        raise InputError(
            "groups of weighted labels cannot be pooled; pass --average weighted or "
            "--average unweighted",
            code="conflicting-options",
        )
    return make(separate_groups(gold, groups), separate_groups(system, groups))


def _tabulate_hard(sides: AlignedLabels, *, pooled: bool) -> Statistics | Separate:
    """Return the contingency table for items that have one class and one cluster each."""
    gold, system, groups = sides.gold, sides.system, sides.groups
    n_groups = 1 if groups is None else int(groups.max()) + 1
    table = Contingency.from_labels(gold, system, groups, n_groups, sides.counts)
    if sides.leaves is not None and sides.leaves.tree is not None:
        # Measures of whole trees require a table with the leaves of the tree as clusters.
        below = Contingency.from_labels(gold, sides.leaves, groups, n_groups, sides.counts)
        if groups is not None and not pooled:
            below = below.by_group(gold.n_labels)
        grown = sides.leaves.tree.grow(sides.leaves.made)
        table = replace(table, leaves=Leaves(below, grown))
    if groups is None:
        return table
    if pooled:
        unmatched = gold.absent or system.absent
        return table.pool_documents(gold.n_labels) if unmatched else table
    table = table.by_group(gold.n_labels)
    if table.fractional:
        # Make separate tables, because more measures are defined for groups without fractional
        # counts.
        return Separate([table.block(group) for group in range(n_groups)])
    return table


def _choose_table(sides: AlignedLabels) -> Callable[[Labels, Labels], Statistics]:
    """Return the function that constructs tables for items with several labels."""
    from roget.scoring.tables.cover_table import CoverTable
    from roget.scoring.tables.weighted import WeightedTable

    kind = CoverTable if sides.overlapping else WeightedTable
    return partial(kind.from_labels, cut=sides.leaves is not None)


def split_groups(groups: Codes) -> list[Ints]:
    """Return the positions of each group's items."""
    order = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[order], np.arange(int(groups.max()) + 2))
    return [order[begin:end] for begin, end in pairwise(bounds)]


def _renumber(labels: Labels) -> Labels:
    """Renumber the labels of one group from 0.

    Labels that occur only in other groups are excluded.
    """
    used, codes = np.unique(labels.codes, return_inverse=True)
    names = [labels.label(code) for code in used.tolist()]
    return replace(labels, codes=codes, n_labels=used.size, names=names, offset=0, made=0)
