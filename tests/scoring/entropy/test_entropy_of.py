"""The public edge: what counts may be, and how bad ones are refused."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from roget.errors import InputError, UnknownName
from roget.scoring.entropy import entropy_of, get

TWO_CELLS = math.log(4) - 0.75 * math.log(3)


@pytest.mark.parametrize(
    "counts",
    [
        [1, 3],
        (3, 1, 0),
        [3.0, 1.0],
        np.array([[1, 0], [0, 3]], dtype=np.uint8),
        np.array([3, 1], dtype=np.uint64),
        np.array([3, 1], dtype=np.float16),
        Counter("abbb"),
        {"a": 3, "b": 1}.values(),
        (count for count in (3, 1)),
        [Fraction(3), Decimal(1)],
    ],
)
@pytest.mark.parametrize("estimator", ["ml", get("ml")])
def test_many_shapes_of_counts(counts: Any, estimator: Any) -> None:
    if not hasattr(counts, "__len__"):
        counts = iter([3, 1])  # a generator serves one estimator only
    assert entropy_of(counts, estimator) == pytest.approx(TWO_CELLS, rel=1e-14)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, -1], "count -1 at position 1"),
        ([3.0, 1.0, float("nan")], "count nan at position 2"),
        ([math.inf], "count inf at position 0"),
        ([[1, 2], [3, -4]], r"count -4 at position \(1, 1\)"),
        ({"a": 1, "b": -2.5}, "count -2.5 for 'b'"),
        (["1", "2"], "count '1' at position 0"),
        ([1, None], "count None at position 1"),
        ([1, 2j], "at position 0|at position 1"),
        ([True, False], "count True at position 0"),
        ([1, "x"], "position"),
        ("123", "in a list or array, not text"),
        ({3, 1}, "not a set, which drops equal counts"),
        ([[1, 2], [3]], "not a table of numbers"),
        ([], "nothing to estimate"),
        ({}, "nothing to estimate"),
        ([0, 0], "nothing to estimate"),
        (None, "count None"),
    ],
)
def test_bad_counts_are_named(counts: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        entropy_of(counts)


@pytest.mark.parametrize("support", [1, 0, -3, 2.5, math.nan, math.inf, "3", True, [3]])
def test_bad_supports_are_named(support: Any) -> None:
    with pytest.raises(InputError, match="expected a whole number, at least the 2 cells seen"):
        entropy_of([1, 3], "mm", support=support)


@pytest.mark.parametrize("support", [5, 5.0, np.int64(5), np.float32(5), Fraction(5)])
def test_whole_supports(support: Any) -> None:
    assert entropy_of([1, 3], "mm", support=support) == pytest.approx(TWO_CELLS + 0.5)


def test_unknown_names_get_a_hint() -> None:
    with pytest.raises(UnknownName, match="did you mean grassberger"):
        entropy_of([1, 2], "grasberger")


def test_an_estimator_is_a_name_or_an_instance() -> None:
    with pytest.raises(InputError, match="expected a catalogue name"):
        get(7)  # type: ignore[arg-type]
    assert get("nsb") is get("nsb")
    assert get(get("nsb")) is get("nsb")
