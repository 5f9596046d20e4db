"""SoftAnnealing: deterministic annealing as a scikit-learn estimator, and its placement rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget import catalogue
from roget.core.kernels.rows import rows_of
from roget.core.types import Array
from roget.errors import InputError
from roget.learn.clustering.annealing.data import distributions
from roget.learn.clustering.annealing.estimator import Annealing
from roget.learn.clustering.annealing.states import AnnealingSettings, Method, ThreadPool, ranges
from roget.learn.clustering.memberships import floor
from roget.learn.clustering.result import Clustering, Rule
from roget.learn.clustering.soft import kernels
from roget.learn.clustering.soft.anneal import Annealer
from roget.learn.clustering.soft.options import SoftOptions


@dataclass(frozen=True, eq=False)
class AnnealedRule(Rule):
    """Rule that places words by p(c|word) ∝ exp(−β·KL(word ‖ cluster)).

    With `mass`, this is multiplied by p(c).
    """

    clusterer = "soft"

    beta: float = 1.0
    mass: bool = False
    n_jobs: int | None = None

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """Return p(c|word), computed by one exact E step. Words without counts get p(c)."""
        centroids, mass = leaves.centroids, leaves.mass
        k, dtype = centroids.shape[0], centroids.dtype
        totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        # Apply a lower bound. p(v|c) = 0 would exclude all words with context v.
        logs = np.log(np.maximum(centroids.T, floor(leaves.background)[:, None])).astype(dtype)
        bias = np.log(np.maximum(mass, 1e-30)) if self.mass else np.zeros(k)
        centres = kernels.Centroids(np.ascontiguousarray(logs), bias, float(self.beta))
        table, n = rows_of(distributions(matrix, totals), dtype), totals.size
        q, fits = np.empty((n, k), dtype=dtype), kernels.Fits(np.empty(n), np.empty(n))
        ones, parts = np.ones(n), ranges(table.indptr)
        masses = np.empty((len(parts), k))
        with closing(ThreadPool(self.n_jobs)) as threads:
            threads.over(parts, kernels.expect, table, centres, ones, q, fits, own=masses)
        q[totals <= 0] = mass / mass.sum()
        return q

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> Rule | None:
        """Restore the rule from β and the options, as recorded by an early version."""
        beta, options = provenance.get("beta"), provenance.get("options") or {}
        called = provenance.get("rule", "anneal")
        if beta is None or options.get("model") == "symmetric" or called != "anneal":
            return None
        return cls(beta=float(beta), mass=bool(options.get("mass")))


class SoftAnnealing(Annealing, SoftOptions):
    """Soft clustering of words by deterministic annealing, with a tree of the splits.

    The membership of a word n in cluster c is p(c|n) ∝ exp(−β·KL(p_n‖p_c)), and the centroid p_c is
    the mean of its words. The search starts with a single cluster and raises β. Each cluster is
    split at its critical β.

    If only `n_clusters` is set, the final β is chosen so that a word belongs to 1.6 to 2.5 clusters
    on average, as far as the clusters stay distinct. If only `beta` is set, the number of clusters
    follows from it. If neither is set, both are chosen on held-out counts. If `beta` is too low for
    `n_clusters`, fewer clusters are found, with a warning.

    With `mass`, memberships are ∝ p(c)·exp(−β·KL). While clusters are split, this is always the
    case unless `equations` is changed. model="symmetric" is the same as `SymmetricAnnealing`.

    With memberships="mixture", p(c|n) are the weights of the mixture Σ p(c|n) p(v|c) that fits the
    word's counts best. Clusters, tree and path are the same, but a word with several senses belongs
    to several clusters, and not mostly to the nearest one.

    A long run saves its state in the folder `checkpoint`, and a later run can resume it. `progress`
    is called with {"beta", "n_clusters", "free_energy", "fraction"}. The value of free_energy is
    None while the number of clusters is chosen on held-out counts.

    `until` is the cross-entropy of the training counts, in bits, at which splitting stops. If
    necessary, β is then raised further. `path_` holds the free energy F = D − H/β that was
    minimised during splitting. With masses, H is relative to them. `paper_free_energy` is F without
    masses.

    `notes_` lists notes on the data. Ctrl-C ends a run early with a warning and the clusters found
    so far.

    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> model = SoftAnnealing(2, random_state=0).fit(counts)
    >>> sorted(model.labels_.tolist()), model.tree_
    ([0, 0, 1, 1], Tree: 2 clusters, 3 nodes, depth 1)
    """

    name = "soft"
    makes = "soft word classes by deterministic annealing"
    spreads = True
    rule = AnnealedRule

    @property
    def method(self) -> Method:
        """The search class, and the rule for placing new words."""
        if self.model == "symmetric":
            if (self.equations, self.until, self.memberships) != ("mass", None, "nearest"):
                raise InputError(
                    "'equations', 'until' and 'memberships' require model='asymmetric'",
                    code="conflicting-options",
                )
            method: Method = catalogue.load("clusterers", "symmetric")().method
            return method

        def rule(beta: float) -> Rule:
            if self.memberships == "mixture":
                # Fit p(v|n) ≈ Σ p(c|n) p(v|c): this is the symmetric model at β = 1 with fixed
                # centroids.
                mixture: Rule = catalogue.load("clusterers", "symmetric").rule(1.0)
                return mixture
            return AnnealedRule(float(beta), self.mass, self.n_jobs)

        for name, usual in (("equations", "mass"), ("memberships", "nearest")):
            if self.mass and (value := getattr(self, name)) != usual:
                raise InputError(
                    f"{name}={value!r} requires mass=False", code="conflicting-options"
                )
        until = None if self.until is None else float(self.until) * math.log(2)
        settings = AnnealingSettings(mass=self.mass, equations=self.equations, until=until)
        return Method(Annealer, rule, settings=settings)
