"""MDLTree: recursive splits by description length, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from roget.core.contents import require_numbers
from roget.core.information import bits
from roget.core.types import Floats
from roget.errors import Notice
from roget.learn.clustering import checkpoints
from roget.learn.clustering.base import Clusterer, format_shortfall, place_others
from roget.learn.clustering.inputs import select_learnable
from roget.learn.clustering.mdl import criteria
from roget.learn.clustering.mdl.choose import choose
from roget.learn.clustering.mdl.criteria import Code, MergeGain, Parts, background, make_code
from roget.learn.clustering.mdl.grow import Bisector, Grower
from roget.learn.clustering.mdl.options import MDLOptions
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import SAVED, Clustering, Rule
from roget.learn.clustering.tokens import CHOOSING

BEST = "dirichlet"
"""The criterion selected by "auto". It smooths sparse counts best."""


class MDLTree(Clusterer, MDLOptions):
    """A tree of word clusters with the shortest description of the counts.

    The search starts with a single cluster of all words. In each step, it makes the split that
    shortens the description most, until no split makes the description shorter.

    With the criterion "li-abe", the words of a cluster are equally likely and each parameter costs
    ½·ln|S|. With "corrected", words may differ in frequency. Instead of parameters, "dirichlet"
    uses a Dirichlet-multinomial code around the background, and "nml" normalised maximum
    likelihood. "auto" is "dirichlet", whose clusters predict best.

    estimator="mle" minimises only the data part, and splits down to single words. search="auto"
    finds the best split and compares it with not splitting. With search="paper", a cluster is only
    left unsplit if annealing happens to empty one side.

    A long run saves its state in the folder `checkpoint`, and a later run can resume it. `progress`
    is called with {"n_clusters", "description_length", "fraction"}.

    All lengths are in nats. The value of a split in `tree_` is the length it saves. A row of
    `path_` describes a split: the parent, the new cluster, the numbers of words that stayed and
    moved, and the lengths of model and data before and after. Fractional counts are allowed.
    `notes_` lists notes on the data. Ctrl-C ends a run early with a warning and the clusters found
    so far.

    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> model = MDLTree(random_state=0).fit(counts)
    >>> model.labels_.tolist(), model.tree_
    ([0, 0, 1, 1], Tree: 2 clusters, 3 nodes, depth 1)
    """

    name = "mdl"
    makes = "classes by description length"
    rule = MergeGain
    unit = SAVED
    warns_trivial = True
    kept = ("criterion_", "concentration_", "parent_weight_", "description_length_")
    facts: ClassVar[Mapping[str, str]] = {"description_length": "description_length_"}

    concentration_: float | None
    parent_weight_: float

    def _learn(self, matrix: Any) -> None:
        # 1. Select the training words.
        totals, learnt, part = select_learnable(matrix, self.min_count)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.criterion_ = BEST if self.criterion == "auto" else self.criterion
        # 2. Grow the tree.
        with checkpoints.interruptible() as pause:
            found, grower = self._grow(part, totals[learnt], seed, pause)
        # 3. Build the clustering, and place the other words.
        described = self._describe(part, totals[learnt], found, grower)
        k, requested = grower.n_clusters, self.n_clusters
        placed = place_others(described, matrix, learnt)
        self.clustering_ = replace(placed, memberships=one_hot(placed.labels, k))
        if requested is not None and k < requested and not self.interrupted_:
            self._warn_shortfall(format_shortfall(k, requested, "there are no more words to split"))

    def _grow(
        self, part: Any, totals: Floats, seed: int, pause: checkpoints.Pause
    ) -> tuple[Code, Grower]:
        """Choose the concentration, and split until no useful split is left or the run is
        interrupted.
        """
        options = {
            "n_clusters": self.n_clusters, "criterion": self.criterion_, "search": self.search,
            "estimator": self.estimator, "concentration": self.concentration, "seed": seed,
        }  # fmt: skip
        arrays = part.indptr, part.indices, part.data
        kept = checkpoints.Checkpoint(self.checkpoint, "mdl", arrays, options)
        earlier = kept.resume()
        with kept.guard():
            self._choose_concentration(part, pause, earlier)
            found = make_code(part, self.criterion_, self.estimator, self.concentration_ or 1.0)
            grower = Grower(Bisector(part, found, self.search, seed), self.n_clusters, pause)
            if not self.interrupted_:
                self._split(grower, found.root_length(part, totals).total, kept, earlier)
        return found, grower

    def _split(
        self, grower: Grower, length: float, kept: checkpoints.Checkpoint, earlier: Any
    ) -> None:
        """Split clusters, starting at the root or at a checkpoint.

        `length` is the description length of the root.
        """
        chosen = {"concentration": self.concentration_, "parent_weight": self.parent_weight_}

        def report(fraction: float) -> None:
            self._report(fraction, n_clusters=grower.n_clusters, description_length=length)

        try:
            if earlier is not None:
                grower.restore(earlier)
                length -= sum(step.saved for step in grower.steps)
            for step in grower.run():
                length -= 0.0 if step is None else step.saved
                kept.keep(lambda: {**grower.snapshot(), **chosen})
                report(0.99 * grower.fraction)
        except KeyboardInterrupt:
            self._interrupt()
        if grower.candidates:
            kept.keep(lambda: {**grower.snapshot(), **chosen}, now=True)
        report(1.0)

    def _choose_concentration(
        self, part: Any, pause: checkpoints.Pause, earlier: dict[str, Any] | None
    ) -> None:
        """Choose the concentration and the parent weight, or take them from a checkpoint."""
        self.concentration_, self.parent_weight_ = None, 0.0
        if self.criterion_ != "dirichlet" or self.estimator == "mle":
            return
        if earlier is not None:
            require_numbers(earlier, "concentration", "parent_weight", low=0)
            self.concentration_ = earlier["concentration"]
            self.parent_weight_ = earlier["parent_weight"]
            return
        given = self.concentration
        try:
            chosen = choose(part, given, np.random.default_rng(CHOOSING), pause)
            self.concentration_, self.parent_weight_ = chosen.concentration, chosen.weight
        except KeyboardInterrupt:
            self.concentration_ = 1.0 if isinstance(given, str) else float(given)
            self.parent_weight_ = self.concentration_
            self._interrupt()

    def _describe(self, part: Any, totals: Floats, found: Code, grower: Grower) -> Clustering:
        """Return the clustering of the training words."""
        # Count contexts, tokens and words in each cluster.
        k, tree = grower.n_clusters, grower.tree()
        belongs = one_hot(grower.labels, k)
        counts = belongs.T @ part
        tokens = np.bincount(grower.labels, totals, minlength=k).astype(np.float64)
        sizes = np.bincount(grower.labels, minlength=k).astype(np.float64)
        overall = np.asarray(part.sum(axis=0), dtype=np.float64).ravel()
        if self.criterion_ == "dirichlet" and self.estimator == "mdl":
            centroids = criteria.shrink(counts, tree, background(overall), self.parent_weight_)
        else:
            centroids = criteria.frequencies(counts)
        # The path starts at the root, and adds up the changes in description length.
        root = found.root_length(part, totals)
        path = _make_path(root, grower)
        self.n_iter_ = max(1, len(path))
        self.description_length_ = path[-1]["total_after"] if path else root.total
        self.notes_ = _make_notes(grower, self.interrupted_)
        options = self.criterion_, self.estimator, self.parent_weight_, found.width
        return Clustering(
            tree, belongs, centroids, tokens / tokens.sum(), overall / overall.sum(),
            MergeGain(*options, tokens, sizes), self.unit, path,
        )  # fmt: skip

    def _revive_rule(self, content: Mapping[str, Any]) -> Rule:
        options = self.criterion_, self.estimator, self.parent_weight_, content["width_"]
        return MergeGain(*options, content["tokens_"], content["sizes_"])


def _make_path(root: Parts, grower: Grower) -> list[dict[str, Any]]:
    """Return a row for each split, with the complete description lengths in nats."""
    rows: list[dict[str, Any]] = []
    model, data = root
    for number, step in enumerate(grower.steps):
        after = Parts(model + step.model, data + step.data)
        rows.append(
            {
                "step": number + 1,
                "n_clusters": number + 2,
                "parent": step.parent,
                "cluster": step.cluster,
                "words_kept": step.kept,
                "words_moved": step.moved,
                "saved": step.saved,
                "model_before": model,
                "model_after": after.model,
                "data_before": data,
                "data_after": after.data,
                "total_before": model + data,
                "total_after": after.total,
            }
        )
        model, data = after
    return rows


def _make_notes(grower: Grower, interrupted: bool) -> list[str]:
    """Return notes on the data and the splits, such as the reason for a single cluster."""
    texts = []
    if grower.labels.size == 1:
        texts.append("one cluster, because there is only one word")
    elif not (interrupted or grower.steps) and grower.most is None and grower.candidates:
        best = grower.candidates[0]
        if not best.proper:
            texts.append("one cluster, because the search emptied one side of the first split")
        elif best.saved <= 0:
            texts.append(
                "one cluster, because no split shortens the description; the best split would "
                f"make it {bits(abs(best.saved)):.1f} bits longer"
            )
    idle = sum(step.saved <= 0 for step in grower.steps)
    if idle:
        texts.append(f"{idle} of {len(grower.steps)} splits make the description longer")
    return [Notice(text, code="nothing-saved") for text in texts]
