"""Labels of other rows: reordered, thinned out, or with answers made up for gaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from roget.scoring.labels.base import IntArray, Labels, code_type


def take(labels: Labels, rows: npt.NDArray[np.int64]) -> Labels:
    """The answers of the given rows, in this order; row −1 is an item without an answer.

    Ids and groups go along, so row −1 is only for labels that have none.
    """
    absent = rows < 0
    gap = bool(absent.any())
    items = None if labels.items is None else [labels.items[row] for row in rows.tolist()]
    groups = None if labels.groups is None else labels.groups[rows]
    labels = replace(labels, items=items, groups=groups, complete=labels.complete and not gap)
    if labels.indptr is None or labels.weights is None:
        codes: IntArray = labels.codes[rows]
        if gap:
            codes = codes.astype(code_type(labels.n_labels))
            codes[absent] = -1
        return replace(labels, codes=codes)
    starts, sizes = labels.indptr[:-1][rows], np.diff(labels.indptr)[rows]
    sizes[absent] = 0
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    entries = np.repeat(starts - indptr[:-1], sizes) + np.arange(indptr[-1])
    return replace(
        labels, codes=labels.codes[entries], weights=labels.weights[entries], indptr=indptr
    )


def fill(labels: Labels, gaps: npt.NDArray[np.bool_], *, together: bool) -> Labels:
    """Give items without an answer one extra label together, or one each, of weight 1."""
    count = int(np.count_nonzero(gaps))
    made = 1 if together else count
    new = labels.n_labels + (np.zeros(count, np.int64) if together else np.arange(count))
    wide = code_type(labels.n_labels + made)
    indptr, weights = labels.indptr, labels.weights
    codes: IntArray
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


def heaviest(labels: Labels) -> npt.NDArray[np.int64]:
    """One code per item, of its heaviest label (of equal ones the first as text); −1 for none."""
    if labels.indptr is None or labels.weights is None:
        return labels.codes.astype(np.int64)
    sizes = np.diff(labels.indptr)
    owners = np.repeat(np.arange(sizes.size), sizes)
    names = np.array([labels.label(code) for code in range(labels.n_labels)], dtype=object)
    places = np.empty(labels.n_labels, dtype=np.int64)
    places[np.argsort(names, kind="stable")] = np.arange(labels.n_labels)
    order = np.lexsort((places[labels.codes], -labels.weights, owners))
    best = np.full(sizes.size, -1, dtype=np.int64)
    best[sizes > 0] = labels.codes[order[labels.indptr[:-1][sizes > 0]]]
    return best


def hardened(labels: Labels) -> Labels:
    """The heaviest label of each item as its only answer."""
    return replace(labels, codes=heaviest(labels), indptr=None, weights=None)
