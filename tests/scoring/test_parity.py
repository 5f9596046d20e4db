"""Parity with scikit-learn on random labels of realistic size."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as peer

from roget import contingency, score

PARITY = {
    "homogeneity": peer.homogeneity_score,
    "completeness": peer.completeness_score,
    "v": peer.v_measure_score,
    "v(beta=0.3)": lambda g, s: peer.v_measure_score(g, s, beta=0.3),
    "mi": peer.mutual_info_score,
    "nmi": peer.normalized_mutual_info_score,
    "nmi(average=min)": lambda g, s: peer.normalized_mutual_info_score(g, s, average_method="min"),
    "nmi(average=max)": lambda g, s: peer.normalized_mutual_info_score(g, s, average_method="max"),
    "nmi(average=geometric)": lambda g, s: peer.normalized_mutual_info_score(
        g, s, average_method="geometric"
    ),
    "ami": peer.adjusted_mutual_info_score,
    "ami(average=max)": lambda g, s: peer.adjusted_mutual_info_score(g, s, average_method="max"),
    "rand": peer.rand_score,
    "ari": peer.adjusted_rand_score,
    "fm": peer.fowlkes_mallows_score,
}
SHAPES = [(50, 3, 4), (1000, 5, 30), (5000, 200, 7), (20000, 60, 60)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", PARITY)
def test_measures_equal_scikit_learn(name, shape):
    n, classes, clusters = shape
    random = np.random.default_rng(n)
    gold = random.integers(0, classes, n)
    system = np.where(random.random(n) < 0.5, gold % clusters, random.integers(0, clusters, n))
    expected = PARITY[name](gold, system)
    assert contingency(gold, system).measure(name) == pytest.approx(expected, abs=1e-10)


def test_strings_and_numbers_have_equal_scores():
    random = np.random.default_rng(1)
    gold, system = random.integers(0, 40, 3000), random.integers(0, 50, 3000)
    names = np.array([f"label {i}" for i in range(50)])
    numbers, strings = score(gold, system), score(names[gold], names[system].tolist())
    assert [row.value for row in numbers.rows] == pytest.approx(
        [row.value for row in strings.rows], abs=1e-12
    )
