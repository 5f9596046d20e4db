"""Agreement: Krippendorff's example, naive code, and missing answers."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from roget.learn.evaluation.agreement import measure_agreement, measure_alpha

PRINTED = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Four observers, twelve things (Krippendorff 2011, "Computing Krippendorff's alpha")."""

CODES = arrays(
    np.int64, st.tuples(st.integers(1, 4), st.integers(1, 8)), elements=st.integers(-1, 3)
)


def table(text):
    rows = [line.split() for line in text.strip().splitlines()]
    return np.array([[-1 if cell == "." else int(cell) for cell in row] for row in rows])


def test_alpha_of_the_published_example():
    assert measure_alpha(table(PRINTED)) == pytest.approx(0.743, abs=5e-4)


def naive(codes):
    """1 − observed / expected disagreement, by pairs of values."""
    units = [[code for code in unit if code >= 0] for unit in codes.T.tolist()]
    units = [unit for unit in units if len(unit) > 1]
    values = [code for unit in units for code in unit]
    unlike = sum(
        (a != b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)
    ) / max(len(values), 1)
    pairs = [a != b for a, b in permutations(values, 2)]
    if not any(pairs):
        return None
    return 1 - unlike / (sum(pairs) / len(pairs))


@given(CODES)
def test_alpha_equals_naive_code(codes):
    right = naive(codes)
    found = measure_alpha(codes)
    assert found is None if right is None else found == pytest.approx(right)


@given(CODES)
def test_agreement_equals_share_of_equal_pairs(codes):
    same = [
        a == b
        for unit in codes.T.tolist()
        for a, b in permutations([code for code in unit if code >= 0], 2)
    ]
    found = measure_agreement(codes)
    assert found is None if not same else found == pytest.approx(np.mean(same))


def test_random_answers_agree_by_chance():
    codes = np.random.default_rng(0).integers(6, size=(3, 4000))
    assert measure_alpha(codes) == pytest.approx(0, abs=0.02)
    assert measure_agreement(codes) == pytest.approx(1 / 6, abs=0.01)
    assert measure_alpha(codes[[0, 0]]) == 1
    assert measure_alpha(codes[:1]) is None
