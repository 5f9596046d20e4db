"""Finding each gold item among the system's: by id within a group, or by position."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.errors import InputError
from roget.scoring.labels.base import IntArray, Labels
from roget.scoring.labels.words import count, has

Rows = npt.NDArray[np.int64]


def join(gold: Labels, system: Labels) -> Rows | None:
    """The system's row of each gold item, −1 for none; None where all rows correspond."""
    if gold.items is None or system.items is None:
        if gold.items is not None or system.items is not None:
            with_ids, without = (gold, system) if system.items is None else (system, gold)
            raise InputError(
                f"{has(with_ids.source)} item ids and {has(without.source)} none; expected ids on "
                "both sides, or on neither and the items in the same order; if each line of "
                f"{without.source} is one label, say --labels lines for both"
            )
        _same_positions(gold, system)
        return None
    groups = _groups_of_gold(gold, system)
    if len(gold) == len(system) and gold.items == system.items:
        if groups is None:
            _refuse_repeats(gold)
            return None
        if bool(np.array_equal(groups, _codes(gold))):
            return None
    return _join_ids(gold, system, groups)


def example(labels: Labels, row: int) -> str:
    """An item as it would be written in a message."""
    if labels.items is None:
        return f"the one at position {row + 1} of {len(labels)}"
    if labels.groups is None or labels.group_names is None:
        return repr(labels.items[row])
    return repr(f"{labels.group_names[int(labels.groups[row])]} {labels.items[row]}")


def _same_positions(gold: Labels, system: Labels) -> None:
    if len(gold) != len(system):
        raise InputError(
            f"{has(gold.source)} {count(len(gold), 'item')} and {has(system.source)} "
            f"{len(system)}; items without ids are joined by position, so the numbers must agree"
        )
    groups = _groups_of_gold(gold, system)
    if groups is not None and not np.array_equal(groups, _codes(gold)):
        row = int(np.argmax(groups != _codes(gold)))
        raise InputError(
            f"{gold.source} and {system.source} have different groups at position {row + 1} of "
            f"{len(gold)}; items without ids are joined by position"
        )


def _groups_of_gold(gold: Labels, system: Labels) -> IntArray | None:
    """The system's groups by gold's codes (−1: unknown to gold); None unless both have groups."""
    if gold.groups is None or system.groups is None:
        return None
    numbers = {name: code for code, name in enumerate(gold.group_names or ())}
    lookup = np.array([numbers.get(name, -1) for name in system.group_names or ()], dtype=np.int64)
    return lookup[system.groups]


def _codes(labels: Labels) -> IntArray:
    return labels.groups if labels.groups is not None else np.empty(0, dtype=np.int64)


def _join_ids(gold: Labels, system: Labels, groups: IntArray | None) -> Rows:
    count = len(system)
    index: dict[Any, int] = dict(zip(system.items or (), range(count), strict=True))
    wanted: Iterable[Any] = gold.items or ()
    if groups is None:
        _refuse_repeats(gold)
        if len(index) < count:
            _refuse_repeats(system)
    elif len(index) < count:
        places = zip(groups.tolist(), system.items or (), strict=True)
        index = dict(zip(places, range(count), strict=True))
        wanted = zip(_codes(gold).tolist(), wanted, strict=True)
    rows = np.fromiter(map(index.get, wanted, repeat(-1)), np.int64, len(gold))
    if groups is not None:
        rows[(rows >= 0) & (groups[rows] != _codes(gold))] = -1
    return rows


def _refuse_repeats(labels: Labels) -> None:
    """Without groups on both sides an id must stand for one item only."""
    seen: dict[str, int] = {}
    items = labels.items or ()
    if len(set(items)) == len(items):
        return
    for row, item in enumerate(items):
        if item in seen:
            raise InputError(
                f"{labels.source}: the id {item!r} stands for several items "
                f"({example(labels, seen[item])}, {example(labels, row)}) and the other side "
                "names no groups to tell them apart"
            )
        seen[item] = row
