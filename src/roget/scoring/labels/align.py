"""Putting the same items of gold and system side by side, whatever their order in the files.

Gold decides which items there are and which group they belong to. What the system leaves out is
counted against it; what only the system has is dropped. Both are said in a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np

from roget.core.io.problems import plural
from roget.core.options import options_of
from roget.core.types import Codes, CountArray, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import Labels, fill, take
from roget.scoring.options import Options

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
    groups: Codes | None
    """Group code per item, numbered in order of first appearance in gold."""
    group_names: Sequence[str] | None
    missing: int
    """Items the system left out."""
    extra: int
    """Items of the system that gold does not know: dropped."""
    warnings: tuple[str, ...]
    counts: CountArray | None = None
    """How many items each row stands for, where rows are cells of equal items; None: one each."""

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.gold) if self.counts is None else round(float(self.counts.sum()))


def align(gold: Labels, system: Labels, missing: str = Options.missing) -> Aligned:
    """Join two sides by item; `missing` says what becomes of items the system left out.

    "cluster": they share one extra label (one per group, since labels are private to groups);
    "singletons": each gets a label of its own; "drop": they are left out of the score;
    "error": there must be none. Sides that agree in their items already are not copied.
    """
    options_of(Options)["missing"].check(missing)
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
    if not np.any(rows[kept] >= 0):
        raise InputError(
            f"no item of {system.source} is in {gold.source}: found ids such as "
            f"{example(system, 0)}, expected ids such as {example(gold, int(np.argmax(kept)))}"
        )
    extra = len(system) - int(np.count_nonzero(rows[kept] >= 0))
    unlabelled = int(np.count_nonzero(~kept))
    if unlabelled:
        said = f"{plural(unlabelled, 'item')} {'has' if unlabelled == 1 else 'have'} no label"
        warnings.append(f"{said} in {gold.source}: left out of the score")
    warnings += about_extra(gold, system, extra if gold.items is not None else 0)
    if not np.all(kept):
        gold, rows = take(gold, np.flatnonzero(kept)), rows[kept]
    system = take(replace(system, items=None, groups=None, group_names=None), rows)
    gaps = ~system.answered()
    if missing == "error" and gaps.any():
        raise InputError(_list_missing(whole, len(gold), system, np.flatnonzero(kept)[gaps]))
    return settle(gold, system, None, extra, warnings, missing)


def settle(
    gold: Labels,
    system: Labels,
    counts: CountArray | None,
    extra: int,
    warnings: list[str],
    missing: str,
) -> Aligned:
    """Give rows without an answer what the rule for missing items says.

    Rows are items of gold, each with a label, or cells of equal items, so many as `counts` has.
    """
    gaps = ~system.answered()
    each: CountArray = np.ones(len(gold), dtype=np.int64) if counts is None else counts
    items, left_out = round(float(each.sum())), round(float(each[gaps].sum()))
    if left_out:
        becomes = {
            "cluster": f"counted as one extra cluster{'' if gold.groups is None else ' per group'}",
            "singletons": "counted as a cluster each",
            "drop": "left out of the score",
        }
        warnings.append(f"{_say_missing(left_out, items, system)}: {becomes[missing]}")
        if missing == "drop" and left_out == items:
            raise InputError(f"{system.source}: no item of {gold.source} has an answer")
        kept: Ints | None = None
        if missing == "drop":
            kept = np.flatnonzero(~gaps)
        elif counts is not None and missing == "singletons":
            # A cluster of one's own each: cells without an answer are items again.
            kept = np.repeat(np.arange(each.size), np.where(gaps, each, 1).astype(np.int64))
        if kept is not None:
            gold, system = take(gold, kept), take(system, kept)
            counts = None if counts is None else np.where(gaps[kept], 1, counts[kept])
            gaps = gaps[kept]
        if missing != "drop":
            system = fill(system, gaps, together=missing == "cluster")
    gold = replace(gold, complete=True)
    system = replace(system, complete=True, items=gold.items)
    return _aligned(gold, system, left_out, extra, warnings, counts)


def _aligned(
    gold: Labels,
    system: Labels,
    missing: int,
    extra: int,
    warnings: list[str],
    counts: CountArray | None = None,
) -> Aligned:
    groups, names = _numbered_groups(gold)
    if groups is not gold.groups:
        gold = replace(gold, groups=groups, group_names=names)
    warnings = [*warnings, *_about_singletons(gold, counts)]
    said = tuple(dict.fromkeys(warnings))
    return Aligned(gold, system, groups, names, missing, extra, said, counts)


def _numbered_groups(gold: Labels) -> tuple[Codes | None, Sequence[str] | None]:
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


def about_extra(gold: Labels, system: Labels, extra: int) -> list[str]:
    """What is said of items that gold does not know."""
    if not extra:
        return []
    said = f"{plural(extra, 'item')} of {system.source} {'is' if extra == 1 else 'are'}"
    return [f"{said} unknown to {gold.source}: dropped"]


def _about_singletons(gold: Labels, counts: CountArray | None) -> list[str]:
    """Doubts about gold whose items have nothing in common, most likely by a wrong column."""
    items = len(gold)
    if counts is not None and items < int(counts.sum()):
        return []
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


def _all_differ(keys: Codes) -> bool:
    return bool(np.unique(keys).size == keys.size)


def _say_missing(number: int, items: int, system: Labels) -> str:
    verb = "has" if number == 1 else "have"
    return f"{number} of {plural(items, 'item')} {verb} no answer in {system.source}"


def _list_missing(whole: Labels, items: int, system: Labels, rows: Ints) -> str:
    shown = [example(whole, row) for row in rows[:_SHOWN].tolist()]
    said = _say_missing(rows.size, items, system)
    return f"{said}: {', '.join(shown)}{', …' if rows.size > _SHOWN else ''}"


def join(gold: Labels, system: Labels) -> Ints | None:
    """The system's row of each gold item, −1 for none; None where all rows correspond."""
    if gold.items is None or system.items is None:
        if gold.items is not None or system.items is not None:
            with_ids, without = (gold, system) if system.items is None else (system, gold)
            raise InputError(
                f"{_has(with_ids.source)} item ids and {_has(without.source)} none; expected ids "
                "on both sides, or on neither and the items in the same order; if each line of "
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
            f"{_has(gold.source)} {plural(len(gold), 'item')} and {_has(system.source)} "
            f"{len(system)}; items without ids are joined by position, so the numbers must agree"
        )
    groups = _groups_of_gold(gold, system)
    if groups is not None and not np.array_equal(groups, _codes(gold)):
        row = int(np.argmax(groups != _codes(gold)))
        raise InputError(
            f"{gold.source} and {system.source} have different groups at position {row + 1} of "
            f"{len(gold)}; items without ids are joined by position"
        )


def _groups_of_gold(gold: Labels, system: Labels) -> Codes | None:
    """The system's groups by gold's codes (−1: unknown to gold); None unless both have groups."""
    if gold.groups is None or system.groups is None:
        return None
    numbers = {name: code for code, name in enumerate(gold.group_names or ())}
    lookup = np.array([numbers.get(name, -1) for name in system.group_names or ()], dtype=np.int64)
    return lookup[system.groups]


def _codes(labels: Labels) -> Codes:
    return labels.groups if labels.groups is not None else np.empty(0, dtype=np.int64)


def _join_ids(gold: Labels, system: Labels, groups: Codes | None) -> Ints:
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


def _has(source: str) -> str:
    """A source and its verb: files are one, labels in memory are many.

    >>> _has("gold.tsv"), _has("the gold labels")
    ('gold.tsv has', 'the gold labels have')
    """
    many = source == "labels" or (source.startswith("the ") and source.endswith(" labels"))
    return f"{source} {'have' if many else 'has'}"
