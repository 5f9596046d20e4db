"""What all clusterers are as scikit-learn estimators; each adds how it learns."""

from __future__ import annotations

import os
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.clustering import keeping
from roget.learn.clustering.inputs import table
from roget.learn.clustering.soft.predict import log_likelihood


class Clusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Predicting, cutting, saving and loading, from what a subclass has learnt.

    A subclass has `fit`, and `_proba` of a checked table; it names its kind and the fitted
    attributes that are saved, besides membership_, tree_ and the names of words and contexts.
    """

    _kind: ClassVar[str]
    _arrays: ClassVar[tuple[str, ...]]
    _plain: ClassVar[tuple[str, ...]]

    labels_: npt.NDArray[Any]
    membership_: Any
    centroids_: Any
    tree_: Tree
    path_: list[dict[str, Any]]
    n_clusters_: int
    mass_: npt.NDArray[np.float64]
    background_: npt.NDArray[np.float64]
    n_features_in_: int
    n_iter_: int
    notes_: list[str]
    interrupted_: bool

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn clusters of the rows of X: Counts, or any sparse or dense matrix of counts."""
        raise NotImplementedError

    def fit_predict(self, X: Any, y: Any = None) -> npt.NDArray[Any]:
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
        return self._proba(self._table(X))

    def transform(self, X: Any) -> Any:
        """The same as `predict_proba`."""
        return self.predict_proba(X)

    def predict(self, X: Any) -> Any:
        """The likeliest cluster of each row of X."""
        return self.predict_proba(X).argmax(axis=1)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log p(context|word) of the tokens in X, nats; higher is better."""
        check_is_fitted(self)
        matrix = self._table(X)
        return log_likelihood(matrix, self._proba(matrix), self.centroids_, self.background_)

    def cut(self, k: int) -> npt.NDArray[Any]:
        """The label of each word when the tree has only its first k clusters."""
        check_is_fitted(self)
        return np.asarray(self.tree_.cut(k)[self.labels_])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model as a folder that `load` reads."""
        check_is_fitted(self)
        keeping.save(self, path, self._kind, self._arrays, self._plain)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The model that `save` wrote; nothing in it is run."""
        model: Self = keeping.load(cls, path, cls._kind, cls._arrays, cls._plain)
        model._unpack()
        return model

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

    def _table(self, X: Any, reset: bool = False) -> Any:
        """X as a checked csr_array of float64."""
        return table(self, X, reset=reset)

    def _proba(self, matrix: Any) -> npt.NDArray[Any]:
        raise NotImplementedError

    def _unpack(self) -> None:
        """Make what is not kept as it is, from what was loaded."""

    def _blockwise(self, X: Any) -> Any:
        if len(getattr(X, "shape", ())) != 2 or X.shape[1] != self.n_features_in_:
            raise InputError(
                f"a dask {type(X).__name__} of shape {getattr(X, 'shape', None)}: expected an "
                f"array with {self.n_features_in_} columns"
            )
        whole, dtype = X.rechunk({1: -1}), self.membership_.dtype
        chunks = whole.chunks[0], (self.n_clusters_,)
        work = partial(_of_block, self)
        return whole.map_blocks(work, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype))


def _of_block(model: Clusterer, block: Any) -> npt.NDArray[Any]:
    return model._proba(model._table(block))
