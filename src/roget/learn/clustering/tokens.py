"""Tokens to be predicted, and losses of predictions on them. Nats per token."""

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
"""The part of every prediction that is the unigram's: a cluster may not know a context."""

WEIGHT_STEPS, CHANGE = 500, 1e-6

LEAST = 1e-4
"""What the last prediction keeps at least where several are weighed."""

CHOOSING = 0
"""The seed by which tokens are held out where a number of clusters, or what makes it, is chosen: it
is to follow the counts, not the seed of a run."""


@dataclass(frozen=True, eq=False)
class TokenCells:
    """Tokens to be predicted: word, context and how often, with what is known of the word."""

    rows: Array
    columns: Array
    counts: Floats
    word: Floats
    """p(v|n) by the word's own training counts."""
    unigram: Floats
    """p(v), add ½."""

    def predicted(self, membership: Any, centroids: Array) -> Floats:
        """Σ p(c|n) p(v|c) of every cell."""
        return predict_cells(membership, centroids, self.rows, self.columns)

    def smooth(self, predicted: Floats) -> Floats:
        """The prediction with the unigram's part in it."""
        return (1 - SMOOTHING) * predicted + SMOOTHING * self.unigram

    def lead(self, new: Floats, old: Floats) -> tuple[float, float]:
        """By how much a prediction is better than an older one, nats, and its standard error."""
        each, total = np.log(new / old), float(self.counts.sum())
        mean = float(self.counts @ each) / total
        variance = float(self.counts @ (each - mean) ** 2) / total
        return mean, math.sqrt(variance / total)

    def loss(self, predicted: Floats) -> float:
        """The mean −log of a prediction over all tokens, nats."""
        return -float(np.sum(self.counts * np.log(predicted)) / np.sum(self.counts))


def tabulate_tokens(train: Any, heldout: Any) -> TokenCells:
    """The tokens of one matrix, as the other one, of the same shape, sees them."""
    given = sparse.csr_array(train, dtype=np.float64)
    wanted = sparse.coo_array(heldout)
    totals = np.asarray(given.sum(axis=1)).ravel()
    shares = given / np.where(totals > 0, totals, 1.0)[:, None]
    rows, columns = wanted.coords
    word = np.asarray(sparse.csr_array(shares)[rows, columns]).ravel()
    background = unigram(given)
    return TokenCells(rows, columns, wanted.data.astype(np.float64), word, background[columns])


def unigram(matrix: Any) -> Floats:
    """p(v) of every context, half a token added to each."""
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
    """The weights w, found by EM, with which fixed + left·(w·stack) predicts tokens best.

    `prior` tokens are taken to be shared out as the weights at the start. The last prediction,
    which knows every context, keeps a little, so that none becomes impossible.
    """
    first = np.full(len(stack), 1 / len(stack)) if start is None else start
    weights, scaled = first.copy(), stack * left
    if not counts.sum() > 0:
        return weights
    for _ in range(WEIGHT_STEPS):
        old = weights
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
    """Predictions of word → classes → unigram; without classes, what they have to beat."""
    return interpolate(tokens, tokens.word, *classes)


def interpolate(tokens: TokenCells, *known: Floats) -> Floats:
    """Predictions and the unigram together, weights tuned on each half for the other half."""
    components = np.stack([*known, tokens.unigram])
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
    """The counts without some of their tokens, and those tokens.

    Of fractional counts the whole part is dealt out; if there is none, whole cells are.
    """
    whole = np.floor(np.minimum(matrix.data, 2.0**62)).astype(np.int64)
    taken = rng.binomial(whole, share).astype(np.float64)
    if not whole.any():
        taken = np.where(rng.random(whole.size) < share, matrix.data, 0.0)
    parts = like(matrix, matrix.data - taken), like(matrix, taken)
    for part in parts:
        part.eliminate_zeros()
    return parts
