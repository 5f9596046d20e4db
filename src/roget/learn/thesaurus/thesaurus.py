"""Thesaurus: a tree of word classes, the words in them, and the contexts they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core.counts import Counts
from roget.core.io.problems import plural
from roget.core.notebook import ReportMixin
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints, PathLike
from roget.errors import InputError, UnknownName
from roget.learn.clustering.result import Clustering, infer_rule
from roget.learn.command_options import NeighbourOptions
from roget.learn.thesaurus import files, lookup
from roget.learn.thesaurus.draft import Draft
from roget.learn.thesaurus.editor import Editor
from roget.learn.thesaurus.edits import LONGEST_NOTE, Edit, Note, check_text
from roget.learn.thesaurus.lookup import Carried, Index, PlaceIndex, Rows
from roget.learn.thesaurus.records import (
    GrowthChange,
    Neighbour,
    Sense,
    TypicalContext,
    WordClass,
)

if TYPE_CHECKING:
    from roget.learn.clustering.base import Clusterer


@dataclass(frozen=True, eq=False, repr=False)
class Thesaurus(ReportMixin):
    """A tree of word classes; a word belongs to every class to some degree.

    The leaves of the tree are clusters. An inner node is the sum of its leaves: memberships are
    added up, and its centroid is the mean of theirs, weighted by probability. A class is known by
    its node. A word also has one place in the tree: from the root down, the child with the larger
    membership. Where classes are merged, all words that had their place there stay together.

    >>> from roget.learn.clustering.soft.estimator import SoftAnnealing
    >>> counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    >>> model = SoftAnnealing(2, random_state=0).fit(counts)
    >>> thesaurus = Thesaurus.from_clustering(counts, model)
    >>> thesaurus
    Thesaurus: 3 words in 2 classes, 3 contexts
    >>> thesaurus.neighbours("tea", 1)[0].word
    'ale'

    A thesaurus is immutable. Its `editor` returns edited copies, whose `edits` are the log of what
    was done. Node numbers are valid until the tree changes; `ids` stay with their classes.

    >>> edited = thesaurus.editor.rename(thesaurus.common_class("tea", "ale"), "drinks")
    >>> edited.label(edited.path("ale")[-1]), str(edited.edits[0])
    ('drinks', '“tea, ale” renamed “drinks”')

    Attributes
    ----------
    counts
        The counts that the classes were made from.
    clustering
        The clusters and the tree over them.
    provenance
        How the thesaurus was made.
    labels
        Names of classes, by node, where there are any.
    notes
        Definitions and notes, by node or word.
    ids
        The id of each node.
    next_id
        The id of the next new class; no id is used twice.
    changes
        What growth has changed, and whether that was accepted or refused.
    edits
        The edits made so far, in order.
    undone
        The edits that `redo` would make, the next first.
    homes
        The folders it was read from or written to, and their state; see `files`.
    """

    kind: ClassVar[str] = "thesaurus"

    counts: Counts
    clustering: Clustering
    provenance: dict[str, Any]
    labels: dict[int, str]
    notes: dict[int | str, Note]
    ids: Ints
    next_id: int
    changes: tuple[GrowthChange, ...] = ()
    edits: tuple[Edit, ...] = ()
    undone: tuple[Edit, ...] = ()
    homes: dict[Path, files.FolderState] = field(default_factory=dict)
    load_spare: Callable[[], Counts | None] = lambda: None
    edited: Draft | None = None
    carried: Carried = field(default_factory=Carried)

    @classmethod
    def from_clustering(
        cls,
        counts: Counts,
        model: Clusterer | Clustering,
        *,
        provenance: Mapping[str, Any] | None = None,
        labels: Mapping[int, str] | None = None,
        ids: Sequence[int] | None = None,
        next_id: int | None = None,
        notes: Mapping[int | str, Note] | None = None,
        changes: Iterable[GrowthChange] = (),
        load_spare: Callable[[], Counts | None] = lambda: None,
        places: Ints | None = None,
    ) -> Thesaurus:
        """Make a thesaurus of counts and a clustering of their words.

        Parameters
        ----------
        counts
            The counts that the classes were made from.
        model
            A clusterer fitted to these counts, or a Clustering, such as a level of one. Words that
            the clusterer marks as unsure are left out; `unsure` has the reasons.
        provenance
            How it was made; by default the clusterer, its options and its facts.
        labels
            Names of classes, by node.
        ids
            The id of each node; by default its number.
        next_id
            The id of the next new class: larger than any id ever used.
        notes
            Definitions and notes, by node or word.
        changes
            What growth has changed, to be accepted or refused.
        load_spare
            Returns the counts of words that are too rare or unsure, for when there is more text.
        places
            The leaf of each word; by default found from the memberships.

        Raises
        ------
        InputError
            If the clusterer is not fitted, or was fitted to other words and contexts.
        """
        if isinstance(model, Clustering):
            clustering = model
        elif "clustering_" not in vars(model):
            raise InputError(
                f"{type(model).__name__} is not fitted: call fit(counts) first", code="not-fitted"
            )
        else:
            provenance = provenance or _describe_model(model)
            clustering = model.clustering_
            if model.unsure_:
                # Keep only the words of which the clusterer is sure, and the reasons for the rest.
                why = {str(counts.words[row]): reason for row, reason in model.unsure_.items()}
                rows = np.setdiff1d(np.arange(len(counts)), list(model.unsure_))
                counts = counts.select(counts.words[rows].tolist())
                clustering = clustering.keep(rows)
                provenance = {**provenance, "unsure": why}
        table = sparse.csr_array(clustering.memberships, dtype=np.float64)
        n_nodes = clustering.tree.n_nodes
        numbers = np.arange(n_nodes) if ids is None else np.array(ids, dtype=np.int64)
        numbers.flags.writeable = False
        thesaurus = cls(
            counts,
            replace(clustering, memberships=table, contexts=counts.contexts),
            dict(provenance or {}),
            dict(labels or {}),
            {about: Note(*note) for about, note in (notes or {}).items()},
            numbers,
            int(numbers.max(initial=-1)) + 1 if next_id is None else next_id,
            tuple(changes),
            load_spare=load_spare,
        )
        if places is not None:
            index = PlaceIndex(thesaurus, places)
            thesaurus = replace(thesaurus, carried=Carried(places=index))
        _check(thesaurus)
        return thesaurus

    @classmethod
    def from_parts(
        cls,
        counts: Counts,
        tree: Tree,
        memberships: Any,
        centroids: npt.ArrayLike,
        mass: npt.ArrayLike,
        *,
        steps: Sequence[Mapping[str, Any]] = (),
        provenance: Mapping[str, Any] | None = None,
        **about: Any,
    ) -> Thesaurus:
        """Make a thesaurus of a tree and arrays: memberships, centroids and masses of clusters.

        Words are placed by the rule that the provenance implies: after annealing (a "beta") by
        distance, else by Bayes. Other keywords are those of `from_clustering`.
        """
        rule, unit = infer_rule(provenance or {})
        # p(context) in the counts, which also covers contexts that no class has.
        background = counts.context_totals / max(counts.total, 1e-300)
        clustering = Clustering(tree, memberships, centroids, mass, background, rule, unit, steps)
        return cls.from_clustering(counts, clustering, provenance=provenance, **about)

    @classmethod
    def load(cls, path: PathLike) -> Thesaurus:
        """Read a thesaurus that `save` wrote; no code of the folder is executed."""
        return files.read(path, cls)

    def save(self, path: PathLike, *, evidence: bool = True) -> None:
        """Write the thesaurus as a folder that `load` and other tools can read.

        Parameters
        ----------
        path
            The folder. If the thesaurus was loaded from there or saved there before, only its
            edits are written.
        evidence
            If False, a new folder has no sentences of the corpus.

        Raises
        ------
        Changed
            If another program has changed the folder since it was loaded or saved.
        """
        files.write(self, path, evidence=evidence)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        words, classes = plural(len(self), "word", ","), plural(self.tree.n_clusters, "class", ",")
        return f"Thesaurus: {words} in {classes}, {plural(self.contexts.size, 'context', ',')}"

    @property
    def tree(self) -> Tree:
        """The tree whose leaves are the clusters."""
        return self.clustering.tree

    @property
    def memberships(self) -> Any:
        """p(cluster|word), a csr_array of words × clusters."""
        return self.clustering.memberships

    @property
    def centroids(self) -> npt.NDArray[np.floating[Any]]:
        """p(context|cluster), clusters × contexts."""
        return self.index.profiles.centroids

    @property
    def mass(self) -> Floats:
        """p(cluster)."""
        return np.asarray(self.clustering.mass)

    @property
    def words(self) -> Array:
        """All words, in the order of the rows of `memberships`."""
        return self.counts.words

    @property
    def contexts(self) -> Array:
        """All contexts, in the order of the columns of `centroids`."""
        return self.counts.contexts

    @property
    def rows(self) -> dict[str, int]:
        """The row of each word."""
        return self.index.words.rows

    @property
    def places(self) -> Ints:
        """The leaf in which each word has its place."""
        return self.index.places.places

    @property
    def unsure(self) -> Mapping[str, str]:
        """Words that were left out of all classes, and why."""
        return self.provenance.get("unsure") or {}

    @property
    def is_imported(self) -> bool:
        """Whether it was read from a taxonomy: nothing was counted, classes stand for contexts."""
        return "imported" in self.provenance

    @property
    def spare(self) -> Counts | None:
        """Counts of words that were too rare or unsure, which more text may bring in."""
        return self.load_spare()

    @property
    def base(self) -> Thesaurus:
        """The thesaurus without any edits."""
        return self if self.edited is None else self.edited.base

    @property
    def editor(self) -> Editor:
        """The editor of this thesaurus: rename, move, merge, undo, redo and more."""
        return Editor(self)

    @cached_property
    def draft(self) -> Draft:
        """The state after the edits, from which further edits go on."""
        return self.edited or Draft(self)

    @cached_property
    def index(self) -> Index:
        """What follows from the counts, centroids and places, computed on first use."""
        return Index(self, self.carried)

    def row(self, word: str) -> int:
        """Return the row of a word; the error for an unknown word says why it is missing."""
        if self.edited is not None and word not in self.rows:
            self.edited.row(word)  # raises for words that were deleted
        try:
            return self.counts.word_id(word)
        except UnknownName:
            if why := self.unsure.get(word):
                raise InputError(
                    f"{word!r} is in no class: it was left out as unsure ({why})",
                    code="unknown-word",
                ) from None
            raise

    def node(self, id: int) -> int:
        """Return the node of a class by its id."""
        found = np.flatnonzero(self.ids == id)
        if found.size:
            return int(found[0])
        existed = 0 <= id < self.next_id
        reason = "the class no longer exists" if existed else "no class ever had this id"
        raise InputError(f"class id {id}: {reason}", code="unknown-word")

    def inside(self, node: int) -> Rows:
        """Return the rows of the words that have their place in a class."""
        return self.index.places.inside(node)

    def path(self, word: str) -> tuple[int, ...]:
        """Return the classes in which a word has its place, from the root to a leaf."""
        return self.tree.path(int(self.places[self.row(word)]))

    def common_class(self, *words: str) -> int:
        """Return the smallest class in which all words have their place; of one word, its leaf."""
        if not words:
            raise InputError("no words: name one or more to find the class they share")
        # A node has a larger number than the node above it.
        return max(set.intersection(*(set(self.path(word)) for word in words)))

    def label(self, node: int) -> str:
        """Return the name of a class, or else words that distinguish it from other classes.

        A class in which no word has its place is described by its contexts, in brackets.
        """
        if node in self.labels:
            return self.labels[node]
        described = self.index.places.described
        if node not in described:
            described[node] = lookup.describe_class(self, node)
        return described[node]

    def membership(self, word: str, k: int | None = None) -> dict[int, float]:
        """Return p(class|word) of the leaves, or of the first k classes, the most probable first.

        Parameters
        ----------
        word
            A word of the thesaurus.
        k
            The number of classes, as in `cut`; by default all leaves.
        """
        table, row = self.memberships, self.row(word)
        if k is None:
            here = slice(*table.indptr[row : row + 2])
            leaves = self.tree.cluster_nodes[table.indices[here]].tolist()
            found = dict(zip(leaves, table.data[here].tolist(), strict=True))
        else:
            whole, clusters = table[[row]].toarray().ravel(), self.index.places.clusters
            found = {node: float(whole[clusters(node)].sum()) for node in self.nodes(k)}
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return {node: p for node, p in ranked if p > 0}

    def neighbours(
        self, word: str, n: int = NeighbourOptions.n, by: str = NeighbourOptions.by
    ) -> list[Neighbour]:
        """Return the n words most similar to a word, the most similar first.

        Similarities are cosines, in standard deviations above the mean of common words.

        Parameters
        ----------
        word
            A word of the thesaurus.
        n
            The number of neighbours.
        by
            "counts" compares the words' own contexts, weighted by how surprising they are;
            "classes" compares the words' classes. "both" combines them: for two words with e tokens
            (geometric mean), e/(e + 100) of the similarity is by their own contexts, and the rest
            by the vectors that the classes were made from, or by the classes if there are none. The
            similarity of rare words (e = 10) is halved.
        """
        return lookup.list_neighbours(self, np.array([self.row(word)]), n, by)[0]

    def senses(self, word: str, n: int = 10) -> list[Sense]:
        """Return the classes in which a word is used, the most frequent first.

        Most words have one sense, the class of their place. Each sense has n contexts that vote
        for it, as in `evidence`, and n words of the class that are most similar to the word in
        these contexts. The word itself has no vote (see the module `senses`), so a word alone in
        its class has a sense without contexts and words.
        """
        return lookup.senses(self, word, n)

    @property
    def sense_memberships(self) -> Any:
        """p(class|word) by senses, a csr_array of words × clusters: see `senses`."""
        return self.index.places.senses.memberships

    def evidence(self, word: str, n: int = 10) -> list[TypicalContext]:
        """Return the n contexts that say most about a word: p(v|word)·log(p(v|word) / p(v))."""
        return lookup.evidence(self, word, n)

    def nodes(
        self, k: int | None = None, *, depth: int | None = None, value: float | None = None
    ) -> list[int]:
        """Return the classes of a cut (see `cut`) in the order of its numbers; default: leaves."""
        if sum(one is not None for one in (k, depth, value)) > 1:
            raise InputError(
                "a cut takes one of k, depth and value, not several", code="conflicting-options"
            )
        if depth is not None:
            return self.tree.cut_depth(depth)
        if value is not None:
            return self.tree.cut_splits(lookup.select_splits(self, value))
        if k is not None:
            return self.tree.tops(k)
        return [int(leaf) for leaf in self.tree.cluster_nodes]

    def cut(
        self, k: int | None = None, *, depth: int | None = None, value: float | None = None
    ) -> Ints:
        """Return for each word its class in a cut of the tree, as a number from 0.

        Parameters
        ----------
        k
            The number of classes: the first k in the order of the splits.
        depth
            The classes at this depth, and the leaves above it.
        value
            The classes after all splits that are at least this good, and the splits above them:
            for annealing the splits up to this β, for description length those that save at least
            this many nats.
        """
        numbers = self.tree.label_clusters(self.nodes(k, depth=depth, value=value))
        return np.asarray(numbers[self.tree.cluster[self.places]])

    def classes(self, k: int | None = None, n: int = 10) -> list[WordClass]:
        """Return the leaves, or the first k classes, with their n most typical words and contexts.

        See `word_class`.
        """
        return [self.word_class(node, n) for node in self.nodes(k)]

    def word_class(self, node: int, n: int = 10) -> WordClass:
        """Return the class of a node, with its n most typical words and contexts.

        Typical words are those nearest to the centroid, by KL(p_word ‖ p_class), among the words
        that have their place in the class; among all words if there are none. Typical contexts
        contribute most to the divergence of the class from the average: p(v|c)·log(p(v|c) / p(v)).
        """
        return lookup.word_class(self, node, n)

    def classify(self, counts: Counts) -> Any:
        """Return p(cluster|word) of new words, a csr_array of words × clusters.

        Contexts are matched by name, and unknown ones are ignored. A word without known contexts
        gets the probabilities of the clusters. The rule is that of the clusterer: ∝ exp(−β·KL)
        after annealing, else ∝ p(c)·Π p(context|c)^count.

        Raises
        ------
        InputError
            If no context of the new words is known.
        """
        # Imported here because it loads scikit-learn, which lookups do not need.
        from roget.learn.clustering.inputs import align_contexts

        if len(counts) and not align_contexts(counts, self.contexts).nnz:
            theirs, ours = (f"{names[0]!r}" for names in (counts.contexts, self.contexts))
            raise InputError(
                f"no context of the new words (e.g. {theirs}) is in the thesaurus (e.g. {ours}): "
                "count them with the same relation",
                code="no-common-contexts",
            )
        # Rows still add up to 1 without the entries that are left out.
        return self.clustering.place(counts, least=1e-12)


def keep_spare(thesaurus: Thesaurus, whole: Counts) -> Thesaurus:
    """Return the thesaurus with the counts of words that are not in it, for when it grows.

    The most frequent of these words are kept, with at most as many entries as the thesaurus has.
    """
    others = [word for word in whole.words.tolist() if word not in thesaurus.rows]
    if not others:
        return thesaurus
    rest = whole.select(others)
    frequent = np.argsort(-rest.word_totals, kind="stable")
    sizes = np.cumsum(np.diff(rest.matrix.indptr)[frequent])
    kept = np.sort(frequent[sizes <= thesaurus.counts.entries])
    if not kept.size:
        return thesaurus
    spare = rest.select(rest.words[kept].tolist()).drop_empty()
    return replace(thesaurus, load_spare=lambda: spare)


def load(path: PathLike) -> Thesaurus:
    """Read a thesaurus that `Thesaurus.save` wrote; no code of the folder is executed.

    Raises
    ------
    InputError
        If a file is missing, truncated or changed; the message names it.
    """
    return Thesaurus.load(path)


def _describe_model(model: Clusterer) -> dict[str, Any]:
    """Return the provenance of a fitted clusterer: its name, options and facts."""
    return {
        "roget": __version__,
        "clusterer": type(model).__name__,
        "options": {
            name: value
            for name, value in model.get_params().items()
            if isinstance(value, bool | int | float | str | None)
        },
        "asked": getattr(model, model.number),
        **model.facts_,
    }


def _check(thesaurus: Thesaurus) -> None:
    """Refuse parts that do not fit together."""
    clustering, tree, k = thesaurus.clustering, thesaurus.tree, thesaurus.tree.n_clusters
    shapes = {"memberships": (len(thesaurus), k), "centroids": (k, thesaurus.contexts.size)}
    for name, expected in shapes.items():
        shape = getattr(clustering, name).shape
        if shape != expected:
            raise InputError(
                f"{name} have shape {shape}, expected {expected}", code="length-mismatch"
            )
    sums = np.asarray(thesaurus.memberships.sum(axis=1)).ravel()
    if not np.allclose(sums, 1.0, atol=1e-4):
        worst = int(np.argmax(np.abs(sums - 1)))
        word = str(thesaurus.words[worst])
        raise InputError(
            f"the memberships of {word!r} add up to {sums[worst]:g}, not 1", code="bad-weight"
        )
    for node, label in thesaurus.labels.items():
        tree.require_node(node)
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"the label of node {node} is {label!r}: expected a text")
    for about, note in thesaurus.notes.items():
        if isinstance(about, str):
            thesaurus.row(about)
        else:
            tree.require_node(about)
        for text in note:
            check_text(text, f"the note on {about!r}", LONGEST_NOTE)
    ids = thesaurus.ids
    if ids.shape != (tree.n_nodes,) or np.unique(ids).size < ids.size:
        raise InputError(f"ids: expected {tree.n_nodes} different numbers, one for each node")
    if ids.min() < 0 or thesaurus.next_id <= ids.max():
        raise InputError(f"ids: expected numbers from 0 to {thesaurus.next_id - 1}")
