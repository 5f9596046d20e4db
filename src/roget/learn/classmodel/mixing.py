"""Weights of several predictions, found by EM on development tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roget.core.types import Array, Floats
from roget.learn.classmodel.discount import Evidence, tuned
from roget.learn.clustering.tokens import em

ROUNDS = 12

PRIOR = 20.0
"""Tokens that a group of words has as all words have them: small groups can be weighed, too."""


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

    def cells(self, known: Evidence, stack: Floats, groups: Array) -> Floats:
        """p(v|n) of cells, from the predictions of all classes."""
        weights = self.weights[groups].T
        if self.kind == "discount":
            own, left = known.discounted(self.discounts)
            return np.asarray(own + left * np.einsum("ij,ij->j", weights, stack))
        if self.kind == "none":
            return np.asarray(np.einsum("ij,ij->j", weights, stack))
        own = np.where(known.known, known.own, stack[-1])
        return np.asarray(np.einsum("ij,ij->j", weights, np.vstack([own, stack])))


def learn(
    kind: str, known: Evidence, stack: Floats, counts: Floats, totals: Floats, *,
    discounts: Floats, edges: Floats,
) -> Mixture:  # fmt: skip
    """The mixture that predicts development tokens best; `totals` are those of their words.

    Without tokens all predictions weigh alike, and the discounts stay as they are.
    """
    if kind == "discount":
        return _discounted(known, stack, counts, discounts)
    if kind == "interpolate":
        stack = np.vstack([np.where(known.known, known.own, stack[-1]), stack])
    k = len(stack)
    mixture = Mixture(kind, np.empty(0), np.full((edges.size + 1, k), 1 / k), edges)
    overall = em(stack, counts)
    groups = mixture.groups(totals)
    for group in range(edges.size + 1):
        here = groups == group
        mixture.weights[group] = em(stack[:, here], counts[here], overall, prior=PRIOR)
    return mixture


def _discounted(known: Evidence, stack: Floats, counts: Floats, discounts: Floats) -> Mixture:
    """Weights and discounts in turn, until both stay."""
    weights = np.full(len(stack), 1 / len(stack))
    if counts.size and counts.sum() > 0:
        for _ in range(ROUNDS):
            weights = em(stack, counts, weights, *known.discounted(discounts))
            new = tuned(known, weights @ stack, counts, discounts)
            change = float(np.abs(new - discounts).max())
            discounts = new
            if change < 1e-3:
                break
        weights = em(stack, counts, weights, *known.discounted(discounts))
    return Mixture("discount", discounts, weights[None, :], np.empty(0))
