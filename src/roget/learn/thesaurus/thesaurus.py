"""`Thesaurus`: a tree of word classes, with words and contexts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core.counts import Counts
from roget.core.counts.files import is_counts
from roget.core.io.problems import plural
from roget.core.notebook import ReportMixin
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints, PathLike
from roget.errors import InputError, UnknownName
from roget.learn.clustering.result import Clustering, infer_rule
from roget.learn.corpus.lemma_repair import list_singulars
from roget.learn.options import NeighbourOptions
from roget.learn.thesaurus import files, lookup, quality
from roget.learn.thesaurus.draft import Draft
from roget.learn.thesaurus.editor import Editor
from roget.learn.thesaurus.edits import LONGEST_NOTE, Edit, GrowthChange, Note, check_text
from roget.learn.thesaurus.lookup import (
    Index,
    PlaceIndex,
    Rows,
    Sense,
    TypicalContext,
    WordClass,
)
from roget.learn.thesaurus.neighbours import Neighbour, list_neighbours
from roget.learn.thesaurus.quality import ClassTrust

if TYPE_CHECKING:
    from roget.learn.clustering.base import Clusterer

LISTED = 0.1
"""Minimum membership for listing a word in a class other than its main class."""


@dataclass(frozen=True, eq=False, repr=False)
class Thesaurus(ReportMixin):
    """A tree of word classes, in which words have graded memberships.

    The leaves of the tree are clusters. An inner node combines its leaves: memberships are summed,
    and the centroid is the mean of their centroids, weighted by mass. Classes are identified by
    node number. In addition to its memberships, a word has one place in the tree, which is the leaf
    reached from the root by following the child with the largest membership. When classes are
    merged, all words with a place in them stay together.

    >>> from roget.learn.clustering.soft.estimator import SoftAnnealing
    >>> counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    >>> model = SoftAnnealing(2, random_state=0).fit(counts)
    >>> thesaurus = Thesaurus.from_clustering(counts, model)
    >>> thesaurus
    Thesaurus: 3 words in 2 classes, 3 contexts
    >>> thesaurus.neighbours("tea", 1)[0].word
    'ale'

    A thesaurus is immutable. Its `editor` returns edited copies, which record the edits in `edits`.
    Node numbers change with the tree, but the `ids` of classes are permanent.

    >>> edited = thesaurus.editor.rename(thesaurus.common_class("tea", "ale"), "drinks")
    >>> edited.label(edited.path("ale")[-1]), str(edited.edits[0])
    ('drinks', '“tea, ale” renamed “drinks”')

    Attributes
    ----------
    counts
        The counts from which the classes were made.
    clustering
        The clusters and the tree over them.
    provenance
        Information on how the thesaurus was made.
    labels
        Names of classes by node. Unnamed classes are missing.
    notes
        Definitions and notes by node or word.
    ids
        The id of each node.
    next_id
        The id of the next new class. Ids are never reused.
    changes
        The changes made by growth, with their states: open, accepted or refused.
    edits
        The edits in order.
    undone
        The undone edits for `redo`, the next one first.
    homes
        The folders from which the thesaurus was read or to which it was written, with their states.
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
        """Make a thesaurus from counts and a clustering of their words.

        Parameters
        ----------
        counts
            The counts from which the classes were made.
        model
            A clusterer fitted to these counts, or a Clustering. Words that the clusterer marks as
            uncertain are left out. `unsure` has the reasons.
        provenance
            Information on how it was made; by default the clusterer, its options and its facts.
        labels
            Names of classes by node.
        ids
            The id of each node; by default the node number.
        next_id
            The id of the next new class, larger than all ids used before.
        notes
            Definitions and notes by node or word.
        changes
            The changes made by growth.
        load_spare
            A function that returns the counts of rare or uncertain words, for later growth.
        places
            The leaf of each word; by default derived from the memberships.

        Raises
        ------
        InputError
            If the clusterer is not fitted, or was fitted to other words and contexts.
        """
        if not isinstance(counts, Counts):
            raise InputError(
                f"expected roget.Counts, found {type(counts).__name__}; pass "
                "Counts(matrix, words, contexts)",
                code="invalid-input",
            )
        if isinstance(model, Clustering):
            clustering = model
        elif "clustering_" not in vars(model):
            raise InputError(
                f"{type(model).__name__} is not fitted; call fit(counts) first", code="not-fitted"
            )
        else:
            provenance = provenance or _describe_model(model)
            clustering = model.clustering_
            if model.unsure_:
                # Leave out uncertain words, and record the reasons.
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
            counts=counts,
            clustering=replace(clustering, memberships=table, contexts=counts.contexts),
            provenance=dict(provenance or {}),
            labels=dict(labels or {}),
            notes={about: Note(*note) for about, note in (notes or {}).items()},
            ids=numbers,
            next_id=int(numbers.max(initial=-1)) + 1 if next_id is None else next_id,
            changes=tuple(changes),
            load_spare=load_spare,
        )
        if places is not None:
            thesaurus.index.places = PlaceIndex(thesaurus, places)
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
        """Make a thesaurus from a tree and arrays of memberships, centroids and masses.

        The placement rule is inferred from the provenance: by distance after annealing (if there is
        a "beta"), otherwise by Bayes' rule. For the other keyword arguments see `from_clustering`.
        """
        rule, unit = infer_rule(provenance or {})
        # Take p(context) from the counts, because some contexts may not occur in any class.
        background = counts.context_totals / max(counts.total, 1e-300)
        clustering = Clustering(tree, memberships, centroids, mass, background, rule, unit, steps)
        return cls.from_clustering(counts, clustering, provenance=provenance, **about)

    @classmethod
    def load(cls, path: PathLike) -> Thesaurus:
        """Read a thesaurus written by `save`. No stored code is executed."""
        return files.read(path, cls)

    def save(self, path: PathLike, *, evidence: bool = True) -> None:
        """Write the thesaurus to a folder, which `load` and other tools can read.

        Parameters
        ----------
        path
            The folder. If the thesaurus was loaded from it or saved to it before, only the edits
            are written.
        evidence
            If False, example sentences are not written to a new folder.

        Raises
        ------
        Changed
            If another program has changed the folder in the meantime.
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
        """p(cluster|word) as a csr_array of shape (words, clusters)."""
        return self.clustering.memberships

    @property
    def centroids(self) -> npt.NDArray[np.floating[Any]]:
        """p(context|cluster) as an array of shape (clusters, contexts)."""
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
        """Mapping from each word to its row."""
        return self.index.words.rows

    @property
    def places(self) -> Ints:
        """The leaf (node number) in which each word is placed."""
        return self.index.places.places

    @property
    def unsure(self) -> Mapping[str, str]:
        """Words that are left out of all classes, with the reasons."""
        return self.provenance.get("unsure") or {}

    @property
    def spare(self) -> Counts | None:
        """Counts of rare or uncertain words, which growth may add. None if they are not stored."""
        return self.load_spare()

    @property
    def base(self) -> Thesaurus:
        """The thesaurus without any edits."""
        return self if self.edited is None else self.edited.base

    @property
    def editor(self) -> Editor:
        """The editor of this thesaurus, with methods such as rename, move, merge, undo and redo."""
        return Editor(self)

    @cached_property
    def draft(self) -> Draft:
        """The state after the edits, to which further edits are applied."""
        return self.edited or Draft(self)

    @cached_property
    def index(self) -> Index:
        """Indexes derived from the counts, centroids and places, computed on first use."""
        return Index(self)

    def replace(self, **values: Any) -> Thesaurus:
        """Return a copy with other attributes. It shares all indexes that remain valid."""
        made = replace(self, **values)
        vars(made)["index"] = self.index.after(made)
        return made

    def row(self, word: str) -> int:
        """Return the row of a word.

        For an unknown word, the error states the reason if it is known.
        """
        if self.edited is not None and word not in self.rows:
            self.edited.row(word)  # Raise an error if the word was deleted.
        try:
            return self.counts.word_id(word)
        except UnknownName:
            if why := self.unsure.get(word):
                raise InputError(
                    f"{word!r} is not in any class: it was left out as uncertain ({why})",
                    code="unknown-word",
                ) from None
            forms = word.casefold(), *list_singulars(word.casefold())
            if found := next((form for form in forms if form in self.rows), None):
                raise UnknownName("word", word, [found], also={word.casefold(): found}) from None
            raise

    def node(self, id: int) -> int:
        """Return the node of the class with the given id."""
        found = np.flatnonzero(self.ids == id)
        if found.size:
            return int(found[0])
        existed = 0 <= id < self.next_id
        reason = "the class no longer exists" if existed else "no class has ever had this id"
        raise InputError(f"class id {id}: {reason}", code="unknown-word")

    def inside(self, node: int) -> Rows:
        """Return the rows of the words in a class and its subclasses."""
        layout, at = self.tree.layout, self.tree.require_node(node)
        first = layout.first[self.places]
        return np.flatnonzero((first >= layout.first[at]) & (first < layout.end[at]))

    def path(self, word: str) -> tuple[int, ...]:
        """Return the classes of a word, from the root to its leaf."""
        return self.tree.path(int(self.places[self.row(word)]))

    def common_class(self, *words: str) -> int:
        """Return the smallest class that contains all given words.

        For one word, this is its leaf.
        """
        if not words:
            raise InputError("no words; pass one or more", code="invalid-input")
        # Node numbers increase from the root to the leaves.
        return max(set.intersection(*(set(self.path(word)) for word in words)))

    def label(self, node: int) -> str:
        """Return the name of a class.

        If it is unnamed, return words that distinguish it from other classes.

        A class without words is described by its contexts, in brackets.
        """
        if node in self.labels:
            return self.labels[node]
        described = self.index.places.described
        if node not in described:
            described[node] = lookup.describe_class(self, node)
        return described[node]

    def trust(self, node: int) -> ClassTrust | None:
        """Return the trust in a class, or None if the class was not made from word vectors.

        The trust is the estimated probability that a reader calls the class coherent.
        """
        known = self.index.places.trust
        if node not in known:
            known[self.tree.require_node(node)] = quality.trust(self, node)
        return known[node]

    def membership(self, word: str, k: int | None = None) -> dict[int, float]:
        """Return p(class|word) for the leaves, or for k classes, most probable first.

        Parameters
        ----------
        word
            A word of the thesaurus.
        k
            The number of classes of a `cut`. By default, all leaves are used.
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
        """Return the n words most similar to a word, in order of decreasing similarity.

        The similarity is a cosine, in standard deviations above the mean of common words.

        Parameters
        ----------
        word
            A word of the thesaurus.
        n
            The number of neighbours.
        by
            "counts" compares the contexts of words, weighted by PPMI. "classes" compares their
            classes. "both" combines contexts with the vectors from which the classes were made, or
            with the classes if there are no vectors. For two words with e tokens (geometric mean),
            contexts have the weight e/(e + 100). The similarity of rare words (e = 10) is halved.
        """
        return list_neighbours(self, np.array([self.row(word)]), n, by)[0]

    def senses(self, word: str, n: int = 10) -> list[Sense]:
        """Return the classes in which a word is used, most frequent first.

        Most words have a single sense, the class in which they are placed. Each sense has up to n
        contexts that support it, and up to n words of the class that are most similar to the word
        in these contexts. A class is represented by its other words (see the module `senses`), so
        the sense of a word that is alone in its class has neither contexts nor words.
        """
        row, table = self.row(word), self.index.words.conditional
        here = slice(*table.indptr[row : row + 2])
        own = dict(zip(table.indices[here].tolist(), table.data[here].tolist(), strict=True))
        average, leaves = self.index.profiles.average, self.tree.cluster_nodes
        found = []
        for one in self.index.places.senses.rank(row, n):
            p = np.array([own[column] for column in one.contexts.tolist()], dtype=np.float64)
            names = self.contexts[one.contexts].tolist()
            lifts = np.log(p / np.maximum(average[one.contexts], 1e-300))
            contexts = tuple(map(TypicalContext, names, p.tolist(), lifts.tolist()))
            words = tuple(self.words[one.words].tolist())
            found.append(Sense(int(leaves[one.cluster]), one.share, contexts, words))
        return found

    @property
    def sense_memberships(self) -> Any:
        """p(class|word) based on `senses`, as a csr_array of shape (words, clusters)."""
        return self.index.places.senses.memberships

    def evidence(self, word: str, n: int = 10) -> list[TypicalContext]:
        """Return the n contexts v of a word with the largest p(v|word)·ln(p(v|word) / p(v))."""
        table, row = self.index.words.conditional, self.row(word)
        here = slice(*table.indptr[row : row + 2])
        seen = table.indices[here]
        average, names = self.index.profiles.average[seen], self.contexts[seen]
        return lookup.select_distinct(table.data[here], average, names, n)

    def nodes(
        self, k: int | None = None, *, depth: int | None = None, value: float | None = None
    ) -> list[int]:
        """Return the nodes of a cut (see `cut`) in the order of its class numbers."""
        if sum(one is not None for one in (k, depth, value)) > 1:
            raise InputError(
                "pass only one of 'k', 'depth' and 'value'", code="conflicting-options"
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
        """Return the class number of each word in a cut of the tree. The default cut is the leaves.

        Parameters
        ----------
        k
            The number of classes. Splits are undone from the last to the first.
        depth
            The depth of the classes. Leaves above it are kept.
        value
            The minimum quality of a split. For annealing, this is the largest β at which a class
            may be split. For description length, it is the smallest saving in nats. All splits
            above a sufficiently good split are made as well.
        """
        numbers = self.tree.label_clusters(self.nodes(k, depth=depth, value=value))
        return np.asarray(numbers[self.tree.cluster[self.places]])

    def classes(self, k: int | None = None, n: int = 10) -> list[WordClass]:
        """Return the leaves, or k classes, with their n most typical words and contexts.

        See `word_class`.
        """
        return [self.word_class(node, n) for node in self.nodes(k)]

    def word_class(self, node: int | str, n: int = 10) -> WordClass:
        """Return a class, with its n most typical words and contexts.

        `node` is the number of a node, the name of a class, or a word, which stands for its main
        class.

        Typical words are the words of the class (of all classes, if it has no words) with the
        smallest KL(p_word ‖ p_class). Typical contexts contribute most to the divergence of the
        class from the average, p(v|c)·ln(p(v|c) / p(v)).
        """
        node = lookup.find_node(self, node) if isinstance(node, str) else node
        tree, index, average = self.tree, self.index.places, self.index.profiles.average
        inside, profile = self.inside(node), lookup.centroid(self, node) if node else average
        candidates = inside if inside.size else np.arange(len(self))
        value = float(tree.value[node])
        return WordClass(
            node=node,
            parent=int(tree.parent[node]) if node else None,
            children=tree.children(node),
            label=self.label(node),
            size=int(inside.size),
            mass=float(self.mass[index.clusters(node)].sum()),
            value=None if math.isnan(value) else value,
            words=tuple(lookup.rank_words(self, node, profile, candidates, n)),
            contexts=tuple(lookup.select_distinct(profile, average, self.contexts, n)),
        )

    def classify(self, counts: Counts) -> Any:
        """Return p(cluster|word) of new words as a csr_array of shape (words, clusters).

        Contexts are matched by name. Unknown contexts are ignored. For a word without known
        contexts, the result is p(cluster). The clusterer defines the placement rule: exp(−β·KL)
        after annealing, otherwise p(c)·Π p(context|c)^count, both normalised.

        Raises
        ------
        InputError
            If no context of the new words is known.
        """
        # Import here, because this module loads scikit-learn, which lookup does not need.
        from roget.learn.clustering.inputs import align_contexts

        if len(counts) and not align_contexts(counts, self.contexts).nnz:
            theirs, ours = (f"{names[0]!r}" for names in (counts.contexts, self.contexts))
            raise InputError(
                f"no context of the new words (e.g. {theirs}) is in the thesaurus (e.g. "
                f"{ours}); count them with the same relation",
                code="no-common-contexts",
            )
        # Drop entries below 1e-12, and normalise the rows again.
        return self.clustering.place(counts, least=1e-12)


def keep_spare(thesaurus: Thesaurus, whole: Counts) -> Thesaurus:
    """Return the thesaurus with spare counts, that is, counts of words that growth may add later.

    The most frequent of these words are kept, up to the number of entries of the thesaurus.
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
    return thesaurus.replace(load_spare=lambda: spare)


def collapse(thesaurus: Thesaurus, levels: Iterable[int] = (), min_children: int = 1) -> Thesaurus:
    """Return the thesaurus with fewer levels, keeping only the classes of the given cuts.

    Classes keep their ids, labels and notes, and words keep their places. Clusters within a class
    of the finest cut are merged. Classes that a user has made, named or described are also kept.

    Parameters
    ----------
    thesaurus
        The thesaurus, which is not changed.
    levels
        Number of classes of each cut, e.g. 8 and 64. By default, all classes are kept.
    min_children
        Replace inner classes with fewer subclasses than this by their subclasses.

    Raises
    ------
    InputError
        If a level is larger than the number of classes.
    """
    tree = thesaurus.tree
    cuts = sorted(set(levels))
    for k in cuts:
        if not 1 <= k <= tree.n_clusters:
            raise InputError(
                f"level {k} is invalid; expected a number of classes from 1 to {tree.n_clusters:,}",
                code="invalid-option",
            )
    kept = {node for k in cuts for node in tree.tops(k)} if cuts else set(range(tree.n_nodes))
    finest = set(tree.tops(cuts[-1])) if cuts else set()
    for node in _list_edited(thesaurus) if cuts else ():
        kept.add(node)
        path = tree.path(node)
        # Also keep the siblings of a class below the finest cut, so that every word has a leaf.
        below = next((at for at, above in enumerate(path[:-1]) if above in finest), len(path))
        for above in path[below:-1]:
            kept.update(tree.children(above))
    return _keep_nodes(thesaurus, kept, min_children, cuts)


def _list_edited(thesaurus: Thesaurus) -> Iterator[int]:
    """Yield the classes, except for the root, that a user has created, named or described."""
    base = thesaurus.base
    learnt = {int(base.ids[node]): base.labels.get(node) for node in range(base.tree.n_nodes)}
    for node, id in enumerate(thesaurus.ids.tolist()):
        label = thesaurus.labels.get(node)
        if node and (id not in learnt or label != learnt[id] or node in thesaurus.notes):
            yield node


def keep_build_levels(thesaurus: Thesaurus, min_children: int = 1) -> Thesaurus:
    """Return the thesaurus reduced to the levels it was built with, e.g. 8, 24 and 74 classes.

    Leaf classes and classes made by edits are kept as well. A thesaurus without levels is
    unchanged.
    """
    base, tree = thesaurus.base, thesaurus.tree
    levels = [k for k in thesaurus.provenance.get("levels") or () if k <= base.tree.n_clusters]
    if not levels:
        return collapse(thesaurus, (), min_children)
    known = set(base.ids.tolist())
    chosen = {int(base.ids[node]) for k in levels for node in base.tree.tops(k)}
    kept = {
        node
        for node, id in enumerate(thesaurus.ids.tolist())
        if id in chosen or id not in known or tree.cluster[node] >= 0
    }
    return _keep_nodes(thesaurus, kept, min_children, levels)


def _keep_nodes(
    thesaurus: Thesaurus, kept: set[int], min_children: int, levels: list[int]
) -> Thesaurus:
    """Return the thesaurus with only some nodes of its tree (see `collapse`)."""
    tree = thesaurus.tree
    kept = _dissolve(tree, kept, min_children)
    if len(kept) == tree.n_nodes:
        return thesaurus
    coarser, inside = tree.keep(kept)
    nodes = sorted(kept)
    clusters = coarser.cluster[inside[tree.cluster_nodes]]
    return thesaurus.from_clustering(
        thesaurus.counts,
        thesaurus.clustering.join(coarser, clusters),
        provenance={**thesaurus.provenance, "levels": levels or None},
        # The root has a name only if a user has named it.
        labels={
            at: thesaurus.label(node)
            for at, node in enumerate(nodes)
            if node or 0 in thesaurus.labels
        },
        ids=thesaurus.ids[nodes].tolist(),
        next_id=thesaurus.next_id,
        notes={
            about if isinstance(about, str) else nodes.index(about): note
            for about, note in thesaurus.notes.items()
            if isinstance(about, str) or about in kept
        },
        # Keep the leaf of each word, because in the changed tree the word might reach another leaf.
        places=np.asarray(inside[thesaurus.places]),
    )


def _dissolve(tree: Tree, kept: set[int], min_children: int) -> set[int]:
    """Drop nodes with too few children, and attach their children to the nearest kept ancestor."""
    kept = {0, *kept}
    children = dict.fromkeys(kept, 0)

    def above(node: int) -> int:
        node = int(tree.parent[node])
        while node not in kept:
            node = int(tree.parent[node])
        return node

    for node in sorted(kept - {0}, reverse=True):
        if 0 < children[node] < min_children:
            kept.discard(node)
            children[above(node)] += children[node]
        else:
            children[above(node)] += 1
    return kept


def load(path: PathLike) -> Thesaurus | Counts:
    """Read a thesaurus written by `Thesaurus.save`, or a folder of counts.

    No stored code is executed.

    Raises
    ------
    InputError
        If a file is missing, truncated or modified.
    """
    return Counts.read(path) if is_counts(Path(path)) else Thesaurus.load(path)


def _describe_model(model: Clusterer) -> dict[str, Any]:
    """Return the provenance of a fitted clusterer: its name, options, and facts about the fit."""
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
    """Raise an error if the parts of a thesaurus are inconsistent."""
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
            f"the memberships of {word!r} sum to {sums[worst]:g}, not 1", code="bad-weight"
        )
    for node, label in thesaurus.labels.items():
        tree.require_node(node)
        if not isinstance(label, str) or not label.strip():
            raise InputError(
                f"the label of node {node} is {label!r}; expected a string", code="invalid-input"
            )
    for about, note in thesaurus.notes.items():
        if isinstance(about, str):
            thesaurus.row(about)
        else:
            tree.require_node(about)
        for text in note:
            check_text(text, f"the note on {about!r}", LONGEST_NOTE)
    ids = thesaurus.ids
    if ids.shape != (tree.n_nodes,) or np.unique(ids).size < ids.size:
        raise InputError(
            f"'ids' must contain {tree.n_nodes} unique numbers, one for each node",
            code="invalid-input",
        )
    if ids.min() < 0 or thesaurus.next_id <= ids.max():
        raise InputError(
            f"'ids' must be numbers from 0 to {thesaurus.next_id - 1}", code="invalid-input"
        )
