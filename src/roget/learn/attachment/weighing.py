"""Weights of several kinds of evidence, by logistic regression."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from roget.learn.attachment.evidence import sigmoid

Floats = npt.NDArray[np.float64]
Held = tuple[Floats, npt.NDArray[np.bool_]]

STRENGTHS = (1.0, 10.0, 100.0)
"""How strongly weights are held to what is expected of them: those that are tried."""
FOLDS = 5
STEPS = 50


def weighed(
    features: Floats,
    nouns: npt.NDArray[np.bool_],
    expected: Floats,
    rng: np.random.Generator,
    dev: Held | None = None,
) -> tuple[Floats, float]:
    """Weights, the constant last, and the accuracy on fifths of the data weighed by the others.

    `expected` are the weights where there is little to learn from. How strongly they are held to
    is what gives the held-out answers most probability: those for development, or else those of
    each fifth.
    """
    fold = rng.permutation(len(nouns)) % FOLDS
    tried = []
    for strength in STRENGTHS:
        left = np.zeros(len(nouns))
        for at in range(FOLDS):
            inside, outside = fold == at, fold != at
            weights = regressed(features[outside], nouns[outside], expected, strength)
            left[inside] = log_odds(features[inside], weights)
        weights = regressed(features, nouns, expected, strength)
        score = loss(left, nouns) if dev is None else loss(log_odds(dev[0], weights), dev[1])
        tried.append((score, weights, float(np.mean((left > 0) == nouns))))
    _, weights, accuracy = min(tried, key=lambda one: one[0])
    return weights, accuracy


def regressed(
    features: Floats, nouns: npt.NDArray[np.bool_], expected: Floats, strength: float
) -> Floats:
    """Weights w, the constant last, by Newton's method.

    They minimise Σ −log p(answer) + ½·strength·Σ (spread·(w − expected))², spread being that of
    each feature, and 1 for the constant.
    """
    rows = np.column_stack([features, np.ones(len(nouns))])
    spread = np.append(features.std(axis=0), 1.0) if len(nouns) else np.ones(rows.shape[1])
    penalty = strength * np.maximum(spread, 1e-6) ** 2
    weights = np.array(expected, dtype=np.float64)
    for _ in range(STEPS):
        p = sigmoid(rows @ weights)
        slope = rows.T @ (p - nouns) + penalty * (weights - expected)
        bend = (rows * (p * (1 - p))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.max(np.abs(step) * np.maximum(spread, 1e-6)) < 1e-9:
            break
    return weights


def log_odds(features: Floats, weights: Floats) -> Floats:
    """Of N, for each row of features."""
    return np.asarray(features @ weights[:-1] + weights[-1])


def loss(odds: Floats, nouns: npt.NDArray[np.bool_]) -> float:
    """The mean −log probability of the answers, nats."""
    right = sigmoid(np.where(nouns, odds, -odds))
    return -float(np.mean(np.log(np.maximum(right, 1e-300))))
