"""Lookup in a thesaurus, with indexes of its words, its classes, and the places of words.

The place of a word is the leaf that contains it.

The indexes are computed on first use. An edited thesaurus shares the indexes that the edit does not
affect with the thesaurus before the edit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.information import kl, xlogx
from roget.core.io.values import whole_number
from roget.core.tree import Tree
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.memberships import assign_leaves
from roget.learn.clustering.result import Clustering
from roget.learn.thesaurus.neighbours import Neighbours
from roget.learn.thesaurus.quality import ClassTrust, centrality, find_vectors, weigh_words
from roget.learn.thesaurus.senses import Senses

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

Rows: TypeAlias = npt.NDArray[np.intp]
T = TypeVar("T")

LABEL = 3
"""Number of words in a label."""

REPEATED = 0.5
"""Factor applied to the score of a word that is already part of an ancestor's label."""

BROAD = 1.5
"""Exponent of the log frequency in the scores of words in classes with subclasses.

A broad class contains diverse words, so frequent words are better names for it than central words.
"""

STABLE = 0.95
"""Minimum F-measure for a class to keep its label after edits.

The measure compares the words of the class before and after the edits.
"""

CACHED = 64
"""Maximum number of class profiles in the cache."""

MIN_PROBABILITY = 0.01
"""Minimum probability for a new word to be listed in a second or further class."""

_MAX_LEFT_OUT = 100
"""Maximum number of contexts that are left out, one at a time, to measure their weights."""


class TypicalWord(NamedTuple):
    """A typical word of a class."""

    word: str
    distance: float
    """Divergence KL(word ‖ class) of the context distributions, in nats."""
    probability: float
    """Membership p(class|word) of the word in the class."""


class TypicalContext(NamedTuple):
    """A typical context of a class or word."""

    context: str
    probability: float
    lift: float
    """The log ratio ln(probability / p(context))."""


class ContextClass(NamedTuple):
    """A class of contexts, with its probability in a class of words."""

    number: int
    contexts: tuple[str, ...]
    """All contexts in the context class, most frequent first."""
    probability: float
    """Total probability of these contexts in the class of words."""
    lift: float
    """Log ratio of the probability in the class of words to the overall probability."""

    @property
    def label(self) -> str:
        """Label of the class: its most frequent contexts."""
        return ", ".join(self.contexts[:4])


class Reason(NamedTuple):
    """A context that is a reason for assigning a word to one class rather than another."""

    context: str
    seen: float
    """Number of occurrences of the word in the context."""
    weight: float
    """Decrease in the log odds, in nats, if the context is left out."""


class Reasons(NamedTuple):
    """The reasons why a word is in its class rather than in the most probable other class."""

    node: int
    probability: float
    """p(class|word), based on the contexts of the word."""
    against: int
    """The most probable other class. If there is only one class, that class."""
    other: float
    """p(other class|word), based on the contexts of the word."""
    odds: float
    """Log odds of the two classes.

    With the placement rule p(c)·Π p(context|c)^count, they are equal to the prior log odds plus the
    weights of all contexts.
    """
    contexts: tuple[Reason, ...]
    """The contexts with the largest weights, in descending order of weight."""


class Sense(NamedTuple):
    """A class in which a word is used."""

    node: int
    share: float
    """Fraction of the uses of the word that have this sense."""
    contexts: tuple[TypicalContext, ...]
    """Contexts of the word that support the class, strongest first."""
    words: tuple[str, ...]
    """Words of the class that are most similar to this word in the supporting contexts."""


class Placement(NamedTuple):
    """A candidate class for a new word."""

    word: str
    node: int
    label: str
    probability: float
    known: float
    """Fraction of the word's tokens with contexts that the thesaurus contains."""


@dataclass(frozen=True)
class WordClass:
    """A class of words, which is a node of the tree."""

    node: int
    parent: int | None
    children: tuple[int, ...]
    label: str
    """Name of the class, or words that distinguish it from other classes."""
    size: int
    """Number of words in the class."""
    mass: float
    """p(class), which is 1 for the root."""
    value: float | None
    """Value at which the class was split, or None for a leaf.

    Its meaning depends on the method, e.g. β or the reduction of the description length in nats.
    """
    words: tuple[TypicalWord, ...]
    contexts: tuple[TypicalContext, ...]


class ClassLabels:
    """The words that name each class of a tree: typical and frequent words.

    If the classes were made from vectors, the score of a word is ln(1 + n)·c, where n is its number
    of occurrences and c its centrality, the cosine with the mean of the other words of the class.
    In classes with subclasses, it is ln(1 + n)^1.5·c.

    Without vectors, the score measures how much better the class predicts the tokens of the word
    than a reference:
    Σ n(v)·ln(½ + ½·p(v|class) / p(v|reference)). The word itself is excluded from both
    distributions, and contexts in which no other word occurs contribute 0. Scores are summed over
    two references, all words and the parent class, so labels are typical but differ between levels.

    Only the classes that are displayed (`shown`) affect the labels of their subclasses. With
    vectors, the word with the highest score comes first even if it is in the label of an ancestor,
    because it is the best name of the class. Other words in labels of ancestors come last. Without
    vectors, words of the parent's label come last, and the scores of words in labels further up are
    halved. Ties are broken by frequency. The label of the root consists of its most frequent words.

    Labelling takes one pass over the words for each level of the tree.
    """

    def __init__(
        self,
        counts: Counts,
        tree: Tree,
        places: Ints,
        shown: Container[int],
        vectors: Array | None = None,
    ) -> None:
        self._matrix, self._vectors = sparse.csr_array(counts.matrix), vectors
        self._shown = shown
        self._totals = np.asarray(counts.word_totals, dtype=np.float64)
        self._tree = tree
        first, last = tree.layout.first, tree.layout.end
        # Sort the words by leaf, so the words of each node form a slice.
        self._order = np.argsort(first[places], kind="stable")
        at = first[places][self._order]
        self._begin, self._end = np.searchsorted(at, first), np.searchsorted(at, last)
        self._profile = lru_cache(CACHED)(self._sum_counts)
        self._chosen: dict[int, list[int]] = {}

    def rows(self, node: int) -> list[int]:
        """Return the rows of the words in the label of a class, best first."""
        if node not in self._chosen:
            for one in (*self._above(node), node):
                if one not in self._chosen:
                    self._chosen[one] = self._choose(one)
        return self._chosen[node]

    def _above(self, node: int) -> list[int]:
        """Return the displayed classes above a class, from the root downwards."""
        return [one for one in self._tree.path(node)[:-1] if one in self._shown]

    def _choose(self, node: int) -> list[int]:
        """Return the rows of a class's label.

        The labels of the displayed classes above it must already be chosen.
        """
        rows = self._inside(node)
        totals = self._totals[rows]
        score, last = totals, np.zeros(rows.size, dtype=bool)
        if node:
            *above, parent = self._above(node)
            # Do not penalise words in the root's label, because these are the most frequent words.
            used = np.isin(rows, [row for one in above if one for row in self._chosen[one]])
            last = np.isin(rows, self._chosen[parent] if parent else [])
            if self._vectors is None:
                score = self._score(node, rows, (0, parent))
                score = np.where(used & (score > 0), REPEATED * score, score)
            else:
                power = BROAD if self._tree.children(node) else 1.0
                central = centrality(self._vectors, self._totals, rows)
                score = np.log1p(totals) ** power * central
                last |= used
                last[np.lexsort((rows, -totals, -score))[:1]] = False
        return [int(row) for row in rows[np.lexsort((rows, -totals, -score, last))[:LABEL]]]

    def _score(self, node: int, rows: Ints, outside: tuple[int, ...]) -> Floats:
        """Return the score Σ n(v)·ln(½ + ½·p(v|class) / p(v|reference)) of each word.

        Scores are summed over all references.
        """
        part = self._matrix[rows]
        word = np.repeat(np.arange(rows.size), np.diff(part.indptr))
        contexts, n = part.indices, np.asarray(part.data, dtype=np.float64)
        own = self._totals[rows][word]

        def predict(one: int) -> Floats:
            """Return p(v|node) for each entry. The tokens of the entry's word are excluded."""
            profile = self._profile(one)
            left = np.maximum(profile.sum() - own, 0.0)
            seen = np.maximum(profile[contexts] - n, 0.0)
            return np.asarray(np.divide(seen, left, out=np.zeros(n.size), where=left > 0))

        inside, sums = predict(node), np.zeros(rows.size)
        for one in outside:
            there = predict(one)
            ratio = np.divide(inside, there, out=np.ones(n.size), where=there > 0)
            sums += np.bincount(word, n * np.log((1 + ratio) / 2), minlength=rows.size)
        return np.asarray(sums)

    def _sum_counts(self, node: int) -> Floats:
        """Return the count of each context, summed over the words of a class."""
        part: Any = self._matrix[self._inside(node)]
        sums = np.bincount(part.indices, part.data, minlength=self._matrix.shape[1])
        return np.asarray(sums, dtype=np.float64)

    def _inside(self, node: int) -> Ints:
        """Return the rows of the words in a class."""
        return self._order[self._begin[node] : self._end[node]]


class StableLabels(ClassLabels):
    """Generated labels after edits. A class whose words have hardly changed keeps its label."""

    def __init__(self, thesaurus: Thesaurus, shown: Container[int]) -> None:
        vectors = thesaurus.index.vectors
        super().__init__(thesaurus.counts, thesaurus.tree, thesaurus.places, shown, vectors)
        self._thesaurus, self._base = thesaurus, thesaurus.base
        self._memory = thesaurus.draft.memory.labels

    def _choose(self, node: int) -> list[int]:
        here, base = self._thesaurus, self._base
        before = base.index.places.node_by_id.get(int(here.ids[node]))
        words: list[str] | None = None
        if before is not None:
            words = base.words[base.index.places.labels.rows(before)].tolist()
            same = base.index.places.fingerprints[before] == here.index.places.fingerprints[node]
            if not same and not self._is_stable(before, node, words):
                words = None
        if words is None:
            key = self._key(node)
            if key not in self._memory:
                self._memory[key] = here.words[super()._choose(node)].tolist()
            words = self._memory[key]
        return [here.rows[word] for word in words]

    def _is_stable(self, before: int, node: int, label: list[str]) -> bool:
        """Return True if a class still has most of its words, and all words of its label."""
        here, base = self._thesaurus, self._base
        rows = here.inside(node)
        if not label or not {*label} <= {*here.words[rows].tolist()}:
            return False
        origin = rows if here.edited is None else here.edited.rows[rows]
        members = np.zeros(max(len(base), int(origin.max(initial=-1)) + 1), dtype=bool)
        members[base.inside(before)] = True
        # F-measure = 2·common / (size before + size now).
        return bool(2 * members[origin].sum() >= STABLE * (members.sum() + origin.size))

    def _key(self, node: int) -> Any:
        """Return a cache key that contains everything that the label of a class depends on."""
        here, above = self._thesaurus, self._above(node)
        labels = tuple(tuple(here.words[self.rows(one)].tolist()) for one in above)
        marks = here.index.places.fingerprints
        return marks[node], marks[above[-1]] if above else None, marks[0], labels


class WordIndex:
    """An index of words, computed from the counts only."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    @cached_property
    def rows(self) -> dict[str, int]:
        """Mapping from each word to its row."""
        return {word: row for row, word in enumerate(self._counts.words.tolist())}

    @cached_property
    def conditional(self) -> Any:
        """p(context|word) as a csr_array of shape (words, contexts)."""
        return self._counts.conditional()

    @cached_property
    def negative_entropy(self) -> Floats:
        """Σ p·ln p of the context distribution of each word."""
        table = self.conditional.copy()
        table.data = xlogx(table.data)
        return np.asarray(table.sum(axis=1)).ravel()

    @cached_property
    def information(self) -> float:
        """Mutual information between words and contexts in nats."""
        total = max(self._counts.total, 1e-300)
        spread = -xlogx(self._counts.context_totals / total).sum()
        own = np.sum(self._counts.word_totals / total * self.negative_entropy)
        return float(spread + own)


class ClassProfiles:
    """An index of classes, computed from the centroids and masses of the clusters."""

    def __init__(self, clustering: Clustering) -> None:
        self._clustering = clustering
        self.mass: Floats = np.asarray(clustering.mass)

    @cached_property
    def centroids(self) -> npt.NDArray[np.floating[Any]]:
        """p(context|cluster) as a dense array of shape (clusters, contexts)."""
        table = self._clustering.centroids
        return np.asarray(table.toarray() if sparse.issparse(table) else table)

    @cached_property
    def average(self) -> Floats:
        """p(context): the mean of all centroids, weighted by mass."""
        return self.mean(np.arange(self.mass.size))

    @cached_property
    def divergences(self) -> Floats:
        """KL(centroid ‖ average) of each cluster, in nats."""
        return np.array([kl(centroid, self.average) for centroid in self.centroids])

    def mean(self, clusters: Ints) -> Floats:
        """Return the mean centroid of the given clusters, weighted by mass."""
        weights = self.mass[clusters] if self.mass[clusters].sum() > 0 else np.ones(clusters.size)
        if clusters.size * 8 < self.mass.size:
            return np.asarray(weights @ self.centroids[clusters] / weights.sum(), dtype=np.float64)
        # For many clusters, it is faster to multiply in the dtype of the centroids than to convert
        # them.
        shares = np.zeros(self.mass.size, dtype=self.centroids.dtype)
        shares[clusters] = weights / weights.sum()
        return np.asarray(shares @ self.centroids, dtype=np.float64)


class PlaceIndex:
    """An index of places (the leaves of words), and of the sizes, labels and senses of classes."""

    def __init__(self, thesaurus: Thesaurus, places: Ints | None = None) -> None:
        self._thesaurus, self._tree = thesaurus, thesaurus.tree
        if places is not None:
            self.places = places
        self.described: dict[int, str] = {}
        """Generated labels of classes, by node."""
        self.trust: dict[int, ClassTrust | None] = {}
        """Cached values of the trust in classes, by node."""

    @cached_property
    def places(self) -> Ints:
        """The leaf (node number) in which each word is placed."""
        draft = self._thesaurus.edited
        if draft is not None:
            return draft.places()
        return assign_leaves(self._thesaurus.memberships, self._tree)

    @cached_property
    def sizes(self) -> Ints:
        """The number of words below each node."""
        return self._tree.sum_up(np.bincount(self.places, minlength=self._tree.n_nodes))

    @cached_property
    def shares(self) -> Floats:
        """The probability p(class) of each node."""
        tree, mass = self._tree, self._thesaurus.mass
        return tree.sum_up(np.bincount(tree.cluster_nodes, mass, tree.n_nodes))

    @cached_property
    def node_by_id(self) -> dict[int, int]:
        """Mapping from the id of each class to its node."""
        return {id: node for node, id in enumerate(self._thesaurus.ids.tolist())}

    @cached_property
    def fingerprints(self) -> list[tuple[float, float]]:
        """A hash of the set of words below each node."""
        return self._thesaurus.draft.fingerprints()

    @cached_property
    def labels(self) -> ClassLabels:
        """The object that generates labels of classes."""
        shown = self._thesaurus.index.shown
        if self._thesaurus.edited is None:
            vectors = self._thesaurus.index.vectors
            return ClassLabels(self._thesaurus.counts, self._tree, self.places, shown, vectors)
        return StableLabels(self._thesaurus, shown)

    @cached_property
    def senses(self) -> Senses:
        """The senses of all words. After edits, learnt senses are mapped to the edited classes."""
        thesaurus, draft = self._thesaurus, self._thesaurus.edited
        if draft is None:
            home = self._tree.cluster[self.places]
            known = thesaurus.clustering.representation
            return Senses(thesaurus.counts, home, self._tree, thesaurus.memberships, known)
        learnt = draft.base.index.places.senses
        return learnt.after(draft.homes(), draft.senses(learnt.memberships), draft.origin)

    def clusters(self, node: int) -> Ints:
        """Return the clusters in the subtree of a node."""
        return np.asarray(self._tree.cluster[self._tree.leaves(node)])


class derived(cached_property[T]):  # noqa: N801  a decorator
    """A cached property of an `Index` that depends only on some attributes of the thesaurus."""

    inputs: Callable[[Thesaurus], tuple[object, ...]]


def derived_from(
    inputs: Callable[[Thesaurus], tuple[object, ...]],
) -> Callable[[Callable[[Any], T]], derived[T]]:
    """Declare the thesaurus attributes on which an index depends.

    The index stays valid as long as all of these attributes are the same objects.
    """

    def decorate(compute: Callable[[Any], T]) -> derived[T]:
        made = derived(compute)
        made.inputs = inputs
        return made

    return decorate


class Index:
    """The indexes of a thesaurus, computed on first use."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self._thesaurus = thesaurus

    def after(self, thesaurus: Thesaurus) -> Index:
        """Return the index of a changed copy of the thesaurus.

        It reuses every part that has already been computed and whose inputs are unchanged.
        """
        made = Index(thesaurus)
        for name, one in vars(Index).items():
            if isinstance(one, derived) and name in vars(self):
                before, now = one.inputs(self._thesaurus), one.inputs(thesaurus)
                if all(a is b for a, b in zip(before, now, strict=True)):
                    vars(made)[name] = vars(self)[name]
        return made

    @derived_from(lambda thesaurus: (thesaurus.counts,))
    def words(self) -> WordIndex:
        """The index of the thesaurus's words."""
        return WordIndex(self._thesaurus.counts)

    @derived_from(lambda thesaurus: (thesaurus.clustering.centroids, thesaurus.clustering.mass))
    def profiles(self) -> ClassProfiles:
        """The index of class centroids and masses."""
        return ClassProfiles(self._thesaurus.clustering)

    # Edits that move words change the tree or the homes of words, which are defined in `Draft`.
    @derived_from(
        lambda thesaurus: (
            thesaurus.counts,
            thesaurus.tree,
            thesaurus.draft.home,
            thesaurus.base.clustering,
        )
    )
    def places(self) -> PlaceIndex:
        """The index of the leaves of words (places), and of the words of classes."""
        return PlaceIndex(self._thesaurus)

    @derived_from(lambda thesaurus: (thesaurus.tree, thesaurus.provenance))
    def shown(self) -> set[int]:
        """The nodes that are displayed to users (see `list_level_nodes`)."""
        return list_level_nodes(self._thesaurus)

    @derived_from(lambda thesaurus: (thesaurus.counts, thesaurus.clustering.representation))
    def vectors(self) -> Array | None:
        """The vectors of words, or None if the classes were not made from vectors."""
        return find_vectors(self._thesaurus)

    @derived_from(lambda thesaurus: (thesaurus.counts, thesaurus.clustering.representation))
    def context_weights(self) -> Any:
        """The context weights of words, scaled to length 1, or None if there are no vectors."""
        return weigh_words(self._thesaurus)

    @derived_from(lambda thesaurus: (thesaurus.counts, thesaurus.clustering))
    def neighbours(self) -> Neighbours:
        """The index for comparing words."""
        thesaurus, draft = self._thesaurus, self._thesaurus.edited
        if draft is None:
            return Neighbours(thesaurus.counts, thesaurus.clustering)
        merged = None if draft.divisions else draft.parts
        learnt = draft.base.index.neighbours
        return learnt.after(thesaurus.counts, thesaurus.clustering, draft.origin, merged)


def centroid(thesaurus: Thesaurus, node: int) -> Floats:
    """Return p(context|class) for a node of the tree."""
    return thesaurus.index.profiles.mean(thesaurus.index.places.clusters(node))


def select_distinct(here: Floats, average: Floats, contexts: Array, n: int) -> list[TypicalContext]:
    """Return the n contexts that most distinguish a distribution from the average.

    Contexts are ranked by p·ln(p / average), their contribution to the KL divergence.
    """
    seen = np.flatnonzero((here > 0) & (average > 0))
    p, lift = here[seen], np.log(here[seen] / average[seen])
    # At the root, all lifts are 0 up to rounding errors. List the most frequent contexts first.
    best = np.lexsort((-p, -p * lift.round(9)))[:n]
    names = map(str, contexts[seen[best]].tolist())
    return list(map(TypicalContext, names, p[best].tolist(), lift[best].tolist()))


def describe_class(thesaurus: Thesaurus, node: int) -> str:
    """Generate a label for a class: typical words, or contexts in brackets if it has no words."""
    if rows := thesaurus.index.places.labels.rows(node):
        return ", ".join(str(thesaurus.words[row]) for row in rows)
    typical = select_distinct(
        centroid(thesaurus, node), thesaurus.index.profiles.average, thesaurus.contexts, LABEL
    )
    return f"({', '.join(one.context for one in typical)})"


def select_splits(thesaurus: Thesaurus, value: float) -> BoolArray:
    """Return True for each node whose split value is at least as good as the given value."""
    tree = thesaurus.tree
    values, inner = tree.value.copy(), tree.cluster < 0
    for node in np.flatnonzero(inner & np.isnan(values)).tolist():
        # A split made by an edit takes the value of its parent.
        values[node] = values[tree.parent[node]] if node else math.nan
    if np.isnan(values[inner]).any() or math.isnan(value):
        raise InputError(
            f"cannot cut at value {value:g}, because the splits of this thesaurus have no values",
            code="invalid-option",
        )
    with np.errstate(invalid="ignore"):
        rising = thesaurus.clustering.unit.rising
        return np.asarray(values <= value if rising else values >= value)


def context_classes(
    thesaurus: Thesaurus, node: int = 0, n: int | None = None
) -> list[ContextClass]:
    """Return the context classes that most distinguish a word class from the average.

    They are ranked by their contribution to the divergence of the word class from the average or,
    for the root, by probability. The list is empty if contexts were not clustered.
    """
    labels = thesaurus.clustering.context_labels
    if labels is None:
        return []
    k, average = int(labels.max(initial=-1)) + 1, thesaurus.index.profiles.average
    own = centroid(thesaurus, node) if node else average
    here, usual = (
        np.asarray(np.bincount(labels, p, minlength=k), dtype=np.float64) for p in (own, average)
    )
    # List the columns of each context class, sorted by decreasing frequency.
    ends = np.cumsum(np.bincount(labels, minlength=k))[:-1]
    members = np.split(np.lexsort((-average, labels)), ends)
    return [
        ContextClass(
            int(one.context),
            tuple(map(str, thesaurus.contexts[members[int(one.context)]])),
            one.probability,
            one.lift,
        )
        for one in select_distinct(here, usual, np.arange(k), k if n is None else n)
    ]


def nearest_words(thesaurus: Thesaurus, node: int, n: int = 10) -> list[TypicalWord]:
    """Return the n words nearest to the centroid of a class. They may belong to other classes."""
    profile = centroid(thesaurus, node)
    return rank_words(thesaurus, node, profile, np.arange(len(thesaurus)), n)


def rank_words(
    thesaurus: Thesaurus, node: int, profile: Floats, rows: Rows, n: int
) -> list[TypicalWord]:
    """Return the n words nearest to a centroid, by KL(word ‖ class), as typical words."""
    index = thesaurus.index.words
    with np.errstate(divide="ignore"):
        logs = np.log(profile)
    # Compute KL(word ‖ class) = Σ p log p − Σ p log p(context|class).
    table = index.conditional if rows.size == len(thesaurus) else index.conditional[rows]
    distances = np.maximum(index.negative_entropy[rows] - table @ logs, 0.0)
    # Words without occurrences have an infinite distance.
    distances[np.diff(table.indptr) == 0] = math.inf
    if 0 < n < rows.size:
        near = distances <= np.partition(distances, n - 1)[n - 1]
        rows, distances = rows[near], distances[near]
    order = np.argsort(distances, kind="stable")[:n]
    best, distances = rows[order], distances[order]
    clusters = thesaurus.index.places.clusters(node)
    belongs = np.asarray(thesaurus.memberships[best][:, clusters].sum(axis=1)).ravel()
    return [
        TypicalWord(str(thesaurus.words[row]), float(distance), float(p))
        for row, distance, p in zip(best, distances, belongs, strict=True)
    ]


def shared_evidence(
    thesaurus: Thesaurus, word: str, other: str, n: int = 10
) -> list[TypicalContext]:
    """Return the n most informative common contexts of two words.

    The probability of a context is the lower of its probabilities for the two words.
    """
    rows = [thesaurus.row(word), thesaurus.row(other)]
    both = thesaurus.index.words.conditional[rows].toarray()
    average = thesaurus.index.profiles.average
    return select_distinct(both.min(axis=0), average, thesaurus.contexts, n)


def reasons(thesaurus: Thesaurus, word: str, node: int, n: int = 10) -> Reasons:
    """Return the n contexts of a word that most favour a class over the best leaf outside it.

    The word is placed by its contexts like a new word. This is repeated with each context left out
    in turn. The weight of a context is the decrease in the log odds when it is left out.
    """
    index, clustering = thesaurus.index.places, thesaurus.clustering
    row, inside = thesaurus.row(word), index.clusters(node)
    rest = np.setdiff1d(np.arange(thesaurus.tree.n_clusters), inside)
    own = thesaurus.counts.matrix[[row]]
    placed = clustering.place(own)[0]
    other = int(rest[placed[rest].argmax()]) if rest.size else None
    against = node if other is None else int(thesaurus.tree.cluster_nodes[other])
    outside = inside if other is None else np.array([other])
    # Leave out only the contexts whose likelihood ratios favour the class most.
    both = np.maximum([centroid(thesaurus, one)[own.indices] for one in (node, against)], 1e-12)
    order = np.argsort(-own.data * np.log(both[0] / both[1]), kind="stable")
    tried = order[: max(_MAX_LEFT_OUT, n)]
    table = np.vstack([placed, clustering.place(_leave_one_out(own, tried))])
    odds = np.log(
        np.maximum(table[:, inside].sum(axis=1), 1e-300)
        / np.maximum(table[:, outside].sum(axis=1), 1e-300)
    )
    weights = odds[0] - odds[1:]
    contexts = (
        Reason(
            str(thesaurus.contexts[own.indices[tried[at]]]),
            own.data[tried[at]].item(),
            float(weights[at]),
        )
        for at in np.argsort(-weights, kind="stable")[:n].tolist()
    )
    return Reasons(
        node,
        float(placed[inside].sum()),
        against,
        float(placed[outside].sum()),
        float(odds[0]),
        tuple(contexts),
    )


def _leave_one_out(own: Any, left_out: Ints) -> Any:
    """Return copies of a row as a csr_array, each with one entry left out."""
    kept = ~np.eye(own.indices.size, dtype=np.bool_)[left_out]
    ends = np.arange(left_out.size + 1) * (own.indices.size - 1)
    columns, counts = (np.tile(one, (left_out.size, 1))[kept] for one in (own.indices, own.data))
    return sparse.csr_array((counts, columns, ends), shape=(left_out.size, own.shape[1]))


def list_levels(thesaurus: Thesaurus) -> list[int]:
    """Return the number of classes at each level, or [] if the tree has no levels."""
    levels = thesaurus.provenance.get("levels") or ()
    found = [k for k in levels if 1 < k <= thesaurus.tree.n_clusters]
    return found if len(found) > 1 else []


def list_level_nodes(thesaurus: Thesaurus) -> set[int]:
    """Return the root, the classes of all levels and the leaves.

    If there are no levels, return all classes. Only the returned classes are displayed, because a
    tree of merges is binary and deep.
    """
    tree, levels = thesaurus.tree, list_levels(thesaurus)
    if not levels:
        return set(range(tree.n_nodes))
    return {0, *tree.leaves().tolist()}.union(*(tree.tops(k) for k in levels))


def list_path(thesaurus: Thesaurus, node: int) -> list[int]:
    """Return the nodes from the root to a class, excluding nodes that are not displayed."""
    shown = thesaurus.index.shown
    return [above for above in thesaurus.tree.path(node) if above in shown or above == node]


def find_shown_class(thesaurus: Thesaurus, *words: str) -> int:
    """Return the smallest class of the displayed levels that contains all words (0 = the root)."""
    shown = thesaurus.index.shown
    common = thesaurus.tree.path(thesaurus.common_class(*words))
    return max(node for node in common if node in shown or node == 0)


def rank_classes(thesaurus: Thesaurus, word: str, n: int = 3) -> list[tuple[int, float]]:
    """Return the n most probable leaf classes of a word, judged by its contexts alone.

    The word is placed like a new word. `reasons` reports the same probabilities.
    """
    own = thesaurus.counts.matrix[[thesaurus.row(word)]]
    placed = thesaurus.clustering.place(own)[0]
    best = np.argsort(-placed, kind="stable")[:n]
    return [(int(thesaurus.tree.cluster_nodes[one]), float(placed[one])) for one in best]


def find_node(thesaurus: Thesaurus, name: str) -> int:
    """Return the node of a class, given its number, its label, or a word in it."""
    number = whole_number(name)
    if number is not None:
        return thesaurus.tree.require_node(number)
    for node, label in thesaurus.labels.items():
        if label.casefold() == name.casefold():
            return node
    if name in thesaurus.rows:
        return int(thesaurus.places[thesaurus.rows[name]])
    for node in range(thesaurus.tree.n_nodes):
        if thesaurus.label(node).casefold() == name.casefold():
            return node
    raise InputError(
        f"unknown class {name!r:.60}; expected its number, its label, or a word in it",
        code="unknown-word",
    )


def find_lines(
    thesaurus: Thesaurus, word: str, context: str | None = None, n: int = 10, sort: str = "corpus"
) -> list[EvidenceLine]:
    """Return the stored example sentences for a word, or only those for a given context.

    See `Evidence.lines`.
    """
    thesaurus.row(word)  # Raise an error if the word is unknown.
    kept = thesaurus.counts.evidence
    return [] if kept is None else kept.lines(word, context, n, sort)


def list_placements(thesaurus: Thesaurus, counts: Counts, n: int = 3) -> list[Placement]:
    """Return the n most probable leaves for each new word."""
    # Import here, because the module loads scikit-learn, which other functions do not need.
    from roget.learn.clustering.inputs import align_contexts

    belongs, leaves = thesaurus.classify(counts), thesaurus.tree.cluster_nodes
    known = align_contexts(counts, thesaurus.contexts).sum(axis=1)
    shares = known / np.maximum(counts.word_totals, 1e-300)
    placements = []
    for row, word in enumerate(counts.words.tolist()):
        begin, end = belongs.indptr[row : row + 2]
        ranked = np.lexsort((belongs.indices[begin:end], -belongs.data[begin:end]))[:n]
        for rank, at in enumerate(begin + ranked):
            node, p = int(leaves[belongs.indices[at]]), float(belongs.data[at])
            if not rank or p >= MIN_PROBABILITY:
                label = thesaurus.label(node)
                placements.append(Placement(word, node, label, p, float(shares[row])))
    return placements
