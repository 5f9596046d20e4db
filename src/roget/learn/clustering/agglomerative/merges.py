"""The merges from single words to one cluster, and the trees and labels derived from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from roget.core.contents import Contents, array
from roget.core.information import xlogx
from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.learn.clustering.agglomerative import kernels
from roget.learn.clustering.annealing.data import distributions
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.memberships import merge_labels, merges_to_splits

BLOCK = 64
"""Number of merges between two checks for Ctrl-C."""


@dataclass(frozen=True)
class StoredMerges(Contents):
    pairs: Ints = array("iu", "merges", 2, low=0, below="words")
    losses: Floats = array("f", "merges")


@dataclass(frozen=True, eq=False)
class Merges:
    """The merges of n words, in order. In each pair, the second cluster is merged into the first.

    A cluster is named by the index of its first word. `losses` are in nats per token. There are n −
    1 merges, or fewer if the run was interrupted.
    """

    n_words: int
    pairs: Ints
    losses: Floats

    @classmethod
    def read(cls, n_words: int, kept: Mapping[str, Any]) -> Self:
        """Restore saved merges. Raise KeyError or ValueError if they are invalid."""
        held = StoredMerges.read(kept, words=n_words)
        pairs = held.pairs.astype(np.int64)
        one, other = pairs.T
        order = np.arange(len(pairs))
        # gone[c] is the step at which c is merged into another cluster. A merge needs two clusters
        # that still exist.
        gone = np.full(n_words, len(pairs))
        gone[other[::-1]] = order[::-1]
        if not (np.all(one < other) and np.all(gone[other] == order) and np.all(gone[one] > order)):
            raise ValueError("'pairs' contains a cluster that was already merged into another one")
        return cls(n_words, pairs, held.losses.astype(np.float64))

    @property
    def whole(self) -> bool:
        """True if all words have been merged into one cluster."""
        return bool(self.losses.size == self.n_words - 1)

    def label(self, k: int) -> Ints:
        """Return each word's cluster when k clusters are left, numbered as in `tree`."""
        labels = merge_labels(self.pairs[: self.n_words - k].tolist(), self.n_words)
        return self._split(k)[1][labels] if self.whole else labels

    def tree(self, k: int, scale: float = 1.0) -> Tree:
        """Return the tree over k clusters. The value of a split is the loss of its merge times
        `scale`.
        """
        if not self.whole:
            return Tree.flat(k)
        values = self.losses[::-1][: k - 1] * scale
        return Tree.from_splits(zip(self._split(k)[0], values.tolist(), strict=True))

    def _split(self, k: int) -> tuple[list[int], Ints]:
        """Return the merges of k clusters into one, as a sequence of splits."""
        return merges_to_splits(self.pairs[self.n_words - k :].tolist())


def weigh_words(matrix: Any, prior: str) -> Any:
    """Return p(word, context) as a csr_array, with an empirical or uniform prior over words."""
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    weights = totals if prior == "empirical" else np.ones_like(totals)
    shares = distributions(matrix, totals)
    shares.data *= np.repeat(weights / weights.sum(), np.diff(shares.indptr))
    shares.sort_indices()
    return shares


def merge_words(
    joint: Any,
    earlier: Merges | None = None,
    report: Callable[[Merges], None] | None = None,
    pause: Pause = never_stop,
) -> Merges:
    """Merge the pair of clusters with the lowest loss until one cluster remains.

    joint: p(word, context), a csr_array without empty rows.
    earlier: merges from an interrupted run that is to be continued.
    report: called with the merges so far. A KeyboardInterrupt from it ends the run.
    pause: called while neighbour lists are built, before the first merge.
    """
    n = joint.shape[0]
    clusters = _begin(joint)
    pairs, losses = np.zeros((n - 1, 2), dtype=np.int64), np.zeros(n - 1)
    done = 0
    if earlier is not None:
        done = earlier.losses.size
        pairs[:done], losses[:done] = earlier.pairs, earlier.losses
        for one, other in earlier.pairs.tolist():
            kernels.join(clusters, one, other)
    # Build the neighbour lists of all clusters, then perform the merges in blocks.
    for begin in range(0, n, BLOCK):
        kernels.rebuild(clusters, begin, min(begin + BLOCK, n))
        pause()
    try:
        while done < n - 1:
            here = slice(done, min(done + BLOCK, n - 1))
            kernels.merge(clusters, pairs[here], losses[here])
            done = here.stop
            if report is not None:
                report(Merges(n, pairs[:done], losses[:done]))
    except KeyboardInterrupt:
        pass
    return Merges(n, pairs[:done], losses[:done])


def _begin(joint: Any) -> kernels.Clusters:
    """Return the initial state, with one cluster per word."""
    n, m = joint.shape
    joint = sparse.csr_array(joint)
    # Allocate twice the memory of all rows, because merged rows are appended before gaps are
    # closed.
    room = 2 * joint.nnz + m
    contexts, shares, terms = np.zeros(room, dtype=np.int32), np.zeros(room), np.zeros(room)
    contexts[: joint.nnz], shares[: joint.nnz] = joint.indices, joint.data
    terms[: joint.nnz] = xlogx(joint.data)
    mass = np.asarray(joint.sum(axis=1), dtype=np.float64).ravel()
    return kernels.Clusters(
        joint.indptr[:-1].astype(np.int64), np.diff(joint.indptr).astype(np.int64),
        contexts, shares, terms, mass, xlogx(mass),
        np.full((n, kernels.LISTED), -1), np.full((n, kernels.LISTED), np.inf),
        np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, dtype=np.bool_),
        np.array([joint.nnz]), np.zeros(m), np.zeros(m),
    )  # fmt: skip
