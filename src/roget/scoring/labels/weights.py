"""Weights of answers: reading them, refusing what cannot be one, and making them sum to 1."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from roget.scoring.labels.base import FloatArray, IntArray, code_type

_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE | re.ASCII
)


def number(value: Any) -> float | None:
    """A number or the text of one as float; None for anything else.

    >>> number("1e-3"), number("NaN"), number("1_000"), number("x"), number(2)
    (0.001, nan, None, None, 2.0)
    """
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def fault(value: float | None) -> str | None:
    """Why a number cannot be a weight, or None if it can."""
    if value is None or np.isnan(value):
        return "is not a number"
    if value < 0:
        return "is negative"
    return "is infinite" if np.isinf(value) else None


class Packed(NamedTuple):
    """Answers ready for `Labels`: hard codes, or entries with weights that sum to 1."""

    codes: IntArray
    indptr: npt.NDArray[np.int64] | None
    weights: FloatArray | None
    complete: bool


def pack(
    owners: npt.NDArray[np.int64],
    codes: IntArray,
    weights: FloatArray,
    n_items: int,
    n_labels: int,
) -> Packed:
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
        hard: IntArray = np.full(n_items, -1, dtype=code_type(n_labels))
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
