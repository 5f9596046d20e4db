"""SoftAnnealing: the annealer as a scikit-learn estimator."""

from __future__ import annotations

from roget import catalogue
from roget.learn.clustering.annealing.estimator import Annealing
from roget.learn.clustering.annealing.walk import Method
from roget.learn.clustering.result import Rule
from roget.learn.clustering.soft.anneal import Annealer
from roget.learn.clustering.soft.options import Options
from roget.learn.clustering.soft.rule import Annealed


class SoftAnnealing(Annealing, Options):
    """Soft clusters of words by deterministic annealing, and the tree of their splits.

    A word n belongs to cluster c by p(c|n) ∝ exp(−β·KL(p_n‖p_c)), a cluster is the mean of its
    words; β is raised from where there is one cluster, and clusters split where they must.

    n_clusters: how many clusters; fewer if words do not differ enough, with a warning.
    beta: with n_clusters, where β ends once there are as many (by default, where a word belongs
        to 1.6 to 2.5 of them on average, if that keeps them apart); a β too low for so many
        clusters gives fewer. Alone: all clusters that this β gives. With neither, both are chosen
        on held-out counts.
    model: "asymmetric" (clusters of words) or "symmetric": what `SymmetricAnnealing` does.
    prior: "empirical" weighs words by their counts, "uniform" all alike.
    mass: whether memberships are ∝ p(c)·exp(−β·KL), so that large clusters attract. While
        clusters are being split this is always so, also in `path_`.
    min_count: words seen less often take no part in learning, but get memberships.
    n_jobs: threads, None for all cores; results are the same for any number.
    checkpoint: a folder in which a long run is kept and from which it goes on.
    progress: called with {"beta", "n_clusters", "free_energy", "fraction"} as the run goes on;
        free_energy is None while numbers of clusters are tried on held-out counts.

    `notes_` says, after fitting, what is peculiar about the data, if anything is.
    Ctrl-C ends a run early, with the clusters found so far and a warning.

    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> model = SoftAnnealing(2, random_state=0).fit(counts)
    >>> sorted(model.labels_.tolist()), model.tree_
    ([0, 0, 1, 1], Tree: 2 clusters, 3 nodes, depth 1)
    """

    name = "soft"
    rule = Annealed

    @property
    def method(self) -> Method:
        """The search, and how its clusters take new words."""
        if self.model == "symmetric":
            method: Method = catalogue.load("clusterers", "symmetric")().method
            return method

        def rule(beta: float) -> Rule:
            return Annealed(float(beta), self.mass, self.n_jobs)

        return Method(Annealer, rule, self.mass)
