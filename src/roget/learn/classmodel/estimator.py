"""`ClassModel`: an estimator of p(context|word) from counts and classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from roget.core import contents
from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.core.types import Array, Floats, PathLike
from roget.errors import InputError
from roget.learn.classmodel import files, mixing
from roget.learn.classmodel.classes import ClassCounts, continuation, read_classes
from roget.learn.classmodel.families import learn_family
from roget.learn.classmodel.recipes import ModelRecipe, recipe
from roget.learn.clustering.inputs import (
    align_contexts,
    export_names,
    find_names,
    restore_names,
    table,
)
from roget.learn.clustering.result import Clustering
from roget.learn.clustering.tokens import unigram
from roget.learn.options import BACKOFFS

EDGES = (5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""Word frequencies that separate the frequency groups.

With backoff="interpolate", each group has its own weights.
"""

CELLS = 1 << 24
"""Number of values (words × contexts × predictors) to compute in one batch."""

DEV = 0.1
"""Default fraction of the tokens that is held out for fitting the weights."""


class ClassModel(BaseEstimator):  # type: ignore[misc]
    """Estimator of p(context|word) for sparse counts that backs off to classes of words.

    The word's own counts are discounted. The remaining probability is distributed by the word's
    classes at several levels and by the background, with weights fitted to held-out tokens.

    classes: the name of a model ("kneser-ney", "soft-symmetric", "comdl", "roget", …), a fitted
        clusterer, a Clustering, a Thesaurus, a pair (memberships, centroids), or a list of these.
    backoff: "discount" (Kneser–Ney), "interpolate" (weights by the word's total count) or "none"
        (classes only). "auto" uses the backoff of the named model, and "discount" otherwise.

    Fitted attributes are `weights_` (groups of words × predictors; with "interpolate" the word's
    own counts come first), `names_` (names of the predictors) and `discounts_`.

    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> model = ClassModel("mdl", random_state=0).fit(counts, dev=counts)
    >>> model.predict_proba(counts).sum(axis=1).round(12).tolist()
    [1.0, 1.0, 1.0, 1.0]
    >>> bool(model.proba(0, 3) > model.proba(0, 2))
    True
    """

    classes_: list[ClassCounts]
    n_features_in_: int
    _train: Any
    _predictors: list[ClassCounts]

    def __init__(
        self, classes: Any = "roget", *, backoff: str = "auto", random_state: Any = None
    ) -> None:
        self.classes = classes
        self.backoff = backoff
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        dev: Any = None,
        learnt: dict[str, list[ClassCounts]] | None = None,
    ) -> ClassModel:
        """Learn from X (Counts or a matrix of counts), and fit the weights to the tokens of `dev`.

        Without `dev`, 10 % of the tokens are held out to fit the weights, and named classes are
        then learnt again from all tokens. If `dev` has no tokens, all weights are equal. Do not
        learn classes from `dev`, or their weights become too large. `learnt` is a cache of classes
        by family, and `fit` adds to it.
        """
        named = self._recipe()
        train = table(self, X, reset=True)
        if not train.sum() > 0:
            raise InputError("the table has no counts", code="empty-input")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if dev is not None:
            held = self._same_words(dev, train.shape[0], "dev")
            self._learn(train, named, seed, {} if learnt is None else learnt)
            self._weigh(held, named)
            return self
        # 1. Learn from 90 % of the tokens, and fit the weights to the remaining 10 %.
        part, held = self._hold_out(train, seed)
        if not part.sum() > 0:
            part, held = train, sparse.csr_array(train.shape)
        self._learn(part, named, seed, {})
        self._weigh(held, named)
        # 2. Learn again from all tokens with the same weights.
        before = self._train, self.classes_, self._predictors
        self._learn(train, named, seed, {})
        if _kinds(self._predictors) != _kinds(before[-1]):
            # If the new classes have different levels, there are no weights for them. Keep the
            # predictors of step 1.
            self._train, self.classes_, self._predictors = before
        self._name(named)
        return self

    def proba(self, words: Any, contexts: Any) -> Floats:
        """Return p(context|word) for pairs of training words and contexts (names or indices)."""
        check_is_fitted(self)
        rows = find_names(words, vars(self).get("words_"), self._train.shape[0], "word")
        names = vars(self).get("contexts_")
        columns = find_names(contexts, names, self.n_features_in_, "context")
        try:
            rows, columns = np.broadcast_arrays(rows, columns)
        except ValueError:
            raise InputError(
                f"cannot pair {rows.size} words with {columns.size} contexts; pass as many "
                "words as contexts",
                code="length-mismatch",
            ) from None
        return self._cells(self._train, self._predictors, rows, columns)

    def predict_proba(self, X: Any) -> Floats:
        """Return p(context|word) of every context for words with the counts X.

        A word without counts is treated as unknown.
        """
        check_is_fitted(self)
        counts = table(self, X)
        predictors = [one.place(counts) for one in self._predictors]
        return self._rows(counts, predictors, np.arange(counts.shape[0]))

    def proba_rows(self, words: Any) -> Floats:
        """Return p(context|word) over all contexts for training words, given by name or index."""
        check_is_fitted(self)
        rows = find_names(words, vars(self).get("words_"), self._train.shape[0], "word")
        return self._rows(self._train, self._predictors, rows)

    def score(self, X: Any, y: Any = None, *, given: Any = None) -> float:
        """Return the mean log-likelihood per token of X in nats, or nan if X has no tokens.

        The rows of X are the training words. If they are new words, pass their known counts as
        `given`.
        """
        tokens, logs = self.log_proba(X, given=given)
        total = float(tokens.data.sum())
        return float(np.sum(tokens.data * logs)) / total if total > 0 else float("nan")

    def log_proba(self, X: Any, *, given: Any = None) -> tuple[Any, Floats]:
        """Return the counts in X as a coo_array, and log p(context|word) for each entry."""
        check_is_fitted(self)
        if given is None:
            known, predictors = self._train, self._predictors
            tokens = self._same_words(X, known.shape[0], "X")
        else:
            tokens, known = table(self, X), table(self, given)
            if tokens.shape[0] != known.shape[0]:
                raise InputError(
                    f"'X' and 'given' must have the same number of words ({tokens.shape[0]} and "
                    f"{known.shape[0]} passed)",
                    code="length-mismatch",
                )
            predictors = [one.place(known) for one in self._predictors]
        cells = sparse.coo_array(tokens)
        return cells, np.log(self._cells(known, predictors, cells.row, cells.col))

    def save(self, path: PathLike) -> None:
        """Write the fitted model to a folder that `load` can read. Classes are stored as tables."""
        check_is_fitted(self)
        header = {
            "options": {
                "classes": self.classes if isinstance(self.classes, str) else None,
                "backoff": self.backoff,
            },
            "names_": self.names_,
            "n_features_in_": self.n_features_in_,
        }
        header |= export_names(self)
        files.write(path, header, self._train, self._predictors, self._mixture)

    @classmethod
    def load(cls, path: PathLike) -> ClassModel:
        """Read a model written by `save`. No stored code is executed."""
        with contents.report_damage(path):
            header, train, predictors, mixture = files.read(path)
            model = cls(**header["options"])
            model._train, model._predictors, model._mixture = train, predictors, mixture
            model.classes_, model.names_ = predictors[:-1], header["names_"]
            model.weights_, model.discounts_ = mixture.weights, mixture.discounts
            model.n_features_in_ = header["n_features_in_"]
            restore_names(model, header)
        return model

    def _recipe(self) -> ModelRecipe:
        """Combine the recipes of the named models with the requested kind of backoff."""
        if self.backoff not in BACKOFFS:
            raise InputError(
                f"backoff={self.backoff!r} is invalid; expected {', '.join(BACKOFFS)}",
                code="invalid-option",
            )
        named = [one for one in self._sources() if isinstance(one, str)]
        parts = [recipe(name) for name in named]
        if isinstance(self.classes, list):
            if not self.classes:
                raise InputError(
                    "'classes' is empty; pass at least one element, or a name such as kneser-ney",
                    code="invalid-option",
                )
            for name, part in zip(named, parts, strict=True):
                if not part.families:
                    raise InputError(
                        f"classes={self.classes!r}: {name!r} has no classes to combine",
                        code="invalid-option",
                    )
        # A single named model sets the backoff and the base distribution. A list of classes uses
        # Kneser–Ney.
        families = tuple(dict.fromkeys(name for part in parts for name in part.families))
        base = parts[0] if parts and len(self._sources()) == 1 else recipe("kneser-ney")
        own = base.own if self.backoff == "auto" else self.backoff
        levels = (base.levels or 3) if own == "discount" else 0
        return replace(base, own=own, levels=levels, families=families)

    def _sources(self) -> Sequence[Any]:
        """Return the elements of `classes` as a list."""
        return self.classes if isinstance(self.classes, list) else [self.classes]

    def _same_words(self, X: Any, words: int, name: str) -> Any:
        """Return the counts in X with the rows reordered to match the training words."""
        if isinstance(X, Counts) and "words_" in vars(self):
            tokens = align_contexts(X, self.contexts_)
            if np.array_equal(X.words, self.words_):
                return tokens
            rows, cells = find_names(X.words, self.words_, words, "word"), sparse.coo_array(tokens)
            shape = words, self.n_features_in_
            return sparse.csr_array((cells.data, (rows[cells.row], cells.col)), shape=shape)
        held = table(self, X)
        if held.shape[0] != words:
            raise InputError(
                f"{name} has {held.shape[0]} rows; expected {words}, one for each training word",
                code="length-mismatch",
            )
        return held

    def _hold_out(self, train: Any, seed: int) -> tuple[Any, ...]:
        """Split the tokens into training tokens and tokens for fitting the weights."""
        if not np.all(train.data == np.rint(train.data)):
            raise InputError(
                "fractional counts cannot be split into tokens; pass development counts as 'dev'",
                code="fractional-counts",
            )
        parts = Counts(train).split(1 - DEV, random_state=seed)
        return tuple(sparse.csr_array(part.matrix, dtype=np.float64) for part in parts)

    def _learn(
        self, train: Any, named: ModelRecipe, seed: int, learnt: dict[str, list[ClassCounts]]
    ) -> None:
        """Learn or convert the classes of all sources, and return all predictors."""
        names = (self.words_, self.contexts_) if "words_" in vars(self) else None
        found: list[ClassCounts] = []
        for source in self._sources():
            if not isinstance(source, str):
                found += read_classes(source, train, names)
        # Reuse families that were learnt for another model.
        for family in named.families:
            if family not in learnt:
                learnt[family] = learn_family(family, train, seed)
            found += learnt[family]
        self._train, self.classes_ = train, found
        self._predictors = [*found, _base(train, named.base)]

    def _weigh(self, held: Any, named: ModelRecipe) -> None:
        """Fit the weights of the predictors, and the discounts, to held-out tokens."""
        cells = sparse.coo_array(held)
        rows, columns = cells.coords
        stack = np.stack([one.cells(rows, columns) for one in self._predictors])
        levels = max(named.levels, 1)
        known = mixing.gather_data(self._train, rows, columns, levels)
        totals = np.asarray(self._train.sum(axis=1)).ravel()[rows]
        self._mixture = mixing.learn(
            named.own,
            known,
            stack,
            cells.data.astype(np.float64),
            totals,
            discounts=mixing.closed_form(self._train, levels),
            edges=np.array(EDGES if named.own == "interpolate" else ()),
        )
        self.weights_, self.discounts_ = self._mixture.weights, self._mixture.discounts
        self._name(named)

    def _name(self, named: ModelRecipe) -> None:
        """Return a unique name for each predictor."""
        self.names_ = ["own counts"] if named.own == "interpolate" else []
        names = [one.name for one in self._predictors]
        for at, name in enumerate(names, 1):
            times = names[:at].count(name)
            self.names_.append(f"{name} ({times})" if times > 1 else name)

    def _cells(
        self, counts: Any, predictors: list[ClassCounts], rows: Array, columns: Array
    ) -> Floats:
        """Return p(context|word) for pairs of words (rows) and contexts (columns)."""
        stack = np.stack([one.cells(rows, columns) for one in predictors])
        return self._mix(counts, stack, rows, columns)

    def _rows(self, counts: Any, predictors: list[ClassCounts], rows: Array) -> Floats:
        """Return p(context|word) for all contexts of the given words."""
        m = counts.shape[1]
        out = np.empty((rows.size, m))
        # Limit the memory for words × contexts × predictors.
        step = max(1, CELLS // (m * len(predictors)))
        for begin in range(0, rows.size, step):
            part = rows[begin : begin + step]
            every, columns = np.repeat(np.arange(part.size), m), np.tile(np.arange(m), part.size)
            stack = np.stack([one.rows(part).ravel() for one in predictors])
            cells = self._mix(counts[part], stack, every, columns)
            out[begin : begin + step] = cells.reshape(part.size, m)
        return out

    def _mix(self, counts: Any, stack: Floats, rows: Array, columns: Array) -> Floats:
        known = mixing.gather_data(counts, rows, columns, max(self.discounts_.size, 1))
        groups = self._mixture.groups(np.asarray(counts.sum(axis=1)).ravel())[rows]
        return self._mixture.cells(known, stack, groups)


def _kinds(predictors: list[ClassCounts]) -> list[str]:
    return ["".join(c for c in one.name if not c.isdigit()) for one in predictors]


def _base(train: Any, kind: str) -> ClassCounts:
    known = continuation(train) if kind == "continuation" else unigram(train)
    one = Clustering(Tree(), np.ones((train.shape[0], 1)), known[None, :], np.ones(1))
    return ClassCounts(kind, (one,))
