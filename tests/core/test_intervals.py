"""Intervals of shares."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.intervals import wilson


@given(st.integers(1, 5000), st.floats(0, 1))
def test_wilson_interval_solves_its_equation(items: int, part: float) -> None:
    right = round(part * items)
    share, z = right / items, 1.959963984540054
    low, high = wilson(right, items)
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):
        assert (share - end) ** 2 == pytest.approx(z * z * end * (1 - end) / items, abs=1e-9)
