"""The public function `entropy_of`: accepted counts and errors."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from roget.scoring.entropy import entropy_of, get
from support.errors import refused

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
def test_entropy_of_accepts_any_shape_of_counts(counts: Any, estimator: Any) -> None:
    if not hasattr(counts, "__len__"):
        counts = iter([3, 1])  # a generator serves one estimator only
    assert entropy_of(counts, estimator) == pytest.approx(TWO_CELLS, rel=1e-14)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, -1], "count -1 at position 1"),
        ([3.0, 1.0, float("nan")], "count nan at position 2"),
        ([math.inf], "count inf at position 0"),
        ([[1, 2], [3, -4]], "count -4 at position (1, 1)"),
        ({"a": 1, "b": -2.5}, "count -2.5 for 'b'"),
        (["1", "2"], "count '1' at position 0"),
        ([1, None], "count None at position 1"),
        ([1, 2j], "at position"),
        ([True, False], "count True at position 0"),
        ([1, "x"], "position"),
        ("123", "'123'"),
        ({3, 1}, "{1, 3}"),
        ([[1, 2], [3]], ""),
        (None, "count None"),
    ],
)
def test_entropy_of_refuses_invalid_counts(counts: Any, message: str) -> None:
    with refused("bad-count", message):
        entropy_of(counts)


@pytest.mark.parametrize("counts", [[], {}, [0, 0]], ids=str)
def test_entropy_needs_a_positive_count(counts: Any) -> None:
    with refused("empty-input"):
        entropy_of(counts)


@pytest.mark.parametrize("support", [1, 0, -3, 2.5, math.nan, math.inf, "3", True, [3]])
def test_entropy_of_refuses_invalid_supports(support: Any) -> None:
    with refused("invalid-option", repr(support), 2):
        entropy_of([1, 3], "mm", support=support)


@pytest.mark.parametrize("support", [5, 5.0, np.int64(5), np.float32(5), Fraction(5)])
def test_entropy_of_accepts_integral_supports_of_any_type(support: Any) -> None:
    assert entropy_of([1, 3], "mm", support=support) == pytest.approx(TWO_CELLS + 0.5)


def test_unknown_estimator_suggests_nearest_name() -> None:
    with refused("unknown-name", "grasberger", "grassberger"):
        entropy_of([1, 2], "grasberger")


def test_get_accepts_estimator_name_or_instance() -> None:
    with refused("unknown-name", 7):
        get(7)  # type: ignore[arg-type]
    assert get("nsb") is get("nsb")
    assert get(get("nsb")) is get("nsb")
