"""At which β a cluster falls apart, and along which direction: an eigenvalue, not a trial.

Twins p_c ± ε·d of a cluster go, by one EM step, to p_c ± ε·β·C_c·diag(1/p_c)·d with
C_c = Σ p(n|c) p_n p_nᵀ, on Σ d = 0. So a cluster splits once β·λ > 1, where λ ≤ 1 is the largest
non-trivial eigenvalue (the first inertia of the cluster's correspondence analysis).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.kernels.lanczos import Operator, find_axes
from roget.core.kernels.rows import mean_rows
from roget.core.types import Array, Floats
from roget.learn.clustering.annealing.data import Data
from roget.learn.clustering.soft import kernels

STEPS = 24
"""Lanczos vectors kept before a restart."""

RESTARTS = 20

ALOOF = 0.1
"""Words whose squared score is at least this part of the largest make up a narrow direction."""


@dataclass(frozen=True, eq=False)
class Instability:
    """How unstable a cluster is, and the words that take part in it."""

    eigenvalue: float
    words: Array
    weights: Floats
    """p(n)·p(c|n) of these words."""
    scores: Floats
    """Which side each word leans to: Σ p_n(v)·d(v)/p_c(v), of unit variance."""

    @property
    def critical_beta(self) -> float:
        """The β at which the cluster splits; infinite if all its words are alike."""
        return 1.0 / self.eigenvalue if self.eigenvalue > 0 else math.inf


def instability(
    data: Data,
    membership: Array,
    cluster: int,
    *,
    drop: float = 0.0,
    tolerance: float = 1e-8,
    seed: Any = 0,
    narrow: float = 0.0,
) -> Instability:
    """The largest non-trivial eigenvalue of a cluster, to a relative residual of `tolerance`.

    Words are left out that hold, together, at most the part `drop` of the cluster's mass: a word
    with contexts of its own makes any cluster unstable, however little it belongs there. So are
    words that, by such contexts, make a direction of their own with less than the part `narrow`.
    """
    # A plain sum: a BLAS product may depend on how many threads that library uses.
    mass = float(np.sum(data.prior * membership[:, cluster]))
    least = drop * mass / data.n_words
    words, weights = kernels.members(membership, cluster, data.prior, least)
    while True:
        found = _largest(data, words, weights, tolerance, seed)
        shares = weights / max(float(np.sum(weights)), 1e-300)
        concerned = 1.0 / max(float(np.sum(shares * found.scores**4)), 1e-300)
        if found.eigenvalue == 0 or concerned >= narrow:
            return found
        kept = found.scores**2 < ALOOF * np.max(found.scores**2)
        words, weights = words[kept], weights[kept]


def _largest(data: Data, words: Array, weights: Floats, tolerance: float, seed: Any) -> Instability:
    if words.size < 2:
        return Instability(0.0, words, weights, np.zeros(words.size))
    shares = weights / weights.sum()
    centroid = np.empty(data.n_contexts)
    mean_rows(words, shares, data.rows, centroid)
    inverse = np.divide(1.0, centroid, out=np.zeros_like(centroid), where=centroid > 0)
    roots = np.sqrt(shares)
    vector = np.random.default_rng(seed).standard_normal(words.size) * roots
    operator = Operator(data.rows, words, roots, inverse, roots)
    for _ in range(RESTARTS):
        values, vectors, residual = find_axes(operator, vector, STEPS, tolerance, 1)
        # Rounding leaves about 1e-16 where all words are alike.
        if not values.size or values[0] < 1e-10:
            return Instability(0.0, words, weights, np.zeros(words.size))
        vector = vectors[0]
        if residual <= tolerance or tolerance >= 1e-2:
            break
    return Instability(min(float(values[0]), 1.0), words, weights, vector / roots)
