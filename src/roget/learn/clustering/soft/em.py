"""EM at a fixed β: update memberships (E step) and centroids (M step) alternately."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from roget.core.types import Array, Floats
from roget.engines.base import current
from roget.learn.clustering.annealing.data import Data
from roget.learn.clustering.annealing.states import Energy, ThreadPool, ranges
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.soft import distributed, kernels
from roget.learn.clustering.soft.distributed import DistributedBlocks
from roget.learn.clustering.soft.kernels import Centroids, Fits, Lists

LOST = 1e-6
"""Maximum share of a word's membership that may lie in clusters outside its list."""

LISTED_STEPS = 8
"""Maximum number of consecutive EM steps that consider only the listed clusters of each word."""

LISTED_SHARE = 1 / 6
"""Maximum total length of the lists, as a fraction of words × clusters.

Longer lists are not used.
"""


class SoftMixture:
    """Memberships q, log centroids and masses of k clusters, updated in place.

    The arrays have space for more than k clusters.
    """

    def __init__(
        self, data: Data, mass: bool, threads: ThreadPool, room: int = 8, printed: bool = False
    ) -> None:
        self.data, self.massive, self.threads, self.printed = data, mass, threads, printed
        self.pull: Floats = data.prior
        """Weight of each word n when centroids are computed from p(c|n). By Bayes' rule it is p(n).
        With equation 7 as printed, p(n|c) ∝ exp(−β·d), it is Z_n.
        """
        self.k = 1
        self.q: Array = np.zeros((data.n_words, room), dtype=data.rows.values.dtype)
        self.q[:, 0] = 1
        self._logs: Array = np.zeros((data.n_contexts, room), dtype=data.rows.values.dtype)
        self.mass: Floats = np.zeros(room)
        self.mass[0] = 1.0
        self.floor = data.floor
        self._words, self._contexts = ranges(data.rows.indptr), ranges(data.columns.indptr)
        self._fits = Fits(np.zeros(data.n_words), np.zeros(data.n_words))
        self._blocks: DistributedBlocks | None = None
        self._mean_entropy = float(np.sum(data.prior * data.entropy))

    def reserve(self, clusters: int) -> None:
        """Enlarge the arrays for the given number of clusters if necessary."""
        room = self.q.shape[1]
        if clusters <= room:
            return
        more = (max(clusters, room + room // 2) + 7 & ~7) - room
        self.q, self._logs = (np.pad(one, ((0, 0), (0, more))) for one in (self.q, self.logs))
        self.mass = np.pad(self.mass, (0, more))

    @property
    def logs(self) -> Array:
        """Log centroids, with one row per context.

        If workers ran the last M step, the centroids are fetched from them.
        """
        self._fetch()
        return self._logs

    def _fetch(self) -> None:
        """Copy log centroids from the workers if they ran the last M step."""
        if self._blocks is not None:
            self._blocks.fetch(self._logs)

    def m_step(self, lists: Lists | None = None) -> None:
        """Run the M step, equation 11: p(v|c) ∝ Σ_n p(n)·p(c|n)·p_n(v).

        Memberships p(c|n) are read from the matrix q, or from `lists`.
        """
        kernel: Any = kernels.maximise if lists is None else kernels.maximise_listed
        held = self.q if lists is None else lists
        columns, mass = self.data.columns, self.mass[: self.k]
        if self.printed:
            # Equation 7 as printed: use the weight Z_n instead of p(n).
            words = columns.indices
            values = columns.values * (self.pull / self.data.prior)[words]
            columns = columns._replace(values=values.astype(columns.values.dtype))
            mass = np.sum(self.pull[:, None] * self.q[:, : self.k], axis=0, dtype=np.float64)
        elif (workers := self._find_workers()) is not None:
            workers.maximise(held, mass)
            return
        self.threads.over(self._contexts, kernel, columns, held, mass, self.floor, self.logs)

    def e_step(self, beta: float, lists: Lists | None = None) -> Energy:
        """Run the E step, equation 8, over all clusters or over each word's listed clusters."""
        kernel: Any = kernels.expect if lists is None else kernels.expect_listed
        held = self.q if lists is None else lists
        data, parts = self.data, np.zeros((len(self._words), self.k))
        # With masses, memberships are ∝ p(c)·exp(−β·d), so the bias is ln p(c).
        bias = np.log(np.maximum(self.mass[: self.k], 1e-30)) if self.massive else np.zeros(self.k)
        if (workers := self._find_workers()) is not None:
            centroids = Centroids(self._logs, bias, float(beta))
            workers.expect(centroids, held, self._fits, parts)
        else:
            centroids = Centroids(self.logs, bias, float(beta))
            given = data.rows, centroids, data.prior, held, self._fits
            self.threads.over(self._words, kernel, *given, own=parts)
        return self._compute_energy(centroids, parts)

    def _find_workers(self) -> DistributedBlocks | None:
        """Return the workers of the current engine if a distributed step is faster."""
        engine, cells = current(), self.data.rows.indices.size
        dense = cells >= distributed.DENSE * (self.data.n_words + self.data.n_contexts)
        if engine is None or not dense or cells * self.k < distributed.LEAST:
            return None
        if self._blocks is None or self._blocks.engine is not engine:
            self._fetch()
            self._blocks = DistributedBlocks(self.data, self._words, self._contexts)
        return self._blocks

    def run(self, beta: float, steps: int, tolerance: float, pause: Pause = never_stop) -> Energy:
        """Run EM until the relative change in free energy is at most `tolerance`.

        It begins with an M step and ends with an E step over all clusters. Cheap steps between them
        visit only the listed clusters of each word. EM stops only when two steps over all clusters
        agree, so the lists do not reduce accuracy.
        """
        before, energy = math.inf, Energy(math.inf, math.inf, 0.0)
        while steps > 0:
            self.m_step()
            energy = self.e_step(beta)
            steps -= 1
            pause()
            if abs(before - energy.free) <= tolerance * abs(energy.free):
                break
            before = energy.free
            # Run several cheap steps over the listed clusters between two exact steps.
            if steps > 2 and not self.printed and (lists := self._lists()) is not None:
                for _ in range(min(LISTED_STEPS, steps - 1)):
                    self.m_step(lists)
                    new = self.e_step(beta, lists)
                    steps -= 1
                    near = abs(before - new.free) <= tolerance * abs(new.free)
                    before = new.free
                    if near:
                        break
                self.threads.over(self._words, kernels.spread, lists, self.k, self.q)
        self._fetch()
        return energy

    def centroids(self) -> Array:
        """Return p(v|c) with shape (clusters, contexts).

        Entries at the lower bound become 0.
        """
        logs = self.logs[:, : self.k]
        exact = np.exp(logs)
        exact[logs <= np.log(self.floor)[:, None].astype(logs.dtype)] = 0
        return np.ascontiguousarray(exact.T)

    def drop(self, cluster: int, into: int) -> None:
        """Merge a cluster into another one. The numbers of later clusters decrease by one."""
        k = self.k
        self.q[:, into] += self.q[:, cluster]
        self.mass[into] += self.mass[cluster]
        for array in (self.q, self.logs):
            array[:, cluster : k - 1] = array[:, cluster + 1 : k].copy()
        self.mass[cluster : k - 1] = self.mass[cluster + 1 : k].copy()
        self.k -= 1

    def _compute_energy(self, centroids: Centroids, parts: Floats) -> Energy:
        """Return the free energy F, the distortion D and the membership entropy H.

        F = −(1/β)·Σ p(n)·ln Z_n, and D = F + H/β (eq. 5).
        """
        prior, beta, bias = self.data.prior, centroids.beta, centroids.bias
        self.mass[: self.k] = parts.sum(axis=0)
        # Equation 7 as printed: the weight of a word is Z_n = Σ_c exp(−β·d(n, c)), not p(n).
        if self.printed:
            logs = self._fits.log_z + beta * self.data.entropy
            weights = np.exp(logs - logs.max())
            self.pull = np.maximum(weights / weights.sum(), 1e-300)
        free = -float(np.sum(prior * self._fits.log_z)) / beta - self._mean_entropy
        entropy = float(np.sum(prior * self._fits.entropy))
        # With masses, the entropy is relative to p(c): F = D + I(words; clusters)/β.
        relative = entropy + float(np.sum(self.mass[: self.k] * bias))
        return Energy(free, free + relative / beta, entropy)

    def _lists(self) -> Lists | None:
        """Return a list of each word's main clusters, or None if the lists would be too long.

        A list may leave out at most a fraction LOST of the word's membership.
        """
        least, counts = LOST / self.k, np.zeros(self.data.n_words, dtype=np.int64)
        self.threads.over(self._words, kernels.pack, self.q, self.k, least, counts)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        if offsets[-1] > LISTED_SHARE * self.k * counts.size:
            return None
        clusters = np.empty(offsets[-1], dtype=np.int32)
        lists = Lists(offsets, clusters, np.empty(offsets[-1], dtype=self.q.dtype))
        self.threads.over(self._words, kernels.fill, self.q, self.k, least, lists)
        return lists
