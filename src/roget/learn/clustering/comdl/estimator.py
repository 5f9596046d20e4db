"""CoMDL: co-clustering by description length, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.errors import InputError, Notice
from roget.learn.clustering import checkpoints
from roget.learn.clustering.base import Clusterer, format_shortfall
from roget.learn.clustering.comdl.criterion import CoclusterTable, choose, count_blocks, prepare
from roget.learn.clustering.comdl.options import PARTITIONS, CoMDLOptions
from roget.learn.clustering.comdl.predict import ClassAssignment, CoclusterModel
from roget.learn.clustering.comdl.search import (
    FIRST_A,
    FIRST_B,
    CoMDLSearch,
    CoMDLSettings,
    MergeHierarchy,
    build_hierarchy,
    default_starts,
    default_sweeps,
)
from roget.learn.clustering.inputs import find_names
from roget.learn.clustering.result import SAVED, Clustering

MAX_TOTAL = 2.0**53
"""Maximum sum of counts. float64 represents integers up to this value exactly."""


class CoMDL(Clusterer, CoMDLOptions):
    """Co-clustering of words and contexts by minimum description length.

    The numbers of word classes and context classes give the shortest description. The description
    has three parts: the classes of words and contexts, the total count of each block (a word class
    and a context class), and the proportions of words and contexts within their classes. The search
    uses annealing. Then word classes and context classes are merged until one of each is left,
    which gives two trees.

    a = b = 1 is the flat degree-corrected block model. `criterion="li-abe"` is the description
    length of Li & Abe (1996), with classes of both words and contexts. Here a and b are only used
    to place new words. More sweeps give a slightly shorter description. A long run saves its state
    in the folder `checkpoint`, and a later run can resume it. `progress` is called with
    {"n_clusters", "n_column_clusters", "description_length", "fraction"}.

    All lengths are in nats. The value of a split in a tree is the length it saves. `path_` has one
    row per split, with the lengths of the model and of the data. Rows and columns without counts
    get the classes in which they cost least. Fractional counts are slower. Ctrl-C ends a run early
    with a warning and the classes found so far.

    >>> import numpy as np
    >>> counts = np.kron(np.eye(2, dtype=int), np.full((3, 2), 20))
    >>> model = CoMDL(random_state=0).fit(counts)
    >>> model.labels_.tolist(), model.column_labels_.tolist()
    ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1])
    """

    name = "comdl"
    makes = "classes of words and of contexts by description length"
    rule = ClassAssignment
    unit = SAVED
    warns_trivial = True
    number = "n_row_classes"
    kept = (
        "a_", "b_", "column_labels_", "column_totals_", "description_length_", "start_labels_",
        "start_blocks_", "starts_",
    )  # fmt: skip
    facts: ClassVar[Mapping[str, str]] = {"description_length": "description_length_"}
    found: ClassVar[Mapping[str, str]] = {"n_column_classes": "n_column_clusters_"}

    starts_: list[dict[str, Any]]

    def _learn(self, matrix: Any) -> None:
        if not len(self.levels):
            raise InputError(
                "levels=(): expected fractions of the classes, such as 0.5", code="invalid-option"
            )
        rows = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        columns = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
        seen = np.flatnonzero(rows > 0), np.flatnonzero(columns > 0)
        if not seen[0].size:
            raise InputError(
                f"no row has counts: all {rows.size} rows are zero", code="too-little-text"
            )
        if self._printed and self.partition != PARTITIONS[0]:
            raise InputError(
                f"partition={self.partition!r} requires criterion='auto'",
                code="conflicting-options",
            )
        if self._printed and rows.sum() <= 1:
            raise InputError(
                f"the counts add up to {rows.sum():g}; criterion='li-abe' requires more than one "
                "token",
                code="too-little-text",
            )
        if rows.sum() >= MAX_TOTAL:
            raise InputError(
                f"the counts add up to {rows.sum():g}; the maximum is 2^53", code="too-large"
            )
        # Search only among rows and columns with counts.
        part = matrix if seen[0].size == rows.size else matrix[seen[0]]
        part = part if seen[1].size == columns.size else part[:, seen[1]]
        data = prepare(part, "printed" if self._printed else self.partition)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        found = self._search(data, seed)
        self._set_results(data, found, columns, seen, rows.size)
        self.notes_ = self._make_notes(data, rows, columns)
        for noun, number, used in zip(("rows", "columns"), self._requested, seen, strict=True):
            if number is not None and number > used.size:
                reason = f"there are no more {noun} with counts"
                self._warn_shortfall(
                    format_shortfall(used.size, number, reason, "class", f" of {noun}")
                )

    @property
    def row_labels_(self) -> Ints:
        """The class of each row (same as `labels_`)."""
        return self.labels_

    @property
    def column_tree_(self) -> Tree:
        """The tree of the column classes."""
        return self._models[0].trees[1]

    @property
    def blocks_(self) -> Floats:
        """Block counts, as an array of shape (row classes, column classes)."""
        return self._models[0].blocks

    @property
    def n_column_clusters_(self) -> int:
        """Number of column classes."""
        return int(self.blocks_.shape[1])

    @property
    def settled_(self) -> dict[str, Any]:
        """Parameters for repeating the fit without choosing the numbers of classes.

        One random start is enough if these are fixed.
        """
        return {**super().settled_, "n_starts": 1}

    def predictive(
        self, words: Any, contexts: Any, level: float | None = None, *, every: bool = False
    ) -> Floats:
        """Return p(context|word) for pairs of words and contexts, at one level of the class
        hierarchy.

        Words and contexts are names or numbers. `level` is the fraction of the word classes and
        context classes to keep (None: all of them). With `every`, predictions are averaged over all
        random starts, which is more accurate.
        """
        check_is_fitted(self)
        rows = find_names(words, vars(self).get("words_"), self.labels_.size, "word")
        names = vars(self).get("contexts_")
        columns = find_names(contexts, names, self.n_features_in_, "context")
        models = self._models if every else self._models[:1]
        cells = [model.level(level or 1.0).cells(rows, columns) for model in models]
        return np.asarray(np.mean(cells, axis=0))

    def smoothed(self, words: Any, contexts: Any) -> Floats:
        """Return p(context|word) for pairs of words and contexts, averaged over all levels and
        starts.
        """
        every = [self.predictive(words, contexts, level, every=True) for level in self.levels]
        return np.asarray(np.mean(every, axis=0))

    def predictors(self) -> list[tuple[Clustering, ...]]:
        """Return the word classes at each level. Each tuple has one clustering per random start."""
        found: dict[tuple[Any, ...], tuple[Clustering, ...]] = {}
        for level in self.levels:
            parts = [one.level(level) for one in self._models]
            shapes = tuple(part.blocks.shape for part in parts)
            found.setdefault(shapes, tuple(part.clustering() for part in parts))
        return list(found.values())

    @property
    def _printed(self) -> bool:
        return self.criterion == "li-abe"

    def _smooth(self, data: CoclusterTable, found: MergeHierarchy) -> MergeHierarchy:
        """Return a model with the same classes and the requested (or best) values of a and b."""
        which = "".join(name for name in "ab" if isinstance(getattr(self, name), str))
        a = FIRST_A if isinstance(self.a, str) else float(self.a)
        b = FIRST_B if isinstance(self.b, str) else float(self.b)
        a, b = choose(data, found.labels, a, b, which)
        return replace(found, a=a, b=b)

    @property
    def _requested(self) -> tuple[int | None, int | None]:
        return self.n_row_classes, self.n_column_classes

    def _search(self, data: CoclusterTable, seed: int) -> list[MergeHierarchy]:
        """Run the search until it ends or is interrupted, and return the results, best first."""
        rows, columns = (
            None if number is None else min(number, side.n)
            for number, side in zip(self._requested, data.sides, strict=True)
        )
        a, b = (None if isinstance(one, str) else float(one) for one in (self.a, self.b))
        settings = CoMDLSettings(
            *((0.0, 0.0) if self._printed else (a, b)),
            rows,
            columns,
            self.n_sweeps or default_sweeps(data),
            self.n_starts or default_starts(data),
            seed,
        )
        arrays = data.sides[0].items[:3]
        options = {**vars(settings), "partition": self.partition}
        if self._printed:
            options["criterion"] = self.criterion
        kept = checkpoints.Checkpoint(self.checkpoint, "comdl", arrays, options)
        earlier = kept.resume()
        with kept.guard(), checkpoints.interruptible() as pause:
            search = CoMDLSearch(data, settings, pause)
            try:
                if earlier is not None:
                    search.restore(earlier)
                for state in search.steps():
                    kept.keep(search.snapshot, now=state.finished)
                    now = state.find_best()
                    self._report(
                        state.fraction, n_clusters=now.k[0], n_column_clusters=now.k[1],
                        description_length=now.total,
                    )  # fmt: skip
            except KeyboardInterrupt:
                self._interrupt("the classes found so far are kept")
        self.n_iter_ = max(1, search.done)
        # If a number of classes was requested, do not merge further.
        shorten = self._requested == (None, None)
        ends = [build_hierarchy(data, one, shorten=shorten) for one in search.results()]
        return sorted(ends, key=lambda end: end.length.total)

    def _set_results(
        self,
        data: CoclusterTable,
        found: list[MergeHierarchy],
        columns: Floats,
        seen: tuple[Any, Any],
        rows: int,
    ) -> None:
        """Store the results of the random starts.

        Rows and columns without counts are assigned to the cheapest classes.
        """
        best = found[0]
        self.description_length_ = best.length.total
        if self._printed:
            # Place words with the default code. In Li & Abe's code, unseen events have probability
            # 0.
            found = [self._smooth(data, one) for one in found]
        self.a_, self.b_ = found[0].a, found[0].b
        self.column_totals_ = columns
        self.starts_, labels, blocks = [], [], []
        for one in found:
            counts = count_blocks(data, one.labels)
            model = CoclusterModel(
                counts, *one.labels, columns, one.a, one.b, self.partition == "sizes", one.trees
            )
            parts = zip(one.labels, seen, (rows, columns.size), model.cheapest(), strict=True)
            labels.append(np.concatenate([_fill_labels(*part) for part in parts]))
            blocks.append(counts.ravel())
            trees = [tree.to_json() for tree in one.trees]
            self.starts_.append(
                {"a": one.a, "b": one.b, "length": one.length.total, "trees": trees}
            )
        self.start_labels_, self.start_blocks_ = np.stack(labels), np.concatenate(blocks)
        self.column_labels_ = self.start_labels_[0, rows:]
        self._unpack()
        self.clustering_ = replace(self._models[0].clustering(), path=best.path)

    def _revive(self, content: Mapping[str, Any]) -> Clustering:
        self._unpack()
        return replace(self._models[0].clustering(), path=content["path_"])

    def _unpack(self) -> None:
        """Rebuild the models from the saved results of the random starts."""
        self._models, at = [], 0
        rows = self.start_labels_.shape[1] - self.column_totals_.size
        for start, labels in zip(self.starts_, self.start_labels_, strict=True):
            one, two = (Tree.from_json(tree) for tree in start["trees"])
            size = one.n_clusters * two.n_clusters
            blocks = self.start_blocks_[at : at + size].reshape(one.n_clusters, two.n_clusters)
            at += size
            self._models.append(
                CoclusterModel(
                    blocks, labels[:rows], labels[rows:], self.column_totals_, start["a"],
                    start["b"], self.partition == "sizes", (one, two),
                )
            )  # fmt: skip

    def _make_notes(self, data: CoclusterTable, rows: Floats, columns: Floats) -> list[str]:
        """Return notes about the data, such as the number of rows without counts."""
        notes: list[str] = []
        if self.n_clusters_ == 1 and self._requested[0] is None:
            text = (
                "all rows are in one class, which gives the shortest description: the rows do "
                "not differ enough"
            )
            notes.append(Notice(text, code="nothing-clustered"))
        for noun, sums in (("rows", rows), ("columns", columns)):
            if empty := int(np.sum(sums == 0)):
                text = f"{empty} of {sums.size} {noun} have no counts"
                notes.append(Notice(text, code="empty-rows"))
        if not data.whole:
            text = "some counts are fractional, so description lengths are not exact code lengths"
            notes.append(Notice(text, code="fractional-counts"))
        return notes


def _fill_labels(labels: Ints, places: Any, size: int, free: int) -> Ints:
    """Return the labels of all items. Items without counts get the class `free`."""
    every = np.full(size, free, dtype=np.int64)
    every[places] = labels
    return every
