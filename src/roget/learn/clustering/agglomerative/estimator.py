"""`AgglomerativeTree`: the agglomerative information bottleneck as a scikit-learn estimator."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from roget.errors import Notice
from roget.learn.clustering import checkpoints
from roget.learn.clustering.agglomerative.merges import Merges, merge_words, weigh_words
from roget.learn.clustering.agglomerative.options import AgglomerativeOptions
from roget.learn.clustering.base import Clusterer, format_shortfall, place_others
from roget.learn.clustering.inputs import select_learnable
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import SAVED, Clustering

SMOOTHING = 1.0
"""Number of pseudo-tokens of the background distribution that smooth each cluster."""


class AgglomerativeTree(Clusterer, AgglomerativeOptions):
    """Agglomerative clustering of words, with the least loss of information about contexts.

    The loss of a merge is p(a) + p(b) times the Jensen–Shannon divergence of the two clusters,
    weighted by p(a) and p(b) (the agglomerative information bottleneck). Every word belongs to
    exactly one cluster, and the result does not depend on a seed. `path_` lists all merges, with
    the information that remains after each merge. The value of a split in the tree is the number of
    nats that it saves over all tokens.

    The run time is proportional to the number of words times the number of non-zero counts. Memory
    use is proportional to the number of non-zero counts. A long run saves its state in the folder
    `checkpoint`, and a later run can resume it. `progress` is called with {"n_clusters",
    "fraction"}. Ctrl-C ends a run early with a warning. The result then contains the current
    clusters, but no tree over them.

    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> AgglomerativeTree(2).fit(counts).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "agglomerative"
    makes = "word classes by merges with the least loss of information"
    unit = SAVED
    sized_levels = True

    def _learn(self, matrix: Any) -> None:
        # Merge only the max_words most frequent words. Place the rest later, like new words.
        totals, rows, _ = select_learnable(matrix, self.min_count)
        order = np.argsort(-totals[rows], kind="stable")
        learnt = np.sort(rows[order[: self.max_words]])
        if learnt.size < rows.size:
            text = (
                f"merged the {learnt.size:,} most frequent of {rows.size:,} words and placed the "
                f"remaining words in the resulting classes (change the limit with --set "
                f"max_words=N)"
            )
            self.notes_.append(Notice(text, code="words-capped"))
        joint = weigh_words(matrix[learnt], self.prior)
        # Merge down to one cluster. The number of clusters only determines where to cut the tree.
        merges = self._merge(joint)
        left = merges.n_words - merges.losses.size
        k = max(left, min(learnt.size, self.n_clusters or round(math.sqrt(learnt.size))))
        self.n_iter_ = max(1, merges.losses.size)
        found = make_clustering(merges, joint, k, float(matrix.sum()), _make_path(merges, joint))
        self.clustering_ = place_others(found, matrix, learnt)
        if self.n_clusters is not None and k < self.n_clusters:
            self._warn_shortfall(format_shortfall(k, self.n_clusters, "there are no more words"))

    @classmethod
    def learn_levels(cls, matrix: Any, seed: int, sizes: list[int]) -> list[tuple[Clustering, ...]]:
        """Learn a clustering for each number of clusters in `sizes` from one sequence of merges."""
        joint, tokens = weigh_words(matrix, cls.prior), float(matrix.sum())
        merges = merge_words(joint)
        known = [k for k in sizes if k <= merges.n_words]
        return [(make_clustering(merges, joint, k, tokens),) for k in known]

    def _merge(self, joint: Any) -> Merges:
        """Return all merges, or fewer if interrupted. Resume from a checkpoint if there is one."""
        kept = checkpoints.Checkpoint(
            self.checkpoint, self.name, (joint.indptr, joint.indices, joint.data), {}
        )
        state, n = kept.resume(), joint.shape[0]

        def report(merges: Merges) -> None:
            done = merges.losses.size
            kept.keep(lambda: {"pairs": merges.pairs, "losses": merges.losses}, now=merges.whole)
            self._report(done / (n - 1), n_clusters=n - done)
            pause()

        with kept.guard(), checkpoints.interruptible() as pause:
            earlier = None if state is None else Merges.read(n, state)
            merges = merge_words(joint, earlier, report, pause)
        if not merges.whole:
            self._interrupt()
        return merges


def make_clustering(
    merges: Merges, joint: Any, k: int, tokens: float, path: Any = ()
) -> Clustering:
    """Return the clustering with k clusters, given the merges and p(word, context)."""
    labels = merges.label(k)
    belongs = one_hot(labels, k)
    sums = (belongs.T @ joint).toarray()
    mass, background = sums.sum(axis=1), np.asarray(joint.sum(axis=0)).ravel()
    # Add SMOOTHING pseudo-tokens with the background distribution p(v).
    smooth = SMOOTHING / tokens
    centroids = (sums + smooth * background) / (mass + smooth)[:, None]
    tree = merges.tree(k, tokens)
    return Clustering(tree, belongs, centroids, mass, background, unit=SAVED, path=path)


def _make_path(merges: Merges, joint: Any) -> list[dict[str, Any]]:
    """Return one row per merge, with the mutual information I(c; v) that is left, in nats."""
    cells, totals = joint.tocoo(), np.asarray(joint.sum(axis=0)).ravel()
    words = np.asarray(joint.sum(axis=1)).ravel()
    # Start with I(words; contexts), and subtract the loss of each merge.
    ratio = cells.data / (words[cells.row] * totals[cells.col])
    left = float(np.sum(cells.data * np.log(ratio))) - np.cumsum(merges.losses)
    rows = zip(*merges.pairs.T.tolist(), merges.losses.tolist(), left.tolist(), strict=True)
    return [
        {"step": at, "n_clusters": merges.n_words - at, "into": one, "merged": other,
         "lost": lost, "left": rest}
        for at, (one, other, lost, rest) in enumerate(rows, 1)
    ]  # fmt: skip
