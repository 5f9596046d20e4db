"""SymmetricAnnealing: clusters of associations, as a scikit-learn estimator."""

from __future__ import annotations

from roget.learn.clustering.annealing.estimator import Annealing
from roget.learn.clustering.annealing.walk import Method
from roget.learn.clustering.symmetric.annealer import SymmetricAnnealer
from roget.learn.clustering.symmetric.rule import FoldIn


class SymmetricAnnealing(Annealing):
    """Soft clusters of associations: p(word, context) = Σ p(c)·p(word|c)·p(context|c), annealed.

    A pair belongs to cluster c by [p(c)·p(word|c)·p(context|c)]^β, and a word as its pairs do;
    below β = 1 clusters stay soft, and predict held-out pairs best. Words of several senses are
    shared out among clusters more readily than by `SoftAnnealing`.

    Parameters
    ----------
    n_clusters
        How many clusters; None chooses the number, and β, on held-out counts.
    beta
        Where β ends; by default 0.775.
    prior, min_count, dtype, tol, max_iter, n_jobs, random_state, checkpoint, progress
        As those of `SoftAnnealing`.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> model = SymmetricAnnealing(2, random_state=0).fit(counts)
    >>> sorted(model.labels_.tolist()), model.tree_
    ([0, 0, 1, 1], Tree: 2 clusters, 3 nodes, depth 1)
    """

    name = "symmetric"
    rule = FoldIn
    walk_steps = 50

    @property
    def method(self) -> Method:
        """The search, and how its clusters take new words."""
        return Method(SymmetricAnnealer, lambda beta: FoldIn(float(beta)), own=True)
