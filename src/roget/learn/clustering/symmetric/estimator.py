"""SymmetricAnnealing: clusters of associations, as a scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

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

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        beta: float | None = None,
        prior: str = "empirical",
        min_count: float = 0,
        dtype: str = "float64",
        tol: float = 1e-5,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.prior = prior
        self.min_count = min_count
        self.dtype = dtype
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.progress = progress

    @property
    def method(self) -> Method:
        """The search, and how its clusters take new words."""
        return Method(SymmetricAnnealer, lambda beta: FoldIn(float(beta)), own=True)
