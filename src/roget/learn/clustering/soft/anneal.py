"""Deterministic annealing: raise β, split the most unstable cluster, let all words settle.

This is the algorithm of Pereira, Tishby & Lee (1993), with the critical β of every cluster known
from an eigenvalue, so that clusters split one by one, each at its critical β. One EM step maps the
twins p_c ± ε·d of a cluster to p_c ± ε·β·C_c·diag(1/p_c)·d, with C_c = Σ_n p(n|c)·p_n·p_nᵀ, on Σ d
= 0. So a cluster splits once β·λ > 1, where λ ≤ 1 is the largest non-trivial eigenvalue (the first
inertia of the cluster's correspondence analysis), along its eigenvector.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from roget.core.folder import Schema, require_arrays, require_numbers
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
"""Words whose squared score is at least this share of the largest make up a narrow direction."""

STEP = 1.02
"""Factor beyond its critical β at which a cluster is split; at the point itself twins do not
separate."""

EDGE = 1.001
"""The same factor if β may not be raised further."""

RISE = 1.05
"""Largest factor by which β is raised before all words settle again."""

PACE = 1.05
"""Minimum factor by which β rises whenever all words settle, while clusters are being split."""

SENSES = (1.6, 2.5)
"""If only a number of clusters is requested, β ends where a word belongs to this number of them on
average (the exponential of the mean entropy, at most √k of k): best for held-out text."""

SHARPEN = 1.05
"""Factor of the steps of β after the last split."""

SOFTEST, SHARPEST = 1.15, 4.0
"""β does not go below the first factor times the highest critical β, or clusters would merge again,
nor above the second factor times the highest β of a split."""

RELAX = 1.1
"""Clusters settle together once their number has grown by this factor."""

RELAX_STEPS, RELAX_WORK = 6, 320
"""Number of settling steps; few clusters settle longer, for up to RELAX_WORK / k steps: near a
critical β convergence is slow, and an unsettled cluster appears more unstable than it is."""

RELAX_TOLERANCE = 1e-6
"""Relative change of the free energy at which settling stops."""

EMPTY = 0.01
"""A cluster with less mass than this share of the rarest word is empty."""

DROP = 1e-3
"""Share of a cluster's mass, in words that hardly belong to it, that is ignored for its split."""

NARROW = 5e-4
"""Minimum share of a cluster that a split must concern: rare words with contexts of their own would
be split off one by one at β = 1, and their twins never separate from the rest."""

RETRY = 1.02
"""A cluster whose twins did not separate is tried again at a β higher by this factor."""

MAX_HANDICAP = 4.0
"""It is not tried again once that would be this many times its critical β."""

SEPARATED = 0.05
"""Twins have separated if the shares of some words in them differ by this much."""

SAME = 1e-3
"""Centroids are the same if their logarithms differ by less than this on average."""


@dataclass(frozen=True, eq=False)
class Instability:
    """The instability of a cluster, and the words that take part in it."""

    eigenvalue: float
    words: Array
    weights: Floats
    """p(n)·p(c|n) of these words."""
    scores: Floats
    """The side each word leans to: Σ p_n(v)·d(v)/p_c(v), with unit variance."""

    @property
    def critical_beta(self) -> float:
        """The β at which the cluster splits; infinite if all its words have the same contexts."""
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
    """Return the largest non-trivial eigenvalue of a cluster, to a relative residual `tolerance`.

    Words that together hold at most the share `drop` of the cluster's mass are ignored: a word with
    contexts of its own makes any cluster unstable, however little it belongs to it. So are words
    that form a direction of their own with less than the share `narrow`. The weights of words are
    `prior`, by default the prior of the data.
    """
    # A plain sum: a BLAS product may depend on the number of threads.
    weights = (data.prior if prior is None else prior) * membership[:, cluster]
    words = np.flatnonzero(weights > drop * float(np.sum(weights)) / data.n_words)
    weights = weights[words]
    while True:
        found = _largest(data, words, weights, tolerance, seed)
        shares = weights / max(float(np.sum(weights)), 1e-300)
        # 1/Σ share·score⁴ is the share of the cluster that the direction concerns (participation).
        concerned = 1.0 / max(float(np.sum(shares * found.scores**4)), 1e-300)
        if found.eigenvalue == 0 or concerned >= narrow:
            return found
        kept = found.scores**2 < ALOOF * np.max(found.scores**2)
        words, weights = words[kept], weights[kept]


def _largest(data: Data, words: Array, weights: Floats, tolerance: float, seed: Any) -> Instability:
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
        # Rounding leaves about 1e-16 if all words have the same contexts.
        if not values.size or values[0] < 1e-10:
            return Instability(0.0, words, weights, np.zeros(words.size))
        vector = vectors[0]
        if residual <= tolerance or tolerance >= 1e-2:
            break
    return Instability(min(float(values[0]), 1.0), words, weights, vector / roots)


class Annealer(AnnealingSearch):
    """The annealing of clusters of words (the asymmetric model)."""

    needs_number = False
    stride = 6
    """Number of steps by which β is raised at once while a number of clusters is chosen."""
    lowest = 1.0
    """The β at which disconnected words split off."""

    @staticmethod
    def first_beta(beta: float | None) -> float | None:
        """Return the first β if a number of clusters is chosen: None, as the search finds it."""
        return None

    @staticmethod
    def last_beta(reached: float) -> float:
        """Return the highest β that is tried after a number of clusters was reached at one."""
        return SHARPEST * reached

    def __init__(self, data: Data, settings: AnnealingSettings, pause: Pause = never_stop) -> None:
        super().__init__(data, settings, pause)
        # Clusters are split by their critical β only while masses count. Without masses, clusters
        # that hardly differ are all as unstable as the root, and their number has no end.
        self._massive = settings.equations == "mass"
        printed = settings.equations == "printed"
        self.mixture = SoftMixture(data, self._massive, self.threads, printed=printed)
        self.beta = min(1.0, self._limit)
        self.energy = self.mixture.run(self.beta, 1, 0.0)
        self.grown, self.falling, self.relaxed_at = False, False, 1
        # By cluster: the last known eigenvalue, whether it is up to date, and its divisor if twins
        # did not separate.
        self.eigenvalue: list[float] = [1.0]
        self.fresh: list[bool] = [False]
        self.handicap: list[float] = [1.0]
        self._found: dict[int, Instability] = {}
        self._crossed: tuple[Any, float] = None, 0.0
        self._first_cross = self.cross_entropy() if settings.until is not None else 0.0

    @property
    def tree(self) -> Tree:
        """The splits as a tree."""
        return Tree.from_splits((split.parent, split.beta) for split in self.splits)

    def memberships(self) -> Array:
        """Return p(c|n), words × clusters."""
        return self.mixture.q[:, : self.mixture.k]

    @property
    def centroids(self) -> Array:
        """p(v|c), clusters × contexts."""
        if not self.settled:
            self.mixture.m_step()
        return self.mixture.centroids()

    @property
    def mass(self) -> Floats:
        """p(c) of each cluster."""
        return self.mixture.mass[: self.mixture.k].copy()

    def cross_entropy(self) -> float:
        """Return −Σ p(n)·p_n(v)·ln Σ_c p(c|n)·p(v|c) over the training words, in nats."""
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
        """How close the cross-entropy is to its target, from 0 to 1."""
        until = self.settings.until or 0.0
        gone = self._first_cross - self.cross_entropy()
        return min(1.0, max(0.0, gone / max(self._first_cross - until, 1e-12)))

    def _reached(self) -> bool:
        """Return True if the cross-entropy has reached its target."""
        until = self.settings.until
        return until is not None and self.cross_entropy() <= until

    def _run(self) -> Iterator[None]:
        # Phase 1 splits clusters, phase 2 takes β to its end, phase 3 settles. Each step depends
        # only on the state, so that a resumed run does the same.
        while True:
            if not self.grown:
                if not self._reached() and self._advance():
                    yield
                else:
                    self._end_growth()
                continue
            beta = self._next_beta()
            if beta == self.beta:
                break
            self._settle(beta, final=False)
            yield
        self._settle(self.beta, final=True)
        while self.settings.n_clusters is None and self._absorb_copies():
            self._settle(self.beta, final=True)

    def wind_up(self) -> None:
        """End the search where it is, with the requested kind of memberships."""
        if not self.grown:
            self._pause = never_stop
            self._end_growth()

    def _end_growth(self) -> None:
        """End splitting, and switch to the requested kind of memberships."""
        self.grown = self.falling = True
        self.mixture.massive = self.settings.mass
        self._settle(self.beta, final=False)

    def _next_beta(self) -> float:
        """Return the next β: lower while words are too sure of their cluster, then higher; the same
        if it is final."""
        if self.settings.beta is not None:
            low, high = self.beta / SHARPEN, self.beta * SHARPEN**self.settings.stride
            return min(max(self.settings.beta, low), high)
        if self.settings.until is not None and self.splits:
            ceiling = SHARPEST * max(split.beta for split in self.splits)
            ends = self._reached() or self.beta >= ceiling
            return self.beta if ends else min(self.beta * SHARPEN, ceiling)
        if self.settings.n_clusters is None or not self.splits:
            return self.beta
        # The entropy of memberships decides: exp(H) is the number of clusters a word belongs to.
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
        """Return the whole state as arrays and plain data."""
        k = self.mixture.k
        return super().snapshot() | {
            "q": self.mixture.q[:, :k],
            "mass": self.mixture.mass[:k],
            # Centroids follow from the memberships, unless there will be no more steps.
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
        """Resume from a snapshot."""
        super().restore(kept)
        n, k = self.data.n_words, kept["q"].shape[-1]
        schema: Schema = {
            "q": ("f", (n, k)), "mass": ("f", (k,)), "eigenvalue": ("f", (k,)),
            "fresh": ("b", (k,)), "handicap": ("f", (k,)),
            "logs": ("f", (self.data.n_contexts, k if self.finished else 0)),
        }  # fmt: skip
        if "pull" in kept:
            require_arrays(kept, {"pull": ("f", (n,))})
        require_arrays(kept, schema)
        if kept["q"].min() < 0 or not np.allclose(kept["q"].sum(axis=1), 1, atol=1e-3):
            raise ValueError("q: expected rows of shares that sum to 1")
        if min(kept["mass"].min(), kept["handicap"].min()) < 0:
            raise ValueError("mass, handicap: negative numbers")
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
        """Make one more split, raising β as far as needed; return False if no split is possible."""
        while self.mixture.k < self._most:
            cluster = self._most_unstable()
            value = float(self._promise()[cluster])
            if value <= 0 or self._limit * value < EDGE:
                return False
            # The split needs β·λ ≥ STEP. Raise β slowly, and let all words settle before splitting.
            need = min(STEP / value, self._limit)
            if need > self.beta * RISE and self.mixture.k > 1:
                self._settle(self.beta * RISE, final=False)
            elif need > self.beta and not self.settled:
                self._settle(need, final=False)
            elif self._split(cluster, max(self.beta, need)):
                return True
        return False

    def _most_unstable(self) -> int:
        """Return the cluster to split next: the most urgent one, with an up-to-date eigenvalue."""
        while True:
            order = np.argsort(-self._urgency(), kind="stable")
            if self.fresh[order[0]]:
                return int(order[0])
            # Always two at a time, whatever the number of threads: the next one is likely needed
            # soon.
            stale = [int(c) for c in order[:8] if not self.fresh[c]][:2]
            found = self.threads.each(self._instability, stale)
            for cluster, one in zip(stale, found, strict=True):
                self.eigenvalue[cluster], self.fresh[cluster] = one.eigenvalue, True
                self._found[cluster] = one

    def _promise(self) -> Floats:
        """Return each cluster's eigenvalue, reduced if its twins did not separate before."""
        handicap = np.array(self.handicap)
        return np.where(handicap > MAX_HANDICAP, 0.0, np.array(self.eigenvalue) / handicap)

    def _urgency(self) -> Floats:
        """Rank the clusters: first those unstable at this β, by mass times eigenvalue."""
        value = self._promise()
        unstable = self.beta * value >= EDGE
        return np.where(unstable, 1.0 + self.mixture.mass[: self.mixture.k] * value, value)

    def _instability(self, cluster: int) -> Instability:
        drop, tolerance = (0.0, 1e-6) if self.mixture.k == 1 else (DROP, 3e-2)
        # The same start between two settlings, also after resuming.
        seed = [self.settings.seed, cluster, self.relaxed_at]
        return instability(
            self.data, self.mixture.q, cluster, drop=drop, tolerance=tolerance, seed=seed,
            narrow=NARROW, prior=self.mixture.pull,
        )  # fmt: skip

    def _split(self, cluster: int, beta: float) -> bool:
        """Separate the twins of a cluster; return False if they do not separate."""
        self._pause()
        found = self._found.get(cluster) or self._instability(cluster)
        twins = separate(self.data, found, beta, self.mixture.floor)
        if twins is None:
            self.handicap[cluster] *= RETRY
            return False
        self._replace(cluster, beta, found, twins)
        self._account(cluster, beta, found, twins)
        if not self._massive:
            # One more cluster changes the memberships of every word, so all must settle.
            self._settle(beta, final=False)
            if len(self.splits) == self.mixture.k - 1 and self.splits:
                self.splits[-1] = replace(self.splits[-1], energy=self.energy)
        elif self.mixture.k >= RELAX * self.relaxed_at and self.mixture.k < self._most:
            self._settle(min(self.beta * PACE, self._limit), final=False)
        return True

    def _replace(self, cluster: int, beta: float, found: Instability, twins: Twins) -> None:
        """Replace a cluster by its twins; the heavier one keeps its number."""
        mixture, new = self.mixture, self.mixture.k
        room = self._most if self.settings.n_clusters is not None else 0
        mixture.reserve(max(new + 1, min(room, 2 * new + 8)))
        # Divide the memberships of the parent by the shares of the twins.
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

    def _account(self, cluster: int, beta: float, found: Instability, twins: Twins) -> None:
        """Record the split; distortion and entropy change by the difference of the twins."""
        # F = D − H/β, with H relative to the masses if these count.
        distortion = self.energy.distortion - twins.gain
        entropy = self.energy.entropy + twins.entropy
        masses = self.mixture.mass[: self.mixture.k] if self._massive else np.ones(1)
        relative = entropy + float(np.sum(xlogx(masses)))
        self.energy = Energy(distortion - relative / beta, distortion, entropy)
        self.splits.append(ClusterSplit(cluster, beta, found.critical_beta, self.energy))
        # The twins' eigenvalues are computed before either is split.
        self.fresh[cluster] = False
        self.eigenvalue.append(found.eigenvalue)
        self.fresh.append(False)
        self.handicap.append(1.0)

    def _settle(self, beta: float, *, final: bool) -> None:
        """Let all words settle at this β, and merge twins that have come together again."""
        self.beta = beta
        # While splitting, few steps suffice; the final settling runs to convergence.
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
        """Undo the latest splits whose twins have the same centroid, or one of which is empty."""
        # Latest splits first, and only those whose twins were not split further.
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
        """Merge clusters with the same centroid, as copies change a model without masses; return
        True if there were any."""
        same = find_copies(self.mixture.logs[:, : self.mixture.k], self.data.background)
        for cluster in sorted(same, reverse=True):
            self._absorb(cluster)
        return bool(same)

    def _absorb(self, cluster: int) -> None:
        """Remove a leaf of the tree: its words go to the cluster it split from, or to the one that
        last split from it."""
        children = [place for place, split in enumerate(self.splits) if split.parent == cluster]
        if children:  # the last child takes its number
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
        """Undo a split: merge the new cluster into its parent, and renumber the later ones."""
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
    """Twins that have separated; the first is the heavier one."""

    share: Floats
    """Share of the first twin in each word of the parent."""
    mass: float
    """Mass of the second twin."""
    gain: float
    """Decrease of the distortion."""
    entropy: float
    """Increase of the entropy of the memberships."""


def separate(data: Data, found: Instability, beta: float, floor: Floats) -> Twins | None:
    """Return the twins of a cluster, started along its instability; None if they stay together."""
    # Start along the eigenvector: words on either side of it lean to one of the twins.
    share = 1.0 / (1.0 + np.exp(np.clip(-2.0 * found.scores, -30, 30)))
    sums = np.zeros((2, data.n_contexts))
    one = kernels.twins(found.words, found.weights, data.rows, float(beta), floor, share, sums)
    first, second = sums
    total = float(np.sum(found.weights))
    if share.max() - share.min() < SEPARATED or not 1e-9 * total < one < total * (1 - 1e-9):
        return None
    # The heavier twin comes first, as it keeps the number of its parent.
    if one < total / 2:
        share, first, second = 1.0 - share, second, first
    # ΔD is the loss of entropy of the centroids, weighted by mass: H(both) − H(first) − H(second).
    gain = _weighted_entropy(first + second) - _weighted_entropy(first) - _weighted_entropy(second)
    inner = found.weights * (xlogx(share) + xlogx(1.0 - share))
    mass = float(np.sum(found.weights * (1.0 - share)))
    return Twins(share, mass, gain, -float(np.sum(inner)))


def have_same_centroid(logs: Array, background: Floats, one: int, other: int) -> bool:
    """Return True if two clusters, columns of ln p(v|c), have the same centroid."""
    return float(np.sum(background * np.abs(logs[:, one] - logs[:, other]))) < SAME


def find_copies(logs: Array, background: Floats) -> dict[int, int]:
    """Return clusters with the same centroid as another one, and that one."""
    # Equal centroids have equal mean logarithms, so only neighbours in this order are compared.
    means = np.sum(background[:, None] * logs, axis=0)
    order = np.argsort(means, kind="stable").tolist()
    return {
        b: a
        for a, b in pairwise(order)
        if means[b] - means[a] < SAME and have_same_centroid(logs, background, a, b)
    }


def _weighted_entropy(sums: Floats) -> float:
    """Return the sum of `sums` times the entropy of their distribution."""
    total = float(np.sum(sums))
    return total * math.log(total) - float(np.sum(xlogx(sums))) if total > 0 else 0.0
