"""Lookup in a thesaurus, with indexes of its words, its classes, and the places of words.

The place of a word is the leaf that contains it.

The indexes are computed on first use. An edited thesaurus shares the indexes that the edit does not
affect with the thesaurus before the edit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.information import kl, xlogx
from roget.core.io.values import whole_number
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError
from roget.learn import background
from roget.learn.clustering.memberships import assign_leaves
from roget.learn.clustering.result import Clustering
from roget.learn.command_options import NeighbourOptions
from roget.learn.representation.similarity import share_of_prior
from roget.learn.thesaurus.labels import LABEL, ClassLabels, StableLabels
from roget.learn.thesaurus.neighbours import Neighbours
from roget.learn.thesaurus.quality import ClassTrust, find_vectors
from roget.learn.thesaurus.senses import Senses

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

Rows: TypeAlias = npt.NDArray[np.intp]
T = TypeVar("T")

MIN_PROBABILITY = 0.01
"""Minimum probability for listing a second or further class for a new word."""

_MAX_LEFT_OUT = 100
"""Maximum number of contexts whose weights are measured by leaving out one context at a time."""


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
    """Log ratio of the probability in the class of words to the probability over all words."""

    @property
    def label(self) -> str:
        """Label of the class: its most frequent contexts."""
        return ", ".join(self.contexts[:4])


class Neighbour(NamedTuple):
    """A word similar to another one."""

    word: str
    similarity: float
    """Similarity, in standard deviations above the mean similarity of common words."""

    @property
    def distance(self) -> float:
        """The similarity as a distance, exp(−similarity)."""
        return math.exp(-self.similarity)


class Reason(NamedTuple):
    """A context that is a reason to put a word into one class rather than another."""

    context: str
    seen: float
    """Number of occurrences of the word in the context."""
    weight: float
    """Decrease in the log odds, in nats, if the context is left out."""


class Reasons(NamedTuple):
    """The reasons why a word is in a class and not in the most probable other class."""

    node: int
    probability: float
    """p(class|word), based on the contexts of the word."""
    against: int
    """The most probable other class, or the class itself if there is only one."""
    other: float
    """p(other class|word), based on the contexts of the word."""
    odds: float
    """Log odds of the two classes. For the placement rule p(c)·Π p(context|c)^count, they are the
    sum of the weights of all contexts and the prior log odds."""
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
    """Words of the class that are most similar to the word in the supporting contexts."""


class Placement(NamedTuple):
    """A candidate class for a new word."""

    word: str
    node: int
    label: str
    probability: float
    known: float
    """Fraction of the word's tokens whose contexts are known to the thesaurus."""


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
    """Value at which the class was split, or None for a leaf. The value depends on the method, e.g.
    β or the reduction of the description length in nats."""
    words: tuple[TypicalWord, ...]
    contexts: tuple[TypicalContext, ...]


class WordIndex:
    """An index of words, derived only from the counts."""

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
    """An index of classes, derived from the centroids and masses of the clusters."""

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
        """Generated labels, by node."""
        self.trust: dict[int, ClassTrust | None] = {}
        """Cache of the trust in classes, by node."""

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
            vectors = self._thesaurus.index.vectors[0]
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
    """A cached property of an `Index`, which depends only on some attributes of the thesaurus."""

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

    # Edits that move words change the tree or the homes of words (see `Draft`).
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
        """The nodes that users see (see `list_level_nodes`)."""
        return list_level_nodes(self._thesaurus)

    @derived_from(lambda thesaurus: (thesaurus.counts, thesaurus.clustering.representation))
    def vectors(self) -> tuple[Array | None, Any]:
        """The word vectors, and the context weights scaled to length 1, or None if there are no
        vectors."""
        return find_vectors(self._thesaurus) or (None, None)

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
    # At the root, all lifts are 0 up to rounding, so the most frequent contexts come first.
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
            f"cannot cut at value {value:g}: the splits of this thesaurus have no values",
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
    """Return the n words nearest to the centroid of a class, which may be in other classes."""
    profile = centroid(thesaurus, node)
    return rank_words(thesaurus, node, profile, np.arange(len(thesaurus)), n)


def rank_words(
    thesaurus: Thesaurus, node: int, profile: Floats, rows: Rows, n: int
) -> list[TypicalWord]:
    """Return the n rows nearest to a centroid by KL(word ‖ class), as typical words."""
    index = thesaurus.index.words
    with np.errstate(divide="ignore"):
        logs = np.log(profile)
    # KL(word ‖ class) = Σ p log p − Σ p log p(context|class).
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


def list_neighbours(
    thesaurus: Thesaurus, rows: Rows, n: int = 10, by: str = "both"
) -> list[list[Neighbour]]:
    """Return the neighbours of several words in one batch."""
    words = thesaurus.words
    return [
        [Neighbour(str(words[at]), float(s)) for at, s in zip(*found, strict=True)]
        for found in thesaurus.index.neighbours.nearest(rows, n, by)
    ]


def neighbour_sources(thesaurus: Thesaurus, word: str, others: Sequence[str]) -> list[str]:
    """Return the source of the similarity of a word to each other word.

    The source is "text", "background", "both", or "prior" for prior vectors. The first three may be
    combined with the last, as in "text + prior".

    The list is empty if the thesaurus was built without background counts and prior vectors.
    """
    known, made = thesaurus.clustering.representation, thesaurus.provenance
    if known is None or not (background.KEY in made or known.prior):
        return []
    rows = np.array([thesaurus.row(one) for one in (word, *others)])
    at = rows if known.rows is None else known.rows[rows]
    # Words without learnt vectors are compared only by their contexts in the text.
    nothing = sparse.csr_array((1, known.weights.shape[1]), dtype=known.weights.dtype)
    weights = sparse.vstack([known.weights, nothing], format="csr")[at]
    own = sparse.csr_array(thesaurus.counts.matrix[rows])
    compared = np.arange(1, rows.size)
    if background.KEY in made:
        names = background.name_sources(own, weights, 0, compared)
    else:
        names = [background.TEXT] * compared.size
    shares = known.prior_shares(int(at[0]), at[1:])
    if known.prior:
        totals = thesaurus.counts.word_totals[rows]
        shares = share_of_prior(shares, totals[0], totals[1:])
    return background.add_prior_source(names, shares)


def similarities(
    thesaurus: Thesaurus, rows: Rows, others: Rows, by: str = NeighbourOptions.by
) -> Floats:
    """Return the similarities of word pairs, on the scale of `Thesaurus.neighbours`.

    Parameters
    ----------
    thesaurus
        The thesaurus.
    rows, others
        The rows of the first words, and of the second words, of the pairs.
    by
        How words are compared: "both", "classes" or "counts".
    """
    return thesaurus.index.neighbours.compare(rows, others, by)


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

    The word is placed by its contexts like a new word, and again with each context left out in
    turn. The weight of a context is the decrease in the log odds when it is left out.
    """
    index, clustering = thesaurus.index.places, thesaurus.clustering
    row, inside = thesaurus.row(word), index.clusters(node)
    rest = np.setdiff1d(np.arange(thesaurus.tree.n_clusters), inside)
    own = thesaurus.counts.matrix[[row]]
    placed = clustering.place(own)[0]
    other = int(rest[placed[rest].argmax()]) if rest.size else None
    against = node if other is None else int(thesaurus.tree.cluster_nodes[other])
    outside = inside if other is None else np.array([other])
    # Leave out only the contexts whose likelihood ratio favours the class most.
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
    """Return the number of classes at each level, or [] if the tree was built without levels."""
    levels = thesaurus.provenance.get("levels") or ()
    found = [k for k in levels if 1 < k <= thesaurus.tree.n_clusters]
    return found if len(found) > 1 else []


def list_level_nodes(thesaurus: Thesaurus) -> set[int]:
    """Return the root, the classes of all levels and the leaves, or all classes if there are no
    levels.

    Users see only these classes, because a tree of merges is binary and deep.
    """
    tree, levels = thesaurus.tree, list_levels(thesaurus)
    if not levels:
        return set(range(tree.n_nodes))
    return {0, *tree.leaves().tolist()}.union(*(tree.tops(k) for k in levels))


def list_path(thesaurus: Thesaurus, node: int) -> list[int]:
    """Return the nodes from the root to a class, without nodes that users do not see."""
    shown = thesaurus.index.shown
    return [above for above in thesaurus.tree.path(node) if above in shown or above == node]


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
    # Import here, because this loads scikit-learn, which other functions do not need.
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
