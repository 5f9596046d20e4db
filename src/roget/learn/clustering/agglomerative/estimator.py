"""AgglomerativeTree: greedy merges of words as an estimator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from roget.learn.clustering import checkpoints
from roget.learn.clustering.agglomerative.merges import Merges, merge_words, weigh_words
from roget.learn.clustering.agglomerative.options import AgglomerativeOptions
from roget.learn.clustering.base import Clusterer, format_shortfall, place_others
from roget.learn.clustering.inputs import select_learnable
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import SAVED, Clustering

SMOOTHING = 1.0
"""Tokens of all words' contexts that are added to those of each cluster."""


class AgglomerativeTree(Clusterer, AgglomerativeOptions):
    """Classes of words by merges, each of the two clusters that lose least by it; and their tree.

    What is lost is information about contexts: p(a) + p(b) times the Jensen–Shannon divergence of
    the two, weighted by p(a) and p(b) (the agglomerative information bottleneck). Every word is
    wholly in one cluster, and the run is the same for any seed. `path_` has all merges, with the
    information that is left; the values of the tree are what splits tell of all tokens.

    The run takes time by the number of words times that of all their contexts, and memory by the
    latter. `checkpoint` is a folder in which a long run is kept and from which it goes on;
    `progress` is called with {"n_clusters", "fraction"} as it does. Ctrl-C ends a run early, with
    the clusters that are left, side by side, and a warning.

    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> AgglomerativeTree(2).fit(counts).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "agglomerative"
    makes = "classes of words by merges that lose least"
    unit = SAVED
    sized_levels = True

    def _learn(self, matrix: Any) -> None:
        totals, rows, _ = select_learnable(matrix, self.min_count)
        order = np.argsort(-totals[rows], kind="stable")
        learnt = np.sort(rows[order[: self.max_words]])
        if learnt.size < rows.size:
            self.notes_.append(
                f"the {learnt.size:,} most frequent of {rows.size:,} words were merged, the others "
                "put where they fit (--max-words)"
            )
        joint = weigh_words(matrix[learnt], self.prior)
        merges = self._merge(joint)
        left = merges.n_words - merges.losses.size
        k = max(left, min(learnt.size, self.n_clusters or round(math.sqrt(learnt.size))))
        self.n_iter_ = max(1, merges.losses.size)
        found = make_clustering(merges, joint, k, float(matrix.sum()), _trace(merges, joint))
        self.clustering_ = place_others(found, matrix, learnt)
        if self.n_clusters is not None and k < self.n_clusters:
            self._fall_short(format_shortfall(k, self.n_clusters, "there are no more words"))

    @classmethod
    def learn_levels(cls, matrix: Any, seed: int, sizes: list[int]) -> list[tuple[Clustering, ...]]:
        """Clusterings of these sizes, by the same merges."""
        joint, tokens = weigh_words(matrix, cls.prior), float(matrix.sum())
        merges = merge_words(joint)
        known = [k for k in sizes if k <= merges.n_words]
        return [(make_clustering(merges, joint, k, tokens),) for k in known]

    def _merge(self, joint: Any) -> Merges:
        """All merges, from where a run was left; fewer if it is stopped."""
        kept = checkpoints.Checkpoint(
            self.checkpoint, self.name, (joint.indptr, joint.indices, joint.data), {}
        )
        told, n = kept.resume(), joint.shape[0]

        def tell(merges: Merges) -> None:
            done = merges.losses.size
            kept.keep(lambda: {"pairs": merges.pairs, "losses": merges.losses}, now=merges.whole)
            self._tell(done / (n - 1), n_clusters=n - done)
            pause()

        with kept.going_on(), checkpoints.interruptible() as pause:
            earlier = None if told is None else Merges.read(n, told)
            merges = merge_words(joint, earlier, tell, pause)
        if not merges.whole:
            self._interrupt("the clusters that are left are kept")
        return merges


def make_clustering(
    merges: Merges, joint: Any, k: int, tokens: float, path: Any = ()
) -> Clustering:
    """The k clusters that merges leave, of the words with these p(word, context)."""
    labels = merges.label(k)
    belongs = one_hot(labels, k)
    sums = (belongs.T @ joint).toarray()
    mass, background = sums.sum(axis=1), np.asarray(joint.sum(axis=0)).ravel()
    smooth = SMOOTHING / tokens
    centroids = (sums + smooth * background) / (mass + smooth)[:, None]
    tree = merges.tree(k, tokens)
    return Clustering(tree, belongs, centroids, mass, background, unit=SAVED, path=path)


def _trace(merges: Merges, joint: Any) -> list[dict[str, Any]]:
    """The merges as rows of a path, with the information that is left after each, nats."""
    cells, totals = joint.tocoo(), np.asarray(joint.sum(axis=0)).ravel()
    words = np.asarray(joint.sum(axis=1)).ravel()
    ratio = cells.data / (words[cells.row] * totals[cells.col])
    left = float(np.sum(cells.data * np.log(ratio))) - np.cumsum(merges.losses)
    rows = zip(*merges.pairs.T.tolist(), merges.losses.tolist(), left.tolist(), strict=True)
    return [
        {"step": at, "n_clusters": merges.n_words - at, "into": one, "merged": other,
         "lost": lost, "left": rest}
        for at, (one, other, lost, rest) in enumerate(rows, 1)
    ]  # fmt: skip
