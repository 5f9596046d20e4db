"""Align gold and system labels by item.

The gold standard determines the items and their groups. Items that are missing from the system
lower its score. Items that only the system contains are dropped or counted in its clusters. Notices
report the missing and the extra items.
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
from roget.errors import InputError, Notice
from roget.scoring.labels.documents import match_documents
from roget.scoring.labels.labels import (
    LabelCodes,
    Labels,
    NoItems,
    code_texts,
    code_type,
    fill,
    heaviest,
    take,
    warn_unlabelled,
    whole_counts,
)
from roget.scoring.labels.table import varies
from roget.scoring.options import OF_MENTIONS, RULES, LabelOptions, Rules

_MAX_SHOWN = 5
"""Maximum number of missing items to list in an error message."""
_MAX_LISTED = 10_000
"""Maximum number of missing or extra items to list in JSON output."""
_MIN_ITEMS = 4
"""Minimum number of items required to warn that every gold class contains only one item."""
_SAMPLE = 1 << 16
"""Number of items that are checked first for a repeated label.

All items are checked only if none of these is found.
"""


@dataclass(frozen=True, eq=False)
class AlignedLabels:
    """Gold and system labels of the same items, in the same order. Every item has both."""

    gold: Labels
    system: Labels
    groups: Codes | None
    """Group code of each item, numbered in order of first occurrence in gold."""
    group_names: Sequence[str] | None
    missing: int
    """Number of gold items without a system label."""
    extra: int
    """Number of system items that gold does not contain."""
    warnings: tuple[str, ...]
    counts: CountArray | None = None
    """Number or total weight of the items in each row, or None if every row is a single item."""
    weighed: tuple[str, ...] = ()
    """The origins of the item weights, as shown in the signature.

    Empty if all weights are equal.
    """
    leaves: Labels | None = None
    """The leaf of each item as labels, if the system is a cut of a tree."""
    signature_parts: Mapping[str, str] = field(default_factory=dict)
    """Additional fields for the signature."""
    unaligned: tuple[Labels, Labels] | None = None
    """The gold and system labels before alignment, if they are required by a later step."""
    missing_items: tuple[str, ...] = ()
    """The first gold items without a system label, if their ids are known."""
    extra_items: tuple[str, ...] = ()
    """The first system items that gold does not contain."""

    @property
    def overlapping(self) -> bool:
        """True if items may belong to several classes or clusters."""
        return self.gold.overlapping or self.system.overlapping

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self.gold) if self.counts is None else round(float(self.counts.sum()))


def align(
    gold: Labels,
    system: Labels,
    missing: str | None = LabelOptions.missing,
    noise: str | None = None,
    extra: str | None = LabelOptions.extra,
) -> AlignedLabels:
    """Join gold and system labels by item.

    Parameters
    ----------
    gold, system
        The gold labels and the system labels.
    missing
        How to treat items without a system label. "cluster": assign one extra label to all of them
        (one per group, because groups do not share labels). "singletons": assign a separate label
        to each item. "unmatched": assign a separate label that marks the item as missing from the
        system. "drop": exclude the items. "error": raise an error. The default is "unmatched" for
        coreference mentions, "singletons" for pairs of ids or if `noise` is passed, and otherwise
        "cluster".
    noise
        A label that means noise. Items with this label in gold or system are treated like missing
        items.
    extra
        How to treat system items that gold does not contain. "count": each item becomes a separate
        class. "unmatched": each item is assigned a class that marks it as missing from gold.
        Otherwise the items are dropped. The default depends on whether items are mentions.

    Returns
    -------
    AlignedLabels
        The aligned labels. They are not copied if gold and system already list the same items in
        the same order.
    """
    options_of(LabelOptions)["missing"].check(missing)
    _, missing, extra = choose_rules(gold, None, missing, extra, system, noise)
    if extra == "unmatched":
        gold = replace(gold, absent=True)
    if missing == "unmatched":
        system = replace(system, absent=True)
    # An empty system is allowed for coreference, because it may detect no mentions.
    if not len(gold) or not (len(system) or (system.mentions and system.absent)):
        raise NoItems(f"{(system if len(gold) else gold).source}: no items")
    _check_first_rows(gold, system)
    notices: list[Notice] = []
    if gold.mentions and system.mentions:
        system, notices = match_documents(gold, system)
    if system.repeated and extra == "unmatched":
        system = _count_repeated_mentions(gold, system)
    if noise is not None:
        system = mark_noise(system, noise)
    masses = gold.item_weights
    if masses is not None and masses.all() and not varies(masses):
        gold = replace(gold, item_weights=None)
    whole, rows = gold, join(gold, system)
    warnings = [*notices, *gold.warnings, *system.warnings]
    if gold.groups is None and system.groups is not None:
        text = (
            f"{system.source} has groups, but {gold.source} does not: all are scored as one group"
        )
        warnings.append(Notice(text, code="unused-groups"))
    if rows is None and gold.complete and system.complete:
        if noise is not None:
            return handle_missing(gold, system, None, 0, warnings, missing, noise)
        return _build_aligned(gold, system, 0, 0, warnings)
    if rows is None:
        rows = np.arange(len(gold))
    kept = gold.answered()
    if not np.any(kept):
        raise InputError(f"{gold.source}: no item has a label", code="missing-label")
    if not np.any(rows[kept] >= 0) and not (gold.mentions and system.absent):
        raise _describe_other_ids(gold, system, kept)
    # Items without a gold label are counted like extra items, or dropped with a separate notice.
    counted = gold.items is not None and extra in ("count", "unmatched")
    unknown, absent = find_unknown(system, rows[kept]), find_unknown(system, rows)
    extras = list_names(system, unknown if counted else absent)
    unlabelled = int(np.count_nonzero(~kept))
    if unlabelled and not counted:
        warnings.append(warn_unlabelled_gold(unlabelled, gold.source))
    if not np.all(kept):
        gold, rows = take(gold, np.flatnonzero(kept)), rows[kept]
    number = int(unknown.size)
    if counted:
        before = len(gold)
        gold, rows = _add_unknown(gold, system, rows, unknown)
        if gold.mentions:
            # Mentions in other documents are not scored, so they are not counted here.
            number, common = len(gold) - before, int(np.count_nonzero(rows[:before] >= 0))
            warnings += _warn_spurious(gold, system, number, number + common)
        else:
            effect = "counted in the system only" if gold.absent else "counted as one class each"
            warnings += warn_extra(gold, system, unknown.size, 0, effect)
    elif gold.items is not None and extra == "drop":
        dropped, scored = (heaviest(take(system, part)) for part in (absent, rows[rows >= 0]))
        shared = np.isin(dropped[dropped >= 0], scored)
        warnings += warn_extra(gold, system, absent.size, int(shared.sum()))
    system = take(replace(system, items=None, groups=None, group_names=None), rows)
    gaps = ~system.answered()
    if missing == "error" and gaps.any():
        text = _list_missing(whole, len(gold), system, np.flatnonzero(kept)[gaps])
        raise InputError(text, code="missing-items")
    aligned = handle_missing(gold, system, None, number, warnings, missing, noise)
    return replace(aligned, extra_items=extras)


def _match_case(gold: Labels, system: Labels) -> bool:
    """Return True if some ids are equal except for upper and lower case."""
    lowered = {item.lower() for item in gold.items or ()}
    return any(item.lower() in lowered for item in system.items or ())


def _match_numbers(gold: Labels, system: Labels) -> bool:
    """Return True if some ids are equal as numbers, such as 007, 7 and 7.0."""
    sides = (
        {item.removesuffix(".0").lstrip("0") for item in side.items or () if item[:1].isdigit()}
        for side in (gold, system)
    )
    return not next(sides).isdisjoint(next(sides))


def choose_rules(
    gold: Labels | None,
    average: str | None,
    missing: str | None,
    extra: str | None,
    system: Labels | None = None,
    noise: str | None = None,
) -> Rules:
    """Return the options `average`, `missing` and `extra`, with None replaced by defaults.

    The defaults depend on whether the items are coreference mentions.

    `gold` is None for precounted cells, whose items are not mentions. If the gold or system labels
    are a list of pairs, items that are not in the list are singletons. Noise items are singletons,
    too, because a single noise cluster would be scored like any other cluster.
    """
    default = OF_MENTIONS if gold is not None and gold.mentions else RULES
    alone = noise is not None or (system is not None and system.pairs)
    if alone and default.missing == RULES.missing:
        default = default._replace(missing="singletons")
    if gold is not None and gold.pairs:
        default = default._replace(extra="count")
    return Rules(average or default.average, missing or default.missing, extra or default.extra)


def mark_noise(labels: Labels, noise: str) -> Labels:
    """Remove the label `noise`, so that items with this label have no label.

    >>> mark_noise(Labels(np.array([0, 1, 0]), 2, [-1, 0]), "-1").codes.tolist()
    [-1, 1, -1]
    """
    named = (code for code in range(labels.n_labels) if is_called(labels.label(code), noise))
    marked = np.isin(labels.codes, np.fromiter(named, np.int64))
    if not marked.any():
        return labels
    if labels.weighted:
        owners, codes, weights = labels.entries()
        left = LabelCodes(codes[~marked], labels.n_labels)
        packed = left.pack(owners[~marked], weights[~marked], len(labels))
        return replace(
            labels,
            codes=packed.codes,
            indptr=packed.indptr,
            weights=packed.weights,
            complete=packed.complete,
        )
    wide = labels.codes.astype(code_type(labels.n_labels))
    return replace(labels, codes=np.where(marked, -1, wide), complete=False)


def is_called(label: str, name: str) -> bool:
    """Return True if a label equals a name.

    "-1.0" equals "-1", because pandas may write integers as floats.

    >>> is_called("-1.0", "-1"), is_called("-1", "-1.0"), is_called("01", "1")
    (True, True, False)
    """
    return label.removesuffix(".0") == name.removesuffix(".0")


def find_noise(labels: Labels) -> str | None:
    """Return the label that probably marks noise, or None if there is no such label.

    Noise labels are "noise", "outlier", or −1 if all other labels are numbers ≥ 0.
    """
    if labels.n_labels - labels.made < 2:
        return None
    if labels.names is None:
        # The labels are consecutive numbers that start at the offset. If the offset is −1, all
        # other labels are ≥ 0.
        return "-1" if labels.offset == -1 and np.any(labels.codes == 0) else None
    texts = list(map(str, labels.names[: labels.n_labels - labels.made]))
    minus = [code for code, text in enumerate(texts) if is_called(text, "-1")]
    others = (text for code, text in enumerate(texts) if code not in minus)
    if minus and all(text.removesuffix(".0").isdecimal() for text in others):
        return "-1" if np.isin(labels.codes, minus).any() else None
    return next((text for text in sorted(texts) if text.lower() in ("noise", "outlier")), None)


def warn_unlabelled_gold(number: int, source: str) -> Notice:
    """Return a notice that `number` gold items have no label, so they are not scored."""
    verb = "has" if number == 1 else "have"
    text = f"{plural(number, 'item', ',')} {verb} no label in {source}: not scored"
    return Notice(text, code="missing-label")


def find_unknown(side: Labels, rows: Ints) -> Ints:
    """Return the row numbers that do not occur in `rows`."""
    known = np.zeros(len(side), dtype=bool)
    known[rows[rows >= 0]] = True
    return np.flatnonzero(~known)


def _add_unknown(gold: Labels, system: Labels, rows: Ints, unknown: Ints) -> tuple[Labels, Ints]:
    """Add system items that gold does not contain to gold, each as a separate class."""
    if gold.weighted:
        raise InputError(
            "--extra count requires gold labels without weights", code="conflicting-options"
        )
    groups = _match_groups(gold, system)
    if gold.groups is not None:
        # There is one contingency table per group in gold, so drop items in groups that gold does
        # not contain.
        unknown = unknown[groups[unknown] >= 0] if groups is not None else unknown[:0]
    if not system.weighted:
        # Sort by cluster, as in precounted cells, so that sums have the same rounding errors.
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


def handle_missing(
    gold: Labels,
    system: Labels,
    counts: CountArray | None,
    extra: int,
    warnings: list[str],
    missing: str,
    noise: str | None = None,
) -> AlignedLabels:
    """Handle rows without a system label, and noise in gold, according to the option `missing`.

    Each row is a gold item or, with `counts`, a contingency cell with several items. Every row has
    a gold label.
    """
    if noise is not None:
        gold, system, counts = _handle_noise(gold, system, counts, warnings, missing, noise)
    gaps = ~system.answered()
    items, left_out = (_count_items(counts, rows) for rows in (np.ones_like(gaps), gaps))
    names: tuple[str, ...] = ()
    if left_out:
        effects = {
            "cluster": f"counted as one extra cluster{'' if gold.groups is None else ' per group'}",
            "singletons": "counted as one cluster each",
            "unmatched": "counted in gold only",
            "drop": "not scored",
        }
        names = list_names(gold, np.flatnonzero(gaps)) if counts is None else ()
        text = f"{_describe_missing(left_out, items, system)}: {effects[missing]}"
        if gold.mentions and missing == "unmatched":
            text = _describe_missed(gold, system, left_out)
        elif left_out == items and missing != "drop":
            warnings.append(warn_unlabelled(system.source))
        warnings.append(Notice(text, code="missing-items"))
        if missing == "drop" and left_out == items:
            raise InputError(
                f"no item in {gold.source} has a label in {system.source}",
                code="no-common-items",
            )
        if missing == "unmatched" and counts is not None and counts.dtype.kind == "f":
            raise InputError(
                "unmatched items require integer counts; pass --missing cluster or --missing drop",
                code="conflicting-options",
            )
        system, gold, counts = _fill_gaps(system, gold, counts, gaps, missing)
    gold = replace(gold, complete=True)
    system = replace(system, complete=True, items=gold.items, absent=missing == "unmatched")
    aligned = _build_aligned(gold, system, left_out, extra, warnings, counts)
    return replace(aligned, missing_items=names)


def _count_items(counts: CountArray | None, rows: BoolArray) -> int:
    """Return the total number of items in the selected rows."""
    return round(float(rows.sum() if counts is None else counts[rows].sum()))


def _fill_gaps(
    side: Labels, other: Labels, counts: CountArray | None, gaps: BoolArray, missing: str
) -> tuple[Labels, Labels, CountArray | None]:
    """Handle items without a label according to the option `missing`, and keep labels aligned."""
    kept: Ints | None = None
    if missing == "drop":
        kept = np.flatnonzero(~gaps)
    elif counts is not None and missing != "cluster":
        # Each item needs a separate label, so split cells without a label into single items.
        kept = np.repeat(np.arange(counts.size), np.where(gaps, counts, 1).astype(np.int64))
    if kept is not None:
        side, other, gaps = take(side, kept), take(other, kept), gaps[kept]
        counts = None if counts is None else np.where(gaps, 1, counts[kept])
    if missing != "drop":
        side = fill(side, gaps, together=missing == "cluster")
    return side, other, counts


def _handle_noise(
    gold: Labels,
    system: Labels,
    counts: CountArray | None,
    warnings: list[str],
    missing: str,
    noise: str,
) -> tuple[Labels, Labels, CountArray | None]:
    """Handle noise items in gold according to the option `missing`.

    With "cluster" they are left unchanged.
    """
    gaps = ~mark_noise(gold, noise).answered()
    number = _count_items(counts, gaps)
    if not number or gold.weighted:
        return gold, system, counts
    effects = {
        "cluster": "counted as one class",
        "singletons": "counted as one class each",
        "unmatched": "counted in the system only",
        "drop": "not scored",
    }
    verb = "is" if number == 1 else "are"
    content = f"{plural(number, 'item', ',')} of {gold.source} {verb} noise"
    if missing == "error":
        raise InputError(f"{content} ({noise})", code="missing-items")
    warnings.append(Notice(f"{content}: {effects[missing]}", code="missing-items"))
    if missing == "cluster":
        return gold, system, counts
    if missing == "drop" and gaps.all():
        raise InputError(f"{gold.source}: all items are noise", code="missing-items")
    if missing != "drop" and gold.absent != (missing == "unmatched"):
        raise InputError(
            f"{content}: pass both --missing unmatched and --extra unmatched, or neither",
            code="conflicting-options",
        )
    return _fill_gaps(gold, system, counts, gaps, missing)


def _build_aligned(
    gold: Labels,
    system: Labels,
    missing: int,
    extra: int,
    warnings: list[str],
    counts: CountArray | None = None,
) -> AlignedLabels:
    warnings, masses = list(warnings), gold.item_weights
    if masses is not None and not (system.weighted or masses.all()):
        gold, system, counts = _drop_weightless(gold, system, counts, warnings)
        masses = gold.item_weights
    groups, names = (None, None) if gold.groups is None else _number_groups(gold)
    if groups is not gold.groups:
        gold = replace(gold, groups=groups, group_names=names)
    warnings += _warn_singletons(gold, counts)
    weighed: tuple[str, ...] = ()
    if masses is not None and system.weighted:
        text = (
            f"the weights of {gold.source} are not used, because items have several weighted labels"
        )
        warnings.append(Notice(text, code="unused-weights"))
    elif masses is not None:
        text = f"items are weighted by the weights of {gold.source}"
        warnings.append(Notice(text, code="item-weights"))
        counts, weighed = whole_counts(masses if counts is None else counts * masses), ("items",)
    distinct = tuple(dict.fromkeys(warnings))
    return AlignedLabels(gold, system, groups, names, missing, extra, distinct, counts, weighed)


def _drop_weightless(
    gold: Labels, system: Labels, counts: CountArray | None, warnings: list[str]
) -> tuple[Labels, Labels, CountArray | None]:
    """Drop items with weight 0 in gold, and add a notice."""
    assert gold.item_weights is not None
    gaps = gold.item_weights == 0
    if gaps.all():
        raise InputError(
            f"{gold.source}: all weights are 0; at least one weight must be positive",
            code="bad-weight",
        )
    number = plural(_count_items(counts, gaps), "item", ",")
    text = f"{number} of {gold.source} with weight 0: not scored"
    warnings.append(Notice(text, code="item-weights"))
    kept = np.flatnonzero(~gaps)
    counts = None if counts is None else counts[kept]
    return take(gold, kept), take(system, kept), counts


def _number_groups(gold: Labels) -> tuple[Codes | None, Sequence[str] | None]:
    """Renumber the groups in order of first occurrence, and drop unused group codes."""
    codes, names = gold.groups, gold.group_names
    if codes is None or names is None:
        return None, None
    first = np.full(len(names), codes.size, dtype=np.int64)
    # The last write to an index wins, so write in reverse order to keep the first item.
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    order = order[first[order] < codes.size]
    if order.size == len(names) and bool(np.all(order == np.arange(order.size))):
        return codes, names
    numbers = np.full(len(names), -1, dtype=codes.dtype)
    numbers[order] = np.arange(order.size)
    return numbers[codes], [names[code] for code in order.tolist()]


def warn_extra(
    gold: Labels,
    system: Labels,
    extra: int,
    shared: int,
    effect: str = "dropped",
) -> list[Notice]:
    """Return notices about the `extra` system items that are missing from gold.

    `shared` is the number of these items that are in clusters with scored items.
    """
    if not extra:
        return []
    verb = "is" if extra == 1 else "are"
    text = f"{plural(extra, 'item', ',')} of {system.source} {verb} not in {gold.source}: {effect}"
    warnings = [Notice(text, code="extra-items")]
    if shared:
        share = f"{plural(shared, 'dropped item', ',')} {'shares' if shared == 1 else 'share'}"
        text = (
            f"{share} a cluster with scored items, so precision may be too high; pass --extra "
            "count to count them, or --extra sample if gold is a sample of complete classes"
        )
        warnings.append(Notice(text, code="shared-clusters"))
    return warnings


def _warn_spurious(gold: Labels, system: Labels, spurious: int, detected: int) -> list[Notice]:
    """Return a notice about system mentions that gold does not contain."""
    if not spurious:
        return []
    verb = "is" if spurious == 1 else "are"
    text = (
        f"{spurious:,} of {plural(detected, 'response mention', ',')} {verb} spurious: in "
        f"{system.source}, but not in {gold.source}"
    )
    return [Notice(text, code="extra-items")]


def _warn_singletons(gold: Labels, counts: CountArray | None) -> list[Notice]:
    """Return a notice if every gold item has a different class or group.

    In this case the wrong column was probably specified.
    """
    items = len(gold)
    if counts is not None and items < int(counts.sum()):
        return []
    groups = gold.groups
    n_groups = 1 if gold.group_names is None else len(gold.group_names)
    if items < _MIN_ITEMS:
        return []
    if n_groups == items:
        text = "every group contains a single item; check the group column"
        return [Notice(text, code="suspicious-column")]
    # If there are fewer labels than items, some labels must be repeated, so items need not be
    # checked.
    if gold.weighted or gold.n_labels * n_groups < items:
        return []
    keys = gold.codes if groups is None else groups.astype(np.int64) * gold.n_labels + gold.codes
    if not (_all_differ(keys[:_SAMPLE]) and _all_differ(keys)):
        return []
    text = "every gold class contains a single item; check the label column"
    return [Notice(text, code="suspicious-column")]


def _all_differ(keys: Codes) -> bool:
    return bool(np.unique(keys).size == keys.size)


def _describe_other_ids(gold: Labels, system: Labels, kept: BoolArray) -> InputError:
    """Return the error for a system without any item of gold, with a probable cause."""
    found, expected = example(system, 0), example(gold, int(np.argmax(kept)))
    hint = ""
    if normalize("NFC", found) == normalize("NFC", expected):
        hint = "; the accents are encoded differently: convert both files to Unicode NFC"
    elif found.lower() == expected.lower() or _match_case(gold, system):
        hint = "; the ids differ in upper and lower case"
    elif _match_numbers(gold, system):
        hint = "; the ids are equal as numbers: write both without leading zeros and without .0"
    return InputError(
        f"no item in {system.source} is also in {gold.source}: found ids such as {found}, "
        f"expected ids such as {expected}{hint}",
        code="no-common-items",
    )


def _describe_missing(number: int, items: int, system: Labels) -> str:
    verb = "has" if number == 1 else "have"
    return f"{number:,} of {plural(items, 'item', ',')} {verb} no label in {system.source}"


def list_names(labels: Labels, rows: Ints) -> tuple[str, ...]:
    """Return the ids of the first items in `rows`, with their groups, if items have ids."""
    if labels.items is None:
        return ()
    items, groups, names = labels.items, labels.groups, labels.group_names
    first = rows[:_MAX_LISTED].tolist()
    if groups is None or names is None:
        return tuple(str(items[row]) for row in first)
    return tuple(f"{names[int(groups[row])]} {items[row]}" for row in first)


def _describe_missed(gold: Labels, system: Labels, missed: int) -> str:
    """Return the number of gold mentions that the system did not detect."""
    # Codes were added for the mentions that only the system has.
    mentions = len(gold) - (gold.made if gold.absent else 0)
    verb = "is" if missed == 1 else "are"
    return (
        f"{missed:,} of {plural(mentions, 'gold mention', ',')} {verb} missed: in {gold.source}, "
        f"but not in {system.source}"
    )


def _list_missing(whole: Labels, items: int, system: Labels, rows: Ints) -> str:
    shown = [example(whole, row) for row in rows[:_MAX_SHOWN].tolist()]
    text = _describe_missing(rows.size, items, system)
    return f"{text}: {', '.join(shown)}{', …' if rows.size > _MAX_SHOWN else ''}"


def join(gold: Labels, system: Labels) -> Ints | None:
    """Return the system row of each gold item, or −1 if it is missing.

    Return None if the gold and system rows already match.
    """
    if gold.items is None or system.items is None:
        if gold.items is not None or system.items is not None:
            with_ids, without = (gold, system) if system.items is None else (system, gold)
            if without.tree is not None:
                raise InputError(
                    f"{_has(with_ids.source)} item ids, but {_call_linkage(without.source)} "
                    f"identified by position; pass {with_ids.source} without ids in the same "
                    "order, or in Python roget.Hierarchy.from_linkage(Z, items)",
                    code="index-mismatch",
                )
            files = not (gold.source.startswith("the ") or system.source.startswith("the "))
            lines = (
                f". Check the columns of {without.source}: it was read as one label per line, "
                "which is right only if it has no ids and no other separator, such as |"
            )
            raise InputError(
                f"{_has(with_ids.source)} item ids, but {_has(without.source)} no ids; pass ids "
                "for both, or pass no ids and list the items in the same "
                f"order{lines if files else ''}",
                code="index-mismatch",
            )
        _require_same_positions(gold, system)
        return None
    grouped = gold.groups is not None and system.groups is not None
    groups = _match_groups(gold, system) if grouped else None
    if len(gold) == len(system) and gold.items == system.items:
        if groups is None:
            _refuse_repeats(gold)
            return None
        if bool(np.array_equal(groups, _codes(gold))):
            return None
    return _join_ids(gold, system, groups)


def example(labels: Labels, row: int) -> str:
    """Return a short description of an item for use in messages."""
    if labels.items is None:
        return f"the item at position {row + 1} of {len(labels)}"
    if labels.groups is None or labels.group_names is None:
        return repr(labels.items[row])
    return repr(f"{labels.group_names[int(labels.groups[row])]} {labels.items[row]}")


def _require_same_positions(gold: Labels, system: Labels) -> None:
    if len(gold) != len(system):
        raise InputError(
            f"{_has(gold.source)} {plural(len(gold), 'item', ',')} and {_has(system.source)} "
            f"{len(system)}; items without ids are joined by position, so the numbers of items "
            f"must be equal{_suggest_linkage(gold, system)}",
            code="length-mismatch",
        )
    groups = _match_groups(gold, system)
    if groups is not None and not np.array_equal(groups, _codes(gold)):
        row = int(np.argmax(groups != _codes(gold)))
        raise InputError(
            f"{gold.source} and {system.source} have different groups at position {row + 1} of "
            f"{len(gold)}; items without ids are joined by position",
            code="index-mismatch",
        )


def _call_linkage(source: str) -> str:
    if source.startswith("the "):
        return f"the items of {source} are"
    return f"{source} is a linkage, whose items are"


def _suggest_linkage(gold: Labels, system: Labels) -> str:
    """Return a hint if the system may be a linkage matrix.

    A linkage matrix has four columns and one row fewer than there are items.
    """
    if system.tree or not system.weighted or system.n_labels != 4 or len(system) + 1 != len(gold):
        return ""
    return "; for a linkage pass roget.Hierarchy.from_linkage(Z)"


def _match_groups(gold: Labels, system: Labels) -> Codes | None:
    """Return the gold code of each system item's group, or −1 if gold does not contain the group.

    Return None unless both gold and system have groups.
    """
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
    keys: Iterable[Any] = gold.items or ()
    if groups is None:
        _refuse_repeats(gold)
        if len(index) < count:
            _refuse_repeats(system)
    elif len(index) < count:
        places = zip(groups.tolist(), system.items or (), strict=True)
        index = dict(zip(places, range(count), strict=True))
        keys = zip(_codes(gold).tolist(), keys, strict=True)
    rows = np.fromiter(map(index.get, keys, repeat(-1)), np.int64, len(gold))
    if groups is not None and count:
        rows[(rows >= 0) & (groups[rows] != _codes(gold))] = -1
    return rows


def _refuse_repeats(labels: Labels) -> None:
    """Raise an error if item ids are not unique.

    Repeated ids are allowed only if both gold and system have groups.
    """
    seen: dict[str, int] = {}
    items = labels.items or ()
    if len(set(items)) == len(items):
        return
    for row, item in enumerate(items):
        if item in seen:
            raise InputError(
                f"{labels.source}: the id {item!r} is used by several items "
                f"({example(labels, seen[item])}, {example(labels, row)}), and the other input has "
                "no groups to distinguish them",
                code="duplicate-item",
            )
        seen[item] = row


def _has(source: str) -> str:
    """Return the name of a source followed by "has" (for a file) or "have" (for labels in memory).

    >>> _has("gold.tsv"), _has("the gold labels")
    ('gold.tsv has', 'the gold labels have')
    """
    many = source == "labels" or (source.startswith("the ") and source.endswith(" labels"))
    return f"{source} {'have' if many else 'has'}"


def _check_first_rows(gold: Labels, system: Labels) -> None:
    """Raise an error if both files begin with the same field, because it may be a header.

    This is the case if one of the files has a header with this field, or if the first label of
    each file occurs nowhere else.
    """
    rows = [side.first_row for side in (gold, system)]
    if any(row is None for row in rows) or gold.items is None or system.items is None:
        return
    one, other = (row for row in rows if row is not None)
    if one.field.lower() != other.field.lower():
        _refuse_lone_first_row(gold, system)
        _refuse_lone_first_row(system, gold)
        return
    if one.is_header and other.is_header:
        return
    if one.is_header or other.is_header or (one.doubt is not None and other.doubt is not None):
        read_as_data = system.source if one.is_header else gold.source
        raise InputError(
            f"{read_as_data}: both files begin with {one.field!r}, which may be a header or an "
            "item; pass --header or --no-header",
            code="ambiguous-header",
        )


def _refuse_lone_first_row(side: Labels, other: Labels) -> None:
    """Raise an error if the first row of a file may be a header with unknown names.

    This is likely if its item is the only one that is missing from the other file, and its label
    occurs in no other row.
    """
    row, items = side.first_row, side.items or []
    if row is None or row.doubt is None or any(map(str.isdigit, row.field)):
        return
    known = set(other.items or ())
    if len(items) < 3 or items[0] in known or not known.issuperset(items[1:]):
        return
    raise InputError(
        f"{side.source}: the first row, {row.field!r}, may be a header or an item: it is the only "
        f"item that is not in {other.source}; pass --header or --no-header",
        code="ambiguous-header",
    )


def _count_repeated_mentions(gold: Labels, system: Labels) -> Labels:
    """Add the system's repeated mentions, except mentions that gold contains.

    As in the CoNLL reference scorer, they enlarge the system's entities. The scorer removes a
    repeated mention only if the key contains it.
    """
    places, names = gold.groups, gold.group_names or ()
    if places is None or gold.items is None or system.groups is None:
        return system
    groups = map(names.__getitem__, places.tolist())
    known = {*zip(groups, gold.items, strict=True)}
    own = system.group_names or ()
    again = [one for one in system.repeated if (own[one[0]], one[1]) not in known]
    if not again:
        return system
    labels = [system.label(code) for code in system.codes.tolist()]
    coded = code_texts([*labels, *(label for _, _, label in again)])
    verb = "is" if len(again) == 1 else "are"
    text = (
        f"{plural(len(again), 'mention')} of {system.source} {verb} repeated and missing from "
        "gold; each repetition is counted"
    )
    return replace(
        system,
        codes=coded.codes,
        n_labels=coded.n_labels,
        names=coded.names,
        offset=coded.offset,
        complete=coded.complete,
        items=[
            *(system.items or ()),
            *(f"{item} again {n}" for n, (_, item, _) in enumerate(again)),
        ],
        groups=np.append(system.groups, [group for group, _, _ in again]),
        warnings=(*system.warnings, Notice(text, code="repeated-rows")),
        repeated=(),
    )
