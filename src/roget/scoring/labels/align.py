"""Putting the same items of gold and system side by side, whatever their order in the files.

Gold decides which items there are and which group they belong to. What the system leaves out is
counted against it; what only the system has is dropped. Both are said in a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from roget.errors import InputError, UnknownName
from roget.scoring.labels.base import IntArray, Labels
from roget.scoring.labels.join import Rows, example, join
from roget.scoring.labels.select import fill, take

MISSING = ("cluster", "singletons", "drop", "error")

_SHOWN = 5
"""How many missing items an error lists."""


@dataclass(frozen=True, eq=False)
class Aligned:
    """The same items in the same order on both sides, each with an answer."""

    gold: Labels
    system: Labels
    groups: IntArray | None
    """Group code per item, numbered in order of first appearance in gold."""
    group_names: Sequence[str] | None
    missing: int
    """Items the system left out."""
    extra: int
    """Items of the system that gold does not know: dropped."""
    warnings: tuple[str, ...]


def align(gold: Labels, system: Labels, missing: str = "cluster") -> Aligned:
    """Join two sides by item; `missing` says what becomes of items the system left out.

    "cluster": they share one extra label (one per group, since labels are private to groups);
    "singletons": each gets a label of its own; "drop": they are left out of the score;
    "error": there must be none. Sides that agree in their items already are not copied.
    """
    if missing not in MISSING:
        raise UnknownName("rule for missing items", missing, MISSING)
    if not len(gold) or not len(system):
        raise InputError(f"{(system if len(gold) else gold).source}: no items")
    rows = join(gold, system)
    warnings = [*gold.warnings, *system.warnings]
    if gold.groups is None and system.groups is not None:
        warnings.append(
            f"{system.source} names groups and {gold.source} does not: scored as one group"
        )
    if rows is None and gold.complete and system.complete:
        return _aligned(gold, system, 0, 0, warnings)
    if rows is None:
        rows = np.arange(len(gold))
    kept = gold.answered()
    if not np.any(kept):
        raise InputError(f"{gold.source}: no item has a label")
    _refuse_strangers(gold, system, rows, kept)
    extra = len(system) - int(np.count_nonzero(rows[kept] >= 0))
    warnings += _about_extra(gold, system, int(np.count_nonzero(~kept)), extra)
    if not np.all(kept):
        gold, rows = take(gold, np.flatnonzero(kept)), rows[kept]
    system = take(replace(system, items=None, groups=None, group_names=None), rows)
    gaps = ~system.answered()
    left_out = int(np.count_nonzero(gaps))
    if left_out:
        warnings.append(_about_missing(gold, system, gaps, missing))
        if missing == "drop":
            if left_out == len(gold):
                raise InputError(f"{system.source}: no item of {gold.source} has an answer")
            gold, system = take(gold, np.flatnonzero(~gaps)), take(system, np.flatnonzero(~gaps))
        else:
            system = fill(system, gaps, together=missing == "cluster")
    gold = replace(gold, complete=True)
    system = replace(system, complete=True, items=gold.items)
    return _aligned(gold, system, left_out, extra, warnings)


def _aligned(
    gold: Labels, system: Labels, missing: int, extra: int, warnings: list[str]
) -> Aligned:
    groups, names = _numbered_groups(gold)
    if groups is not gold.groups:
        gold = replace(gold, groups=groups, group_names=names)
    return Aligned(gold, system, groups, names, missing, extra, tuple(dict.fromkeys(warnings)))


def _numbered_groups(gold: Labels) -> tuple[IntArray | None, Sequence[str] | None]:
    """Group codes without holes, in order of first appearance."""
    codes, names = gold.groups, gold.group_names
    if codes is None or names is None:
        return None, None
    first = np.full(len(names), codes.size, dtype=np.int64)
    # Of several writes to one place the last stays: backwards, that is the first item.
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    order = order[first[order] < codes.size]
    if order.size == len(names) and bool(np.all(order == np.arange(order.size))):
        return codes, names
    numbers = np.full(len(names), -1, dtype=codes.dtype)
    numbers[order] = np.arange(order.size)
    return numbers[codes], [names[code] for code in order.tolist()]


def _refuse_strangers(
    gold: Labels, system: Labels, rows: Rows, kept: npt.NDArray[np.bool_]
) -> None:
    if not np.any(rows[kept] >= 0):
        raise InputError(
            f"no item of {system.source} is in {gold.source}: found ids such as "
            f"{example(system, 0)}, expected ids such as {example(gold, int(np.argmax(kept)))}"
        )


def _about_extra(gold: Labels, system: Labels, unlabelled: int, extra: int) -> list[str]:
    warnings = []
    if unlabelled:
        verb = "item has" if unlabelled == 1 else "items have"
        warnings.append(f"{unlabelled} {verb} no label in {gold.source}: left out of the score")
    if gold.items is not None and extra:
        verb = "item of" if extra == 1 else "items of"
        are = "is" if extra == 1 else "are"
        warnings.append(f"{extra} {verb} {system.source} {are} unknown to {gold.source}: dropped")
    return warnings


def _about_missing(gold: Labels, system: Labels, gaps: npt.NDArray[np.bool_], missing: str) -> str:
    number = int(np.count_nonzero(gaps))
    verb = "has" if number == 1 else "have"
    said = f"{number} of {len(gold)} items {verb} no answer in {system.source}"
    if missing == "error":
        shown = [example(gold, row) for row in np.flatnonzero(gaps)[:_SHOWN].tolist()]
        raise InputError(f"{said}: {', '.join(shown)}{', …' if number > _SHOWN else ''}")
    per_group = "" if gold.groups is None else " per group"
    return (
        f"{said}: "
        + {
            "cluster": f"counted as one extra cluster{per_group}",
            "singletons": "counted as a cluster each",
            "drop": "left out of the score",
        }[missing]
    )
