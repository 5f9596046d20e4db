"""Information functions against scipy and their laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from roget.core.information import bits, kl, xlogx


@given(st.integers(2, 8).flatmap(lambda n: st.tuples(*[
    st.lists(st.floats(0.01, 1), min_size=n, max_size=n).map(lambda p: np.array(p) / sum(p))
    for _ in range(2)])))  # fmt: skip
def test_kl_equals_scipy(pair):
    p, q = pair
    assert kl(p, q) == pytest.approx(special.rel_entr(p, q).sum(), abs=1e-12)
    assert kl(p, p) == 0


def test_information_functions_handle_zeros():
    assert kl([1, 0], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert kl([0.5, 0.5], [1, 0]) == math.inf
    assert xlogx([0.0, 1.0]).tolist() == [0.0, 0.0]
    assert bits(math.log(2)) == 1
