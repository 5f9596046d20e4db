"""Base class of all clusterers, which are scikit-learn estimators."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from roget.core import contents, folder
from roget.core.io.problems import plural
from roget.core.options import check, document, helps_of
from roget.core.progress import Progress, Report
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints, PathLike
from roget.errors import InputError, Notice, UnknownName
from roget.learn.clustering.inputs import export_names, restore_names, table
from roget.learn.clustering.memberships import log_likelihood, replace_rows, sparsify
from roget.learn.clustering.notices import TrivialClusteringWarning, ignore_trivial
from roget.learn.clustering.options import OPTION_FORMAT
from roget.learn.clustering.result import NONE, Clustering, Posterior, Rule, Unit

LEVELS = (1.0, 0.5, 0.25, 0.1)
"""Levels of the tree over which predictions are averaged, as fractions of the clusters."""

NEARLY_ALL = 0.7
"""Minimum ratio of clusters to words for a note that the clustering is trivial."""

MIN_WARNED = 20
"""Minimum number of words for a Python warning that the clustering is trivial."""

_NOT_SAVED = ("progress", "checkpoint", "random_state", "background", "vectors")


class UnknownParameter(UnknownName, ValueError, TypeError):
    """Error for an unknown estimator parameter.

    scikit-learn expects a ValueError, and Python a TypeError, so it is both.
    """


def _make_fitted(name: str, doc: str) -> Any:
    """Return a property that reads the fitted attribute of the same name from `clustering_`."""
    return property(lambda self: getattr(self.clustering_, name), doc=doc)


class Clusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of word clusterers. The fitted result is `clustering_`.

    To add a clusterer, write a package with a subclass of this class and an `options` module, and
    add one line to the catalogue. The subclass implements `_learn`, which sets `clustering_` and
    `n_iter_` and, if applicable, `notes_` and `interrupted_`. It may define these class attributes:

    name: name in the catalogue.
    makes: short description of the classes.
    rule: the `Rule` that places new words; by default p(c)·Π p(v|c)^n.
    unit: meaning of the values at the splits of its trees.
    number: name of the parameter for the number of clusters.
    kept: fitted attributes to save in addition to `clustering_`.
    facts: fitted attributes to show in summaries, by display name.
    found: parameters that `fit` can choose, and the fitted attributes with their values.
    sized_levels: True if `learn_levels` returns the requested numbers of clusters.
    spreads: True if an engine can distribute the work over several workers.
    warns_trivial: True to warn if nearly every word forms a separate class.
    borrows: True if there is a parameter `background` for counts from other texts.
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
    warns_trivial: ClassVar[bool] = False
    borrows: ClassVar[bool] = False

    __signature__: ClassVar[Any]
    clustering_: Clustering
    n_features_in_: int
    n_iter_: int
    notes_: list[str]
    interrupted_: bool
    unsure_: Mapping[int, str] = {}
    """Indices of uncertain words, with the reasons for leaving them out of a thesaurus."""
    progress: Report | None

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        # Without an explicit signature, inspect and help would show the parameters of __new__.
        own = inspect.signature(cls.__init__)
        cls.__signature__ = own.replace(parameters=list(own.parameters.values())[1:])
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
        """Make a clusterer. With `clusters=None`, it chooses the number of clusters.

        Options that are None keep their defaults. Clusterers without a seed, checkpoint or progress
        callback ignore these arguments. All other options must be parameters of the clusterer.
        """
        known = cls._get_param_names()
        requested = {cls.number: clusters, **options}
        requested = {name: value for name, value in requested.items() if value is not None}
        for name, value in requested.items():
            if name not in known:
                raise InputError(
                    f"{name}={value!r}: the method {cls.name} has no option with this name",
                    code="conflicting-options",
                )
        free = {"random_state": random_state, "checkpoint": checkpoint, "progress": progress}
        return cls(**requested, **{name: value for name, value in free.items() if name in known})

    def __new__(cls, *positional: Any, **params: Any) -> Self:
        """Check the parameter names. The error for an unknown name suggests a similar one."""
        known = cls._get_param_names()
        for name in params:
            if name not in known:
                raise UnknownParameter(f"parameter of {cls.__name__}", name, known)
        made: Self = super().__new__(cls)
        return made

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name. The error for an unknown name suggests a similar one."""
        known = self.get_params(deep=False)
        for name in params:
            # scikit-learn addresses the parameters of nested estimators as outer__inner.
            if name.partition("__")[0] not in known:
                raise UnknownParameter(f"parameter of {type(self).__name__}", name, known)
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of X, which is a `Counts` object or a sparse or dense matrix of counts.

        All clusterers check the options and the counts, learn the clusters (`_learn`), attach the
        names of the contexts, and add a note if the result is trivial.
        """
        self._check_options()
        matrix = table(self, X, reset=True)
        self.notes_, self.interrupted_ = [], False
        self._learn(matrix)
        self.clustering_ = replace(self.clustering_, contexts=vars(self).get("contexts_"))
        self.notes_ += self._note_trivial()
        return self

    def _learn(self, matrix: Any) -> None:
        raise NotImplementedError

    def _check_options(self) -> None:
        """Raise InputError for options with invalid values."""
        check(self, OPTION_FORMAT)

    labels_: Array = _make_fitted("labels", "The most probable cluster of each word.")
    membership_: Any = _make_fitted(
        "memberships", "p(cluster|word), a csr_array of words × clusters."
    )
    centroids_: Any = _make_fitted("centroids", "p(context|cluster), clusters × contexts.")
    mass_: Floats = _make_fitted("mass", "p(cluster).")
    background_: Floats = _make_fitted("background", "p(context) over all words.")
    tree_: Tree = _make_fitted("tree", "The tree of splits; its leaves are the clusters.")
    n_clusters_: int = _make_fitted("n_clusters", "The number of clusters.")

    @property
    def path_(self) -> list[dict[str, Any]]:
        """The steps of the search, as a list with one dictionary per step."""
        return [dict(step) for step in self.clustering_.path]

    @property
    def facts_(self) -> dict[str, Any]:
        """Fitted values for a summary, such as β or the description length."""
        return {name: getattr(self, attribute) for name, attribute in self.facts.items()}

    @property
    def settled_(self) -> dict[str, Any]:
        """Parameters for repeating the fit without choosing the number of clusters again."""
        found = {name: getattr(self, attribute) for name, attribute in self.found.items()}
        return {self.number: self.n_clusters_, **found}

    def renew(self, progress: Report | None = None) -> Self:
        """Return an unfitted copy with the fitted number of clusters and β as parameters."""
        changes = {**self.settled_, "checkpoint": None, "progress": progress}
        known = self.get_params()
        model: Self = clone(self)
        model.set_params(**{name: changes[name] for name in changes if name in known})
        return model

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Fit and return the labels of the rows of X."""
        return self.fit(X, y).labels_

    def predict_proba(self, X: Any) -> Any:
        """Return p(cluster|row) for each row of X.

        X may hold new words. A row of zeros is an unknown word. For a dask array, the result is a
        dask array too.
        """
        check_is_fitted(self)
        if type(X).__module__.partition(".")[0] == "dask":
            return self._predict_blockwise(X)
        return self.clustering_.place(table(self, X))

    def transform(self, X: Any) -> Any:
        """Return p(cluster|row) for each row of X, like `predict_proba`."""
        return self.predict_proba(X)

    def predict(self, X: Any) -> Any:
        """Return the most probable cluster of each row of X."""
        return self.predict_proba(X).argmax(axis=1)

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood ln p(context|word) per token of X. Higher is better."""
        check_is_fitted(self)
        matrix = table(self, X)
        placed = self.clustering_.place(matrix)
        return log_likelihood(matrix, placed, self.centroids_, self.background_)

    def cut(self, k: int) -> Array:
        """Return each word's label at the tree level with k clusters."""
        check_is_fitted(self)
        return self.clustering_.level(k).labels

    def save(self, path: PathLike) -> None:
        """Write the fitted model, without callbacks and seeds, to a folder that `load` can read."""
        check_is_fitted(self)
        options = {name: v for name, v in self.get_params().items() if name not in _NOT_SAVED}
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
        """Read a model written by `save`, without executing any code."""
        content = folder.read(path, folder.model("clustering", f"{cls.name}.model"))
        with contents.report_damage(path):
            model = cls(**content["options"])
            for name in ("n_features_in_", "n_iter_", "notes_", *cls.kept):
                setattr(model, name, content[name])
            model.interrupted_ = content.get("interrupted_", False)
            restore_names(model, content)
            if "clustering" in content:
                model.clustering_ = Clustering.from_parts(content["clustering"], content)
            else:
                model.clustering_ = model._revive(content)
            width, columns = model.n_features_in_, model.clustering_.centroids.shape[1]
            if width != columns:
                raise ValueError(
                    f"n_features_in_ is {width!r:.60}, but the centroids have {columns} columns"
                )
            model._unpack()
        return model

    def predictors(self) -> list[tuple[Clustering, ...]]:
        """Return clusterings with different numbers of clusters, for use in prediction.

        Each element is a tuple of clusterings, whose predictions are averaged.
        """
        return self.clustering_.levels(LEVELS)

    @classmethod
    def learn_levels(cls, matrix: Any, seed: int, sizes: list[int]) -> list[tuple[Clustering, ...]]:
        """Learn clusterings with different numbers of clusters from a matrix of counts.

        The numbers of clusters are given by `sizes`, unless the clusterer chooses them itself.
        """
        model = cls.make(random_state=seed)
        with warnings.catch_warnings(), ignore_trivial():
            warnings.filterwarnings("ignore", "interrupted")
            model.fit(matrix)
        if model.interrupted_:
            # Discard an interrupted result, because it is not reproducible.
            raise KeyboardInterrupt
        return model.predictors()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        # Do not set the tag "clusterer", because scikit-learn's checks pass negative numbers to
        # clusterers. The checks require classifier tags if an estimator has predict_proba and
        # accepts sparse input.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_

    def _note_trivial(self) -> list[str]:
        """Return a note, and issue a warning, if nearly every word has a cluster of its own.

        If the user requested this number of clusters, do neither.
        """
        k, words = self.n_clusters_, self.labels_.size
        if self.interrupted_ or words < 2 or k == getattr(self, self.number, None):
            return []
        if 1 < k < NEARLY_ALL * words:
            return []
        if k == 1:
            text = (
                f"all {words:,} words are in one class; specify the number of classes "
                f"({self.number}), or add counts"
            )
            return [Notice(text, code="nothing-clustered")]
        text = (
            f"{k:,} classes for {words:,} words: almost nothing was clustered, because no two "
            f"words have similar enough counts; specify the number of classes ({self.number}), "
            "or cut the tree"
        )
        notice = Notice(text, code="nothing-clustered")
        if self.warns_trivial and words >= MIN_WARNED:
            warnings.warn(notice, TrivialClusteringWarning, stacklevel=3)
        return [notice]

    def _report(self, done: float, **facts: Any) -> None:
        """Report the progress of the run as a fraction from 0 to 1."""
        if self.progress is not None:
            self.progress(Progress(min(max(done, 0.0), 1.0), facts=facts))

    def _interrupt(
        self, left: str = "the clusters found so far are kept", kind: type[Warning] = UserWarning
    ) -> None:
        """Mark the run as interrupted, and issue a warning."""
        self.interrupted_ = True
        warnings.warn(Notice(f"interrupted: {left}", code="interrupted"), kind, stacklevel=5)

    def _warn_shortfall(self, text: str) -> None:
        """Warn that fewer clusters were found than requested."""
        warnings.warn(Notice(text, code="not-converged"), ConvergenceWarning, stacklevel=4)

    def _unpack(self) -> None:
        """Rebuild fitted attributes that `save` does not store."""

    def _revive(self, content: Mapping[str, Any]) -> Clustering:
        """Restore the clustering from the separate fields that an early version wrote."""
        parts = tuple(content[f"membership_{part}"] for part in ("data", "indices", "indptr"))
        return Clustering(
            Tree.from_json(content["tree_"]),
            contents.require_csr(parts, content["membership_shape"]),
            content["centroids_"],
            content["mass_"],
            content["background_"],
            rule=self._revive_rule(content),
            unit=self.unit,
            path=content["path_"],
        )

    def _revive_rule(self, content: Mapping[str, Any]) -> Rule:
        """Restore the placement rule of a model saved by an early version."""
        return Posterior()

    def _predict_blockwise(self, X: Any) -> Any:
        """Place the rows of a dask array block by block."""
        if len(getattr(X, "shape", ())) != 2 or X.shape[1] != self.n_features_in_:
            raise InputError(
                f"a dask {type(X).__name__} of shape {getattr(X, 'shape', None)}: expected an "
                f"array with {self.n_features_in_} columns",
                code="invalid-input",
            )
        whole, dtype = X.rechunk({1: -1}), self.membership_.dtype
        chunks = whole.chunks[0], (self.n_clusters_,)
        meta = np.empty((0, 0), dtype)
        return whole.map_blocks(self.predict_proba, dtype=dtype, chunks=chunks, meta=meta)


def format_shortfall(
    found: int, requested: int, reason: str, noun: str = "cluster", side: str = ""
) -> str:
    """Return a message that fewer clusters were found than requested.

    >>> format_shortfall(1, 9, "all words have the same contexts")
    'found 1 cluster instead of 9: all words have the same contexts'
    """
    return f"found {plural(found, noun)}{side} instead of {requested}: {reason}"


def place_others(found: Clustering, matrix: Any, learnt: Ints) -> Clustering:
    """Extend a clustering to all rows of a matrix.

    The clustering `found` was learnt from the rows `learnt`, whose memberships are kept. All other
    rows are placed like new words.
    """
    rows = np.full(matrix.shape[0], -1)
    rows[learnt] = np.arange(learnt.size)
    every, others = found.keep(rows), np.flatnonzero(rows < 0)
    if not others.size:
        return every
    placed = sparsify(found.place(matrix[others]))
    return replace(every, memberships=replace_rows(every.memberships, others, placed))
