"""What all clusterers are as scikit-learn estimators; each adds how it learns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from roget.core import folder
from roget.core.io.problems import plural
from roget.core.options import check, document, helps_of
from roget.core.progress import Progress, Report
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints, PathLike
from roget.errors import InputError
from roget.learn.clustering.inputs import export_names, restore_names, table
from roget.learn.clustering.memberships import log_likelihood, replace_rows, sparsify
from roget.learn.clustering.options import CALLED
from roget.learn.clustering.result import NONE, Clustering, Posterior, Rule, Unit

LEVELS = (1.0, 0.5, 0.25, 0.1)
"""The parts of the clusters that are left at the levels of a tree which serve prediction."""

ALONE = 0.9
"""With so many classes for a word, nothing was clustered."""

_NOT_KEPT = ("progress", "checkpoint", "random_state")


def _of(name: str, about: str) -> Any:
    """What `clustering_` has by that name, as a fitted attribute."""
    return property(lambda self: getattr(self.clustering_, name), doc=about)


class Clusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Predicting, cutting, saving and loading: all of it through `clustering_`, which `fit` makes.

    A clusterer is a package with a subclass of this and a line in the catalogue. The subclass has
    `_learn`, which sets `clustering_` and `n_iter_`, and `notes_` and `interrupted_` where there is
    something to tell; or a `fit` of its own, which sets all four. And it says:

    name: its name in the catalogue.
    makes: what its classes are, in a few words, as lists of models tell it.
    rule: how it places new words, a `Rule`; by default p(c)·Π p(v|c)^n.
    unit: what the values at the splits of its trees are.
    number: the parameter that asks for a number of clusters.
    kept: fitted attributes that are saved besides `clustering_`.
    facts: fitted attributes, by the names under which summaries tell them.
    found: parameters that may be left open, by the fitted attributes that settle them.
    sized_levels: whether `learn_levels` has the sizes that it is asked for.
    spreads: whether workers of an engine can take part in learning.
    """

    name: ClassVar[str]
    makes: ClassVar[str] = ""
    rule: ClassVar[type[Rule]] = Posterior
    unit: ClassVar[Unit] = NONE
    number: ClassVar[str] = "n_clusters"
    kept: ClassVar[tuple[str, ...]] = ()
    facts: ClassVar[Mapping[str, str]] = {}
    found: ClassVar[Mapping[str, str]] = {}
    sized_levels: ClassVar[bool] = False
    spreads: ClassVar[bool] = False

    clustering_: Clustering
    n_features_in_: int
    n_iter_: int
    notes_: list[str]
    interrupted_: bool
    unsure_: Mapping[int, str] = {}
    """Rows that thesauri leave out, with the reason."""
    progress: Report | None

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if is_dataclass(cls):
            document(cls, "Parameters", helps_of(cls))

    @classmethod
    def make(
        cls,
        clusters: int | None = None,
        *,
        random_state: int | None = None,
        checkpoint: PathLike | None = None,
        progress: Report | None = None,
        **options: Any,
    ) -> Self:
        """The clusterer for so many clusters, or as many as it finds; as `roget build` asks.

        Options that are None are left as they are; others the clusterer must have. A seed, a
        checkpoint and progress are for those that can make use of them.
        """
        known = cls._get_param_names()
        wanted = {cls.number: clusters, **options}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        for name, value in wanted.items():
            if name not in known:
                raise InputError(f"{name} {value}: the method {cls.name} has no such option")
        free = {"random_state": random_state, "checkpoint": checkpoint, "progress": progress}
        return cls(**wanted, **{name: value for name, value in free.items() if name in known})

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn clusters of the rows of X: Counts, or any sparse or dense matrix of counts."""
        self._check_options()
        matrix = table(self, X, reset=True)
        self.notes_, self.interrupted_ = [], False
        self._learn(matrix)
        self.clustering_ = replace(self.clustering_, contexts=vars(self).get("contexts_"))
        self.notes_ += self._trivial()
        return self

    def _learn(self, matrix: Any) -> None:
        """Learn from a csr_array of counts, checked."""
        raise NotImplementedError

    def _check_options(self) -> None:
        """Refuse options that make no sense."""
        check(self, CALLED)

    labels_: Array = _of("labels", "The likeliest cluster of each word.")
    membership_: Any = _of("memberships", "p(cluster|word), a csr_array of words × clusters.")
    centroids_: Any = _of("centroids", "p(context|cluster), clusters × contexts.")
    mass_: Floats = _of("mass", "p(cluster).")
    background_: Floats = _of("background", "p(context) of all words.")
    tree_: Tree = _of("tree", "The splits, whose leaves are the clusters.")
    n_clusters_: int = _of("n_clusters", "How many clusters were found.")

    @property
    def path_(self) -> list[dict[str, Any]]:
        """What the search came to, step by step."""
        return [dict(step) for step in self.clustering_.path]

    @property
    def facts_(self) -> dict[str, Any]:
        """What a summary tells besides sizes, such as β or the length of the description."""
        return {name: getattr(self, attribute) for name, attribute in self.facts.items()}

    @property
    def settled_(self) -> dict[str, Any]:
        """Parameters with which the same is learnt again without a search for how many and how."""
        found = {name: getattr(self, attribute) for name, attribute in self.found.items()}
        return {self.number: self.n_clusters_, **found}

    def renew(self, progress: Report | None = None) -> Self:
        """One that is not fitted yet, and will learn as many clusters, as sharp."""
        wanted = {**self.settled_, "checkpoint": None, "progress": progress}
        known = self.get_params()
        model: Self = clone(self)
        model.set_params(**{name: wanted[name] for name in wanted if name in known})
        return model

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """The labels of the rows of X."""
        return self.fit(X, y).labels_

    def predict_proba(self, X: Any) -> Any:
        """p(cluster|row) of each row of X, from whatever counts it has.

        X may hold words not seen in training; a row of zeros gets what an unknown word would. A
        dask array gives a dask array, block by block.
        """
        check_is_fitted(self)
        if type(X).__module__.partition(".")[0] == "dask":
            return self._blockwise(X)
        return self.clustering_.place(table(self, X))

    def transform(self, X: Any) -> Any:
        """The same as `predict_proba`."""
        return self.predict_proba(X)

    def predict(self, X: Any) -> Any:
        """The likeliest cluster of each row of X."""
        return self.predict_proba(X).argmax(axis=1)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log p(context|word) of the tokens in X, nats; higher is better."""
        check_is_fitted(self)
        matrix = table(self, X)
        placed = self.clustering_.place(matrix)
        return log_likelihood(matrix, placed, self.centroids_, self.background_)

    def cut(self, k: int) -> Array:
        """The label of each word when the tree has only its first k clusters."""
        check_is_fitted(self)
        return self.clustering_.level(k).labels

    def save(self, path: PathLike) -> None:
        """Write the fitted model as a folder that `load` reads, without callbacks and seeds."""
        check_is_fitted(self)
        options = {name: v for name, v in self.get_params().items() if name not in _NOT_KEPT}
        if "dtype" in options:
            options["dtype"] = np.dtype(options["dtype"]).name
        names = ("n_features_in_", "n_iter_", "notes_", "interrupted_", *self.kept)
        content = {name: getattr(self, name) for name in names}
        content |= export_names(self)
        plain, arrays = self.clustering_.to_parts()
        content |= {"options": options, "clustering": {**plain, "contexts": None}, **arrays}
        folder.write(path, folder.model("clustering", f"{self.name}.model"), content)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """The model that `save` wrote; nothing in it is run."""
        content = folder.read(path, folder.model("clustering", f"{cls.name}.model"))
        with folder.whole(path):
            model = cls(**content["options"])
            for name in ("n_features_in_", "n_iter_", "notes_", *cls.kept):
                setattr(model, name, content[name])
            model.interrupted_ = content.get("interrupted_", False)
            restore_names(model, content)
            if "clustering" in content:
                model.clustering_ = Clustering.of_parts(content["clustering"], content)
            else:
                model.clustering_ = model._revive(content)
            told, columns = model.n_features_in_, model.clustering_.centroids.shape[1]
            if told != columns:
                raise ValueError(f"n_features_in_ {told!r:.60}: centroids have {columns} columns")
            model._unpack()
        return model

    def predictors(self) -> list[tuple[Clustering, ...]]:
        """The clustering at several sizes, for prediction; what stands together is averaged."""
        return self.clustering_.levels(LEVELS)

    @classmethod
    def learn_levels(cls, matrix: Any, seed: int, sizes: list[int]) -> list[tuple[Clustering, ...]]:
        """Learn clusterings at several sizes from a table of counts, for prediction.

        Sizes are for clusterers that find no number by themselves.
        """
        model = cls.make(random_state=seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "interrupted")
            model.fit(matrix)
        if model.interrupted_:
            # Half of a model would give numbers that nobody could have again.
            raise KeyboardInterrupt
        return model.predictors()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # Not a "clusterer": scikit-learn tries those on negative numbers. And whatever has
        # predict_proba and takes sparse tables is asked for these tags.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def _trivial(self) -> list[str]:
        """What to know, and to do, where nothing was clustered, though that was not asked for."""
        k, words = self.n_clusters_, self.labels_.size
        if self.interrupted_ or words < 2 or k == getattr(self, self.number, None):
            return []
        if k == 1:
            return [
                f"all {words:,} words are in one class: ask for a number of classes, or bring more "
                "counts"
            ]
        if k < ALONE * words:
            return []
        return [
            f"{k:,} classes of {words:,} words: nothing was clustered, as each word's own counts "
            "tell it from the others; ask for a number of classes, or cut the tree"
        ]

    def _tell(self, done: float, **facts: Any) -> None:
        """Report how far the run is, from 0 to 1."""
        if self.progress is not None:
            self.progress(Progress(min(max(done, 0.0), 1.0), facts=facts))

    def _interrupt(
        self, left: str = "the clusters found so far are kept", kind: type[Warning] = UserWarning
    ) -> None:
        """Take note, where the search is that `_learn` calls, that it was ended early; and warn."""
        self.interrupted_ = True
        warnings.warn(f"interrupted: {left}", kind, stacklevel=5)

    def _fall_short(self, found: str) -> None:
        """Warn, in `_learn`, that less was found than was asked for."""
        warnings.warn(found, ConvergenceWarning, stacklevel=4)

    def _unpack(self) -> None:
        """Make what is not kept as it is, from what was loaded."""

    def _revive(self, content: Mapping[str, Any]) -> Clustering:
        """The clustering of a model that was written before clusterings were kept."""
        parts = tuple(content[f"membership_{part}"] for part in ("data", "indices", "indptr"))
        return Clustering(
            Tree.from_json(content["tree_"]),
            folder.need_csr(parts, content["membership_shape"]),
            content["centroids_"],
            content["mass_"],
            content["background_"],
            rule=self._revive_rule(content),
            unit=self.unit,
            path=content["path_"],
        )

    def _revive_rule(self, content: Mapping[str, Any]) -> Rule:
        return Posterior()

    def _blockwise(self, X: Any) -> Any:
        if len(getattr(X, "shape", ())) != 2 or X.shape[1] != self.n_features_in_:
            raise InputError(
                f"a dask {type(X).__name__} of shape {getattr(X, 'shape', None)}: expected an "
                f"array with {self.n_features_in_} columns"
            )
        whole, dtype = X.rechunk({1: -1}), self.membership_.dtype
        chunks = whole.chunks[0], (self.n_clusters_,)
        meta = np.empty((0, 0), dtype)
        return whole.map_blocks(self.predict_proba, dtype=dtype, chunks=chunks, meta=meta)


def format_shortfall(
    found: int, wanted: int, reason: str, noun: str = "cluster", of: str = ""
) -> str:
    """Why fewer clusters were found than were asked for, in words.

    >>> tell_few(1, 9, "all words are alike")
    '1 cluster was found, not 9: all words are alike'
    """
    verb = "was" if found == 1 else "were"
    return f"{plural(found, noun)}{of} {verb} found, not {wanted}: {reason}"


def place_others(found: Clustering, matrix: Any, learnt: Ints) -> Clustering:
    """With the memberships of all words of a matrix: those that were not learnt from are placed.

    `found` has the memberships of the rows that were learnt from, in their order.
    """
    rows = np.full(matrix.shape[0], -1)
    rows[learnt] = np.arange(learnt.size)
    every, others = found.keep(rows), np.flatnonzero(rows < 0)
    if not others.size:
        return every
    placed = sparsify(found.place(matrix[others]))
    return replace(every, memberships=replace_rows(every.memberships, others, placed))
