"""Weights of evidence against scikit-learn and a gradient-free minimiser."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from roget.learn.attachment.best import log_odds, loss, regress, weigh


def drawn(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 3)) * (1, 3, 0.2)
    odds = features @ (1.5, -0.5, 0) + 0.3
    return features, rng.random(n) < 1 / (1 + np.exp(-odds))


def test_weights_minimise_the_penalised_loss() -> None:
    features, nouns = drawn(60)
    expected = np.array([1.0, 0, 0, 0])
    spread = np.append(features.std(axis=0), 1.0)

    def cost(weights: np.ndarray) -> float:
        held = 0.5 * 7 * np.sum((spread * (weights - expected)) ** 2)
        return len(nouns) * loss(features @ weights[:3] + weights[3], nouns) + held

    found = regress(features, nouns, expected, 7)
    best = minimize(cost, np.zeros(4), method="Nelder-Mead", options={"maxiter": 5000})
    assert cost(found) <= best.fun + 1e-9
    assert found == pytest.approx(best.x, abs=0.01)


def test_tiny_penalty_is_plain_logistic_regression() -> None:
    features, nouns = drawn(400)
    plain = LogisticRegression(C=np.inf).fit(features, nouns)
    found = regress(features, nouns, np.zeros(4), 1e-6)
    assert found[:3] == pytest.approx(plain.coef_[0], abs=1e-2)
    assert found[3] == pytest.approx(plain.intercept_[0], abs=1e-2)


def test_weights_without_data_are_the_expected_ones() -> None:
    expected = np.array([2.0, 0, 1, 0])
    assert regress(np.zeros((0, 3)), np.zeros(0, bool), expected, 1) == pytest.approx(expected)


def test_weights_predict_new_answers() -> None:
    features, nouns = drawn(1000)
    others = drawn(1000, seed=1)
    for dev in (None, others):
        weights, accuracy = weigh(features, nouns, np.zeros(4), np.random.default_rng(0), dev)
        found = np.mean((log_odds(others[0], weights) > 0) == others[1])
        assert accuracy == pytest.approx(found, abs=0.04)
        assert found > 0.75
