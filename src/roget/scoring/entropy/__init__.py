"""Entropy estimators, and `entropy_of`, which applies an estimator to an array of counts."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.types import CountArray, Floats
from roget.errors import InputError
from roget.scoring.entropy.base import Estimator, Histogram, LinearEstimator, get

__all__ = ["Estimator", "Histogram", "LinearEstimator", "entropy_of", "get"]

_EXPECTED = "expected a finite number of at least 0"


def entropy_of(
    counts: npt.ArrayLike | Mapping[Any, Any] | Iterable[Any],
    estimator: str | Estimator = "ml",
    support: int | None = None,
) -> float:
    """Estimate the entropy, in nats, of the distribution from which counts were sampled.

    Parameters
    ----------
    counts
        Array-like of counts, or a mapping with counts as values such as a Counter. Zeros are
        ignored.
    estimator
        Name of an estimator (`roget list entropies`), or an Estimator.
    support
        Number of possible outcomes, by default the number of positive counts. Only some estimators
        use it.

    Returns
    -------
    float
        The estimated entropy in nats.

    Raises
    ------
    InputError
        If a count is invalid, all counts are 0, or the support is smaller than the number of
        positive counts.

    Examples
    --------
    >>> round(entropy_of([50, 50]), 4), round(entropy_of({"a": 3, "b": 1}, "jk"), 4)
    (0.6931, 0.8172)
    >>> entropy_of([3, -1])
    Traceback (most recent call last):
        ...
    roget.errors.InputError: count -1 at position 1: expected a finite number of at least 0
    """
    chosen = get(estimator)
    histogram = Histogram.from_counts(_check_counts(counts))
    if histogram.seen == 0:
        raise InputError("entropy is undefined: there are no positive counts", code="empty-input")
    return float(chosen(histogram, _check_support(support, histogram.seen)))


def _check_counts(counts: Any) -> CountArray:
    """Return the counts as a flat int64 or float64 array, or raise InputError."""
    places = None
    if isinstance(counts, Mapping):
        places = list(counts)
        counts = list(counts.values())
    elif isinstance(counts, str | bytes | Set):
        kind = "a set, which has no duplicates" if isinstance(counts, Set) else "text"
        raise InputError(
            f"counts {counts!r}: expected a list or array of numbers, not {kind}", code="bad-count"
        )
    elif isinstance(counts, Iterable) and not isinstance(counts, Sequence):
        counts = counts if hasattr(counts, "__array__") else list(counts)
    try:
        array = np.asarray(counts)
    except (ValueError, TypeError) as error:
        raise InputError(f"counts are not an array of numbers: {error}", code="bad-count") from None

    def place(index: int) -> str:
        if places is not None:
            return f"for {places[index]!r}"
        where = np.unravel_index(index, array.shape)
        return f"at position {index if array.ndim < 2 else tuple(int(i) for i in where)}"

    flat = array.ravel()
    if flat.size and flat.dtype.kind not in "iuf":
        flat = _convert_objects(flat, place)
    whole = flat.dtype.kind in "iu" and (flat.size == 0 or flat.max() <= np.iinfo(np.int64).max)
    checked: CountArray
    checked = flat.astype(np.int64, copy=False) if whole else flat.astype(np.float64, copy=False)
    bad = checked < 0 if whole else ~((checked >= 0) & (checked < np.inf))
    if bad.any():
        index = int(np.argmax(bad))
        raise InputError(
            f"count {checked[index].item()} {place(index)}: {_EXPECTED}", code="bad-count"
        )
    with np.errstate(over="ignore"):
        total = float(checked.sum(dtype=np.float64))
    if total == np.inf:
        raise InputError(
            "the sum of the counts exceeds the largest floating-point number; divide all counts by "
            "the same number",
            code="too-large",
        )
    return checked


def _convert_objects(flat: npt.NDArray[Any], place: Callable[[int], str]) -> Floats:
    """Convert objects to floats, or raise InputError for the first one that is not a number."""
    converted = np.empty(flat.size)
    for index, value in enumerate(flat.tolist()):
        try:
            if isinstance(value, str | bytes | bool | complex):
                raise TypeError
            converted[index] = float(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"count {value!r} {place(index)}: {_EXPECTED}", code="bad-count"
            ) from None
    return converted


def _check_support(support: Any, seen: int) -> int | None:
    """Return the support as an int, or raise InputError unless it is a whole number ≥ `seen`."""
    if support is None:
        return None
    number = isinstance(support, numbers.Real) and not isinstance(support, bool | np.bool_)
    if not number or not math.isfinite(support) or support != int(support) or support < seen:
        raise InputError(
            f"support {support!r}: expected a whole number of at least {seen}, the number of "
            "positive counts",
            code="invalid-option",
        )
    return int(support)
