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
from roget.scoring.labels.factorize import factorize
from roget.scoring.labels.join import Rows, example, join
from roget.scoring.labels.select import fill, take
from roget.scoring.labels.words import count

MISSING = ("cluster", "singletons", "drop", "error")

_SHOWN = 5
"""How many missing items an error lists."""
_FEW = 4
"""Fewer items may well have nothing in common."""
_SAMPLE = 1 << 16
"""Items among which labels that come again are found at once, if there are any to speak of."""


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
    whole, rows = gold, join(gold, system)
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
        places = np.flatnonzero(kept)[gaps]
        warnings.append(_about_missing(whole, len(gold), system, places, missing))
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
    warnings = [*warnings, *_about_singletons(gold)]
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
        verb = "has" if unlabelled == 1 else "have"
        said = f"{count(unlabelled, 'item')} {verb} no label in {gold.source}"
        warnings.append(f"{said}: left out of the score")
    if gold.items is not None and extra:
        said = f"{count(extra, 'item')} of {system.source} {'is' if extra == 1 else 'are'}"
        warnings.append(f"{said} unknown to {gold.source}: dropped")
    return warnings


def _about_singletons(gold: Labels) -> list[str]:
    """Doubts about gold whose items have nothing in common, most likely by a wrong column."""
    items = len(gold)
    groups = gold.groups
    n_groups = 1 if gold.group_names is None else len(gold.group_names)
    if items < _FEW:
        return []
    if n_groups == items:
        return ["every group holds a single item: is the group column the right one?"]
    # Labels that are too few to be all different, as most are, need no look at the items.
    if gold.weighted or gold.n_labels * n_groups < items:
        return []
    keys = gold.codes if groups is None else groups.astype(np.int64) * gold.n_labels + gold.codes
    if not (_all_differ(keys[:_SAMPLE]) and _all_differ(keys)):
        return []
    return ["every gold item is a class of its own: is the label column the right one?"]


def _all_differ(keys: IntArray) -> bool:
    factors = factorize(keys)
    return factors.n_labels >= keys.size and int(np.bincount(factors.codes).max()) == 1


def _about_missing(whole: Labels, items: int, system: Labels, rows: Rows, missing: str) -> str:
    number = rows.size
    verb = "has" if number == 1 else "have"
    said = f"{number} of {count(items, 'item')} {verb} no answer in {system.source}"
    if missing == "error":
        shown = [example(whole, row) for row in rows[:_SHOWN].tolist()]
        raise InputError(f"{said}: {', '.join(shown)}{', …' if number > _SHOWN else ''}")
    per_group = "" if whole.groups is None else " per group"
    return (
        f"{said}: "
        + {
            "cluster": f"counted as one extra cluster{per_group}",
            "singletons": "counted as a cluster each",
            "drop": "left out of the score",
        }[missing]
    )
