"""What one side of a comparison says: a label code per item, or several weighted ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from roget.core.types import Array, BoolArray, Codes, CountArray, Floats, Ints
from roget.errors import InputError

if TYPE_CHECKING:
    from roget.scoring.labels.hierarchy import Hierarchy

Names: TypeAlias = Sequence[Any] | npt.NDArray[Any]

NO_ANSWER = "(no answer)"

EXACT = 2.0**53
"""Whole numbers up to this are exact in a 64-bit float."""


def code_type(n_labels: int) -> np.dtype[np.int32] | np.dtype[np.int64]:
    """The integer type that holds this many codes and −1."""
    return np.dtype(np.int32) if n_labels < 2**31 else np.dtype(np.int64)


def whole_counts(masses: Array) -> CountArray:
    """Numbers as integers, where all are whole and their sum is no larger than exact; or floats."""
    if masses.dtype.kind == "f" and not (
        np.all(masses == np.rint(masses)) and masses.sum(dtype=np.float64) <= EXACT
    ):
        return masses.astype(np.float64, copy=False)
    return masses.astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class Labels:
    """One side's answers: a label code per item, or several weighted ones.

    Hard labels have one code per item in `codes`, −1 where there is no answer. Weighted labels
    have the entries of item i at `codes[indptr[i]:indptr[i + 1]]` (none: no answer) and their
    `weights`, which sum to 1 within an item. Codes keep the integer type of an array given by
    the caller, so arithmetic on them must choose a type that is wide enough.

    >>> labels = Labels(np.array([0, 1, -1]), 2, ["cat", "dog"], complete=False)
    >>> len(labels), labels.weighted, labels.label(1)
    (3, False, 'dog')
    """

    codes: Codes
    n_labels: int
    """Codes lie in [0, n_labels); some may be unused."""
    names: Names | None
    """The label of each code; None: the code plus `offset` is the label itself."""
    items: Sequence[str] | None = None
    """Item ids; None: items are known by their position."""
    groups: Codes | None = None
    group_names: Sequence[str] | None = None
    indptr: Ints | None = None
    weights: Floats | None = None
    complete: bool = True
    """Whether every item has an answer."""
    item_weights: Floats | None = None
    """How much each item counts, of hard labels; None: all the same."""
    source: str = "labels"
    warnings: tuple[str, ...] = ()
    offset: int = 0
    made: int = 0
    """How many codes, the last ones, were made up for items without an answer."""
    absent: bool = False
    """Whether those stand for items that this side does not have, not for clusters of its own."""
    mentions: bool = False
    """Whether items are mentions, of which each side may find others."""
    cover: bool = False
    """Whether labels are sets, in each of which an item is in full, whatever the weights."""
    repeated: tuple[tuple[int, str, str], ...] = ()
    """Group, item and label of mentions that come again, which are none of the items."""
    tree: Hierarchy | None = None
    """The tree whose leaves the labels are."""

    @classmethod
    def of(cls, factors: Factors, answers: Packed | None = None, **others: Any) -> Labels:
        """The labels of coded values, or of answers that were packed from them."""
        if answers is None:
            answers = Packed(factors.codes, None, None, factors.complete)
        return cls(
            n_labels=factors.n_labels,
            names=factors.names,
            offset=factors.offset,
            **answers._asdict(),
            **others,
        )

    def __len__(self) -> int:
        return len(self.codes) if self.indptr is None else len(self.indptr) - 1

    @property
    def weighted(self) -> bool:
        """Whether an item may have several labels, each with a weight."""
        return self.indptr is not None

    @property
    def overlapping(self) -> bool:
        """Whether an item may be in several sets."""
        return self.cover and self.weighted

    @property
    def kind(self) -> str:
        """What the answers of an item are, as signatures have it."""
        return "cover" if self.overlapping else "weighted" if self.weighted else "hard"

    def label(self, code: int) -> str:
        """The label behind a code, as text."""
        if not 0 <= code < self.n_labels - self.made:
            return NO_ANSWER
        return str(code + self.offset if self.names is None else self.names[code])

    def need_flat(self) -> Labels:
        """The same labels; refused where they are leaves of a tree, which is to be cut first."""
        if self.tree is not None:
            raise InputError(
                f"{self.source}: a tree, where labels are needed; give those of a cut: "
                "hierarchy.cut(k), or thesaurus.cut(k)"
            )
        return self

    def entries(self) -> tuple[Ints, Ints, Floats]:
        """Item, code and weight of every answer; of hard labels, −1 where there is none."""
        items, codes = np.arange(len(self)), self.codes.astype(np.int64)
        if self.indptr is None or self.weights is None:
            return items, codes, np.ones(items.size)
        return np.repeat(items, np.diff(self.indptr)), codes, self.weights

    def answered(self) -> BoolArray:
        """Which items have an answer."""
        if self.indptr is not None:
            return np.diff(self.indptr) > 0
        return np.ones(len(self), dtype=bool) if self.complete else self.codes >= 0


def take(labels: Labels, rows: Ints) -> Labels:
    """The answers of the given rows, in this order; row −1 is an item without an answer.

    Ids and groups go along, so row −1 is only for labels that have none.
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


def keep_apart(labels: Labels, groups: Codes | None) -> Labels:
    """The same items under labels that no two groups share, whatever their names."""
    if groups is None:
        return labels
    owners = groups if labels.indptr is None else np.repeat(groups, np.diff(labels.indptr))
    codes = owners.astype(np.int64) * labels.n_labels + labels.codes
    return replace(labels, codes=codes, n_labels=(int(groups.max()) + 1) * labels.n_labels)


def concatenate(parts: Sequence[Labels], source: str) -> Labels:
    """The answers of several files as one side's, which messages call `source`."""
    weighted = any(part.weighted for part in parts)
    if weighted:
        # Where some item has several labels, weights are of labels and no item's.
        parts = [replace(part, item_weights=None) for part in parts]
    fields = {"item ids": "items", "groups": "groups", "weights of items": "item_weights"}
    named = [[getattr(part, name) is not None for part in parts] for name in fields.values()]
    for what, there in zip(fields, named, strict=True):
        if len(set(there)) > 1:
            with_, without = parts[there.index(True)].source, parts[there.index(False)].source
            raise InputError(f"{with_} has {what} and {without} none; expected files alike")
    coder, grouper = Coder(), Coder()
    codes: list[Ints] = []
    groups: list[Ints] = []
    items: list[str] = []
    owner: dict[tuple[int, str], str] = {}
    for part in parts:
        names = [part.label(code) for code in range(part.n_labels)]
        # The last place is that of code −1, which stays.
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
                both = f"{owner[key]} and {part.source}"
                raise InputError(f"item {key[1]!r} is in {both}; expected it in one file")
    sizes = [np.diff(part.indptr) if part.indptr is not None else part.answered() for part in parts]
    entries = np.concatenate(codes)
    shares = [part.entries()[2] for part in parts] if weighted else []
    masses = [part.item_weights for part in parts if part.item_weights is not None]
    return Labels(
        entries[entries >= 0] if weighted else entries,
        len(coder),
        coder.names(),
        items=items if named[0][0] else None,
        groups=np.concatenate(groups) if named[1][0] else None,
        group_names=grouper.names() if named[1][0] else None,
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
    """Give items without an answer one extra label together, or one each, of weight 1."""
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
    """One code per item, of its heaviest label (of equal ones the first as text); −1 for none."""
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
    """The heaviest label of each item as its only answer."""
    return replace(labels, codes=heaviest(labels), indptr=None, weights=None)


def as_cover(labels: Labels) -> Labels:
    """The same labels as sets; what their weights say is lost, of which there is a warning."""
    warnings = labels.warnings
    if labels.indptr is not None and labels.weights is not None:
        sizes = np.diff(labels.indptr)
        if not np.allclose(labels.weights * np.repeat(sizes, sizes), 1):
            said = f"the weights of {labels.source} are not used: an item is in its sets in full"
            warnings = *warnings, said
    return replace(labels, cover=True, warnings=warnings)


class Packed(NamedTuple):
    """Answers ready for `Labels`: hard codes, or entries with weights that sum to 1."""

    codes: Codes
    indptr: Ints | None
    weights: Floats | None
    complete: bool


def pack(owners: Ints, codes: Codes, weights: Floats, n_items: int, n_labels: int) -> Packed:
    """Gather entries (item, label, weight) by item: equal labels add up, zero weights vanish.

    Where no item is left with two labels the result is hard, whatever the weights were.
    """
    keys = owners * max(n_labels, 1) + codes.astype(np.int64)
    if not bool(np.all(keys[1:] > keys[:-1])):
        keys, entry = np.unique(keys, return_inverse=True)
        weights = np.bincount(entry, weights, keys.size).astype(np.float64)
    keys, weights = keys[weights > 0], weights[weights > 0]
    owners, kept = np.divmod(keys, max(n_labels, 1))
    sizes = np.bincount(owners, minlength=n_items)
    complete = bool(np.all(sizes > 0))
    if not np.any(sizes > 1):
        hard: Codes = np.full(n_items, -1, dtype=code_type(n_labels))
        hard[owners] = kept
        return Packed(hard, None, None, complete)
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    sums = np.bincount(owners, weights)
    seen = sums[owners]
    if not (np.isfinite(seen).all() and seen.min() > np.finfo(float).tiny):
        # Divided by the largest first, so that huge weights do not overflow nor tiny ones vanish.
        largest = np.maximum.reduceat(weights, indptr[:-1][sizes > 0])
        weights = weights / np.repeat(largest, sizes[sizes > 0])
        seen = np.bincount(owners, weights)[owners]
    return Packed(kept.astype(code_type(n_labels)), indptr, weights / seen, complete)


class Factors(NamedTuple):
    """Codes in [0, n_labels), −1 for no answer; names None: code + offset is the label."""

    codes: Codes
    names: Names | None
    n_labels: int
    offset: int = 0
    complete: bool = True

    def values(self) -> Sequence[Any]:
        """The label of each code, also where it is the code itself."""
        if self.names is None:
            return range(self.offset, self.offset + self.n_labels)
        return self.names.tolist() if isinstance(self.names, np.ndarray) else self.names

    def drop(self, labels: Sequence[int]) -> Factors:
        """The same without the labels of some codes, which are then no answers."""
        # The last place is that of code −1, which stays.
        kept = np.ones(self.n_labels + 1, dtype=bool)
        kept[[*labels, -1]] = False
        lookup = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        names = list(compress(self.values(), kept))
        return Factors(lookup[self.codes], names, len(names), complete=False)


class Coder:
    """Gives each new value the next number; for values that come a chunk at a time."""

    def __init__(self) -> None:
        self._numbers: defaultdict[Hashable, int] = defaultdict()

    def __len__(self) -> int:
        return len(self._numbers)

    def codes(self, values: Iterable[Hashable], count: int) -> npt.NDArray[np.int32]:
        """The numbers of `count` values, in one pass."""
        # The factory holds the dictionary it belongs to: set only while it is needed.
        self._numbers.default_factory = self._numbers.__len__
        try:
            return np.fromiter(map(self._numbers.__getitem__, values), np.int32, count)
        finally:
            self._numbers.default_factory = None

    def names(self) -> list[Any]:
        """The values seen, in the order of their numbers."""
        return list(self._numbers)


def code_texts(values: Sequence[str]) -> Factors:
    """Texts as codes in order of first appearance.

    >>> code_texts(["b", "a", "b"]).codes.tolist()
    [0, 1, 0]
    """
    coder = Coder()
    codes = coder.codes(values, len(values))
    return Factors(codes, coder.names(), len(coder))


def without_empty(factors: Factors) -> Factors:
    """The same factors with the empty text as no answer, as in files.

    >>> without_empty(Factors(np.array([0, 1, -1]), ["", "a"], 2)).codes.tolist()
    [-1, 0, -1]
    """
    names = factors.names
    if names is None or (isinstance(names, np.ndarray) and names.dtype.kind != "U"):
        return factors
    names = list(names)
    return factors.drop([names.index("")]) if "" in names else factors
