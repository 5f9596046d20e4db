"""Base class of the annealing estimators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from roget.core.counts.views import to_dense
from roget.core.information import bits
from roget.core.io.problems import plural
from roget.core.options import check
from roget.core.tree_edits import merge
from roget.core.types import Ints
from roget.errors import Notice
from roget.learn.clustering import checkpoints
from roget.learn.clustering.annealing.choose import choose, generator
from roget.learn.clustering.annealing.data import Data, prepare
from roget.learn.clustering.annealing.options import AnnealingOptions
from roget.learn.clustering.annealing.states import (
    AnnealingPath,
    AnnealingSettings,
    ClusterSplit,
    Method,
    read_settings,
)
from roget.learn.clustering.base import Clusterer, format_shortfall
from roget.learn.clustering.inputs import select_learnable
from roget.learn.clustering.memberships import replace_rows, sparsify
from roget.learn.clustering.options import OPTION_FORMAT
from roget.learn.clustering.result import BETA, Clustering, Rule
from roget.learn.clustering.tokens import CHOOSING

NEW = {"equations": "mass", "until": None, "memberships": "nearest"}
"""Options added in later versions, with values that reproduce the results of earlier versions."""

SAME = 1e-6
"""Maximum squared Hellinger distance at which two centroids count as equal."""


class Annealing(Clusterer, AnnealingOptions):
    """Base class of the annealing estimators. Subclasses define the property `method`."""

    unit = BETA
    kept = ("beta_",)
    facts: ClassVar[Mapping[str, str]] = {"beta": "beta_"}
    found: ClassVar[Mapping[str, str]] = {"beta": "beta_"}

    sized_levels: ClassVar[bool] = True
    walk_steps: ClassVar[int] = 20
    """Maximum number of EM iterations for each number of clusters in `learn_levels`."""

    beta_: float

    @property
    def method(self) -> Method:
        """The annealing search, and the rule for placing new words in its clusters."""
        raise NotImplementedError

    def _check_options(self) -> None:
        check(self, OPTION_FORMAT, dtype=str(self.dtype).rpartition(".")[2].strip("<>'"))

    def _learn(self, matrix: Any) -> None:
        # 1. Convert words to distributions over contexts.
        _, learnt, part = select_learnable(matrix, self.min_count)
        data = prepare(part, self.prior, self.dtype)
        # 2. Take the settings from a checkpoint or from the options, or choose them on held-out
        # counts.
        kept, earlier = self._open_checkpoint(data)
        with kept.guard():
            settings = (
                self._choose_settings(part)
                if earlier is None
                else read_settings(earlier["settings"])
            )
            settings = replace(settings, n_jobs=self.n_jobs)
            if self.interrupted_:
                # The search for the number of clusters was interrupted, so do not save a
                # checkpoint.
                kept = checkpoints.Checkpoint(None, self.name, (), {})
            state, path = self._anneal(data, settings, kept, earlier)
        # 3. Build the clustering. With some methods, training words keep the memberships found by
        # the search. The method's rule places all other words.
        self.beta_ = state.beta
        bare = Clustering(
            state.tree, sparse.csr_array((0, state.n_clusters)), state.centroids, state.mass,
            data.background, self.method.rule(state.beta), self.unit, path,
        )  # fmt: skip

        def place_words(found: Clustering, own: Any = None) -> Any:
            """Return the memberships of all rows.

            New words are assigned by the rule of the clustering method. Some methods let training
            words keep their memberships, which are taken from `own`, by default the memberships
            in `found`.
            """
            placed = sparsify(found.place(matrix))
            if not self.method.own:
                return placed
            return replace_rows(placed, learnt, found.memberships[learnt] if own is None else own)

        whole = replace(bare, memberships=place_words(bare, state.membership))
        self.clustering_ = close_gaps(whole, place_words)
        # 4. Add notes and warnings.
        gone = state.n_clusters - self.n_clusters_
        self.notes_ = _make_notes(path, self.method.search.lowest, gone)
        requested, found = settings.n_clusters, state.n_clusters
        reached = settings.until is not None and state.cross_entropy() <= settings.until
        if requested is not None and found < requested and not (self.interrupted_ or reached):
            reason = "the data or β do not support more clusters"
            self._warn_shortfall(format_shortfall(found, requested, reason))
        if settings.until is not None and state.cross_entropy() > settings.until:
            self._warn_shortfall(
                f"reached a cross-entropy of {bits(state.cross_entropy()):.3f} bits instead of "
                f"{bits(settings.until):g}; lower values require more clusters or a higher β"
            )

    @classmethod
    def learn_levels(cls, matrix: Any, seed: int, sizes: list[int]) -> list[tuple[Clustering, ...]]:
        """Learn a clustering for each number of clusters in `sizes`, along one annealing path."""
        walker = AnnealingPath(matrix, cls().method, seed=seed, max_iter=cls.walk_steps)
        return [(point.clustering,) for point in walker.points(sizes)]

    def _revive_rule(self, content: Mapping[str, Any]) -> Rule:
        return self.method.rule(content["beta_"])

    def _open_checkpoint(self, data: Data) -> tuple[checkpoints.Checkpoint, dict[str, Any] | None]:
        """Return the checkpoint of the run, and the saved state or None."""
        left_out = ("checkpoint", "progress", "n_jobs", "random_state")
        options = {name: v for name, v in self.get_params().items() if name not in left_out}
        options["dtype"] = np.dtype(self.dtype).name
        # Leave out newer options with default values, so checkpoints of older versions still match.
        options = {name: v for name, v in options.items() if v != NEW.get(name, NEW)}
        # Without a seed, a resumed run uses the seed of its checkpoint.
        if isinstance(self.random_state, Integral):
            options["random_state"] = int(self.random_state)
        arrays = *data.rows, data.prior
        kept = checkpoints.Checkpoint(self.checkpoint, self.name, arrays, options)
        return kept, kept.resume()

    def _choose_settings(self, part: Any) -> AnnealingSettings:
        """Return the settings. Choose missing ones on held-out counts."""
        n_clusters, beta = self.n_clusters, self.beta
        rng = generator(self.random_state)
        seed = int(rng.integers(2**31 - 1))
        method = self.method
        open_end = beta is None and method.settings.until is None

        def report(k: int, at: float, done: float) -> None:
            # The first half of the progress is the choice of the settings. There is no free energy
            # to report yet.
            self._report(done / 2, beta=at, n_clusters=k, free_energy=None)

        if n_clusters is None and (open_end or method.search.needs_number):
            with checkpoints.interruptible() as pause:
                chosen = choose(part, self, CHOOSING, report, pause)
            self.interrupted_ = chosen.interrupted
            n_clusters, beta = chosen.n_clusters, chosen.beta if beta is None else beta
        return replace(
            method.settings, n_clusters=n_clusters, beta=beta, tol=self.tol,
            max_iter=self.max_iter, seed=seed,
        )  # fmt: skip

    def _anneal(
        self,
        data: Data,
        settings: AnnealingSettings,
        kept: checkpoints.Checkpoint,
        earlier: dict[str, Any] | None,
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Run the search until it ends or is interrupted. Return the last state and the path."""
        rest: list[dict[str, Any]] = [] if earlier is None else earlier["rest"]

        def content() -> dict[str, Any]:
            return {**annealer.snapshot(), "rest": rest, "settings": vars(settings)}

        with checkpoints.interruptible() as pause:
            annealer = self.method.search(data, settings, pause)
            try:
                if earlier is not None:
                    annealer.restore(earlier)
                for state in annealer.states():
                    row = _make_row(annealer.energy, None, state.beta, state.n_clusters)
                    if annealer.grown and row not in rest:
                        rest.append(row)
                    kept.keep(content, now=state.finished)
                    part = _estimate_progress(state, settings)
                    # If the settings were chosen first, half of the progress was already reported.
                    part = part if settings.n_clusters == self.n_clusters else (1 + part) / 2
                    free = state.energy.free
                    self._report(
                        part, beta=state.beta, n_clusters=state.n_clusters, free_energy=free
                    )
            except KeyboardInterrupt:
                self.interrupted_ = True
                annealer.wind_up()
            finally:
                annealer.close()
        if self.interrupted_:
            self._interrupt()
        splits = [
            _make_row(s.energy, s, s.beta, place + 2) for place, s in enumerate(annealer.splits)
        ]
        path = [{**row, "step": step} for step, row in enumerate(splits + rest, 1)]
        self.n_iter_ = max(1, len(path))
        return annealer, path


def _estimate_progress(state: Any, settings: AnnealingSettings) -> float:
    """Return the approximate progress of the run, from 0 to 1."""
    if state.finished:
        return 1.0
    if settings.until is not None:
        return float(0.95 * state.nearness)
    if settings.n_clusters is not None:
        return float(0.95 * min(1.0, state.n_clusters / settings.n_clusters))
    return 0.95 * math.log(state.beta) / math.log(max(settings.beta or 1.0, 1.001))


def _make_row(
    energy: Any, split: ClusterSplit | None, beta: float, n_clusters: int
) -> dict[str, Any]:
    """Return one row of `path_`. `split` is None if only β was raised."""
    return {
        "step": 0,
        "n_clusters": n_clusters,
        "beta": beta,
        "critical_beta": None if split is None else split.critical_beta,
        "parent": None if split is None else split.parent,
        "free_energy": energy.free,
        "paper_free_energy": energy.plain(beta),
        "distortion": energy.distortion,
        "entropy": energy.entropy,
    }


def _make_notes(path: list[dict[str, Any]], lowest: float, gone: int) -> list[str]:
    """Return notes on merged clusters, and on words that share no context with other words."""
    notes: list[str] = []
    if gone:
        text = (
            f"merged {plural(gone, 'cluster')} that had no members or the same centroid as another "
            "cluster"
        )
        notes.append(Notice(text, code="not-converged"))
    first = path[0]["critical_beta"] if path else None
    if first is None or first > lowest * (1 + 1e-6):
        return notes
    text = (
        f"some words share no context with the other words and were split off at β = {lowest:g}; "
        "raise min_count, or keep only the largest connected part of the table"
    )
    return [*notes, Notice(text, code="disconnected-words")]


def close_gaps(found: Clustering, place_words: Callable[[Clustering], Any]) -> Clustering:
    """Merge empty clusters and duplicates into other clusters, and close the gaps in the tree.

    Masses and memberships are summed. `place_words` returns the memberships in the remaining
    clusters.
    """
    while into := {**_find_empty(found), **_find_copies(found)}:
        tree, parts = found.tree, np.arange(found.n_clusters)
        for cluster, other in into.items():
            if parts[cluster] != parts[other]:
                merged = merge(tree, tree.leaf(int(parts[cluster])), tree.leaf(int(parts[other])))
                tree, parts = merged.tree, merged.clusters[parts]
        found = replace(found.join(tree, parts), learnt=None, parts=None)
        found = replace(found, memberships=place_words(found))
    return found


def _find_empty(found: Clustering) -> dict[int, int]:
    """Map each empty cluster to the cluster with the most similar memberships.

    A cluster is empty if it is not the most probable cluster of any word.
    """
    sizes = np.bincount(found.labels, minlength=found.n_clusters)
    gone = np.flatnonzero(sizes == 0)
    if not gone.size or not found.labels.size:
        return {}
    # The value Σ_n p(gone|n)·p(c|n) measures how similar the memberships of cluster c are to the
    # memberships of the empty cluster.
    shared = to_dense(found.memberships[:, gone].T @ found.memberships)
    shared[np.arange(gone.size), gone] = 0
    shared[:, sizes > 0] += 1e-300  # If all values are 0, prefer non-empty clusters.
    return dict(zip(gone.tolist(), shared.argmax(axis=1).tolist(), strict=True))


def _find_copies(found: Clustering) -> dict[int, int]:
    """Map each cluster with the same centroid as an earlier cluster to that cluster."""
    roots = np.sqrt(to_dense(found.centroids))
    # Equal centroids are equally similar to the background. Sort by this similarity, and compare
    # only adjacent clusters.
    order: Ints = np.argsort(roots @ np.sqrt(found.background), kind="stable")
    return {
        b: a
        for a, b in pairwise(order.tolist())
        if float(np.sum((roots[a] - roots[b]) ** 2)) <= SAME
    }
