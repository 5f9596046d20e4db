"""SoftAnnealing: the annealer as a scikit-learn estimator."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from roget.core.types import Array
from roget.errors import InputError
from roget.learn.clustering import keeping
from roget.learn.clustering.base import Clusterer
from roget.learn.clustering.inputs import learnable
from roget.learn.clustering.interrupt import interruptible
from roget.learn.clustering.soft import predict
from roget.learn.clustering.soft.anneal import Annealer
from roget.learn.clustering.soft.choose import choose, generator
from roget.learn.clustering.soft.data import Data, prepare
from roget.learn.clustering.soft.states import Settings, Split
from roget.learn.clustering.soft.symmetric import SymmetricAnnealer, fold_in

MODELS = ("asymmetric", "symmetric")
DTYPES = ("float64", "float32")


class SoftAnnealing(Clusterer):
    """Soft clusters of words by deterministic annealing, and the tree of their splits.

    A word n belongs to cluster c by p(c|n) ∝ exp(−β·KL(p_n‖p_c)), a cluster is the mean of its
    words; β is raised from where there is one cluster, and clusters split where they must.

    n_clusters: how many clusters; fewer if words do not differ enough, with a warning.
    beta: with n_clusters, where β ends once there are as many (by default, where a word belongs
        to 1.6 to 2.5 of them on average, if that keeps them apart); a β too low for so many
        clusters gives fewer. Alone: all clusters that this β gives. With neither, both are chosen
        on held-out counts.
    model: "asymmetric" (clusters of words) or "symmetric" (clusters of associations).
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

    _kind = "soft"
    _arrays = ("centroids_", "mass_", "background_", "labels_")
    _plain = (
        "beta_", "interrupted_", "n_clusters_", "n_features_in_", "n_iter_", "notes_", "path_",
    )  # fmt: skip

    beta_: float

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        beta: float | None = None,
        model: str = "asymmetric",
        prior: str = "empirical",
        mass: bool = False,
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
        self.model = model
        self.prior = prior
        self.mass = mass
        self.min_count = min_count
        self.dtype = dtype
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.progress = progress

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn clusters of the rows of X: Counts, or any sparse or dense matrix of counts."""
        self._check_options()
        matrix = self._table(X, reset=True)
        totals, learnt = learnable(matrix, self.min_count)
        part = matrix if learnt.size == totals.size else matrix[learnt]
        data = prepare(part, self.prior, self.dtype)
        self.interrupted_ = False
        kept, earlier = self._checkpoint(data)
        settings = self._settings(part) if earlier is None else Settings(**earlier["settings"])
        settings = replace(settings, n_jobs=self.n_jobs)
        state = self._anneal(data, settings, kept, earlier)
        self.tree_, self.beta_, self.n_clusters_ = state.tree, state.beta, state.n_clusters
        self.centroids_, self.mass_ = state.centroids, state.mass
        self.background_ = data.background
        self.membership_ = predict.sparsely(self._proba(matrix))
        if self.model == "symmetric":
            self.membership_ = predict.replaced(self.membership_, learnt, state.membership)
        self.labels_ = np.asarray(self.membership_.argmax(axis=1)).ravel()
        self.notes_ = _notes(self.path_, self.model)
        wanted, found = settings.n_clusters, self.n_clusters_
        if wanted is not None and found < wanted and not self.interrupted_:
            were = "1 cluster was" if found == 1 else f"{found} clusters were"
            warnings.warn(
                f"{were} found, not {wanted}: the words (or β) give no more",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def cut(self, k: int) -> Array:
        """The label of each word when the tree has only its first k clusters."""
        check_is_fitted(self)
        groups = self.tree_.cut(k)
        wide = sparse.csr_array(
            (np.ones(groups.size), (np.arange(groups.size), groups)), shape=(groups.size, k)
        )
        return np.asarray((self.membership_ @ wide).toarray().argmax(axis=1))

    def _check_options(self) -> None:
        for name, value, known in (
            ("model", self.model, MODELS),
            ("dtype", str(self.dtype).rpartition(".")[2].strip("<>'"), DTYPES),
            ("prior", self.prior, ("empirical", "uniform")),
        ):
            if value not in known:
                raise InputError(f"{name}={value!r}: expected {' or '.join(known)}")
        for name in ("n_clusters", "max_iter"):
            number: Any = getattr(self, name)
            if number is None and name == "n_clusters":
                continue
            if not isinstance(number, Integral) or number < 1:
                raise InputError(f"{name}={number!r}: expected a whole number, 1 or more")
        for name in ("beta", "tol", "min_count"):
            number = getattr(self, name)
            if number is None and name == "beta":
                continue
            if not isinstance(number, Real) or not math.isfinite(number) or number < 0:
                raise InputError(f"{name}={number!r}: expected a number, not negative")
        if self.beta == 0:
            raise InputError("beta=0: expected a positive number, or None")

    def _proba(self, matrix: Any) -> Array:
        if self.model == "symmetric":
            return fold_in(matrix, self.centroids_, self.beta_, self.mass_)
        return predict.memberships(
            matrix, self.centroids_, self.background_, self.mass_, self.beta_, self.mass,
            self.n_jobs,
        )  # fmt: skip

    def _checkpoint(self, data: Data) -> tuple[keeping.Checkpoint, dict[str, Any] | None]:
        """Where the run is kept, and what it had come to if it was begun before."""
        left_out = ("checkpoint", "progress", "n_jobs", "random_state")
        options = {name: v for name, v in self.get_params().items() if name not in left_out}
        options["dtype"] = np.dtype(self.dtype).name
        # A run without a seed goes on with the one that it drew.
        if isinstance(self.random_state, Integral):
            options["random_state"] = int(self.random_state)
        arrays = *data.rows, data.prior
        kept = keeping.Checkpoint(self.checkpoint, "soft", arrays, options)
        return kept, kept.resume()

    def _settings(self, part: Any) -> Settings:
        """What was asked for; what was left open is chosen on held-out counts."""
        n_clusters, beta = self.n_clusters, self.beta
        rng = generator(self.random_state)
        seed = int(rng.integers(2**31 - 1))
        if n_clusters is None and (beta is None or self.model == "symmetric"):
            with interruptible() as pause:
                chosen = choose(part, self, seed, tell=self._half, pause=pause)
            self.interrupted_ = chosen.interrupted
            n_clusters, beta = chosen.n_clusters, chosen.beta if beta is None else beta
        return Settings(n_clusters, beta, self.mass, self.tol, self.max_iter, None, seed)

    def _anneal(
        self,
        data: Data,
        settings: Settings,
        kept: keeping.Checkpoint,
        earlier: dict[str, Any] | None,
    ) -> Any:
        """Run the annealer to its end, or to where it is interrupted; gives its last state."""
        search: Any = SymmetricAnnealer if self.model == "symmetric" else Annealer
        rest: list[dict[str, Any]] = [] if earlier is None else earlier["rest"]

        def content() -> dict[str, Any]:
            return {**annealer.snapshot(), "rest": rest, "settings": vars(settings)}

        with interruptible() as pause:
            annealer = search(data, settings, pause)
            try:
                if earlier is not None:
                    annealer.restore(earlier)
                for state in annealer.states():
                    row = _row(annealer.energy, None, state.beta, state.n_clusters)
                    if annealer.grown and row not in rest:
                        rest.append(row)
                    kept.keep(content, now=state.last)
                    part = _fraction(state, settings)
                    # Where the number of clusters was chosen, that was the first half.
                    part = part if settings.n_clusters == self.n_clusters else (1 + part) / 2
                    self._tell(state.n_clusters, state.beta, part, state.free_energy)
            except KeyboardInterrupt:
                self.interrupted_ = True
                annealer.wind_up()
            finally:
                annealer.close()
        if self.interrupted_:
            warnings.warn("interrupted: the clusters found so far are kept", stacklevel=3)
        splits = [_row(s.energy, s, s.beta, place + 2) for place, s in enumerate(annealer.splits)]
        self.path_ = [{**row, "step": step} for step, row in enumerate(splits + rest, 1)]
        self.n_iter_ = max(1, len(self.path_))
        return annealer._state(last=True)

    def _half(self, n_clusters: int, beta: float, fraction: float) -> None:
        """Report how far the choice of a number is; the run itself is the other half."""
        self._tell(n_clusters, beta, fraction / 2)

    def _tell(
        self, n_clusters: int, beta: float, fraction: float, free_energy: float | None = None
    ) -> None:
        """Report how far the run is; without a free energy, numbers of clusters are being tried."""
        if self.progress is not None:
            self.progress(
                {
                    "beta": beta,
                    "n_clusters": n_clusters,
                    "free_energy": free_energy,
                    "fraction": min(max(fraction, 0.0), 1.0),
                }
            )


def _fraction(state: Any, settings: Settings) -> float:
    """About which part of the run is done."""
    if state.last:
        return 1.0
    if settings.n_clusters is not None:
        return float(0.95 * min(1.0, state.n_clusters / settings.n_clusters))
    return 0.95 * math.log(state.beta) / math.log(max(settings.beta or 1.0, 1.001))


def _row(energy: Any, split: Split | None, beta: float, n_clusters: int) -> dict[str, Any]:
    return {
        "step": 0,
        "n_clusters": n_clusters,
        "beta": beta,
        "critical_beta": None if split is None else split.critical_beta,
        "parent": None if split is None else split.parent,
        "free_energy": energy.free,
        "distortion": energy.distortion,
        "entropy": energy.entropy,
    }


def _notes(path: list[dict[str, Any]], model: str) -> list[str]:
    """What the user should know of the data."""
    first = path[0]["critical_beta"] if path else None
    lowest = 0.5 if model == "symmetric" else 1.0
    if first is None or first > lowest * (1 + 1e-6):
        return []
    return [
        f"some words share no context with the others, so that clusters part at β = {lowest:g}: a "
        "min_count, or the largest connected part of the table, may give better clusters"
    ]
