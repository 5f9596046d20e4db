"""Ward's start, moves to the nearest centre, and how well words fit without themselves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.learn.clustering.spherical import moves


def draw(n: int, d: int, seed: int) -> npt.NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(n, d))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@given(st.integers(2, 60), st.integers(1, 12), st.integers(0, 99))
def test_moves_keep_all_classes_and_improve_the_fit(n: int, k: int, seed: int) -> None:
    vectors, k = draw(n, 5, seed), min(k, n)
    labels = np.random.default_rng(seed).permutation(np.arange(n) % k)
    found = moves.move(vectors, labels, lambda: None)
    assert np.unique(found).tolist() == list(range(k))

    def agreement(labels: npt.NDArray[np.int64]) -> float:
        centres = moves.compute_centres(vectors, labels, k)
        return float(np.sum(vectors * centres[labels]))

    assert agreement(found) >= agreement(labels) - 1e-4


def test_leave_one_out_fit_equals_the_direct_computation() -> None:
    vectors, labels = draw(30, 6, 1), np.arange(30) % 4
    labels[0] = 4
    own, others = moves.measure_fit(vectors, labels, 5)
    assert own[0] == -1
    for row in range(1, 30):
        rest = [at for at in np.flatnonzero(labels == labels[row]) if at != row]
        centre = vectors[rest].sum(axis=0)
        assert own[row] == pytest.approx(vectors[row] @ centre / np.linalg.norm(centre), abs=1e-5)
        centres = [vectors[labels == c].sum(axis=0) for c in range(5) if c != labels[row]]
        best = max(vectors[row] @ c / np.linalg.norm(c) for c in centres)
        assert others[row] == pytest.approx(best, abs=1e-5)


def test_words_beyond_the_first_join_the_nearest_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "START", 20)
    monkeypatch.setattr(moves, "MAX_SAMPLE", 20)
    middles = np.eye(4, 8)
    rng = np.random.default_rng(0)
    vectors = middles[np.arange(80) % 4] + 0.1 * rng.normal(size=(80, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    labels = moves.start(vectors, 4, rng.permutation(80))
    assert all(np.unique(labels[at::4]).size == 1 for at in range(4))
    assert np.unique(labels).size == 4
