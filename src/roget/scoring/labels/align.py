"""Putting the same items of gold and system side by side, whatever their order in the files.

Gold decides which items there are and which group they belong to. What the system leaves out is
counted against it; what only the system has is dropped, or counted in its clusters. Both are said
in a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any
from unicodedata import normalize

import numpy as np

from roget.core.io.problems import plural
from roget.core.options import options_of
from roget.core.types import BoolArray, Codes, CountArray, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import (
    Labels,
    code_type,
    fill,
    heaviest,
    pack,
    take,
    whole_counts,
)
from roget.scoring.labels.table import varies
from roget.scoring.options import OF_MENTIONS, RULES, LabelOptions, Rules

_SHOWN = 5
"""How many missing items an error lists."""
_FEW = 4
"""Fewer items may well have nothing in common."""
_SAMPLE = 1 << 16
"""Items among which labels that come again are found at once, if there are any to speak of."""


@dataclass(frozen=True, eq=False)
class AlignedLabels:
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
    """How many items each row stands for, or what it weighs; None: one each."""
    weighed: tuple[str, ...] = ()
    """What items count by, if not all the same."""
    leaves: Labels | None = None
    """The leaves of the system's tree, where its labels are those of a cut."""
    told: Mapping[str, str] = field(default_factory=dict)
    """What else a signature says of these sides."""

    @property
    def overlapping(self) -> bool:
        """Whether an item may be in several classes or clusters."""
        return self.gold.overlapping or self.system.overlapping

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.gold) if self.counts is None else round(float(self.counts.sum()))


def align(
    gold: Labels,
    system: Labels,
    missing: str | None = LabelOptions.missing,
    noise: str | None = None,
    extra: str | None = LabelOptions.extra,
) -> AlignedLabels:
    """Join two sides by item; `missing` says what becomes of items the system left out.

    "cluster": they share one extra label (one per group, since labels are private to groups);
    "singletons": each gets a label of its own; "drop": they are left out of the score;
    "error": there must be none. Sides that agree in their items already are not copied. Items that
    either side labels as `noise` are treated likewise. `extra` "count" gives each item that gold
    does not know a class of its own; otherwise they are dropped. "unmatched" ones have a label of
    their own as well, of which is known that it is none of this side's. Without a rule, that of
    mentions or of other items is taken.
    """
    options_of(LabelOptions)["missing"].check(missing)
    _, missing, extra = choose_rules(gold, None, missing, extra)
    if extra == "unmatched":
        gold = replace(gold, absent=True)
    if missing == "unmatched":
        system = replace(system, absent=True)
    # A system may well find no mention.
    if not len(gold) or not (len(system) or (system.mentions and system.absent)):
        raise InputError(f"{(system if len(gold) else gold).source}: no items")
    if system.repeated and extra == "unmatched":
        from roget.scoring.labels.mentions import count_again

        system = count_again(gold, system)
    if noise is not None:
        system = mark_noise(system, noise)
    if gold.item_weights is not None and not varies(gold.item_weights):
        gold = replace(gold, item_weights=None)
    whole, rows = gold, join(gold, system)
    warnings = [*gold.warnings, *system.warnings]
    if gold.groups is None and system.groups is not None:
        warnings.append(
            f"{system.source} names groups and {gold.source} does not: scored as one group"
        )
    if rows is None and gold.complete and system.complete:
        if noise is not None:
            return settle(gold, system, None, 0, warnings, missing, noise)
        return _aligned(gold, system, 0, 0, warnings)
    if rows is None:
        rows = np.arange(len(gold))
    kept = gold.answered()
    if not np.any(kept):
        raise InputError(f"{gold.source}: no item has a label")
    if not np.any(rows[kept] >= 0) and not (gold.mentions and system.absent):
        found, expected = example(system, 0), example(gold, int(np.argmax(kept)))
        said = ""
        if normalize("NFC", found) == normalize("NFC", expected):
            said = ": the same letters, but one side composes accents (NFC) and the other does not"
        raise InputError(
            f"no item of {system.source} is in {gold.source}: found ids such as {found}, expected "
            f"ids such as {expected}{said}",
            code="no-common-items",
        )
    unknown = find_unknown(system, rows[kept])
    unlabelled = int(np.count_nonzero(~kept))
    if unlabelled:
        said = f"{plural(unlabelled, 'item')} {'has' if unlabelled == 1 else 'have'} no label"
        warnings.append(f"{said} in {gold.source}: left out of the score")
    if not np.all(kept):
        gold, rows = take(gold, np.flatnonzero(kept)), rows[kept]
    if gold.items is not None and extra in ("count", "unmatched"):
        gold, rows = _add_unknown(gold, system, rows, unknown)
        alone = "counted in the system alone" if gold.absent else "counted as a class each"
        warnings += about_extra(gold, system, unknown.size, 0, alone)
    elif gold.items is not None and extra == "drop":
        dropped, scored = (heaviest(take(system, of)) for of in (unknown, rows[rows >= 0]))
        shared = np.isin(dropped[dropped >= 0], scored)
        warnings += about_extra(gold, system, unknown.size, int(shared.sum()))
    system = take(replace(system, items=None, groups=None, group_names=None), rows)
    gaps = ~system.answered()
    if missing == "error" and gaps.any():
        raise InputError(_list_missing(whole, len(gold), system, np.flatnonzero(kept)[gaps]))
    return settle(gold, system, None, int(unknown.size), warnings, missing, noise)


def choose_rules(
    gold: Labels | None, average: str | None, missing: str | None, extra: str | None
) -> Rules:
    """The rules that were chosen, and the usual ones for such items where none was.

    Items whose gold labels are not there, but counted in a table, are no mentions.
    """
    usual = OF_MENTIONS if gold is not None and gold.mentions else RULES
    return Rules(average or usual.average, missing or usual.missing, extra or usual.extra)


def mark_noise(labels: Labels, noise: str) -> Labels:
    """The same labels with those called noise as no answer.

    >>> mark_noise(Labels(np.array([0, 1, 0]), 2, [-1, 0]), "-1").codes.tolist()
    [-1, 1, -1]
    """
    called = (c for c in range(labels.n_labels) if is_called(labels.label(c), noise))
    marked = np.isin(labels.codes, np.fromiter(called, np.int64))
    if not marked.any():
        return labels
    if labels.weighted:
        owners, codes, weights = labels.entries()
        left = owners[~marked], codes[~marked], weights[~marked]
        return replace(labels, **pack(*left, len(labels), labels.n_labels)._asdict())
    wide = labels.codes.astype(code_type(labels.n_labels))
    return replace(labels, codes=np.where(marked, -1, wide), complete=False)


def is_called(label: str, name: str) -> bool:
    """Whether a label is the one named; whole numbers may be written as floats, as pandas does.

    >>> is_called("-1.0", "-1"), is_called("-1", "-1.0"), is_called("01", "1")
    (True, True, False)
    """
    return label.removesuffix(".0") == name.removesuffix(".0")


def find_noise(labels: Labels) -> str | None:
    """A label that most likely stands for no cluster: noise, or −1 beside numbers from 0."""
    if labels.n_labels - labels.made < 2:
        return None
    if labels.names is None:
        # Numbers from the offset on: only where it is −1 are all the others decimal.
        return "-1" if labels.offset == -1 and np.any(labels.codes == 0) else None
    texts = list(map(labels.label, range(labels.n_labels - labels.made)))
    minus = [code for code, text in enumerate(texts) if is_called(text, "-1")]
    others = (text for code, text in enumerate(texts) if code not in minus)
    if minus and all(text.removesuffix(".0").isdecimal() for text in others):
        return "-1" if np.isin(labels.codes, minus).any() else None
    return next((text for text in sorted(texts) if text.lower() in ("noise", "outlier")), None)


def find_unknown(side: Labels, rows: Ints) -> Ints:
    """The rows of a side that are not among those that were met."""
    known = np.zeros(len(side), dtype=bool)
    known[rows[rows >= 0]] = True
    return np.flatnonzero(~known)


def _add_unknown(gold: Labels, system: Labels, rows: Ints, unknown: Ints) -> tuple[Labels, Ints]:
    """Gold with a class of its own for each item of the system that it does not know."""
    if gold.weighted:
        raise InputError("extra items can be counted beside hard gold labels only")
    groups = _groups_of_gold(gold, system)
    if gold.groups is not None:
        # An item of a group that gold does not know, or of none, is in no table.
        unknown = unknown[groups[unknown] >= 0] if groups is not None else unknown[:0]
    if not system.weighted:
        # By cluster, the order that is known where items were counted.
        unknown = unknown[np.argsort(system.codes[unknown], kind="stable")]
    wide = gold.codes.astype(code_type(gold.n_labels))
    codes = np.concatenate((wide, np.full(unknown.size, -1, wide.dtype)))
    items = [*(gold.items or ()), *((system.items or ())[row] for row in unknown.tolist())]
    joined = gold.groups
    if joined is not None and groups is not None:
        joined = np.concatenate((joined, groups[unknown]))
    masses = gold.item_weights
    if masses is not None:
        masses = np.concatenate((masses, np.ones(unknown.size)))
    gold = replace(
        gold, codes=codes, items=items, groups=joined, item_weights=masses, complete=False
    )
    return fill(gold, codes < 0, together=False), np.concatenate((rows, unknown))


def settle(
    gold: Labels,
    system: Labels,
    counts: CountArray | None,
    extra: int,
    warnings: list[str],
    missing: str,
    noise: str | None = None,
) -> AlignedLabels:
    """Give rows without an answer, or that gold calls noise, what the rule for missing items says.

    Rows are items of gold, each with a label, or cells of equal items, so many as `counts` has.
    """
    if noise is not None:
        gold, system, counts = _settle_noise(gold, system, counts, warnings, missing, noise)
    gaps = ~system.answered()
    items, left_out = (_count_items(counts, rows) for rows in (np.ones_like(gaps), gaps))
    if left_out:
        becomes = {
            "cluster": f"counted as one extra cluster{'' if gold.groups is None else ' per group'}",
            "singletons": "counted as a cluster each",
            "unmatched": "counted in gold alone",
            "drop": "left out of the score",
        }
        warnings.append(f"{_say_missing(left_out, items, system)}: {becomes[missing]}")
        if missing == "drop" and left_out == items:
            raise InputError(
                f"{system.source}: no item of {gold.source} has an answer", code="no-common-items"
            )
        if missing == "unmatched" and counts is not None and counts.dtype.kind == "f":
            raise InputError("unmatched items need whole counts; say --missing cluster or drop")
        system, gold, counts = _fill_gaps(system, gold, counts, gaps, missing)
    gold = replace(gold, complete=True)
    system = replace(system, complete=True, items=gold.items, absent=missing == "unmatched")
    return _aligned(gold, system, left_out, extra, warnings, counts)


def _count_items(counts: CountArray | None, rows: BoolArray) -> int:
    """How many items some rows stand for."""
    return round(float(rows.sum() if counts is None else counts[rows].sum()))


def _fill_gaps(
    side: Labels, beside: Labels, counts: CountArray | None, gaps: BoolArray, missing: str
) -> tuple[Labels, Labels, CountArray | None]:
    """Do to one side's gaps what the rule says; the other and the counts keep to the same rows."""
    kept: Ints | None = None
    if missing == "drop":
        kept = np.flatnonzero(~gaps)
    elif counts is not None and missing != "cluster":
        # A cluster of one's own each: cells without an answer are items again.
        kept = np.repeat(np.arange(counts.size), np.where(gaps, counts, 1).astype(np.int64))
    if kept is not None:
        side, beside, gaps = take(side, kept), take(beside, kept), gaps[kept]
        counts = None if counts is None else np.where(gaps, 1, counts[kept])
    if missing != "drop":
        side = fill(side, gaps, together=missing == "cluster")
    return side, beside, counts


def _settle_noise(
    gold: Labels,
    system: Labels,
    counts: CountArray | None,
    warnings: list[str],
    missing: str,
    noise: str,
) -> tuple[Labels, Labels, CountArray | None]:
    """Gold's own noise under the rule for missing items; as one class it stays as it is."""
    gaps = ~mark_noise(gold, noise).answered()
    number = _count_items(counts, gaps)
    if not number or gold.weighted:
        return gold, system, counts
    becomes = {
        "cluster": "counted as one class",
        "singletons": "counted as a class each",
        "unmatched": "counted in the system alone",
        "drop": "left out of the score",
    }
    said = f"{plural(number, 'item')} of {gold.source} {'is' if number == 1 else 'are'} noise"
    if missing == "error":
        raise InputError(f"{said} ({noise})")
    warnings.append(f"{said}: {becomes[missing]}")
    if missing == "cluster":
        return gold, system, counts
    if missing == "drop" and gaps.all():
        raise InputError(f"{gold.source}: all items are noise")
    if missing != "drop" and gold.absent != (missing == "unmatched"):
        raise InputError(f"{said}: with one rule 'unmatched', both missing and extra need it")
    return _fill_gaps(gold, system, counts, gaps, missing)


def _aligned(
    gold: Labels,
    system: Labels,
    missing: int,
    extra: int,
    warnings: list[str],
    counts: CountArray | None = None,
) -> AlignedLabels:
    groups, names = _numbered_groups(gold)
    if groups is not gold.groups:
        gold = replace(gold, groups=groups, group_names=names)
    warnings = [*warnings, *_about_singletons(gold, counts)]
    masses = gold.item_weights
    weighed: tuple[str, ...] = ()
    if masses is not None and system.weighted:
        warnings.append(
            f"the weights of {gold.source} are not used beside several weighted labels of an item"
        )
    elif masses is not None:
        warnings.append(f"items count by the weights of {gold.source}")
        counts, weighed = whole_counts(masses if counts is None else counts * masses), ("items",)
    said = tuple(dict.fromkeys(warnings))
    return AlignedLabels(gold, system, groups, names, missing, extra, said, counts, weighed)


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


def about_extra(
    gold: Labels, system: Labels, extra: int, shared: int, becomes: str = "dropped"
) -> list[str]:
    """What is said of items that gold does not know, of which some share clusters with others."""
    if not extra:
        return []
    said = f"{plural(extra, 'item')} of {system.source} {'is' if extra == 1 else 'are'}"
    warnings = [f"{said} unknown to {gold.source}: {becomes}"]
    if shared:
        share = f"{plural(shared, 'dropped item')} {'shares' if shared == 1 else 'share'}"
        warnings.append(
            f"{share} a cluster with scored ones, so that precision may be flattered: --extra "
            "count counts them, --extra sample takes gold as a sample of whole classes"
        )
    return warnings


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
            if without.tree is not None:
                raise InputError(
                    f"{_has(with_ids.source)} item ids, and {_call_linkage(without.source)} known "
                    f"by position: give {with_ids.source} without ids in the same order, or in "
                    "Python roget.Hierarchy.from_linkage(Z, items)"
                )
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
            f"{_doubt_linkage(gold, system)}"
        )
    groups = _groups_of_gold(gold, system)
    if groups is not None and not np.array_equal(groups, _codes(gold)):
        row = int(np.argmax(groups != _codes(gold)))
        raise InputError(
            f"{gold.source} and {system.source} have different groups at position {row + 1} of "
            f"{len(gold)}; items without ids are joined by position"
        )


def _call_linkage(source: str) -> str:
    if source.startswith("the "):
        return f"the items of {source} are"
    return f"{source} is a linkage, whose items are"


def _doubt_linkage(gold: Labels, system: Labels) -> str:
    """What to say if the matrix may be a linkage: a row less than items, four columns."""
    if system.tree or not system.weighted or system.n_labels != 4 or len(system) + 1 != len(gold):
        return ""
    return "; if it is a linkage: roget.Hierarchy.from_linkage(Z)"


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
    if groups is not None and count:
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
