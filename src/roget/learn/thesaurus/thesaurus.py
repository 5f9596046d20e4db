"""Thesaurus: a tree of word classes, the words in them, and what the classes have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core.counts import Counts, NotCounted
from roget.core.tree import Tree
from roget.core.types import Ints, PathLike
from roget.errors import InputError
from roget.learn.clustering.memberships import sparsify
from roget.learn.clustering.result import Clustering, recall
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus import places as placing
from roget.learn.thesaurus.edits import Edit
from roget.learn.thesaurus.lookup import Lookup
from roget.learn.thesaurus.values import Placement

if TYPE_CHECKING:
    from roget.learn.clustering.base import Clusterer
    from roget.learn.thesaurus.draft import Draft

LEAST = 0.01
"""Classes that are less likely for a new word than this are not told, but for the first."""

_OF_COUNTS = ("rows", "_conditional", "_own_entropy")
_OF_CENTROIDS = ("_average",)
_OF_PLACES = ("places", "_generated", "_labels", "_senses")
"""What is known of counts, centroids and places, and can be taken over where they are the same."""


class Replayed(NamedTuple):
    """A thesaurus after edits that were made to another one."""

    thesaurus: Thesaurus
    problems: list[str]
    """What could not be done."""
    doubts: list[str]
    """What was done to classes that are not much like those it was done to before."""


class Thesaurus(Lookup):
    """Classes of words in a tree; a word belongs to all of them, more or less.

    The leaves of the tree are clusters; an inner node is the sum of its leaves: memberships are
    added up, and its centroid is their mean, weighted by their probability. A class is known by
    its node. A word has one place in the tree as well: from the root, at every split, the side to
    which it belongs more. Where classes are merged, all words that had their place there stay
    together.

    >>> from roget.learn.clustering.soft.estimator import SoftAnnealing
    >>> counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    >>> model = SoftAnnealing(2, random_state=0).fit(counts)
    >>> thesaurus = Thesaurus.from_clustering(counts, model)
    >>> thesaurus
    Thesaurus: 3 words in 2 classes, 3 contexts
    >>> thesaurus.neighbours("tea", 1)[0].word
    'ale'

    It is never changed: `rename`, `move`, `merge` and `undo` give a new one, whose `edits` say what
    was done. Node numbers hold until classes are merged.

    >>> edited = thesaurus.rename(thesaurus.common_class("tea", "ale"), "drinks")
    >>> edited.label(edited.path("ale")[-1]), str(edited.edits[0])
    ('drinks', '“tea, ale” renamed “drinks”')

    Attributes: `counts`, `tree`, `words`, `contexts`, `memberships` (csr_array, words × clusters),
    `centroids` (clusters × contexts), `mass` (p of each cluster), `labels` (of nodes that have a
    name), `edits`, `steps` (the path of the search, row by row) and `provenance`. None of them
    should be changed in place.
    """

    def __init__(
        self,
        counts: Counts,
        tree: Tree,
        memberships: Any,
        centroids: npt.ArrayLike,
        mass: npt.ArrayLike,
        *,
        steps: Sequence[Mapping[str, Any]] = (),
        provenance: Mapping[str, Any] | None = None,
        labels: Mapping[int, str] | None = None,
    ) -> None:
        rule, unit = recall(provenance or {})
        # How often contexts were seen, also where the classes know nothing of them.
        background = counts.context_totals / max(counts.total, 1e-300)
        found = Clustering(tree, memberships, centroids, mass, background, rule, unit, steps)
        self._begin(counts, found, provenance, labels)

    def _begin(
        self,
        counts: Counts,
        clustering: Clustering,
        provenance: Mapping[str, Any] | None,
        labels: Mapping[int, str] | None,
    ) -> None:
        table = sparse.csr_array(clustering.memberships, dtype=np.float64)
        self.counts = counts
        self.clustering = replace(clustering, memberships=table, contexts=counts.contexts)
        self.provenance = dict(provenance or {})
        self.labels = dict(labels or {})
        self.edits: tuple[Edit, ...] = ()
        self.base = self
        """The same without edits."""
        self.homes: dict[Path, tuple[str, str]] = {}
        """The folders it was read from or written to, and how they were left: see `files`."""
        self._draft: Draft | None = None
        self._generated = {}
        self._check()

    def _check(self) -> None:
        """Say what does not fit together, if anything."""
        found, k = self.clustering, self.tree.n_clusters
        shapes = {"memberships": (len(self), k), "centroids": (k, self.contexts.size)}
        for name, right in shapes.items():
            if getattr(found, name).shape != right:
                raise InputError(f"{name} of shape {getattr(found, name).shape}: expected {right}")
        sums = np.asarray(self.memberships.sum(axis=1)).ravel()
        if not np.allclose(sums, 1.0, atol=1e-4):
            worst = int(np.argmax(np.abs(sums - 1)))
            word = str(self.words[worst])
            raise InputError(f"the memberships of {word!r} add up to {sums[worst]:g}, not 1")
        for node, label in self.labels.items():
            self.tree.children(node)  # a node that is not there is an error
            if not isinstance(label, str) or not label.strip():
                raise InputError(f"the label of node {node} is {label!r}: expected a text")

    @classmethod
    def from_clustering(
        cls,
        counts: Counts,
        model: Clusterer | Clustering,
        *,
        provenance: Mapping[str, Any] | None = None,
        labels: Mapping[int, str] | None = None,
    ) -> Thesaurus:
        """The thesaurus of counts and what was learnt from them.

        Parameters
        ----------
        counts
            What the classes were made from.
        model
            A clusterer that was fitted to them, or a Clustering, such as a level of one. Words of
            which a clusterer is unsure are left out; `unsure` says why.
        provenance
            What is to be known of its making; by default the clusterer, its options and facts.
        labels
            Names of classes, by node.

        Raises
        ------
        InputError
            If the clusterer is not fitted, or was fitted to other words and contexts.
        """
        if isinstance(model, Clustering):
            found = model
        elif "clustering_" not in vars(model):
            raise InputError(f"{type(model).__name__} is not fitted: call fit(counts) first")
        else:
            found = model.clustering_
            provenance = provenance or {
                "roget": __version__,
                "clusterer": type(model).__name__,
                "options": {name: v for name, v in model.get_params().items() if _is_plain(v)},
                "asked": getattr(model, model.number),
                **model.facts_,
            }
            if model.unsure_:
                counts, found, provenance = _without_unsure(counts, model, found, provenance)
        made = cls.__new__(cls)
        made._begin(counts, found, provenance, labels)
        return made

    @property
    def steps(self) -> tuple[dict[str, Any], ...]:
        """The path of the search, row by row."""
        return tuple(dict(step) for step in self.clustering.path)

    def classify(self, counts: Counts) -> Any:
        """p(cluster|word) of new words, as a csr_array: a row for each, a column for each cluster.

        Contexts are matched by name; what the thesaurus does not know is left out, and a word of
        which nothing is left gets the probabilities of the clusters. The rule is that of
        the clusterer: ∝ exp(−β·KL) after annealing, else ∝ p(c)·Π p(context|c)^count.
        """
        from roget.learn.clustering.inputs import aligned

        given = aligned(counts, self.contexts)
        if len(counts) and not given.nnz:
            said, ours = (f"{names[0]!r}" for names in (counts.contexts, self.contexts))
            raise InputError(
                f"none of the contexts of the new words (such as {said}) is one of the thesaurus "
                f"(such as {ours}): count them with the same relation"
            )
        # What is left out is too little to be told, and rows add up to 1 all the same.
        return sparsify(self.clustering.place(counts), 1e-12)

    def classify_table(self, counts: Counts, n: int = 3) -> list[Placement]:
        """The n likeliest classes (leaves) of each new word, word by word."""
        belongs, leaves = self.classify(counts), placing.leaves_of(self.tree)
        known = np.isin(counts.contexts, self.contexts) @ counts.matrix.T
        shares = known / np.maximum(counts.word_totals, 1e-300)
        rows = []
        for row, word in enumerate(counts.words.tolist()):
            begin, end = belongs.indptr[row : row + 2]
            ranked = np.lexsort((belongs.indices[begin:end], -belongs.data[begin:end]))[:n]
            for rank, at in enumerate(begin + ranked):
                node, p = int(leaves[belongs.indices[at]]), float(belongs.data[at])
                if not rank or p >= LEAST:
                    rows.append(Placement(word, node, self.label(node), p, float(shares[row])))
        return rows

    def rename(self, node: int, label: str) -> Thesaurus:
        """The thesaurus with a class called by another name."""
        return self._edited(Edit(editing.RENAME, self._remember(node), label))

    def move(self, word: str, node: int) -> Thesaurus:
        """The thesaurus with a word in one class only.

        Among the parts of the class it is shared out as before or, if it was in none of them, by
        its counts. Other words, and what is known of the class, stay as they are.
        """
        return self._edited(
            Edit(editing.MOVE, self._remember(node), str(self.words[self.row(word)]))
        )

    def merge(self, node: int, into: int) -> Thesaurus:
        """The thesaurus with a class as part of another; nodes get new numbers.

        Its leaves are joined into the other if that is a leaf: memberships and masses are added
        up, and centroids averaged by mass. Otherwise its classes are put beside those of the other.
        Words that have their place in either have it there afterwards; all others stay.
        """
        return self._edited(Edit(editing.MERGE, self._remember(node), into=self._remember(into)))

    def undo(self) -> Thesaurus:
        """The thesaurus before the last edit."""
        return self.with_edits(editing.without_last(self.edits))

    def replay(self, edits: Iterable[Edit]) -> tuple[Thesaurus, list[str]]:
        """The thesaurus after edits that were made to another one, and what could not be done.

        Classes are found by their words, so that edits outlive a rebuilding that numbers them
        otherwise. Edits that make no sense here are kept among `edits`, waiting for the next time.
        """
        return self.replayed(edits)[:2]

    def replayed(self, edits: Iterable[Edit]) -> Replayed:
        """What `replay` gives, and which classes it found again with some doubt."""
        from roget.learn.thesaurus.draft import Draft

        draft, log = Draft(self.base, self.edits), list(self.edits)
        problems, doubts = [], []
        for edit in edits:
            try:
                here, unsure = draft.located(edit)
                draft.apply(here)
            except (InputError, NotCounted) as error:
                log.append(replace(edit, waiting=True))
                problems.append(f"{edit}: {error}")
                continue
            if unsure:
                before = self.with_edits(log)
                said = [editing.told(seen, before.label(at.node), at) for seen, at in unsure]
                doubts.append(f"{edit}: {'; '.join(said)}")
            log.append(here)
        return Replayed(self.with_edits(log), problems, doubts)

    def save(self, path: PathLike) -> None:
        """Write the thesaurus as a folder that `load` and other tools can read.

        Where it was loaded from, or saved before, that is refused if somebody else has changed
        what is there.
        """
        from roget.learn.thesaurus.files import write

        write(self, path)

    @classmethod
    def load(cls, path: PathLike) -> Thesaurus:
        """The thesaurus that `save` wrote; nothing in it is run."""
        from roget.learn.thesaurus.files import read

        return read(path)

    @cached_property
    def places(self) -> Ints:
        """The leaf in which each word has its place, where edits have put it."""
        return super().places if self._draft is None else self._draft.places()

    def _remember(self, node: int) -> editing.Remembered:
        node = editing.node_number(node)
        rows = self.inside(node)
        rows = rows[np.argsort(-self.counts.word_totals[rows], kind="stable")]
        return editing.remember(node, self.label(node), rows, self.words)

    def _edited(self, edit: Edit) -> Thesaurus:
        return self.with_edits((*self.edits, edit))

    def with_edits(self, edits: Iterable[Edit]) -> Thesaurus:
        """The thesaurus with these edits only, which were made to it: classes are taken by number.

        What is known already is not lost.
        """
        from roget.learn.thesaurus.draft import Draft

        edits = tuple(edits)
        draft, made = Draft(self.base, edits), type(self).__new__(type(self))
        made.counts, made.provenance = self.counts, self.provenance
        made.base, made.homes, made.edits = self.base, self.homes, edits
        made.clustering, made.labels, made._draft = draft.clustering(), draft.labels, draft
        made._generated = {}
        kept: tuple[str, ...] = _OF_COUNTS
        merges, moves = (editing.MERGE,), (editing.MERGE, editing.MOVE)
        if editing.done(edits, merges) == editing.done(self.edits, merges):
            kept += _OF_CENTROIDS
        if editing.done(edits, moves) == editing.done(self.edits, moves):
            kept += _OF_PLACES
        made.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return made


def _without_unsure(
    counts: Counts, model: Clusterer, found: Clustering, provenance: Mapping[str, Any]
) -> tuple[Counts, Clustering, dict[str, Any]]:
    """Only the words of which the clusterer is sure, and why the others are not there."""
    rows = np.setdiff1d(np.arange(len(counts)), list(model.unsure_))
    why = {str(counts.words[row]): reason for row, reason in model.unsure_.items()}
    kept = counts.select(counts.words[rows].tolist())
    return kept, found.keep(rows), {**provenance, "unsure": why}


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
