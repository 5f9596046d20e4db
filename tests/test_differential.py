"""The campaign that compares scores with naive implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from campaigns.differential.__main__ import KINDS, TOLERANCE, measure_difference


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_random_tables_equal_their_twins(kind: str) -> None:
    random = np.random.default_rng(3)
    checks = [check for _ in range(4) for check in KINDS[kind](random)]
    assert len(checks) > 10
    wrong = [check for check in checks if measure_difference(*check[1:]) > TOLERANCE]
    assert wrong == []


def test_differences_are_found() -> None:
    assert measure_difference(0.5, 0.5 + 1e-6) > TOLERANCE
    assert measure_difference(None, 0.0) == measure_difference(0.0, math.nan) == math.inf
    assert measure_difference(None, None) == 0
