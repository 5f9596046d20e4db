"""Scoring of covers: their tables, and what trivial answers get beside them."""

from __future__ import annotations

from roget.errors import InputError
from roget.scoring.cells.cover import CoverTable
from roget.scoring.cells.statistics import Separate
from roget.scoring.labels import Aligned
from roget.scoring.labels.labels import keep_apart, take
from roget.scoring.score import list_groups


def make_covers(sides: Aligned, *, pooled: bool) -> CoverTable | Separate:
    """The statistics of every group, or of all items together."""
    gold, system, groups = sides.gold, sides.system, sides.groups
    if gold.absent or system.absent or sides.weighed or sides.counts is not None:
        raise InputError(
            "items that are in several clusters need to count the same and to be on both sides: "
            "say --missing cluster --extra drop, and give no weights or counts of items"
        )
    cut = sides.leaves is not None
    if groups is None or pooled:
        one, other = (keep_apart(side, groups) for side in (gold, system))
        return CoverTable.from_labels(one, other, cut=cut)
    return Separate(
        [
            CoverTable.from_labels(take(gold, items), take(system, items), cut=cut)
            for items in list_groups(groups)
        ]
    )
