"""The classes `LabelCodes` and `Labels`: one label per item, or several weighted labels.

`LabelCodes` contains integer codes and the label of each code, as produced by readers. `Labels`
adds the items, their groups and the name of the source.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from roget.core.types import Array, BoolArray, Codes, CountArray, Floats, Ints
from roget.errors import InputError, Notice

if TYPE_CHECKING:
    from roget.scoring.labels.hierarchy import Hierarchy

Names: TypeAlias = Sequence[Any] | npt.NDArray[Any]

NO_ANSWER = "(no answer)"
"""Text displayed as the label of items without a label."""

EXACT = 2.0**53
"""Largest N such that all whole numbers up to N are exactly representable as 64-bit floats."""

MAX_TOTAL = 2.0**63
"""Exclusive upper bound for the sum of counts or item weights, so that it fits into 64 bits."""


class NoItems(InputError):
    """Raised when an input has no rows.

    The exception is ignored if other files of the same input contain rows.
    """

    code = "empty-input"


def code_type(n_labels: int) -> np.dtype[np.int32] | np.dtype[np.int64]:
    """Return an integer type that can represent the codes −1 to n_labels − 1."""
    return np.dtype(np.int32) if n_labels < 2**31 else np.dtype(np.int64)


def whole_counts(masses: Array) -> CountArray:
    """Convert counts to integers if all of them are whole, otherwise to floats.

    Raise an error if their sum does not fit into 64 bits.
    """
    require_total(masses)
    if masses.dtype.kind == "f" and not np.all(masses == np.rint(masses)):
        return masses.astype(np.float64, copy=False)
    return masses.astype(np.int64, copy=False)


def require_total(masses: Array) -> None:
    """Raise an error if the sum of counts or weights is not below 2^63."""
    with np.errstate(over="ignore"):
        total = float(masses.sum(dtype=np.float64))
    if not total < MAX_TOTAL:
        raise InputError(
            f"the counts or weights sum to {total:.3g}; the sum must be below 2^63. Divide them "
            "all by the same number",
            code="too-large",
        )


@dataclass(frozen=True, eq=False)
class Labels:
    """Gold labels or system labels: one label per item, or several weighted labels.

    For hard labels, `codes` contains one code per item, or −1 if the item has no label. For
    weighted labels, the codes of item i are `codes[indptr[i]:indptr[i + 1]]`. This slice is empty
    if the item has no label. The `weights` of each item sum to 1. Codes keep the integer type of
    the caller's array, so code that computes with them must convert them to a wider type first.

    >>> labels = Labels(np.array([0, 1, -1]), 2, ["cat", "dog"], complete=False)
    >>> len(labels), labels.weighted, labels.label(1)
    (3, False, 'dog')
    """

    codes: Codes
    n_labels: int
    """Number of codes. Codes are in the range [0, n_labels), and some may be unused."""
    names: Names | None
    """The label of each code, or None if the labels are the numbers code + `offset`."""
    items: Sequence[str] | None = None
    """Item ids, or None if items are identified by position."""
    groups: Codes | None = None
    group_names: Sequence[str] | None = None
    indptr: Ints | None = None
    weights: Floats | None = None
    complete: bool = True
    """True if every item has a label."""
    item_weights: Floats | None = None
    """Weight of each item (only for hard labels), or None if all weights are equal."""
    source: str = "labels"
    warnings: tuple[str, ...] = ()
    offset: int = 0
    """The label of code 0 if `names` is None."""
    made: int = 0
    """Number of codes that were added for items without a label. These are the largest codes."""
    absent: bool = False
    """True if the added codes mark missing items, which are not counted as clusters."""
    mentions: bool = False
    """True if items are coreference mentions, which may differ between gold and system."""
    pairs: bool = False
    """True if the input is a list of item pairs. Items that are not listed are singletons."""
    cover: bool = False
    """True if items may belong to several clusters with full membership (a cover)."""
    repeated: tuple[tuple[int, str, str], ...] = ()
    """Group, item and label of each repetition of a mention. `items` does not include repetitions.
    """
    lengths: tuple[int, ...] = ()
    """Number of words in each document of a coreference file, or 0 if the file lacks them."""
    tree: Hierarchy | None = None
    """The tree, if the labels are the leaves of a tree."""
    first_row: FirstRow | None = None
    """The first row of a delimited file. It is used to detect a header that was read as data."""
    weighted: bool = field(init=False, repr=False)
    """True if items may have several labels, each with a weight."""
    overlapping: bool = field(init=False, repr=False)
    """True if items may belong to several clusters."""
    kind: str = field(init=False, repr=False)
    """The type of the labels, as shown in signatures: hard, weighted or cover."""

    def __post_init__(self) -> None:
        weighted = self.indptr is not None
        overlapping = self.cover and weighted
        kind = "cover" if overlapping else "weighted" if weighted else "hard"
        vars(self).update(weighted=weighted, overlapping=overlapping, kind=kind)

    def __len__(self) -> int:
        return len(self.codes) if self.indptr is None else len(self.indptr) - 1

    @property
    def n_shared(self) -> int:
        """Number of codes, excluding codes added for single items without a label."""
        return self.n_labels - (self.made if self.made > 1 else 0)

    def label(self, code: int) -> str:
        """Return the label of a code as text."""
        if not 0 <= code < self.n_labels - self.made:
            return NO_ANSWER
        return str(code + self.offset if self.names is None else self.names[code])

    def require_flat(self) -> Labels:
        """Return the labels, or raise an error if they are the leaves of an uncut tree."""
        if self.tree is not None:
            raise InputError(
                f"{self.source} is a tree; expected flat labels, e.g. hierarchy.cut(k) or "
                "thesaurus.cut(k)",
                code="unsupported-format",
            )
        return self

    def entries(self) -> tuple[Ints, Ints, Floats]:
        """Return three arrays: the item, code and weight of every entry.

        In hard labels, code −1 means no label.
        """
        items, codes = np.arange(len(self)), self.codes.astype(np.int64)
        if self.indptr is None or self.weights is None:
            return items, codes, np.ones(items.size)
        return np.repeat(items, np.diff(self.indptr)), codes, self.weights

    def answered(self) -> BoolArray:
        """Return a mask of the items that have a label."""
        if self.indptr is not None:
            return np.diff(self.indptr) > 0
        return np.ones(len(self), dtype=bool) if self.complete else self.codes >= 0


def warn_unlabelled(source: str) -> Notice:
    """Return a warning that a file, or another source of labels, has items but no labels."""
    return Notice(f"no item in {source} has a label", code="no-labels")


def take(labels: Labels, rows: Ints) -> Labels:
    """Select labels by row index, in the given order. The index −1 yields an item without a label.

    Item ids and groups are selected, too, so −1 is not allowed if the labels have ids or groups.
    """
    absent = rows < 0
    gap = bool(absent.any())
    items = None if labels.items is None else [labels.items[row] for row in rows.tolist()]
    groups = None if labels.groups is None else labels.groups[rows]
    masses = None if labels.item_weights is None else labels.item_weights[rows]
    whole = labels.complete and not gap
    labels = replace(labels, items=items, groups=groups, item_weights=masses, complete=whole)
    if labels.indptr is None or labels.weights is None:
        codes: Codes
        if gap:
            codes = np.full(rows.size, -1, code_type(labels.n_labels))
            codes[~absent] = labels.codes[rows[~absent]]
        else:
            codes = labels.codes[rows]
        return replace(labels, codes=codes)
    starts, sizes = labels.indptr[:-1][rows], np.diff(labels.indptr)[rows]
    sizes[absent] = 0
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    entries = np.repeat(starts - indptr[:-1], sizes) + np.arange(indptr[-1])
    return replace(
        labels, codes=labels.codes[entries], weights=labels.weights[entries], indptr=indptr
    )


def separate_groups(labels: Labels, groups: Codes | None) -> Labels:
    """Assign different codes to the labels of different groups, even if their names are equal."""
    if groups is None:
        return labels
    owners = groups if labels.indptr is None else np.repeat(groups, np.diff(labels.indptr))
    codes = owners.astype(np.int64) * labels.n_labels + labels.codes
    return replace(labels, codes=codes, n_labels=(int(groups.max()) + 1) * labels.n_labels)


def concatenate(parts: Sequence[Labels], source: str) -> Labels:
    """Concatenate the labels of several files. `source` is the name of the result in messages."""
    weighted = any(part.weighted for part in parts)
    if weighted:
        # If some items have several labels, the weights are label weights, not item weights.
        parts = [replace(part, item_weights=None) for part in parts]
    fields = {"item ids": "items", "groups": "groups", "weights of items": "item_weights"}
    named = [[getattr(part, name) is not None for part in parts] for name in fields.values()]
    for what, there in zip(fields, named, strict=True):
        if len(set(there)) > 1:
            with_, without = parts[there.index(True)].source, parts[there.index(False)].source
            raise InputError(
                f"{with_} has {what}, but {without} does not; all gold files, and all system "
                "files, must have the same columns",
                code="broken-lines",
            )
    coder, grouper = Coder(), Coder()
    codes: list[Ints] = []
    groups: list[Ints] = []
    items: list[str] = []
    owner: dict[tuple[int, str], str] = {}
    for part in parts:
        names = [part.label(code) for code in range(part.n_labels)]
        # The last element of the lookup table maps code −1 to −1.
        lookup = np.append(coder.codes(names, len(names)), -1)
        codes.append(lookup[part.codes.astype(np.int64)])
        items += part.items or ()
        group = np.zeros(len(part), dtype=np.int64)
        if part.groups is not None:
            known = list(part.group_names or ())
            group = grouper.codes(known, len(known)).astype(np.int64)[part.groups]
        groups.append(group)
        for key in zip(group.tolist(), part.items or (), strict=False):
            if owner.setdefault(key, part.source) != part.source:
                raise InputError(
                    f"item {key[1]!r} is in both {owner[key]} and {part.source}; each item must "
                    "be in only one file of a gold standard or system; `roget compare` scores each "
                    "file as a system",
                    code="duplicate-item",
                )
    sizes = [np.diff(part.indptr) if part.indptr is not None else part.answered() for part in parts]
    entries = np.concatenate(codes)
    shares = [part.entries()[2] for part in parts] if weighted else []
    masses = [part.item_weights for part in parts if part.item_weights is not None]
    return Labels(
        entries[entries >= 0] if weighted else entries,
        len(coder),
        list(coder),
        items=items if named[0][0] else None,
        groups=np.concatenate(groups) if named[1][0] else None,
        group_names=list(grouper) if named[1][0] else None,
        indptr=np.concatenate(([0], np.cumsum(np.concatenate(sizes)))) if weighted else None,
        weights=np.concatenate(shares)[entries >= 0] if weighted else None,
        complete=all(part.complete for part in parts),
        item_weights=np.concatenate(masses) if masses else None,
        source=source,
        warnings=tuple(text for part in parts for text in part.warnings),
        mentions=all(part.mentions for part in parts),
        cover=any(part.cover for part in parts),
    )


def fill(labels: Labels, gaps: BoolArray, *, together: bool) -> Labels:
    """Add labels for the items in `gaps`.

    If `together` is True, the items share one new label. Otherwise, each item gets a separate
    label.
    """
    count = int(np.count_nonzero(gaps))
    made = 1 if together else count
    new = labels.n_labels + (np.zeros(count, np.int64) if together else np.arange(count))
    wide = code_type(labels.n_labels + made)
    indptr, weights = labels.indptr, labels.weights
    codes: Codes
    if indptr is None or weights is None:
        codes = labels.codes.astype(wide)
        codes[gaps] = new
    else:
        indptr = np.concatenate(([0], np.cumsum(np.where(gaps, 1, np.diff(indptr)))))
        added = np.zeros(int(indptr[-1]), dtype=bool)
        added[indptr[:-1][gaps]] = True
        codes = np.empty(added.size, dtype=wide)
        codes[added], codes[~added] = new, labels.codes
        shares = np.ones(added.size)
        shares[~added] = weights
        weights = shares
    return replace(
        labels,
        codes=codes,
        n_labels=labels.n_labels + made,
        made=labels.made + made,
        indptr=indptr,
        weights=weights,
        complete=True,
    )


def heaviest(labels: Labels) -> Ints:
    """Return the code of each item's label with the largest weight, or −1 if it has no label.

    Ties are broken by the alphabetical order of the labels.
    """
    if labels.indptr is None or labels.weights is None:
        return labels.codes.astype(np.int64)
    sizes, owners = np.diff(labels.indptr), labels.entries()[0]
    names = np.array([labels.label(code) for code in range(labels.n_labels)], dtype=object)
    places = np.empty(labels.n_labels, dtype=np.int64)
    places[np.argsort(names, kind="stable")] = np.arange(labels.n_labels)
    order = np.lexsort((places[labels.codes], -labels.weights, owners))
    best = np.full(sizes.size, -1, dtype=np.int64)
    best[sizes > 0] = labels.codes[order[labels.indptr[:-1][sizes > 0]]]
    return best


def harden(labels: Labels) -> Labels:
    """Keep only the label with the largest weight for each item."""
    return replace(labels, codes=heaviest(labels), indptr=None, weights=None)


def as_cover(labels: Labels) -> Labels:
    """Return the labels as a cover, with a notice if their weights are not used."""
    warnings = labels.warnings
    if labels.indptr is not None and labels.weights is not None:
        sizes = np.diff(labels.indptr)
        if not np.allclose(labels.weights * np.repeat(sizes, sizes), 1):
            text = (
                f"the weights of {labels.source} are not used, because items belong fully to each "
                "of their clusters"
            )
            warnings = *warnings, Notice(text, code="unused-weights")
    return replace(labels, cover=True, warnings=warnings)


class LabelCodes(NamedTuple):
    """Labels as codes in [0, n_labels), with a name for each code. Code −1 means no label.

    Without `indptr` there is one code per item. With `indptr`, the codes of item i are
    `codes[indptr[i]:indptr[i + 1]]`, and their `weights` sum to 1.
    """

    codes: Codes
    n_labels: int
    names: Names | None = None
    """The label of each code, or None if the labels are the numbers code + `offset`."""
    offset: int = 0
    complete: bool = True
    """True if every item has a label."""
    indptr: Ints | None = None
    weights: Floats | None = None

    def values(self) -> Sequence[Any]:
        """Return the label of each code."""
        if self.names is None:
            return range(self.offset, self.offset + self.n_labels)
        return self.names.tolist() if isinstance(self.names, np.ndarray) else self.names

    def drop(self, labels: Sequence[int]) -> LabelCodes:
        """Remove the given labels. Items with these labels then have no label."""
        # The last element of the lookup table maps code −1 to −1.
        kept = np.ones(self.n_labels + 1, dtype=bool)
        kept[[*labels, -1]] = False
        lookup = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        names = list(compress(self.values(), kept))
        return LabelCodes(lookup[self.codes], len(names), names, complete=False)

    def drop_empty(self) -> LabelCodes:
        """Remove the label "", because an empty string in a file means no label.

        >>> LabelCodes(np.array([0, 1, -1]), 2, ["", "a"]).drop_empty().codes.tolist()
        [-1, 0, -1]
        """
        names = self.names
        if names is None or (isinstance(names, np.ndarray) and names.dtype.kind != "U"):
            return self
        names = list(names)
        return self.drop([names.index("")]) if "" in names else self

    def pack(self, owners: Ints, weights: Floats, n_items: int) -> LabelCodes:
        """Group entries (item, label, weight) by item.

        The weights of equal labels are added, and labels with weight 0 are dropped.

        The result has hard labels if every item has at most one label, regardless of its weight.
        """
        width = max(self.n_labels, 1)
        keys = owners * width + self.codes.astype(np.int64)
        if not bool(np.all(keys[1:] > keys[:-1])):
            keys, entry = np.unique(keys, return_inverse=True)
            weights = np.bincount(entry, weights, keys.size).astype(np.float64)
        keys, weights = keys[weights > 0], weights[weights > 0]
        owners, kept = np.divmod(keys, width)
        sizes = np.bincount(owners, minlength=n_items)
        complete = bool(np.all(sizes > 0))
        if not np.any(sizes > 1):
            hard: Codes = np.full(n_items, -1, dtype=code_type(self.n_labels))
            hard[owners] = kept
            return self._replace(codes=hard, complete=complete, indptr=None, weights=None)
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        sums = np.bincount(owners, weights)
        totals = sums[owners]
        if not (np.isfinite(totals).all() and totals.min() > np.finfo(float).tiny):
            # Divide by the largest weight of each item first, to avoid overflow and underflow.
            largest = np.maximum.reduceat(weights, indptr[:-1][sizes > 0])
            weights = weights / np.repeat(largest, sizes[sizes > 0])
            totals = np.bincount(owners, weights)[owners]
        return self._replace(
            codes=kept.astype(code_type(self.n_labels)),
            complete=complete,
            indptr=indptr,
            weights=weights / totals,
        )


class FirstRow(NamedTuple):
    """The first row of a delimited file, with a flag that is True if it was read as a header."""

    field: str
    """The field in the item column of the first row."""
    is_header: bool
    doubt: Notice | None = None
    """A notice if the row was read as data but may be a header, otherwise None."""


class Coder(defaultdict[Any, int]):
    """A mapping from values to numbers in order of first occurrence, which is filled in chunks."""

    def codes(self, values: Iterable[Hashable], count: int) -> npt.NDArray[np.int32]:
        """Return the number of each of `count` values.

        New values are assigned the next free numbers.
        """
        # The default factory refers to the dictionary. Remove it afterwards, because the reference
        # cycle would keep the dictionary in memory.
        self.default_factory = self.__len__
        try:
            return np.fromiter(map(self.__getitem__, values), np.int32, count)
        finally:
            self.default_factory = None


def code_texts(values: Sequence[str]) -> LabelCodes:
    """Assign codes to strings in order of first occurrence.

    >>> code_texts(["b", "a", "b"]).codes.tolist()
    [0, 1, 0]
    """
    coder = Coder()
    codes = coder.codes(values, len(values))
    return LabelCodes(codes, len(coder), list(coder))
