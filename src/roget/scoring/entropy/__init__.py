"""Entropy estimators: `entropy_of` for a list of counts, `get` for the estimator behind a name."""

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

_EXPECTED = "expected a finite number that is not negative"


def entropy_of(
    counts: npt.ArrayLike | Mapping[Any, Any] | Iterable[Any],
    estimator: str | Estimator = "ml",
    support: int | None = None,
) -> float:
    """The entropy, in nats, of the distribution that a list of counts was drawn from.

    `counts` is any array-like of counts, or a mapping (such as a Counter) whose values they
    are; zeros are ignored. `support` is the number of cells that could occur: the estimators
    that use it take the number of cells seen if it is left out.

    >>> round(entropy_of([50, 50]), 4), round(entropy_of({"a": 3, "b": 1}, "jk"), 4)
    (0.6931, 0.8172)
    >>> entropy_of([3, -1])
    Traceback (most recent call last):
        ...
    roget.errors.InputError: count -1 at position 1: expected a finite number that is not negative
    """
    chosen = get(estimator)
    histogram = Histogram.from_counts(_checked_counts(counts))
    if histogram.seen == 0:
        raise InputError("counts are all zero or none were given: there is nothing to estimate")
    return float(chosen(histogram, _checked_support(support, histogram.seen)))


def _checked_counts(counts: Any) -> CountArray:
    """A flat int64 or float64 array of the counts, or an error that names the first bad one."""
    places = None
    if isinstance(counts, Mapping):
        places = list(counts)
        counts = list(counts.values())
    elif isinstance(counts, str | bytes | Set):
        kind = "a set, which drops equal counts" if isinstance(counts, Set) else "text"
        raise InputError(f"counts {counts!r}: expected numbers in a list or array, not {kind}")
    elif isinstance(counts, Iterable) and not isinstance(counts, Sequence):
        counts = counts if hasattr(counts, "__array__") else list(counts)
    try:
        array = np.asarray(counts)
    except (ValueError, TypeError) as error:
        raise InputError(f"counts are not a table of numbers: {error}") from None

    def place(index: int) -> str:
        if places is not None:
            return f"for {places[index]!r}"
        where = np.unravel_index(index, array.shape)
        return f"at position {index if array.ndim < 2 else tuple(int(i) for i in where)}"

    flat = array.ravel()
    if flat.size and flat.dtype.kind not in "iuf":
        flat = _numbers(flat, place)
    whole = flat.dtype.kind in "iu" and (flat.size == 0 or flat.max() <= np.iinfo(np.int64).max)
    checked: CountArray
    checked = flat.astype(np.int64, copy=False) if whole else flat.astype(np.float64, copy=False)
    bad = checked < 0 if whole else ~((checked >= 0) & (checked < np.inf))
    if bad.any():
        index = int(np.argmax(bad))
        raise InputError(f"count {checked[index].item()} {place(index)}: {_EXPECTED}")
    return checked


def _numbers(flat: npt.NDArray[Any], place: Callable[[int], str]) -> Floats:
    """Objects as floats one by one, so that the first that is no number can be named."""
    converted = np.empty(flat.size)
    for index, value in enumerate(flat.tolist()):
        try:
            if isinstance(value, str | bytes | bool | complex):
                raise TypeError
            converted[index] = float(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"count {value!r} {place(index)}: {_EXPECTED}") from None
    return converted


def _checked_support(support: Any, seen: int) -> int | None:
    """The support as an int, or an error if it is no whole number of at least the cells seen."""
    if support is None:
        return None
    number = isinstance(support, numbers.Real) and not isinstance(support, bool | np.bool_)
    if not number or not math.isfinite(support) or support != int(support) or support < seen:
        raise InputError(
            f"support {support!r}: expected a whole number, at least the {seen} cells seen"
        )
    return int(support)
