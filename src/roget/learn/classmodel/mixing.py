"""How predictions are put together: own counts less discounts, and classes by their weights.

p(v|n) = (c − D(c))/N + (Σ D/N)·q(v|n), with a discount for pairs seen once, twice, and more often
(Chen & Goodman's modified Kneser–Ney; the same for all is Ney's absolute discounting); q is a
mixture of what classes say. For given q the loss is convex in the discounts, which are fitted to
development tokens; so are the weights of the mixture, by EM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, sparse

from roget.core.types import Array, Floats
from roget.learn.clustering.tokens import fit_weights

LEAST = 0.01
"""Discounts are not less: something must be left for contexts not seen."""

ROUNDS = 12

PRIOR = 20.0
"""Tokens that a group of words has as all words have them: small groups can be weighed, too."""


@dataclass(frozen=True, eq=False)
class PredictionData:
    """Cells to be predicted, with what the words' own counts say of them."""

    own: Floats
    """p(v|n) by the word's counts as they are."""
    taken: Floats
    """What a unit of each discount takes from the cell's own part, discounts × cells."""
    given: Floats
    """What a unit of each discount leaves to the classes, discounts × cells."""
    known: Array
    """Whether the word has counts at all."""

    def discounted(self, discounts: Floats) -> tuple[Floats, Floats]:
        """The word's own part of the prediction, and the part that is left."""
        own = np.maximum(self.own - discounts @ self.taken, 0.0)
        return own, np.where(self.known, discounts @ self.given, 1.0)

    def beside(self, stack: Floats) -> Floats:
        """Predictions with the word's own before them: the last of them where it has no counts."""
        return np.vstack([np.where(self.known, self.own, stack[-1]), stack])


def evidence(matrix: Any, rows: Array, columns: Array, levels: int) -> PredictionData:
    """What a table of counts says of cells; `levels` is the number of discounts.

    A fractional count below its level is discounted in proportion, so that nothing goes below 0.
    """
    table = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    table.sum_duplicates()
    n = table.shape[0]
    level = np.clip(np.rint(table.data), 1, levels)
    share = np.minimum(table.data / level, 1.0) * (table.data > 0)
    totals = np.asarray(table.sum(axis=1)).ravel()
    safe = np.where(totals > 0, totals, 1.0)
    of_row = np.repeat(np.arange(n), np.diff(table.indptr))
    at = _places(table, of_row, rows, columns)
    counts = np.append(table.data, 0.0)[at]
    taken, given = np.zeros((levels, rows.size)), np.zeros((levels, rows.size))
    for number in range(levels):
        mine = share * (level == number + 1)
        given[number] = (np.bincount(of_row, mine, minlength=n) / safe)[rows]
        taken[number] = np.append(mine, 0.0)[at] / safe[rows]
    return PredictionData(counts / safe[rows], taken, given, totals[rows] > 0)


def _places(table: Any, of_row: Array, rows: Array, columns: Array) -> Array:
    """Where cells are among the table's entries; one after the last where they are not."""
    width = table.shape[1]
    keys = np.append(of_row * width + table.indices, np.iinfo(np.int64).max)
    wanted = np.asarray(rows, dtype=np.int64) * width + columns
    at = np.searchsorted(keys, wanted)
    return np.asarray(np.where(keys[at] == wanted, at, table.nnz))


def closed_form(matrix: Any, levels: int) -> Floats:
    """Discounts by how many pairs were seen once, twice, …: where there is nothing to tune on.

    D_j = j − (j+1)·Y·n_(j+1)/n_j with Y = n_1/(n_1 + 2·n_2) (Chen & Goodman 1999); for one
    discount, Y itself.
    """
    seen = np.bincount(
        np.clip(np.rint(sparse.csr_array(matrix).data), 0, levels + 2).astype(np.int64),
        minlength=levels + 2,
    ).astype(np.float64)
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
    """The discounts with which tokens are predicted best, the lower predictions given."""
    levels, total = start.size, float(counts.sum())
    slope = known.given * lower - known.taken
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
    """How predictions are put together.

    kind: "discount" (own counts less the discounts, the rest by the weights), "interpolate" (own
        counts are the first of the predictions weighed) or "none" (own counts are not used).
    discounts: empty unless kind is "discount".
    weights: groups of words × predictions; rows add up to 1.
    edges: the totals at which a group of words ends and the next begins.
    """

    kind: str
    discounts: Floats
    weights: Floats
    edges: Floats

    def groups(self, totals: Floats) -> Array:
        """The group of words that were seen so often."""
        return np.searchsorted(self.edges, totals, side="right")

    def cells(self, known: PredictionData, stack: Floats, groups: Array) -> Floats:
        """p(v|n) of cells, from the predictions of all classes."""
        weights = self.weights[groups].T
        if self.kind == "discount":
            own, left = known.discounted(self.discounts)
            return np.asarray(own + left * np.einsum("ij,ij->j", weights, stack))
        weighed = stack if self.kind == "none" else known.beside(stack)
        return np.asarray(np.einsum("ij,ij->j", weights, weighed))


def learn(
    kind: str, known: PredictionData, stack: Floats, counts: Floats, totals: Floats, *,
    discounts: Floats, edges: Floats,
) -> Mixture:  # fmt: skip
    """The mixture that predicts development tokens best; `totals` are those of their words.

    Without tokens all predictions weigh alike, and the discounts stay as they are.
    """
    if kind == "discount":
        return _learn_discounts(known, stack, counts, discounts)
    if kind == "interpolate":
        stack = known.beside(stack)
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
    """Weights and discounts in turn, until both stay."""
    weights = np.full(len(stack), 1 / len(stack))
    if counts.size and counts.sum() > 0:
        for _ in range(ROUNDS):
            weights = fit_weights(stack, counts, weights, *known.discounted(discounts))
            new = tune(known, weights @ stack, counts, discounts)
            change = float(np.abs(new - discounts).max())
            discounts = new
            if change < 1e-3:
                break
        weights = fit_weights(stack, counts, weights, *known.discounted(discounts))
    return Mixture("discount", discounts, weights[None, :], np.empty(0))
