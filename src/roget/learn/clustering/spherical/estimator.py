"""SphericalTree: spherical k-means of word vectors, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from roget.core import contents
from roget.core.io.problems import plural
from roget.core.types import BoolArray, Floats, Ints
from roget.errors import InputError, Notice
from roget.learn.clustering import checkpoints
from roget.learn.clustering.base import Clusterer, place_others
from roget.learn.clustering.inputs import select_learnable
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import Clustering, Unit
from roget.learn.clustering.spherical import levels as leveling
from roget.learn.clustering.spherical.moves import (
    compute_centres,
    measure_fit,
    move,
    nearest,
    start,
)
from roget.learn.clustering.spherical.options import SphericalOptions
from roget.learn.clustering.spherical.rule import COMMON, NearestCentroids, smooth_vectors
from roget.learn.representation.background import add_background
from roget.learn.representation.prior import Prior, open_prior, supplement
from roget.learn.representation.vectors import Representation

SIZE = 40
"""Default mean number of words per class. Classes of this size are easy to read and to name."""

FEW = 100
"""Maximum number of words for which no word is excluded.

Users can check such a short list themselves.
"""

ENOUGH = (30, 50)
"""Minimum number of contexts, or of tokens, for a word to be placed reliably.

A word above these limits is never excluded. If it lies between classes, it probably has several
senses or a general meaning.
"""

BETWEEN, AMONG = "between classes", "similar only to rare words"
"""Reasons for excluding a word, as shown to users."""

RARELY = 3
"""Factor by which the share of frequent words in a class may fall below the average.

Classes with a lower share are dissolved, but at most a quarter of all classes. In blind evaluation,
people could not name them.
"""


class SphericalTree(Clusterer, SphericalOptions):
    """Spherical k-means clustering of word vectors, with a balanced tree over the classes.

    Counts are converted to PPMI weights and weights to vectors (see `Representation`), and every
    vector is smoothed with its nearest neighbours. Ward linkage gives the initial classes. Then
    words move to the nearest centre until no word moves (spherical k-means). The tree is built from
    the bottom up by the cheapest merges, and k-means runs again for the classes of each level.

    set_aside: Leave uncertain words out of a thesaurus of more than 100 words. These are words
        with few contexts, and rare words (fewer than 30 contexts and 50 tokens) that are closer to
        another class than to the rest of their class. Unless a number of classes is requested,
        classes that consist mostly of such rare words are dissolved as well.
    background: Counts of other texts, which are added to the counts of the same words. They
        affect the classes, but not which words and contexts are included.
    vectors: Word vectors from another source ("bundled", the path of a file, or a `Prior`). They
        supplement the vectors computed from contexts. Words that the text clearly uses in another
        sense keep that sense.
    checkpoint: Folder in which a long run saves its state, so it can be resumed.
    progress: Called with {"fraction"} during the run.

    `unsure_` maps the rows of the excluded words to the reason. These words still have labels. Ward
    linkage needs quadratic memory, so it uses at most max(6000, 4 × number of classes) words, the
    most frequent ones. The other words join the nearest class. Ctrl-C during k-means ends this
    phase early, with a warning.

    >>> import numpy as np
    >>> rows = [[9, 8, 7, 0, 0, 0], [8, 9, 5, 0, 1, 0], [0, 0, 1, 7, 8, 9], [0, 0, 0, 6, 4, 9]]
    >>> SphericalTree(2, random_state=0, min_contexts=1).fit(np.array(rows)).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "spherical"
    makes = "word classes by spherical k-means of word vectors"
    rule = NearestCentroids
    unit = Unit("none", "merged at", False)
    kept = ("sharpness_", "levels_", "unsure_")
    facts: ClassVar[Mapping[str, str]] = {"levels": "levels_"}
    borrows = True

    sharpness_: float
    levels_: list[int]

    def _learn(self, matrix: Any) -> None:
        self.n_iter_ = 1
        with checkpoints.interruptible() as pause, threadpool_limits(1):
            self._make_classes(matrix, pause)

    def _make_classes(self, matrix: Any, pause: checkpoints.Pause) -> None:
        """Learn the classes, and set the fitted attributes."""
        # 1. Compute vectors of all words with enough contexts, or read them from a checkpoint.
        requested = leveling.read_levels(self.levels, self.n_clusters)
        seen = select_learnable(matrix, 0)[1]
        wide, contexts = self._add_background(matrix)
        totals = np.asarray(wide.sum(axis=1), dtype=np.float64).ravel()
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self._report(0.02)
        state = {"seed": seed}
        prior = self._open_prior()
        if prior is not None:
            state["prior"] = int(prior.sha256[:15], 16)
        keep = checkpoints.Checkpoint(
            self.checkpoint, self.name, (wide.indptr, wide.indices, wide.data), state
        )
        number = requested[-1] if requested else self.n_clusters
        many = np.diff(matrix.indptr)
        # Include words with fewer contexts if there are too few words for the classes.
        enough = np.sort(many[seen])[-min(4 * (number or 1), seen.size)]
        rows = seen[many[seen] >= min(self.min_contexts, int(enough))]
        learnt, known = self._represent(wide, rows, contexts, seed, keep)
        if prior is not None and not known.prior:
            known = self._add_prior(known, prior, matrix[learnt], learnt)
        self._report(0.5)
        n = learnt.size
        k = min(n, number or max(1, round(n / SIZE)))
        # 2. Smooth the vectors with their nearest common words.
        order = np.argsort(-totals[learnt], kind="stable")
        common = np.sort(order[:COMMON])
        vectors = smooth_vectors(known, common)
        pause()
        self._report(0.7)
        # 3. Compute initial classes by Ward linkage, then run spherical k-means.
        labels = start(vectors, k, order)
        self._report(0.9)
        try:
            labels = move(vectors, labels, pause)
        except KeyboardInterrupt:
            self._interrupt("some words were still moving between classes", ConvergenceWarning)
        labels = np.unique(labels, return_inverse=True)[1]
        # 4. Dissolve classes of rare words, and find rare words that lie between classes.
        aside, many = self.set_aside and n > FEW, np.diff(wide.indptr)[learnt]
        seldom = (many < ENOUGH[0]) & (totals[learnt] < ENOUGH[1])
        among = np.zeros(n, dtype=bool)
        if aside and not number:
            labels, among = dissolve(vectors, labels, seldom)
        k = int(labels.max()) + 1
        own, others = measure_fit(vectors, labels, k)
        between = (own < others) & seldom & ~among & (aside and n > k > 1)
        # Every class must keep at least one word that is not excluded.
        between &= np.isin(labels, labels[~between & ~among])
        unsure = between | among
        # 5. Build the tree over the centres, and fit the rule for new words.
        centres = compute_centres(vectors[~among], labels[~among], k)
        self.levels_ = [*(one for one in requested or leveling.choose_levels(k) if one < k), k]
        sizes = np.bincount(labels, minlength=k)
        tree, order = leveling.grow(centres, sizes, self.levels_, checkpoints.never_stop)
        labels, centres = order[labels], centres[np.argsort(order)]
        self.sharpness_ = _sharpen(vectors, labels, centres, own)
        rule = NearestCentroids(self.sharpness_, centres.astype(np.float32), common)
        # 6. Build the clustering. Uncertain words do not affect centroids and masses.
        belongs = one_hot(labels, k)
        sure = belongs[~unsure].T @ matrix[learnt[~unsure]]
        mass = np.asarray(sure.sum(axis=1)).ravel()
        background = np.asarray(matrix.sum(axis=0)).ravel()
        found = Clustering(
            tree, belongs, sparse.csr_array(sure / mass[:, None]),
            mass / mass.sum(), background / background.sum(), rule=rule, unit=self.unit,
            representation=known,
        )  # fmt: skip
        self.clustering_ = place_others(found, matrix, learnt)
        self._set_aside(matrix, learnt, between, among)
        self._report(1.0)

    def _add_background(self, matrix: Any) -> tuple[Any, Any]:
        """Add the background counts. Return the sums, and the names of their contexts."""
        names = vars(self)
        if self.background is None:
            return matrix, names.get("contexts_")
        return add_background(matrix, names.get("words_"), names.get("contexts_"), self.background)

    def _open_prior(self) -> Prior | None:
        """Open the prior vectors of the option `vectors`, or return None."""
        if self.vectors is None or isinstance(self.vectors, Prior):
            return self.vectors
        return open_prior(self.vectors)

    def _add_prior(
        self, known: Representation, prior: Prior, matrix: Any, learnt: Ints
    ) -> Representation:
        """Add prior vectors to the vectors computed from contexts."""
        words = vars(self).get("words_")
        if words is None:
            raise InputError(
                "prior vectors require Counts with words, not a bare matrix", code="invalid-input"
            )
        return supplement(
            known, prior, words[learnt].tolist(), matrix, background=self.background is not None
        )

    def _represent(
        self, matrix: Any, rows: Ints, contexts: Any, seed: int, keep: checkpoints.Checkpoint
    ) -> tuple[Ints, Representation]:
        """Return the training rows and their vectors, computed or from a checkpoint."""
        state = keep.resume()
        if state is not None:
            with keep.guard():
                return self._restore(state, matrix)
        words = vars(self).get("words_")
        known = Representation.learn(
            matrix[rows],
            words=None if words is None else words[rows],
            contexts=contexts,
            seed=seed,
            exact=self.background is not None,
        )
        keep.keep(lambda: {"learnt": rows, **known.to_arrays()})
        return rows, known

    @staticmethod
    def _restore(state: Mapping[str, Any], matrix: Any) -> tuple[Ints, Representation]:
        known = Representation.from_arrays(state)
        contents.require_arrays(state, {"learnt": ("i", (known.weights.shape[0],))})
        learnt = state["learnt"].astype(np.int64)
        contents.require_range("learnt", learnt, 0, matrix.shape[0])
        if known.rows is not None or known.weights.shape[1] != matrix.shape[1]:
            raise ValueError("the vectors belong to different words or contexts")
        if np.any(learnt[1:] <= learnt[:-1]):
            raise ValueError("'learnt' must contain increasing row numbers")
        return learnt, known

    def _set_aside(self, matrix: Any, learnt: Ints, between: BoolArray, among: BoolArray) -> None:
        """Record the reason for excluding each uncertain word, and add a note."""
        few = np.setdiff1d(np.arange(matrix.shape[0]), learnt).tolist()
        contexts = np.diff(matrix.indptr)
        self.unsure_ = {}
        if self.set_aside and matrix.shape[0] > FEW:
            reasons = {row: f"occurs in {plural(int(contexts[row]), 'context')}" for row in few}
            for why, which in ((BETWEEN, between), (AMONG, among)):
                reasons |= dict.fromkeys(learnt[which].tolist(), why)
            self.unsure_ = reasons
        if self.unsure_:
            text = (
                f"{plural(len(self.unsure_), 'word', ',')} excluded as uncertain: "
                f"{int(between.sum()):,} rare words between classes, {int(among.sum()):,} whose "
                f"nearest words are all rare, {len(few):,} with fewer than {self.min_contexts} "
                "contexts (--set set_aside=false keeps them)"
            )
            self.notes_.append(Notice(text, code="words-set-aside"))

    def _unpack(self) -> None:
        self.unsure_ = {int(row): str(why) for row, why in self.unsure_.items()}


def dissolve(vectors: Any, labels: Ints, seldom: BoolArray) -> tuple[Ints, BoolArray]:
    """Dissolve classes that consist mostly of rare words.

    Return the new labels, and a mask of the rare words in dissolved classes. All words of a
    dissolved class move to the nearest remaining class.
    """
    # Compute the share of frequent words in each class.
    sizes = np.bincount(labels)
    often = np.bincount(labels, ~seldom) / sizes
    rare = np.flatnonzero(often < np.mean(~seldom) / RARELY)
    rare = rare[np.argsort(often[rare], kind="stable")][: sizes.size // 4]
    lost, kept = np.isin(labels, rare), np.setdiff1d(np.arange(sizes.size), rare)
    new = np.searchsorted(kept, labels)
    if lost.any():
        centres = compute_centres(vectors[~lost], new[~lost], kept.size)
        new[lost] = nearest(vectors[lost], centres)[0]
    return new, lost & seldom


def _sharpen(vectors: Any, labels: Ints, centres: Any, own: Floats) -> float:
    """Return the sharpness of the placement rule that maximises the likelihood of the labels.

    The probability of class c is ∝ exp(sharpness·cosine). The cosine with a vector's own class
    leaves out the vector itself.
    """
    if centres.shape[0] < 2:
        return 1.0
    rows = np.linspace(0, labels.size - 1, min(labels.size, 4000)).astype(np.int64)
    cosines = vectors[rows] @ centres.T
    cosines[np.arange(rows.size), labels[rows]] = own[rows]

    def loss(sharpness: float) -> float:
        scores = sharpness * cosines
        own = scores[np.arange(rows.size), labels[rows]]
        return float(np.mean(logsumexp(scores, axis=1) - own))

    return float(minimize_scalar(loss, bounds=(1.0, 1000.0), method="bounded").x)
