"""SphericalTree: classes of words by the directions of their vectors, as an estimator."""

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

from roget.core import folder
from roget.core.io.problems import plural
from roget.core.types import BoolArray, Floats, Ints
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
from roget.learn.clustering.spherical.rule import COMMON, NearestCentroids, draw_near
from roget.learn.representation import Representation

SIZE = 40
"""Words in a class: as many as people read and find a name for (half of them have 36 or fewer)."""

FEW = 100
"""Words of which none is set aside: so few can all be looked at."""

ENOUGH = (30, 50)
"""Contexts, or tokens, that place a word for certain: one that lies between classes all the same
has several senses or a general one, and is not set aside."""

BETWEEN, AMONG = "between classes", "among rare words only"

RARELY = 3
"""A class is dissolved whose share of words in enough contexts is so many times smaller than usual:
read blind, such classes have no name. At most a quarter of all are."""


class SphericalTree(Clusterer, SphericalOptions):
    """Classes of words whose vectors point the same way, and a balanced tree of them.

    Counts become weights and weights become vectors (see `Representation`); every vector takes in
    a little of its nearest neighbours'. Ward's merges make the first classes; then words move to
    the nearest centre until they stand still. The tree is made bottom-up, by the merges that cost
    least, with levels at which classes are moved again.

    set_aside: leave unsure words out of a thesaurus of more than 100: those, and rare ones (in
        fewer than 30 contexts and 50 times) whose class would be farther from them than another
        one, if they were not in it. Unless a number of classes is asked for, classes of such rare
        words only are dissolved as well.
    checkpoint: a folder in which a long run is kept and from which it goes on.
    progress: called with {"fraction"} as the run goes on.

    `unsure_` says why a word is set aside, by row; all the same it has a label. Ward's
    distances are quadratic, so that of more than 6,000 words (or four for each class) only the most
    frequent are merged, and the others join the nearest class before words move. Ctrl-C while words
    move ends that early, with a warning.

    >>> import numpy as np
    >>> rows = [[9, 8, 7, 0, 0, 0], [8, 9, 5, 0, 1, 0], [0, 0, 1, 7, 8, 9], [0, 0, 0, 6, 4, 9]]
    >>> SphericalTree(2, random_state=0, min_contexts=1).fit(np.array(rows)).labels_.tolist()
    [0, 0, 1, 1]
    """

    name = "spherical"
    makes = "classes of words whose vectors point the same way"
    rule = NearestCentroids
    unit = Unit("none", "merged at", False)
    kept = ("sharpness_", "levels_", "unsure_")
    facts: ClassVar[Mapping[str, str]] = {"levels": "levels_"}

    sharpness_: float
    levels_: list[int]

    def _learn(self, matrix: Any) -> None:
        self.n_iter_ = 1
        with checkpoints.interruptible() as pause, threadpool_limits(1):
            self._make_classes(matrix, pause)

    def _make_classes(self, matrix: Any, pause: checkpoints.Pause) -> None:
        asked = leveling.read_levels(self.levels, self.n_clusters)
        totals, seen, _ = select_learnable(matrix, 0)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self._tell(0.02)
        keep = checkpoints.Checkpoint(
            self.checkpoint, self.name, (matrix.indptr, matrix.indices, matrix.data), {"seed": seed}
        )
        wanted = asked[-1] if asked else self.n_clusters
        learnt, known = self._represent(matrix, seen, seed, 4 * (wanted or 1), keep)
        self._tell(0.5)
        n = learnt.size
        k = min(n, wanted or max(1, round(n / SIZE)))
        order = np.argsort(-totals[learnt], kind="stable")
        common = np.sort(order[:COMMON])
        vectors = draw_near(known, common)
        pause()
        self._tell(0.7)
        labels = start(vectors, k, order)
        self._tell(0.9)
        try:
            labels = move(vectors, labels, pause)
        except KeyboardInterrupt:
            self._interrupt("words did not stop moving", ConvergenceWarning)
        labels = np.unique(labels, return_inverse=True)[1]
        aside, contexts = self.set_aside and n > FEW, np.diff(matrix.indptr)[learnt]
        seldom = (contexts < ENOUGH[0]) & (totals[learnt] < ENOUGH[1])
        among = np.zeros(n, dtype=bool)
        if aside and not wanted:
            labels, among = dissolve(vectors, labels, seldom)
        k = int(labels.max()) + 1
        own, others = measure_fit(vectors, labels, k)
        between = (own < others) & seldom & ~among & (aside and n > k > 1)
        # No class is left without a word that is sure.
        between &= np.isin(labels, labels[~between & ~among])
        unsure = between | among
        centres = compute_centres(vectors[~among], labels[~among], k)
        self.levels_ = [*(one for one in asked or leveling.choose_levels(k) if one < k), k]
        sizes = np.bincount(labels, minlength=k)
        tree, number = leveling.grow(centres, sizes, self.levels_, checkpoints.never_stop)
        labels, centres = number[labels], centres[np.argsort(number)]
        self.sharpness_ = _sharpen(vectors, labels, centres, own)
        rule = NearestCentroids(self.sharpness_, centres.astype(np.float32), common)
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
        self._tell(1.0)

    def _represent(
        self, matrix: Any, seen: Ints, seed: int, least: int, keep: checkpoints.Checkpoint
    ) -> tuple[Ints, Representation]:
        """The rows that can be learnt from, at least so many; or those of a run stopped later."""
        names = vars(self)
        told = keep.resume()
        if told is not None:
            with keep.going_on():
                return self._recall(told, matrix)
        contexts = np.diff(matrix.indptr)
        # Words with few contexts too, rather than hardly more words than classes.
        enough = np.sort(contexts[seen])[-min(least, seen.size)]
        learnt = seen[contexts[seen] >= min(self.min_contexts, int(enough))]
        words = names.get("words_")
        known = Representation.learn(
            matrix[learnt], words=None if words is None else words[learnt],
            contexts=names.get("contexts_"), seed=seed,
        )  # fmt: skip
        keep.keep(lambda: {"learnt": learnt, **known.to_arrays()})
        return learnt, known

    @staticmethod
    def _recall(told: Mapping[str, Any], matrix: Any) -> tuple[Ints, Representation]:
        """The words that were learnt from, and their vectors, from what was kept."""
        known = Representation.of_arrays(told)
        folder.need_arrays(told, {"learnt": ("i", (known.weights.shape[0],))})
        learnt = told["learnt"].astype(np.int64)
        folder.need_range("learnt", learnt, 0, matrix.shape[0])
        if known.rows is not None or known.weights.shape[1] != matrix.shape[1]:
            raise ValueError("vectors of other words, or by other contexts")
        if np.any(learnt[1:] <= learnt[:-1]):
            raise ValueError("learnt: expected to increase")
        return learnt, known

    def _set_aside(self, matrix: Any, learnt: Ints, between: BoolArray, among: BoolArray) -> None:
        few = np.setdiff1d(np.arange(matrix.shape[0]), learnt).tolist()
        contexts = np.diff(matrix.indptr)
        self.unsure_ = {}
        if self.set_aside and matrix.shape[0] > FEW:
            told = {row: f"seen in {plural(int(contexts[row]), 'context')}" for row in few}
            for why, which in ((BETWEEN, between), (AMONG, among)):
                told |= dict.fromkeys(learnt[which].tolist(), why)
            self.unsure_ = told
        if self.unsure_:
            self.notes_.append(
                f"{plural(len(self.unsure_), 'word', ',')} set aside as unsure: "
                f"{int(between.sum()):,} rare ones between classes, {int(among.sum()):,} among "
                f"rare words only, {len(few):,} seen in fewer than {self.min_contexts} contexts "
                "(--no-set-aside keeps them)"
            )

    def _unpack(self) -> None:
        self.unsure_ = {int(row): str(why) for row, why in self.unsure_.items()}


def dissolve(vectors: Any, labels: Ints, seldom: BoolArray) -> tuple[Ints, BoolArray]:
    """Labels without classes in which hardly a word is seen often, and the rare words of those.

    All their words get the class nearest to them.
    """
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
    """The sharpness under which words are likeliest where they are, each without its own part."""
    if centres.shape[0] < 2:
        return 1.0
    rows = np.linspace(0, labels.size - 1, min(labels.size, 4000)).astype(np.int64)
    cosines = vectors[rows] @ centres.T
    cosines[np.arange(rows.size), labels[rows]] = own[rows]

    def loss(sharpness: float) -> float:
        told = sharpness * cosines
        return float(np.mean(logsumexp(told, axis=1) - told[np.arange(rows.size), labels[rows]]))

    return float(minimize_scalar(loss, bounds=(1.0, 1000.0), method="bounded").x)
