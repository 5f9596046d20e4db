"""Held-out tokens and the losses of predictions of them, in nats per token."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.views import like
from roget.core.types import Array, Floats
from roget.learn.clustering.memberships import predict_cells

SMOOTHING = 0.05
"""Weight of the unigram in every prediction: a cluster may not know a context."""

WEIGHT_STEPS, CHANGE = 500, 1e-6
"""Maximum number of EM steps for mixture weights, and the change at which they have converged."""

LEAST = 1e-4
"""Minimum weight of the last component of a mixture."""

CHOOSING = 0
"""Seed for holding out tokens when the number of clusters (or what determines it) is chosen: the
choice depends on the counts, not on the seed of a run."""


@dataclass(frozen=True, eq=False)
class TokenCells:
    """Tokens to predict: word, context and count, with the baseline predictions of each."""

    rows: Array
    columns: Array
    counts: Floats
    word: Floats
    """p(v|n) from the word's own training counts."""
    unigram: Floats
    """p(v), with ½ added to each count."""

    def predict(self, membership: Any, centroids: Array) -> Floats:
        """Return Σ_c p(c|n)·p(v|c) for every cell."""
        return predict_cells(membership, centroids, self.rows, self.columns)

    def smooth(self, predicted: Floats) -> Floats:
        """Mix the unigram into a prediction."""
        return (1 - SMOOTHING) * predicted + SMOOTHING * self.unigram

    def lead(self, new: Floats, old: Floats) -> tuple[float, float]:
        """Return by how many nats per token `new` beats `old`, and the standard error."""
        # Paired: the standard error of the mean difference over the same tokens.
        each, total = np.log(new / old), float(self.counts.sum())
        mean = float(self.counts @ each) / total
        variance = float(self.counts @ (each - mean) ** 2) / total
        return mean, math.sqrt(variance / total)

    def loss(self, predicted: Floats) -> float:
        """Return the mean −log of a prediction over all tokens, in nats."""
        return -float(np.sum(self.counts * np.log(predicted)) / np.sum(self.counts))


def tabulate_tokens(train: Any, heldout: Any) -> TokenCells:
    """Return the tokens of `heldout` with the predictions by `train`, a matrix of equal shape."""
    given = sparse.csr_array(train, dtype=np.float64)
    wanted = sparse.coo_array(heldout)
    totals = np.asarray(given.sum(axis=1)).ravel()
    shares = given / np.where(totals > 0, totals, 1.0)[:, None]
    rows, columns = wanted.coords
    word = np.asarray(sparse.csr_array(shares)[rows, columns]).ravel()
    background = unigram(given)
    return TokenCells(rows, columns, wanted.data.astype(np.float64), word, background[columns])


def unigram(matrix: Any) -> Floats:
    """Return p(v) of every context, with half a token added to each."""
    totals = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel() + 0.5
    return np.asarray(totals / totals.sum())


def fit_weights(
    stack: Floats,
    counts: Floats,
    start: Floats | None = None,
    fixed: Floats | float = 0.0,
    left: Floats | float = 1.0,
    prior: float = 0.0,
) -> Floats:
    """Find by EM the weights w for which fixed + left·(w·stack) predicts the tokens best.

    `prior` pseudo-tokens are distributed as the initial weights. The last component, which knows
    every context, keeps a minimum weight, so that no token becomes impossible.
    """
    first = np.full(len(stack), 1 / len(stack)) if start is None else start
    weights, scaled = first.copy(), stack * left
    if not counts.sum() > 0:
        return weights
    for _ in range(WEIGHT_STEPS):
        old = weights
        # E and M step in one: w_i ← w_i · Σ_t n_t·left_t·p_i(t) / p(t), then normalise.
        new = old * (scaled @ (counts / (fixed + old @ scaled))) + prior * first
        if not new.sum() > 0:
            break
        weights = new / new.sum()
        if weights[-1] < LEAST:
            weights = np.append(weights[:-1] * ((1 - LEAST) / weights[:-1].sum()), LEAST)
        if np.abs(weights - old).max() < CHANGE:
            break
    return weights


def backoff(tokens: TokenCells, *classes: Floats) -> Floats:
    """Predict by word → classes → unigram; without classes, this is the baseline they must beat."""
    return interpolate(tokens, tokens.word, *classes)


def interpolate(tokens: TokenCells, *known: Floats) -> Floats:
    """Mix predictions and the unigram; weights are tuned on one half of the cells for the other."""
    components = np.stack([*known, tokens.unigram])
    # Two-fold: no token is predicted with weights fitted to itself.
    halves = np.arange(tokens.counts.size) % 2
    if tokens.counts.size < 2:
        return np.asarray(components.mean(axis=0))
    predicted = np.empty(tokens.counts.size)
    for half in (0, 1):
        here, there = halves == half, halves != half
        weights = fit_weights(components[:, there], tokens.counts[there])
        predicted[here] = weights @ components[:, here]
    return predicted


def hold_out(matrix: Any, share: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Split counts into the remaining tokens and a random `share` of held-out tokens.

    Only the integer parts of fractional counts are sampled; if all counts are below 1, whole
    cells are.
    """
    # Each of the n tokens of a cell is held out with probability `share`: a binomial draw.
    whole = np.floor(np.minimum(matrix.data, 2.0**62)).astype(np.int64)
    taken = rng.binomial(whole, share).astype(np.float64)
    if not whole.any():
        taken = np.where(rng.random(whole.size) < share, matrix.data, 0.0)
    parts = like(matrix, matrix.data - taken), like(matrix, taken)
    for part in parts:
        part.eliminate_zeros()
    return parts
