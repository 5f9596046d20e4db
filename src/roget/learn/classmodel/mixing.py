"""Combine the discounted counts of a word with the predictions of its classes.

For a word n with count c in context v and N tokens,

    p(v|n) = (c − D(c))/N + (Σ D/N)·q(v|n)

The discount D differs for pairs with one, two, and three or more occurrences (modified Kneser–Ney,
Chen & Goodman 1999). With a single value, this is absolute discounting. q is a mixture of the
predictions of classes. Its weights and the discounts are fitted in turn to the same held-out
tokens. EM fits the weights, and convex optimisation fits the discounts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, sparse

from roget.core.types import Array, Floats
from roget.learn.clustering.tokens import fit_weights

LEAST = 0.01
"""Lower bound of discounts, which reserves some probability for unseen contexts."""

ROUNDS = 12
"""Maximum number of times that weights and discounts are fitted alternately."""

PRIOR = 20.0
"""Number of pseudo-tokens by which the weights of a frequency group are shrunk towards the overall
weights.
"""


@dataclass(frozen=True, eq=False)
class PredictionData:
    """Data for predicting (word, context) cells, with statistics of the words' own counts."""

    own: Floats
    """Relative frequency c/N of each cell before discounting."""
    taken: Floats
    """Probability taken from each cell per unit of each discount, with shape (discounts, cells)."""
    left: Floats
    """Probability freed for the classes per unit of each discount, with shape (discounts, cells).
    """
    known: Array
    """For each cell, True if its word has counts."""

    def discount(self, discounts: Floats) -> tuple[Floats, Floats]:
        """Return each cell's discounted probability, and the probability freed for the classes."""
        own = np.maximum(self.own - discounts @ self.taken, 0.0)
        return own, np.where(self.known, discounts @ self.left, 1.0)

    def prepend_own(self, stack: Floats) -> Floats:
        """Prepend the relative frequencies to the predictions.

        Words without counts get a copy of the last prediction instead.
        """
        return np.vstack([np.where(self.known, self.own, stack[-1]), stack])


def gather_data(matrix: Any, rows: Array, columns: Array, levels: int) -> PredictionData:
    """Collect statistics of (row, column) cells from a matrix of counts.

    `levels` is the number of discounts. A fractional count below its level is discounted in
    proportion, so probabilities stay non-negative.
    """
    table = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    table.sum_duplicates()
    n = table.shape[0]
    # A count of j uses the j-th discount. Counts above the number of discounts use the last
    # discount.
    level = np.clip(np.rint(table.data), 1, levels)
    share = np.minimum(table.data / level, 1.0) * (table.data > 0)
    totals = np.asarray(table.sum(axis=1)).ravel()
    safe = np.where(totals > 0, totals, 1.0)
    row_of = np.repeat(np.arange(n), np.diff(table.indptr))
    at = _find_entries(table, row_of, rows, columns)
    counts = np.append(table.data, 0.0)[at]
    taken, left = np.zeros((levels, rows.size)), np.zeros((levels, rows.size))
    for number in range(levels):
        mine = share * (level == number + 1)
        left[number] = (np.bincount(row_of, mine, minlength=n) / safe)[rows]
        taken[number] = np.append(mine, 0.0)[at] / safe[rows]
    return PredictionData(counts / safe[rows], taken, left, totals[rows] > 0)


def _find_entries(table: Any, row_of: Array, rows: Array, columns: Array) -> Array:
    """Return the index of each cell in the `data` of a csr_array, or nnz if it is empty."""
    width = table.shape[1]
    keys = np.append(row_of * width + table.indices, np.iinfo(np.int64).max)
    sought = np.asarray(rows, dtype=np.int64) * width + columns
    at = np.searchsorted(keys, sought)
    return np.asarray(np.where(keys[at] == sought, at, table.nnz))


def closed_form(matrix: Any, levels: int) -> Floats:
    """Estimate discounts from the numbers n_j of pairs with j occurrences.

    D_j = j − (j+1)·Y·n_(j+1)/n_j with Y = n_1/(n_1 + 2·n_2) (Chen & Goodman 1999). A single
    discount is Y. The fit starts from these values, and keeps them if there are no held-out tokens.
    """
    seen = np.bincount(
        np.clip(np.rint(sparse.csr_array(matrix).data), 0, levels + 2).astype(np.int64),
        minlength=levels + 2,
    ).astype(np.float64)
    # If n_1 or n_2 is 0, Y is ½.
    once, twice = seen[1], seen[2] if seen.size > 2 else 0.0
    base = once / (once + 2 * twice) if once and twice else 0.5
    if levels == 1:
        return np.array([base])
    found = [
        j - (j + 1) * base * seen[j + 1] / seen[j] if seen[j] and seen[j + 1] else j * base
        for j in range(1, levels + 1)
    ]
    return np.clip(found, LEAST, np.arange(1, levels + 1))


def tune(known: PredictionData, lower: Floats, counts: Floats, start: Floats) -> Floats:
    """Return the discounts that maximise the likelihood, with class predictions held fixed."""
    levels, total = start.size, float(counts.sum())
    # p is linear in the discounts: p = fixed + D·slope, so −Σ n·ln p is convex in D.
    slope = known.left * lower - known.taken
    fixed = np.where(known.known, known.own, lower)
    slope = slope * known.known

    def loss(discounts: Floats) -> tuple[float, Floats]:
        p = np.maximum(fixed + discounts @ slope, 1e-300)
        return -float(counts @ np.log(p)) / total, -(slope @ (counts / p)) / total

    bounds = [(LEAST, float(level)) for level in range(1, levels + 1)]
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A weighted combination of predictors.

    kind: "discount" (discounted own counts, with the rest distributed by the weights),
        "interpolate" (the relative frequencies are the first component) or "none" (own counts are
        not used).
    discounts: empty unless kind is "discount".
    weights: groups of words × predictors. Rows sum to 1.
    edges: total counts that separate the groups of words.
    """

    kind: str
    discounts: Floats
    weights: Floats
    edges: Floats

    def groups(self, totals: Floats) -> Array:
        """Return the frequency group of each word, given the total counts of the words."""
        return np.searchsorted(self.edges, totals, side="right")

    def cells(self, known: PredictionData, stack: Floats, groups: Array) -> Floats:
        """Return p(v|n) for the cells, given the predictions of all predictors in `stack`."""
        weights = self.weights[groups].T
        if self.kind == "discount":
            own, left = known.discount(self.discounts)
            return np.asarray(own + left * np.einsum("ij,ij->j", weights, stack))
        weighed = stack if self.kind == "none" else known.prepend_own(stack)
        return np.asarray(np.einsum("ij,ij->j", weights, weighed))


def learn(
    kind: str, known: PredictionData, stack: Floats, counts: Floats, totals: Floats, *,
    discounts: Floats, edges: Floats,
) -> Mixture:  # fmt: skip
    """Fit the mixture to held-out tokens.

    `totals` contains the total counts of the words of these tokens.

    Without tokens, all predictors have equal weights, and the discounts do not change.
    """
    if kind == "discount":
        return _learn_discounts(known, stack, counts, discounts)
    if kind == "interpolate":
        stack = known.prepend_own(stack)
    k = len(stack)
    mixture = Mixture(kind, np.empty(0), np.full((edges.size + 1, k), 1 / k), edges)
    overall = fit_weights(stack, counts)
    groups = mixture.groups(totals)
    for group in range(edges.size + 1):
        here = groups == group
        mixture.weights[group] = fit_weights(stack[:, here], counts[here], overall, prior=PRIOR)
    return mixture


def _learn_discounts(
    known: PredictionData, stack: Floats, counts: Floats, discounts: Floats
) -> Mixture:
    """Fit weights and discounts alternately until the discounts converge."""
    weights = np.full(len(stack), 1 / len(stack))
    if counts.size and counts.sum() > 0:
        for _ in range(ROUNDS):
            weights = fit_weights(stack, counts, weights, *known.discount(discounts))
            new = tune(known, weights @ stack, counts, discounts)
            change = float(np.abs(new - discounts).max())
            discounts = new
            if change < 1e-3:
                break
        weights = fit_weights(stack, counts, weights, *known.discount(discounts))
    return Mixture("discount", discounts, weights[None, :], np.empty(0))
