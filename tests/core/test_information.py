"""Information functions against scipy and their laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from roget.core.information import bits, entropy, js, kl, xlogx

distributions = st.lists(st.floats(0.01, 1), min_size=2, max_size=8).map(
    lambda p: np.array(p) / sum(p)
)


@given(distributions)
def test_entropy(p):
    assert entropy(p) == pytest.approx(stats.entropy(p), abs=1e-12)
    assert entropy(p * 17) == pytest.approx(entropy(p), abs=1e-12)


@given(st.integers(2, 8).flatmap(lambda n: st.tuples(*[
    st.lists(st.floats(0.01, 1), min_size=n, max_size=n).map(lambda p: np.array(p) / sum(p))
    for _ in range(2)])))  # fmt: skip
def test_divergences(pair):
    p, q = pair
    assert kl(p, q) == pytest.approx(special.rel_entr(p, q).sum(), abs=1e-12)
    assert kl(p, p) == 0
    assert js(p, q) == pytest.approx(js(q, p), abs=1e-12)
    assert -1e-12 <= js(p, q) <= math.log(2)


def test_edges():
    assert kl([1, 0], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert kl([0.5, 0.5], [1, 0]) == math.inf
    assert entropy([5]) == 0
    assert xlogx([0.0, 1.0]).tolist() == [0.0, 0.0]
    assert bits(math.log(2)) == 1
