"""Anneal the symmetric model p(n,v) = Σ_c p(c)·p(n|c)·p(v|c).

The model is equation 1 of Pereira, Tishby & Lee (1993). It is fitted by tempered EM (Hofmann 1999),
in which the posterior of a pair is p(c|n,v) ∝ [p(c)·p(n|c)·p(v|c)]^β. β = 1 is maximum likelihood,
which overfits (PLSA, the same as NMF with Kullback–Leibler divergence). With β < 1, clusters stay
soft, and predict held-out data best.

A cluster is unstable if β·(1 + σ) > 1, where σ is the largest non-trivial canonical correlation of
its pairs. For two perturbed copies (twin clusters) p(n|c)·(1 ± a_n) and p(v|c)·(1 ± d_v), one EM
step maps a → β(a + P·d) and d → β(d + Pᵀ·a), where P is the conditional expectation. Clusters are
split along a and d. The first cluster to split has the largest mass·σ², which measures the
dependence that a split can explain. With σ alone, outliers of a few tokens would be split off
first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.contents import Contents, array
from roget.core.kernels.rows import RowIndex
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.errors import InputError
from roget.learn.clustering.annealing.data import Data
from roget.learn.clustering.annealing.states import (
    AnnealingSearch,
    AnnealingSettings,
    ClusterSplit,
    Energy,
    ranges,
)
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.symmetric import kernels
from roget.learn.clustering.symmetric.kernels import temper

BETA = 0.775
"""Default final β. It is close to optimal on held-out data for 50 to 200 clusters."""

SOFTEST, HARDEST = 0.725, 0.875
"""Lowest and highest β to try when the number of clusters is chosen."""

GROWTH = 0.5
"""Maximum fraction of the clusters to split at once."""

STEADY = 1.001
"""Minimum of β·(1 + σ) for a split, where σ is the cluster's largest canonical correlation.

At a value of exactly 1, the two copies of the cluster (its twins) would not separate.
"""

POWER_STEPS = 10
"""Number of power iterations that start from the previous result."""
FIRST_POWER_STEPS = 60
"""Number of power iterations for the first split."""

SETTLE_STEPS = 10
"""Maximum number of EM steps between two rounds of splits."""

SHARPEN = 0.025
"""Amount by which β is raised in each step after the last split."""
BLOCK = 32
"""Number of clusters whose instability is computed in one batch."""


@dataclass(frozen=True)
class SymmetricArrays(Contents):
    """The arrays of a stored search with k clusters."""

    words: Array = array("f", "words", "k", low=0)
    contexts: Array = array("f", "contexts", "k", low=0)
    modes: Array = array("f", "rows", "modes")


class SymmetricAnnealer(AnnealingSearch):
    """Annealing search for the symmetric model.

    `words` and `contexts` hold the joint probabilities p(n,c) and p(v,c).
    """

    needs_number = True
    stride = 2
    """Number of β steps to make at once while the number of clusters is chosen."""
    lowest = 0.5
    """The β at which the search separates groups of words without common contexts."""

    @staticmethod
    def first_beta(beta: float | None) -> float | None:
        """Return the first β to try when the number of clusters is chosen."""
        return SOFTEST if beta is None else beta

    @staticmethod
    def last_beta(reached: float) -> float:
        """Return the highest β to try when the number of clusters is chosen."""
        return HARDEST

    def __init__(self, data: Data, settings: AnnealingSettings, pause: Pause = never_stop) -> None:
        if settings.n_clusters is None:
            raise InputError(
                "the symmetric model requires a number of clusters", code="missing-option"
            )
        super().__init__(data, settings, pause)
        self.most = min(settings.n_clusters, data.n_words)
        self.target = BETA if settings.beta is None else settings.beta
        self.beta = min(self.target, BETA)
        rows, dtype = data.rows, data.rows.values.dtype
        self._rows, self._columns = ranges(rows.indptr), ranges(data.columns.indptr)
        joint = (rows.values * np.repeat(data.prior, np.diff(rows.indptr))).astype(dtype)
        self._joint = rows._replace(values=joint)
        self._order = np.argsort(rows.indices, kind="stable")
        self._ratio = np.empty_like(joint)
        self.words = data.prior[:, None].astype(dtype)
        self.contexts = data.background[:, None].astype(dtype)
        self._modes = self._draw_vectors(1, 1)
        self.energy = self._settle(1, 0.0)

    @property
    def grown(self) -> bool:
        """True if the search will make no more splits."""
        return self.n_clusters >= self.most or self.beta > BETA

    @property
    def tree(self) -> Tree:
        """The splits as a tree. The value of a split is the critical β of the cluster."""
        return Tree.from_splits((split.parent, split.critical_beta) for split in self.splits)

    def memberships(self) -> Array:
        """Return p(c|n) as an array of shape (words, clusters)."""
        return np.asarray(self.words / self.words.sum(axis=1, keepdims=True))

    @property
    def centroids(self) -> Array:
        """p(v|c), as an array of shape (clusters, contexts)."""
        return np.ascontiguousarray((self.contexts / self.contexts.sum(axis=0)).T)

    @property
    def mass(self) -> Floats:
        """p(c) of each cluster."""
        return np.asarray(self.words.sum(axis=0), dtype=np.float64)

    def _run(self) -> Iterator[None]:
        # 1. Split clusters at the lowest β, several at a time.
        while self.beta <= BETA and self.n_clusters < self.most and self._split():
            yield
        # 2. Raise β to its final value.
        while self.beta < self.target:
            self.beta = min(self.target, self.beta + SHARPEN * self.settings.stride)
            self.energy = self._settle(SETTLE_STEPS, self.settings.tol)
            if self.beta < self.target:
                yield
        # 3. Run EM to convergence.
        self.energy = self._settle(self.settings.max_iter, self.settings.tol)

    def wind_up(self) -> None:
        """Do nothing, because the search can end in any state."""

    def snapshot(self) -> dict[str, Any]:
        """Return the complete state as arrays and plain data."""
        arrays = {"words": self.words, "contexts": self.contexts, "modes": self._modes}
        return super().snapshot() | arrays

    def restore(self, kept: dict[str, Any]) -> None:
        """Resume the search from a snapshot."""
        super().restore(kept)
        held = SymmetricArrays.read(
            kept,
            words=self.words.shape[0],
            contexts=self.contexts.shape[0],
            k=self.n_clusters,
            rows=self._modes.shape[0],
        )
        words, contexts, modes = (
            one.astype(self.words.dtype) for one in (held.words, held.contexts, held.modes)
        )
        self.words, self.contexts, self._modes = words, contexts, modes

    def _settle(self, steps: int, tol: float) -> Energy:
        """Run tempered EM until the relative decrease in free energy is at most `tol`."""
        before = math.inf
        for _ in range(max(1, steps)):
            self._pause()
            log_z = self._step()
            free = -log_z / self.beta
            if before - free <= tol * abs(free):
                break
            before = free
        return self._energy(free)

    def _step(self) -> float:
        """Run one E step and one M step, and return Σ p(n,v)·ln Z(n,v)."""
        # 1. E step, and the M step for words: p(n,c) = Σ_v p(n,v)·p(c|n,v).
        counts, log_z = self._expect()
        words, contexts = self._tempered
        # 2. M step for contexts: p(v,c) = Σ_n p(n,v)·p(c|n,v).
        self.words, self.contexts = counts, self._sum_over_words(words) * contexts
        return log_z

    def _expect(self) -> tuple[Array, float]:
        """Run the E step: store p(n,v)/Z(n,v) for all pairs, and return p(n,c)."""
        data, beta = self.data, self.beta
        # Since [p(c|n)·p(v|c)]^β = [p(c)·p(n|c)·p(v|c)/p(n)]^β, the factor p(n) cancels in the
        # posterior.
        words = temper(self.words / data.prior[:, None].astype(self.words.dtype), beta)
        contexts = temper(self.contexts / self.contexts.sum(axis=0), beta)
        log_z, counts = np.empty(data.n_words), np.empty_like(words)
        given = self._joint, words, contexts, self._ratio, counts, log_z
        self.threads.over(self._rows, kernels.expect, *given)
        self._tempered = words, contexts
        # Also store the ratios in column order, for sums over words.
        self._turned = self._ratio[self._order]
        return counts, float(np.sum(log_z))

    def _sum_over_words(self, table: Array) -> Array:
        """Return Σ_n p(n,v)/Z(n,v) · table[n] for every context v."""
        return self._gather(self.data.columns._replace(values=self._turned), self._columns, table)

    def _sum_over_contexts(self, table: Array) -> Array:
        """Return Σ_v p(n,v)/Z(n,v) · table[v] for every word n."""
        return self._gather(self.data.rows._replace(values=self._ratio), self._rows, table)

    def _gather(self, rows: RowIndex, parts: list[tuple[int, int]], table: Array) -> Array:
        """Multiply a sparse matrix by a table, in parallel over ranges of rows."""
        out = np.empty((rows.indptr.size - 1, table.shape[1]), table.dtype)
        self.threads.over(parts, kernels.gather, rows, table, out)
        return out

    def _energy(self, free: float) -> Energy:
        """Return F = D − H/β.

        D is the expectation of −ln p(c|n)·p(v|c) minus the entropy of words.
        """
        own = float(np.sum(self.data.prior * self.data.entropy))
        pairs = zip((self.words, self.contexts), self._tempered, strict=True)
        expected = sum(
            float(np.sum(counts * np.log(tempered), dtype=np.float64)) for counts, tempered in pairs
        )
        distortion = -expected / self.beta
        return Energy(free - own, distortion - own, self.beta * (distortion - free))

    def _split(self) -> bool:
        """Split the unstable clusters with the largest gain. Return False if all are stable."""
        self._expect()
        sigma, scores, modes = self._instabilities()
        mass = self.words.sum(axis=0, dtype=np.float64)
        # Rank unstable clusters by mass·σ², which measures the dependence that a split can explain.
        unstable = np.flatnonzero(self.beta * (1.0 + sigma) > STEADY)
        gain = mass[unstable] * sigma[unstable] ** 2
        room = min(self.most - self.n_clusters, max(1, int(GROWTH * self.n_clusters)))
        chosen = unstable[np.argsort(-gain, kind="stable")][:room]
        if not chosen.size:
            return False
        kept, gone = zip(
            _divide(self.words, scores, chosen), _divide(self.contexts, modes, chosen), strict=True
        )
        self.words, self.contexts = map(np.hstack, zip(kept, gone, strict=True))
        # Both copies of a cluster need new start vectors for the power iteration.
        fresh = self._draw_vectors(2 * chosen.size, self.words.shape[1])
        modes[:, chosen] = fresh[:, : chosen.size]
        self._modes = np.hstack([modes, fresh[:, chosen.size :]])
        # Record the splits before EM, so tree and clusters agree after an interrupt.
        self.splits += self._make_splits(chosen, sigma)
        self.energy = self._settle(SETTLE_STEPS, self.settings.tol)
        self.splits[-chosen.size :] = self._make_splits(chosen, sigma)
        return True

    def _make_splits(self, chosen: Array, sigma: Floats) -> list[ClusterSplit]:
        """Return a record of the split for each chosen cluster."""
        critical = 1.0 / (1.0 + sigma)
        return [ClusterSplit(int(c), self.beta, float(critical[c]), self.energy) for c in chosen]

    def _draw_vectors(self, columns: int, k: int) -> Array:
        """Return start vectors for the power iteration. A resumed run gets the same vectors."""
        rng = np.random.default_rng([self.settings.seed, k])
        return rng.standard_normal((self.data.n_contexts, columns)).astype(self.contexts.dtype)

    def _instabilities(self) -> tuple[Floats, Array, Array]:
        """Return the largest canonical correlation σ, and the scores of words and contexts.

        There is one σ, and one column of standardised scores, per cluster.
        """
        sigma, scores = np.zeros(self.n_clusters), np.empty_like(self.words)
        modes = np.empty_like(self.contexts)
        for begin in range(0, self.n_clusters, BLOCK):
            part = slice(begin, begin + BLOCK)
            sigma[part], scores[:, part], modes[:, part] = self._iterate_block(part)
        return sigma, scores, modes

    def _iterate_block(self, part: slice) -> tuple[Floats, Array, Array]:
        """Run power iteration on the conditional expectations for one block of clusters.

        Alternate a ← E[d|n] and d ← E[a|v] under p(c|n,v), and standardise after each step. The
        standard deviation of a converges to σ.
        """
        words, contexts = (np.ascontiguousarray(table[:, part]) for table in self._tempered)
        word_counts = words * self._sum_over_contexts(contexts)
        context_counts = contexts * self._sum_over_words(words)
        modes = np.ascontiguousarray(self._modes[:, part])
        for _ in range(POWER_STEPS if self.splits else FIRST_POWER_STEPS):
            modes, _ = _standardise(modes, context_counts)
            scores = words * self._sum_over_contexts(contexts * modes) / _bound_below(word_counts)
            scores, sigma = _standardise(scores, word_counts)
            modes = contexts * self._sum_over_words(words * scores) / _bound_below(context_counts)
        modes, _ = _standardise(modes, context_counts)
        return sigma, scores, modes


def _divide(counts: Array, scores: Array, chosen: Array) -> tuple[Array, Array]:
    """Divide the counts of each chosen cluster between two copies.

    Return the table with the first copies, and the columns of the second copies.
    """
    share = 1.0 / (1.0 + np.exp(np.clip(-2.0 * scores[:, chosen], -30, 30)))
    kept, share = counts.copy(), share.astype(counts.dtype)
    kept[:, chosen] *= share
    return kept, counts[:, chosen] * (1 - share)


def _standardise(table: Array, counts: Array) -> tuple[Array, Floats]:
    """Standardise columns to weighted mean 0 and variance 1.

    Also return their original standard deviations.
    """
    mass = counts.sum(axis=0)
    centred = table - (counts * table).sum(axis=0) / mass
    deviation = np.sqrt((counts * centred * centred).sum(axis=0) / mass)
    return centred / _bound_below(deviation), deviation.astype(np.float64)


def _bound_below(values: Array) -> Array:
    """Replace values near 0 by a small positive number, to avoid division by zero."""
    positive: Array = np.maximum(values, values.dtype.type(1e-30))
    return positive
