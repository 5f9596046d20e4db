"""From labels to statistics: read, joined, and one table per group."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from roget.errors import InputError, UnknownName
from roget.scoring.cells.contingency import Contingency
from roget.scoring.cells.statistics import Statistics
from roget.scoring.cells.weighted import WeightedTable
from roget.scoring.labels import Aligned, Labels, align, as_labels, read_pair
from roget.scoring.labels.labels import hardened, take
from roget.scoring.labels.read import ONE_SIDE

Columns = Mapping[str, str]

AVERAGES = ("weighted", "unweighted", "pooled")
"""How the scores of groups become one."""


ANSWERS = ("weighted", "top")
"""What becomes of a system's weighted answers: kept, or only the heaviest label."""


def answers_of(
    system: Any, answers: str, labels: str | None = None, columns: Columns | None = None
) -> Labels:
    """A system's labels; with answers="top" only the heaviest of each item."""
    if answers not in ANSWERS:
        raise UnknownName("kind of answers", answers, ANSWERS)
    given = as_labels(system, labels=labels, columns=columns)
    return hardened(given) if answers == "top" and given.weighted else given


def aligned(
    gold: Any,
    system: Any,
    missing: str,
    labels: str | None = None,
    columns: Columns | None = None,
    answers: str = "weighted",
) -> Aligned:
    """Both sides read and joined; without a system, gold is a file of two aligned columns."""
    if all(isinstance(side, str) and side == "-" for side in (gold, system)):
        raise InputError(ONE_SIDE)
    if system is None:
        if not isinstance(gold, str | os.PathLike):
            raise InputError("the system's labels are missing: give them as second argument")
        left, right = read_pair(gold, labels=labels, columns=columns)
    else:
        left = as_labels(gold, labels=labels, columns=columns, gold=True)
        right = answers_of(system, answers, labels, columns)
    return align(left, right, missing=missing)


def compared(gold: Labels, system: Labels) -> Statistics:
    """The statistics of two aligned sides without groups."""
    if gold.weighted or system.weighted:
        return WeightedTable.from_labels(gold, system)
    return Contingency.from_labels(gold, system)


def tables(sides: Aligned, *, pooled: bool) -> Iterator[Statistics]:
    """One source of statistics per group, or one for all."""
    gold, system, groups = sides.gold, sides.system, sides.groups
    weighted = gold.weighted or system.weighted
    if groups is None:
        yield compared(gold, system)
        return
    n_groups = int(groups.max()) + 1
    if not weighted:
        table = Contingency.from_labels(gold, system, groups, n_groups)
        yield from [table] if pooled else table.blocks()
    elif pooled:
        raise InputError("pooling groups is not possible with weighted answers: average them")
    else:
        order = np.argsort(groups, kind="stable")
        cuts = np.searchsorted(groups[order], np.arange(n_groups + 1))
        for begin, end in pairwise(cuts):
            chosen = order[begin:end]
            yield WeightedTable.from_labels(
                _local(take(gold, chosen)), _local(take(system, chosen))
            )


def _local(labels: Labels) -> Labels:
    """Codes renumbered from 0: a group's tables should not be as wide as all groups' labels."""
    used, codes = np.unique(labels.codes, return_inverse=True)
    names = [labels.label(code) for code in used.tolist()]
    return replace(labels, codes=codes, n_labels=used.size, names=names, offset=0, made=0)
