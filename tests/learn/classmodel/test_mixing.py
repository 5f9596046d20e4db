"""EM weights against a search over all weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roget.learn.classmodel import ClassModel
from roget.learn.clustering import tokens


def test_weights_are_the_best_of_a_grid() -> None:
    rng = np.random.default_rng(1)
    stack, counts = rng.random((2, 300)) ** 4, rng.integers(1, 4, 300).astype(float)
    fixed, left = rng.random(300) / 3, rng.random(300)
    found = tokens.fit_weights(stack, counts, np.full(2, 0.5), fixed, left)
    grid = np.linspace(0, 1, 1001)
    losses = [
        -sum(
            c * np.log(f + r * (w * a + (1 - w) * b))
            for c, f, r, a, b in zip(counts, fixed, left, *stack, strict=True)
        )
        for w in grid
    ]
    assert found.sum() == pytest.approx(1)
    assert found[0] == pytest.approx(grid[int(np.argmin(losses))], abs=0.002)


def test_last_prediction_keeps_a_minimum_weight() -> None:
    stack = np.array([[0.9, 0.9], [1e-9, 1e-9]])
    found = tokens.fit_weights(stack, np.ones(2), np.full(2, 0.5))
    assert found == pytest.approx([1 - tokens.LEAST, tokens.LEAST])


def test_weights_are_equal_without_tokens() -> None:
    nothing = np.empty(0)
    found = tokens.fit_weights(np.empty((3, 0)), nothing, np.full(3, 1 / 3), nothing, nothing)
    assert found == pytest.approx(np.full(3, 1 / 3))


def test_interpolated_weights_follow_word_frequency(parts: Any) -> None:
    train, dev, _ = parts
    model = ClassModel("mle").fit(train, dev=dev)
    assert model.names_ == ["own counts", "unigram"]
    seen = model._mixture.groups(np.asarray(train.word_totals, dtype=float))
    some = np.unique(seen)
    assert some.size > 1
    # The more often a word was seen, the more its own counts are worth.
    own = model.weights_[some, 0]
    assert own[-1] > own[0]
