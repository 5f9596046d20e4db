"""Predict held-out tokens, and compute the loss in nats per token."""

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
"""Weight of the unigram distribution in every prediction.

It gives a positive probability to contexts that do not occur in a cluster.
"""

WEIGHT_STEPS, CHANGE = 500, 1e-6
"""Maximum number of EM steps for mixture weights, and the change in weights at which EM stops."""

LEAST = 1e-4
"""Minimum weight of the last component of a mixture, so that no token gets probability 0."""

CHOOSING = 0
"""Seed for holding out tokens to choose parameters such as the number of clusters.

It is constant, so the choice does not depend on the seed of a run.
"""


@dataclass(frozen=True, eq=False)
class TokenCells:
    """Held-out tokens to predict, as (word, context, count) cells with two baseline predictions."""

    rows: Array
    columns: Array
    counts: Floats
    word: Floats
    """p(v|n), estimated from the word's training counts."""
    unigram: Floats
    """p(v), estimated with ½ added to each count."""

    def predict(self, membership: Any, centroids: Array) -> Floats:
        """Return Σ_c p(c|n)·p(v|c) for every (word n, context v) cell."""
        return predict_cells(membership, centroids, self.rows, self.columns)

    def smooth(self, predicted: Floats) -> Floats:
        """Interpolate a prediction with the unigram distribution (weight `SMOOTHING`)."""
        return (1 - SMOOTHING) * predicted + SMOOTHING * self.unigram

    def lead(self, new: Floats, old: Floats) -> tuple[float, float]:
        """Return by how many nats per token `new` is better than `old`, with the standard error."""
        # The standard error is computed from the paired differences over all tokens.
        each, total = np.log(new / old), float(self.counts.sum())
        mean = float(self.counts @ each) / total
        variance = float(self.counts @ (each - mean) ** 2) / total
        return mean, math.sqrt(variance / total)

    def loss(self, predicted: Floats) -> float:
        """Return the mean of −ln p over all tokens, in nats."""
        return -float(np.sum(self.counts * np.log(predicted)) / np.sum(self.counts))


def tabulate_tokens(train: Any, heldout: Any) -> TokenCells:
    """Return the tokens in `heldout`, with baseline predictions from `train`.

    Both matrices must have the same shape.
    """
    known = sparse.csr_array(train, dtype=np.float64)
    cells = sparse.coo_array(heldout)
    totals = np.asarray(known.sum(axis=1)).ravel()
    shares = known / np.where(totals > 0, totals, 1.0)[:, None]
    rows, columns = cells.coords
    word = np.asarray(sparse.csr_array(shares)[rows, columns]).ravel()
    background = unigram(known)
    return TokenCells(rows, columns, cells.data.astype(np.float64), word, background[columns])


def unigram(matrix: Any) -> Floats:
    """Return p(v) for each context, with half a token added to each count."""
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
    """Fit the weights w by EM, to maximise the likelihood of fixed + left·(w·stack).

    `prior` pseudo-tokens are distributed like the initial weights. The last component must give
    every context a probability. It keeps a minimum weight, so no token gets probability 0.
    """
    first = np.full(len(stack), 1 / len(stack)) if start is None else start
    weights, scaled = first.copy(), stack * left
    if not counts.sum() > 0:
        return weights
    for _ in range(WEIGHT_STEPS):
        old = weights
        # Combined E and M step: w_i ← w_i · Σ_t n_t·left_t·p_i(t) / p(t), then normalise.
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
    """Interpolate word, class and unigram predictions.

    Without classes, the result is the baseline.
    """
    return interpolate(tokens, tokens.word, *classes)


def interpolate(tokens: TokenCells, *known: Floats) -> Floats:
    """Interpolate predictions with the unigram distribution, with cross-validated weights."""
    components = np.stack([*known, tokens.unigram])
    # Predict each token with weights that were fitted to other tokens.
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
    """Split counts into training tokens and a random fraction `share` of held-out tokens.

    Only the integer parts of fractional counts are sampled. If all counts are below 1, whole cells
    are sampled.
    """
    # Each of the n tokens of a cell is held out with probability `share` (a binomial draw).
    whole = np.floor(np.minimum(matrix.data, 2.0**62)).astype(np.int64)
    taken = rng.binomial(whole, share).astype(np.float64)
    if not whole.any():
        taken = np.where(rng.random(whole.size) < share, matrix.data, 0.0)
    parts = like(matrix, matrix.data - taken), like(matrix, taken)
    for part in parts:
        part.eliminate_zeros()
    return parts
