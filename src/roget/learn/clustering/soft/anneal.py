"""Deterministic annealing: raise β, split the most unstable cluster, let all words settle.

Pereira, Tishby & Lee (1993), with the critical β of every cluster known from an eigenvalue, so
that clusters come one by one, each at the β at which it must. Twins p_c ± ε·d of a cluster go, by
one EM step, to p_c ± ε·β·C_c·diag(1/p_c)·d with C_c = Σ p(n|c) p_n p_nᵀ, on Σ d = 0. So a cluster
splits once β·λ > 1, where λ ≤ 1 is the largest non-trivial eigenvalue (the first inertia of the
cluster's correspondence analysis), along the direction of its eigenvector.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from roget.core.folder import Schema, need_arrays, need_numbers
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
"""Vectors that are kept before a restart, and how often it is tried."""

ALOOF = 0.1
"""Words whose squared score is at least this part of the largest make up a narrow direction."""

STEP = 1.02
"""How far past its critical β a cluster is split: at the point itself twins never part."""

EDGE = 1.001
"""The same where β may not be raised further."""

RISE = 1.05
"""The largest factor by which β is raised before all words settle again."""

PACE = 1.05
"""β rises by this factor at least whenever all words settle, while clusters are being split."""

SENSES = (1.6, 2.5)
"""Where only a number of clusters is asked for, β ends where a word belongs to so many of them, the
exponential of the mean entropy (but to at most √k of k): there held-out text is predicted best."""

SHARPEN = 1.05
"""By what factor β goes there, from where the last split left it."""

SOFTEST, SHARPEST = 1.15, 4.0
"""It does not go lower than so many times what the splits needed, else clusters would come together
again; nor higher than so many times where they happened."""

RELAX = 1.1
"""Clusters settle together once there are more of them by this factor."""

RELAX_STEPS, RELAX_WORK = 6, 320
"""While clusters are few they settle longer, up to so many steps times clusters: near its critical
β a system is slow, and a cluster that has not settled yet seems more unstable than it is."""

RELAX_TOLERANCE = 1e-6

EMPTY = 0.01
"""A cluster with less mass than this part of the rarest word is empty."""

DROP = 1e-3
"""The part of a cluster's mass, in words that hardly belong to it, with no say in its split."""

NARROW = 5e-4
"""A split must concern at least this part of a cluster; rare words with contexts that no others
share would be split off one by one, at β = 1, and their twins never part from the rest."""

RETRY = 1.02
"""A cluster whose twins did not part is tried again at a β so much higher."""

GIVEN_UP = 4.0
"""And no more, once that would be so many times its critical β."""

PARTED = 0.05
"""Twins have parted if some words' shares of them differ by as much."""

SAME = 1e-3
"""Centroids are the same if their logarithms differ by less on average."""


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
    prior: Floats | None = None,
) -> Instability:
    """The largest non-trivial eigenvalue of a cluster, to a relative residual of `tolerance`.

    Words are left out that hold, together, at most the part `drop` of the cluster's mass: a word
    with contexts of its own makes any cluster unstable, however little it belongs there. So are
    words that, by such contexts, make a direction of their own with less than the part `narrow`.
    Words weigh as `prior` says, by default as in the data.
    """
    # A plain sum: a BLAS product may depend on how many threads that library uses.
    weights = (data.prior if prior is None else prior) * membership[:, cluster]
    words = np.flatnonzero(weights > drop * float(np.sum(weights)) / data.n_words)
    weights = weights[words]
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
        values, vectors, residual = find_axes(operator, vector, LANCZOS, tolerance, 1)
        # Rounding leaves about 1e-16 where all words are alike.
        if not values.size or values[0] < 1e-10:
            return Instability(0.0, words, weights, np.zeros(words.size))
        vector = vectors[0]
        if residual <= tolerance or tolerance >= 1e-2:
            break
    return Instability(min(float(values[0]), 1.0), words, weights, vector / roots)


class Annealer(AnnealingSearch):
    """The search itself."""

    needs_number = False
    stride = 6
    """How many steps β is raised by at once where a number of clusters is to be chosen."""
    lowest = 1.0
    """The β at which words that share no context with the others part."""

    @staticmethod
    def first_beta(beta: float | None) -> float | None:
        """Where β begins when a number of clusters is to be chosen: by itself."""
        return None

    @staticmethod
    def last_beta(reached: float) -> float:
        """Up to where β is tried, when a number of clusters was reached at one."""
        return SHARPEST * reached

    def __init__(self, data: Data, settings: AnnealingSettings, pause: Pause = never_stop) -> None:
        super().__init__(data, settings, pause)
        # Clusters are split by their critical β only as long as their masses count. Without,
        # clusters that hardly differ are all as unstable as the root, and their number has no end.
        self._massive = settings.equations == "mass"
        printed = settings.equations == "printed"
        self.mixture = SoftMixture(data, self._massive, self.crew, printed=printed)
        self.beta = min(1.0, self._limit)
        self.energy = self.mixture.run(self.beta, 1, 0.0)
        self.grown, self.falling, self.relaxed_at = False, False, 1
        # By cluster: the eigenvalue last seen, whether it still holds, and what it is divided by
        # because twins did not part.
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
        """p(c|n), words × clusters."""
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
        """−Σ p(n)·p_n(v)·log Σ p(c|n)·p(v|c), nats: of the words that are learnt from."""
        state = self.beta, self.mixture.k, self.settled, self.grown, self.energy
        if self._crossed[0] != state:
            indptr, columns, shares = self.data.rows
            words = np.repeat(np.arange(self.data.n_words), np.diff(indptr))
            told = predict_cells(self.memberships(), self.centroids, words, columns)
            logs = np.log(np.maximum(told, self.data.floor[columns]))
            cross = -float(np.sum(self.data.prior[words] * shares * logs))
            self._crossed = state, cross
        return self._crossed[1]

    @property
    def nearness(self) -> float:
        """How near the cross-entropy has come to where it is to end, from 0 to 1."""
        until = self.settings.until or 0.0
        gone = self._first_cross - self.cross_entropy()
        return min(1.0, max(0.0, gone / max(self._first_cross - until, 1e-12)))

    def _reached(self) -> bool:
        """Whether the cross-entropy is down to where it was to end."""
        until = self.settings.until
        return until is not None and self.cross_entropy() <= until

    def _run(self) -> Iterator[None]:
        # What to do next depends on nothing but the state, so that a resumed run does the same.
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
        """Leave off where it is, with the memberships that were asked for."""
        if not self.grown:
            self._pause = never_stop
            self._end_growth()

    def _end_growth(self) -> None:
        self.grown = self.falling = True
        self.mixture.massive = self.settings.mass
        self._settle(self.beta, final=False)

    def _next_beta(self) -> float:
        """Where β goes next: down while words are too sure of their cluster, then up; no further
        if it stays."""
        if self.settings.beta is not None:
            low, high = self.beta / SHARPEN, self.beta * SHARPEN**self.settings.stride
            return min(max(self.settings.beta, low), high)
        if self.settings.until is not None and self.splits:
            ceiling = SHARPEST * max(split.beta for split in self.splits)
            ends = self._reached() or self.beta >= ceiling
            return self.beta if ends else min(self.beta * SHARPEN, ceiling)
        if self.settings.n_clusters is None or not self.splits:
            return self.beta
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
        """All that is needed to go on from here, as arrays and plain data."""
        k = self.mixture.k
        return super().snapshot() | {
            "q": self.mixture.q[:, :k],
            "mass": self.mixture.mass[:k],
            # Centroids come from the memberships, unless there will be no more steps.
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
        """Go on from a snapshot."""
        super().restore(kept)
        n, k = self.data.n_words, kept["q"].shape[-1]
        schema: Schema = {
            "q": ("f", (n, k)), "mass": ("f", (k,)), "eigenvalue": ("f", (k,)),
            "fresh": ("b", (k,)), "handicap": ("f", (k,)),
            "logs": ("f", (self.data.n_contexts, k if self.finished else 0)),
        }  # fmt: skip
        if "pull" in kept:
            need_arrays(kept, {"pull": ("f", (n,))})
        need_arrays(kept, schema)
        if kept["q"].min() < 0 or not np.allclose(kept["q"].sum(axis=1), 1, atol=1e-3):
            raise ValueError("q: expected rows of shares that add up to 1")
        if min(kept["mass"].min(), kept["handicap"].min()) < 0:
            raise ValueError("mass, handicap: expected no negative numbers")
        need_numbers(kept, "relaxed_at", low=0)
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
        asked = self.settings.n_clusters
        return min(self.data.n_words, self.data.n_words if asked is None else asked)

    @property
    def _limit(self) -> float:
        return math.inf if self.settings.beta is None else self.settings.beta

    def _advance(self) -> bool:
        """Make one more split, raising β as far as that needs; False if there is none to make."""
        while self.mixture.k < self._most:
            cluster = self._most_unstable()
            value = float(self._promise()[cluster])
            if value <= 0 or self._limit * value < EDGE:
                return False
            need = min(STEP / value, self._limit)
            if need > self.beta * RISE and self.mixture.k > 1:
                self._settle(self.beta * RISE, final=False)
            elif need > self.beta and not self.settled:
                self._settle(need, final=False)
            elif self._split(cluster, max(self.beta, need)):
                return True
        return False

    def _most_unstable(self) -> int:
        """The cluster to split next: the largest eigenvalue, none above it that may be stale."""
        while True:
            order = np.argsort(-self._urgency(), kind="stable")
            if self.fresh[order[0]]:
                return int(order[0])
            # Two at a time, however many threads there are: the next one is likely wanted soon.
            stale = [int(c) for c in order[:8] if not self.fresh[c]][:2]
            found = self.crew.each(self._instability, stale)
            for cluster, one in zip(stale, found, strict=True):
                self.eigenvalue[cluster], self.fresh[cluster] = one.eigenvalue, True
                self._found[cluster] = one

    def _promise(self) -> Floats:
        """Each cluster's eigenvalue, less if its twins did not part before."""
        handicap = np.array(self.handicap)
        return np.where(handicap > GIVEN_UP, 0.0, np.array(self.eigenvalue) / handicap)

    def _urgency(self) -> Floats:
        """Which clusters to split first: of those unstable at this β, where it matters most."""
        value = self._promise()
        unstable = self.beta * value >= EDGE
        return np.where(unstable, 1.0 + self.mixture.mass[: self.mixture.k] * value, value)

    def _instability(self, cluster: int) -> Instability:
        drop, tolerance = (0.0, 1e-6) if self.mixture.k == 1 else (DROP, 3e-2)
        # The same start wherever it is looked at between two settlings, also after resuming.
        seed = [self.settings.seed, cluster, self.relaxed_at]
        return instability(
            self.data, self.mixture.q, cluster, drop=drop, tolerance=tolerance, seed=seed,
            narrow=NARROW, prior=self.mixture.pull,
        )  # fmt: skip

    def _split(self, cluster: int, beta: float) -> bool:
        """Let twins of the cluster part; False if they do not."""
        self._pause()
        found = self._found.get(cluster) or self._instability(cluster)
        parted = part(self.data, found, beta, self.mixture.floor)
        if parted is None:
            self.handicap[cluster] *= RETRY
            return False
        self._replace(cluster, beta, found, parted)
        self._account(cluster, beta, found, parted)
        if not self._massive:
            # A cluster more changes every word's memberships, so that all must settle.
            self._settle(beta, final=False)
            if len(self.splits) == self.mixture.k - 1 and self.splits:
                self.splits[-1] = replace(self.splits[-1], energy=self.energy)
        elif self.mixture.k >= RELAX * self.relaxed_at and self.mixture.k < self._most:
            self._settle(min(self.beta * PACE, self._limit), final=False)
        return True

    def _replace(self, cluster: int, beta: float, found: Instability, parted: Twins) -> None:
        """Put the twins where their parent was; the heavier one keeps its number."""
        mixture, new = self.mixture, self.mixture.k
        room = self._most if self.settings.n_clusters is not None else 0
        mixture.reserve(max(new + 1, min(room, 2 * new + 8)))
        held = mixture.q[found.words, cluster]
        mixture.q[:, new] = 0
        mixture.q[found.words, new] = held * (1.0 - parted.share)
        mixture.q[found.words, cluster] -= mixture.q[found.words, new]
        mixture.mass[new] = parted.mass
        mixture.mass[cluster] -= parted.mass
        if mixture.printed:
            for one in (cluster, new):
                mixture.mass[one] = float(np.sum(self.data.prior * mixture.q[:, one]))
        mixture.k = new + 1
        self.beta, self.settled = beta, False
        self._found.pop(cluster, None)

    def _account(self, cluster: int, beta: float, found: Instability, parted: Twins) -> None:
        """Note the split; distortion and entropy change by what the twins differ in."""
        distortion = self.energy.distortion - parted.gain
        entropy = self.energy.entropy + parted.entropy
        masses = self.mixture.mass[: self.mixture.k] if self._massive else np.ones(1)
        relative = entropy + float(np.sum(xlogx(masses)))
        self.energy = Energy(distortion - relative / beta, distortion, entropy)
        self.splits.append(ClusterSplit(cluster, beta, found.critical_beta, self.energy))
        # The twins are looked at anew before either is split.
        self.fresh[cluster] = False
        self.eigenvalue.append(found.eigenvalue)
        self.fresh.append(False)
        self.handicap.append(1.0)

    def _settle(self, beta: float, *, final: bool) -> None:
        """Let all words settle at this β, and merge twins that come together again."""
        self.beta = beta
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
        """Undo the latest splits whose twins have the same centroid, or of which one is empty."""
        empty = EMPTY * float(self.data.prior.min())
        for place in reversed(range(self.relaxed_at - 1, len(self.splits))):
            parent, new = self.splits[place].parent, place + 1
            later = {split.parent for split in self.splits[place + 1 :]}
            if later & {parent, new}:
                continue
            same = alike(self.mixture.logs, self.data.background, parent, new)
            if same or min(self.mixture.mass[parent], self.mixture.mass[new]) < empty:
                self._unsplit(place)

    def _absorb_copies(self) -> bool:
        """Leave one of clusters with the same centroid, as copies change a model without masses;
        whether there were any."""
        same = copies(self.mixture.logs[:, : self.mixture.k], self.data.background)
        for cluster in sorted(same, reverse=True):
            self._absorb(cluster)
        return bool(same)

    def _absorb(self, cluster: int) -> None:
        """Take a leaf out of the tree: its words go to the cluster that it split from, or to that
        which last split from it."""
        ways = [place for place, split in enumerate(self.splits) if split.parent == cluster]
        if ways:  # the last one that split from it takes its number
            other = ways[-1] + 1
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
    """Twins that have parted; the first is the heavier one."""

    share: Floats
    """The first one's part of each word of the parent."""
    mass: float
    """The mass of the second."""
    gain: float
    """By how much the distortion falls."""
    entropy: float
    """By how much the entropy of memberships rises."""


def part(data: Data, found: Instability, beta: float, floor: Floats) -> Twins | None:
    """The twins of a cluster, started along its instability; None if they do not part."""
    share = 1.0 / (1.0 + np.exp(np.clip(-2.0 * found.scores, -30, 30)))
    sums = np.zeros((2, data.n_contexts))
    one = kernels.twins(found.words, found.weights, data.rows, float(beta), floor, share, sums)
    first, second = sums
    total = float(np.sum(found.weights))
    if share.max() - share.min() < PARTED or not 1e-9 * total < one < total * (1 - 1e-9):
        return None
    if one < total / 2:
        share, first, second = 1.0 - share, second, first
    gain = _weighted_entropy(first + second) - _weighted_entropy(first) - _weighted_entropy(second)
    inner = found.weights * (xlogx(share) + xlogx(1.0 - share))
    mass = float(np.sum(found.weights * (1.0 - share)))
    return Twins(share, mass, gain, -float(np.sum(inner)))


def alike(logs: Array, background: Floats, one: int, other: int) -> bool:
    """Whether two clusters, columns of log p(v|c), have the same centroid."""
    return float(np.sum(background * np.abs(logs[:, one] - logs[:, other]))) < SAME


def copies(logs: Array, background: Floats) -> dict[int, int]:
    """Clusters that have the same centroid as another one, and which."""
    # The same centroids have the same mean logarithm, so only neighbours are compared.
    means = np.sum(background[:, None] * logs, axis=0)
    order = np.argsort(means, kind="stable").tolist()
    return {
        b: a
        for a, b in pairwise(order)
        if means[b] - means[a] < SAME and alike(logs, background, a, b)
    }


def _weighted_entropy(sums: Floats) -> float:
    """Σ sums times the entropy of sums, normalised."""
    total = float(np.sum(sums))
    return total * math.log(total) - float(np.sum(xlogx(sums))) if total > 0 else 0.0
