"""Deterministic annealing: raise β, split the most unstable cluster, and run EM over all words.

This is the algorithm of Pereira, Tishby & Lee (1993), except that the critical β of each cluster is
computed from an eigenvalue, so clusters are split one by one at their critical β. Consider two
perturbed copies (twin clusters) p_c ± ε·d of a cluster, with Σ_v d(v) = 0. One EM step (equations 8
and 11) maps them to p_c ± ε·β·C_c·diag(1/p_c)·d, with C_c = Σ_n p(n|c)·p_n·p_nᵀ. The twin clusters
separate if β·λ > 1. Here λ ≤ 1 is the largest non-trivial eigenvalue, also known as the first
inertia in correspondence analysis of the cluster. The cluster is split along the eigenvector.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from roget.core.contents import Contents, array, require_numbers
from roget.core.information import xlogx
from roget.core.kernels.lanczos import Operator, find_axes
from roget.core.kernels.rows import mean_rows
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.learn.clustering.annealing.data import Data
from roget.learn.clustering.annealing.states import (
    AnnealingSearch,
    AnnealingSettings,
    ClusterSplit,
    Energy,
)
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.memberships import predict_cells
from roget.learn.clustering.soft import kernels
from roget.learn.clustering.soft.em import SoftMixture

LANCZOS, RESTARTS = 24, 20
"""Number of Lanczos vectors before a restart, and maximum number of restarts."""

ALOOF = 0.1
"""Threshold for leaving out words if a split would affect too few words (see `NARROW`).

Words are left out if their squared score is at least this fraction of the highest one.
"""

STEP = 1.02
"""Factor by which β exceeds the critical β of a cluster when it is split.

At the critical β itself, the two copies of the cluster (its twins) do not separate.
"""

EDGE = 1.001
"""Minimum ratio of β to the critical β for a split if β cannot be raised further."""

RISE = 1.05
"""Maximum factor by which β is raised between two runs of EM over all words."""

PACE = 1.05
"""Factor by which β is raised per run of EM over all words while clusters are split."""

SENSES = (1.6, 2.5)
"""Target range for the mean number of clusters per word at the final β.

It applies if only a number of clusters is requested. Means in this range predict held-out text
best. The mean is the exponential of the membership entropy. For k clusters, it is at most √k.
"""

SHARPEN = 1.05
"""Factor by which β changes in each step after the last split."""

SOFTEST, SHARPEST = 1.15, 4.0
"""Bounds on the final β.

It is at least SOFTEST times the highest critical β, so clusters do not merge again. It is at most
SHARPEST times the highest β at which a cluster was split.
"""

RELAX = 1.1
"""Factor by which the number of clusters must grow before EM is run over all words again."""

RELAX_STEPS, RELAX_WORK = 6, 320
"""Maximum number of EM steps while clusters are split.

It is RELAX_STEPS, or RELAX_WORK / k for k clusters if that is more. Near a critical β, convergence
is slow, and a cluster that has not converged seems too unstable.
"""

RELAX_TOLERANCE = 1e-6
"""Relative change in free energy at which EM stops while clusters are split."""

EMPTY = 0.01
"""Maximum mass of a cluster that counts as empty, relative to the mass of the rarest word."""

DROP = 1e-3
"""Fraction of a cluster's mass to ignore when its instability is computed.

The ignored mass belongs to words with very small memberships in the cluster.
"""

NARROW = 5e-4
"""Minimum fraction of a cluster that a split must affect.

Otherwise rare words with unique contexts would be split off one by one at β = 1, and would never
separate from the rest.
"""

RETRY = 1.02
"""Factor by which β must rise before a failed split is attempted again."""

MAX_HANDICAP = 4.0
"""Ratio of β to the critical β above which a failed split is not attempted again."""

SEPARATED = 0.05
"""Minimum difference between the highest and the lowest membership in a twin cluster, over all
words.

If it is smaller, the twin clusters count as not separated.
"""

SAME = 1e-3
"""Maximum mean absolute difference at which two log centroids count as equal."""


@dataclass(frozen=True, eq=False)
class Instability:
    """The instability of a cluster, and the words that contribute to it."""

    eigenvalue: float
    words: Array
    weights: Floats
    """Weight p(n)·p(c|n) of each word n in the cluster c."""
    scores: Floats
    """Score of each word on the eigenvector, Σ p_n(v)·d(v)/p_c(v), with unit variance. Words with a
    positive score prefer one twin, and words with a negative score the other.
    """

    @property
    def critical_beta(self) -> float:
        """The β at which the cluster splits. Infinite if all words have the same distribution."""
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
    prior: Floats | None = None,
) -> Instability:
    """Return the instability of a cluster, the largest non-trivial eigenvalue.

    Ignore words that together hold at most a fraction `drop` of the cluster's mass. A word with
    unique contexts would make any cluster unstable, even if its membership is very small. Also
    ignore words whose direction affects less than a fraction `narrow` of the cluster. Words have
    the weights `prior` (default: the prior of the data). The relative residual of the eigenvalue is
    at most `tolerance`.
    """
    # Use np.sum: the result of a BLAS product may depend on the number of threads.
    weights = (data.prior if prior is None else prior) * membership[:, cluster]
    words = np.flatnonzero(weights > drop * float(np.sum(weights)) / data.n_words)
    weights = weights[words]
    while True:
        found = _find_largest(data, words, weights, tolerance, seed)
        shares = weights / max(float(np.sum(weights)), 1e-300)
        # The direction affects a fraction 1/Σ share·score⁴ of the cluster (the participation
        # ratio).
        concerned = 1.0 / max(float(np.sum(shares * found.scores**4)), 1e-300)
        if found.eigenvalue == 0 or concerned >= narrow:
            return found
        kept = found.scores**2 < ALOOF * np.max(found.scores**2)
        words, weights = words[kept], weights[kept]


def _find_largest(
    data: Data, words: Array, weights: Floats, tolerance: float, seed: Any
) -> Instability:
    """Find the eigenvalue by Lanczos iteration on √share·P·diag(1/p_c)·Pᵀ·√share."""
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
        values, vectors, residual = find_axes(operator, vector, LANCZOS, tolerance, 1)
        # If all words have the same distribution, rounding errors leave an eigenvalue near 1e-16.
        if not values.size or values[0] < 1e-10:
            return Instability(0.0, words, weights, np.zeros(words.size))
        vector = vectors[0]
        if residual <= tolerance or tolerance >= 1e-2:
            break
    return Instability(min(float(values[0]), 1.0), words, weights, vector / roots)


@dataclass(frozen=True)
class SoftArrays(Contents):
    """Arrays that store the state of a search with k clusters."""

    q: Array = array("f", "words", "k", low=0)
    mass: Array = array("f", "k", low=0)
    eigenvalue: Array = array("f", "k")
    fresh: Array = array("b", "k")
    handicap: Array = array("f", "k", low=0)
    logs: Array = array("f", "contexts", "logged")
    pull: Array | None = array("f", "words", optional=True)


class Annealer(AnnealingSearch):
    """Annealing search for clusters of words (the asymmetric model)."""

    needs_number = False
    stride = 6
    """Number of β steps to make at once while the number of clusters is chosen."""
    lowest = 1.0
    """The β at which groups of words without common contexts are split."""

    @staticmethod
    def first_beta(beta: float | None) -> float | None:
        """Return None, because this search determines the first β to try itself."""
        return None

    @staticmethod
    def last_beta(reached: float) -> float:
        """Return the highest β to try after a number of clusters was reached at β = `reached`."""
        return SHARPEST * reached

    def __init__(self, data: Data, settings: AnnealingSettings, pause: Pause = never_stop) -> None:
        super().__init__(data, settings, pause)
        # Splitting at the critical β requires mass-constrained memberships. Otherwise nearly equal
        # clusters are all as unstable as the root, and splitting would never end.
        self._massive = settings.equations == "mass"
        printed = settings.equations == "printed"
        self.mixture = SoftMixture(data, self._massive, self.threads, printed=printed)
        self.beta = min(1.0, self._limit)
        self.energy = self.mixture.run(self.beta, 1, 0.0)
        self.grown, self.falling, self.relaxed_at = False, False, 1
        # For each cluster, store the last eigenvalue, a flag that is True if it is current, and
        # a divisor. The divisor grows when the twin clusters do not separate.
        self.eigenvalue: list[float] = [1.0]
        self.fresh: list[bool] = [False]
        self.handicap: list[float] = [1.0]
        self._found: dict[int, Instability] = {}
        self._crossed: tuple[Any, float] = None, 0.0
        self._first_cross = self.cross_entropy() if settings.until is not None else 0.0

    @property
    def tree(self) -> Tree:
        """The splits as a tree, whose leaves are the clusters."""
        return Tree.from_splits((split.parent, split.beta) for split in self.splits)

    def memberships(self) -> Array:
        """Return p(c|n) as an array of shape (words, clusters)."""
        return self.mixture.q[:, : self.mixture.k]

    @property
    def centroids(self) -> Array:
        """p(v|c), as an array of shape (clusters, contexts)."""
        if not self.settled:
            self.mixture.m_step()
        return self.mixture.centroids()

    @property
    def mass(self) -> Floats:
        """p(c) of each cluster."""
        return self.mixture.mass[: self.mixture.k].copy()

    def cross_entropy(self) -> float:
        """Return the cross-entropy of the training words in nats.

        It is −Σ p(n)·p_n(v)·ln Σ_c p(c|n)·p(v|c).
        """
        state = self.beta, self.mixture.k, self.settled, self.grown, self.energy
        if self._crossed[0] != state:
            indptr, columns, shares = self.data.rows
            words = np.repeat(np.arange(self.data.n_words), np.diff(indptr))
            predicted = predict_cells(self.memberships(), self.centroids, words, columns)
            logs = np.log(np.maximum(predicted, self.data.floor[columns]))
            cross = -float(np.sum(self.data.prior[words] * shares * logs))
            self._crossed = state, cross
        return self._crossed[1]

    @property
    def nearness(self) -> float:
        """Progress of the cross-entropy towards its target, from 0 to 1."""
        until = self.settings.until or 0.0
        gone = self._first_cross - self.cross_entropy()
        return min(1.0, max(0.0, gone / max(self._first_cross - until, 1e-12)))

    def _has_reached(self) -> bool:
        """Return True if the cross-entropy has reached its target."""
        until = self.settings.until
        return until is not None and self.cross_entropy() <= until

    def _run(self) -> Iterator[None]:
        # Phase 1 splits clusters, phase 2 changes β to its final value, and phase 3 runs EM to
        # convergence. Every step depends only on the state, so a resumed run gives the same result.
        while True:
            if not self.grown:
                if not self._has_reached() and self._advance():
                    yield
                else:
                    self._end_growth()
                continue
            beta = self._choose_beta()
            if beta == self.beta:
                break
            self._settle(beta, final=False)
            yield
        self._settle(self.beta, final=True)
        while self.settings.n_clusters is None and self._absorb_copies():
            self._settle(self.beta, final=True)

    def wind_up(self) -> None:
        """End the search in its current state, with the requested kind of memberships."""
        if not self.grown:
            self._pause = never_stop
            self._end_growth()

    def _end_growth(self) -> None:
        """End splitting, and switch to the requested memberships (with or without masses)."""
        self.grown = self.falling = True
        self.mixture.massive = self.settings.mass
        self._settle(self.beta, final=False)

    def _choose_beta(self) -> float:
        """Return the next β. If the current β is final, return it again.

        β falls while memberships are too sharp, then rises while they are too soft.
        """
        if self.settings.beta is not None:
            low, high = self.beta / SHARPEN, self.beta * SHARPEN**self.settings.stride
            return min(max(self.settings.beta, low), high)
        if self.settings.until is not None and self.splits:
            ceiling = SHARPEST * max(split.beta for split in self.splits)
            ends = self._has_reached() or self.beta >= ceiling
            return self.beta if ends else min(self.beta * SHARPEN, ceiling)
        if self.settings.n_clusters is None or not self.splits:
            return self.beta
        # Choose β by the membership entropy H: exp(H) is the mean number of clusters per word.
        least, most = (min(math.log(n), math.log(self.mixture.k) / 2) for n in SENSES)
        floor = SOFTEST * max(split.critical_beta for split in self.splits)
        ceiling = SHARPEST * max(split.beta for split in self.splits)
        if self.falling and self.energy.entropy < least and self.beta > floor:
            return max(self.beta / SHARPEN, floor)
        self.falling = False
        if self.energy.entropy > most and self.beta < ceiling:
            return min(self.beta * SHARPEN, ceiling)
        return self.beta

    def snapshot(self) -> dict[str, Any]:
        """Return the complete state as arrays and plain data."""
        k = self.mixture.k
        return super().snapshot() | {
            "q": self.mixture.q[:, :k],
            "mass": self.mixture.mass[:k],
            # Restored states recompute centroids from memberships, unless the search is finished.
            "logs": self.mixture.logs[:, : k if self.finished else 0],
            "eigenvalue": np.array(self.eigenvalue),
            "fresh": np.array(self.fresh),
            "handicap": np.array(self.handicap),
            "settled": self.settled,
            "grown": self.grown,
            "falling": self.falling,
            "relaxed_at": self.relaxed_at,
            **({"pull": self.mixture.pull} if self.mixture.printed else {}),
        }

    def restore(self, kept: dict[str, Any]) -> None:
        """Resume the search from a snapshot."""
        super().restore(kept)
        k = kept["q"].shape[-1]
        SoftArrays.read(
            kept,
            words=self.data.n_words,
            contexts=self.data.n_contexts,
            logged=k if self.finished else 0,
        )
        if not np.allclose(kept["q"].sum(axis=1), 1, atol=1e-3):
            raise ValueError("every row of 'q' must sum to 1")
        require_numbers(kept, "relaxed_at", low=0)
        self.mixture.reserve(k)
        self.mixture.k = k
        self.mixture.q[:, :k] = kept["q"]
        self.mixture.mass[:k] = kept["mass"]
        self.eigenvalue = kept["eigenvalue"].tolist()
        self.fresh = kept["fresh"].tolist()
        self.handicap = kept["handicap"].tolist()
        self.mixture.pull = kept.get("pull", self.mixture.pull)
        self.mixture.m_step()
        self.mixture.logs[:, : kept["logs"].shape[1]] = kept["logs"]
        self.grown, self.falling = bool(kept["grown"]), bool(kept["falling"])
        self.settled, self.relaxed_at = kept["settled"], kept["relaxed_at"]
        self.mixture.massive = self.settings.mass if self.grown else self._massive

    @property
    def _most(self) -> int:
        requested = self.settings.n_clusters
        return min(self.data.n_words, self.data.n_words if requested is None else requested)

    @property
    def _limit(self) -> float:
        return math.inf if self.settings.beta is None else self.settings.beta

    def _advance(self) -> bool:
        """Make the next split, and raise β if necessary. Return False if no split is possible."""
        while self.mixture.k < self._most:
            cluster = self._find_most_unstable()
            value = float(self._reduce_eigenvalues()[cluster])
            if value <= 0 or self._limit * value < EDGE:
                return False
            # A split requires β·λ ≥ STEP. Raise β slowly, and run EM over all words before the
            # split.
            need = min(STEP / value, self._limit)
            if need > self.beta * RISE and self.mixture.k > 1:
                self._settle(self.beta * RISE, final=False)
            elif need > self.beta and not self.settled:
                self._settle(need, final=False)
            elif self._split(cluster, max(self.beta, need)):
                return True
        return False

    def _find_most_unstable(self) -> int:
        """Return the cluster to split next, and update the eigenvalues required to find it."""
        while True:
            order = np.argsort(-self._rank_clusters(), kind="stable")
            if self.fresh[order[0]]:
                return int(order[0])
            # Always update two eigenvalues at a time, because the second one is needed soon. A
            # fixed number makes results independent of the number of threads.
            stale = [int(c) for c in order[:8] if not self.fresh[c]][:2]
            found = self.threads.each(self._find_instability, stale)
            for cluster, one in zip(stale, found, strict=True):
                self.eigenvalue[cluster], self.fresh[cluster] = one.eigenvalue, True
                self._found[cluster] = one

    def _reduce_eigenvalues(self) -> Floats:
        """Return the eigenvalue of each cluster, reduced if splits of the cluster have failed."""
        handicap = np.array(self.handicap)
        return np.where(handicap > MAX_HANDICAP, 0.0, np.array(self.eigenvalue) / handicap)

    def _rank_clusters(self) -> Floats:
        """Return the priority of each cluster for splitting.

        Clusters that are unstable at this β come first, in the order of mass times eigenvalue.
        """
        value = self._reduce_eigenvalues()
        unstable = self.beta * value >= EDGE
        return np.where(unstable, 1.0 + self.mixture.mass[: self.mixture.k] * value, value)

    def _find_instability(self, cluster: int) -> Instability:
        """Compute the instability of a cluster. The first split requires more accuracy."""
        drop, tolerance = (0.0, 1e-6) if self.mixture.k == 1 else (DROP, 3e-2)
        # Use the same start vector until the next EM run, even in a resumed run.
        seed = [self.settings.seed, cluster, self.relaxed_at]
        return instability(
            self.data, self.mixture.q, cluster, drop=drop, tolerance=tolerance, seed=seed,
            narrow=NARROW, prior=self.mixture.pull,
        )  # fmt: skip

    def _split(self, cluster: int, beta: float) -> bool:
        """Split a cluster into twin clusters. Return False if they do not separate."""
        self._pause()
        found = self._found.get(cluster) or self._find_instability(cluster)
        twins = separate(self.data, found, beta, self.mixture.floor)
        if twins is None:
            self.handicap[cluster] *= RETRY
            return False
        self._replace(cluster, beta, found, twins)
        self._record_split(cluster, beta, found, twins)
        if not self._massive:
            # Without masses, a new cluster changes the memberships of all words, so run EM.
            self._settle(beta, final=False)
            if len(self.splits) == self.mixture.k - 1 and self.splits:
                self.splits[-1] = replace(self.splits[-1], energy=self.energy)
        elif self.mixture.k >= RELAX * self.relaxed_at and self.mixture.k < self._most:
            self._settle(min(self.beta * PACE, self._limit), final=False)
        return True

    def _replace(self, cluster: int, beta: float, found: Instability, twins: Twins) -> None:
        """Replace a cluster with its twin clusters. The heavier one keeps the number of the
        cluster.
        """
        mixture, new = self.mixture, self.mixture.k
        room = self._most if self.settings.n_clusters is not None else 0
        mixture.reserve(max(new + 1, min(room, 2 * new + 8)))
        # Divide each word's membership in the parent between the twin clusters.
        held = mixture.q[found.words, cluster]
        mixture.q[:, new] = 0
        mixture.q[found.words, new] = held * (1.0 - twins.share)
        mixture.q[found.words, cluster] -= mixture.q[found.words, new]
        mixture.mass[new] = twins.mass
        mixture.mass[cluster] -= twins.mass
        if mixture.printed:
            for one in (cluster, new):
                mixture.mass[one] = float(np.sum(self.data.prior * mixture.q[:, one]))
        mixture.k = new + 1
        self.beta, self.settled = beta, False
        self._found.pop(cluster, None)

    def _record_split(self, cluster: int, beta: float, found: Instability, twins: Twins) -> None:
        """Record the split, and add the changes in distortion and entropy to the energy."""
        # F = D − H/β. With masses, H is relative to p(c).
        distortion = self.energy.distortion - twins.gain
        entropy = self.energy.entropy + twins.entropy
        masses = self.mixture.mass[: self.mixture.k] if self._massive else np.ones(1)
        relative = entropy + float(np.sum(xlogx(masses)))
        self.energy = Energy(distortion - relative / beta, distortion, entropy)
        self.splits.append(ClusterSplit(cluster, beta, found.critical_beta, self.energy))
        # The eigenvalues of both twin clusters are out of date.
        self.fresh[cluster] = False
        self.eigenvalue.append(found.eigenvalue)
        self.fresh.append(False)
        self.handicap.append(1.0)

    def _settle(self, beta: float, *, final: bool) -> None:
        """Run EM over all words at one β. Merge twin clusters that have become equal again."""
        self.beta = beta
        # A few EM steps are enough while clusters are split. The final run continues to
        # convergence.
        steps = self.settings.max_iter
        if not final:
            steps = min(steps, max(RELAX_STEPS, RELAX_WORK // self.mixture.k))
        tolerance = self.settings.tol if final else max(RELAX_TOLERANCE, self.settings.tol)
        self.energy = self.mixture.run(beta, steps, tolerance, self._pause)
        self.settled = True
        self._merge()
        self.relaxed_at = self.mixture.k
        self.fresh = [False] * self.mixture.k
        self._found.clear()

    def _merge(self) -> None:
        """Undo recent splits if the twin clusters have equal centroids or one of them is empty.

        Splits before the last EM run over all words are kept.
        """
        # Start with the latest split. Skip splits whose twin clusters were split further.
        empty = EMPTY * float(self.data.prior.min())
        for place in reversed(range(self.relaxed_at - 1, len(self.splits))):
            parent, new = self.splits[place].parent, place + 1
            later = {split.parent for split in self.splits[place + 1 :]}
            if later & {parent, new}:
                continue
            same = have_same_centroid(self.mixture.logs, self.data.background, parent, new)
            if same or min(self.mixture.mass[parent], self.mixture.mass[new]) < empty:
                self._unsplit(place)

    def _absorb_copies(self) -> bool:
        """Merge clusters with equal centroids. Return True if there were any.

        Without cluster masses, duplicates would change the model.
        """
        same = find_copies(self.mixture.logs[:, : self.mixture.k], self.data.background)
        for cluster in sorted(same, reverse=True):
            self._absorb(cluster)
        return bool(same)

    def _absorb(self, cluster: int) -> None:
        """Merge a cluster, which is a leaf of the tree, into a related cluster.

        If clusters were split off from it, the last of them takes its words. Otherwise, its parent
        takes them.
        """
        children = [place for place, split in enumerate(self.splits) if split.parent == cluster]
        if children:  # Swap the numbers of the cluster and its last child.
            other = children[-1] + 1
            swap = {cluster: other, other: cluster}
            for array in (self.mixture.q, self.mixture.logs):
                array[:, [cluster, other]] = array[:, [other, cluster]]
            self.mixture.mass[[cluster, other]] = self.mixture.mass[[other, cluster]]
            self.splits[other:] = [
                replace(s, parent=swap.get(s.parent, s.parent)) for s in self.splits[other:]
            ]
            cluster = other
        if cluster:
            self._unsplit(cluster - 1)

    def _unsplit(self, place: int) -> None:
        """Undo a split: merge the new cluster into its parent, and renumber later clusters."""
        parent, new = self.splits[place].parent, place + 1
        self.mixture.drop(new, parent)
        del self.splits[place], self.eigenvalue[new], self.handicap[new]
        self.handicap[parent] *= RETRY
        self.splits = [
            ClusterSplit(s.parent - (s.parent > new), s.beta, s.critical_beta, s.energy)
            for s in self.splits
        ]


@dataclass(frozen=True, eq=False)
class Twins:
    """The two halves of a cluster (twins) after they have separated. The first is heavier."""

    share: Floats
    """Fraction of each word's membership in the parent that goes to the first twin."""
    mass: float
    """Mass p(c) of the second twin."""
    gain: float
    """Decrease in distortion due to the split."""
    entropy: float
    """Increase in membership entropy due to the split."""


def separate(data: Data, found: Instability, beta: float, floor: Floats) -> Twins | None:
    """Return the twin clusters of a cluster, or None if they do not separate."""
    # 1. Start from the eigenvector: the sign of a word's score decides which twin it prefers.
    share = 1.0 / (1.0 + np.exp(np.clip(-2.0 * found.scores, -30, 30)))
    # 2. Run EM on the twin clusters.
    sums = np.zeros((2, data.n_contexts))
    one = kernels.twins(found.words, found.weights, data.rows, float(beta), floor, share, sums)
    first, second = sums
    total = float(np.sum(found.weights))
    if share.max() - share.min() < SEPARATED or not 1e-9 * total < one < total * (1 - 1e-9):
        return None
    # 3. Put the heavier twin first, because it keeps the number of the parent.
    if one < total / 2:
        share, first, second = 1.0 - share, second, first
    # 4. The distortion decreases by H(both) − H(first) − H(second), where H is the entropy of a
    # centroid times its mass.
    gain = _weigh_entropy(first + second) - _weigh_entropy(first) - _weigh_entropy(second)
    inner = found.weights * (xlogx(share) + xlogx(1.0 - share))
    mass = float(np.sum(found.weights * (1.0 - share)))
    return Twins(share, mass, gain, -float(np.sum(inner)))


def have_same_centroid(logs: Array, background: Floats, one: int, other: int) -> bool:
    """Return True if two clusters have the same centroid.

    `logs` holds ln p(v|c), with one column per cluster.
    """
    return float(np.sum(background * np.abs(logs[:, one] - logs[:, other]))) < SAME


def find_copies(logs: Array, background: Floats) -> dict[int, int]:
    """Map each cluster with the same centroid as an earlier cluster to that cluster."""
    # Equal centroids have equal mean logarithms. Sort by the mean, so that only adjacent clusters
    # must be compared.
    means = np.sum(background[:, None] * logs, axis=0)
    order = np.argsort(means, kind="stable").tolist()
    return {
        b: a
        for a, b in pairwise(order)
        if means[b] - means[a] < SAME and have_same_centroid(logs, background, a, b)
    }


def _weigh_entropy(sums: Floats) -> float:
    """Return S·H, where S is the sum of `sums` and H the entropy of the distribution sums / S."""
    total = float(np.sum(sums))
    return total * math.log(total) - float(np.sum(xlogx(sums))) if total > 0 else 0.0
