"""Lookup: everything a thesaurus can be asked about its words and classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.information import kl, xlogx
from roget.core.io.problems import plural
from roget.core.io.values import whole_number
from roget.core.notebook import ReportMixin
from roget.core.tree import Tree
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError, UnknownName
from roget.learn.clustering.result import Clustering
from roget.learn.command_options import NeighbourOptions as Asked
from roget.learn.thesaurus import nodes as placing
from roget.learn.thesaurus.draft import Draft
from roget.learn.thesaurus.labels import LABEL, ClassLabels, StableLabels
from roget.learn.thesaurus.neighbours import Neighbours
from roget.learn.thesaurus.records import (
    ContextClass,
    Neighbour,
    Reason,
    Reasons,
    Sense,
    TypicalContext,
    TypicalWord,
    WordClass,
)
from roget.learn.thesaurus.senses import Senses

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

_TRIED = 100
"""Contexts of a word that are left out one by one, to see what they weigh."""

Rows: TypeAlias = npt.NDArray[np.intp]


class Lookup(ReportMixin):
    """What follows from counts, a tree, memberships and centroids; see `Thesaurus`."""

    kind = "thesaurus"

    counts: Counts
    clustering: Clustering
    labels: dict[int, str]
    provenance: dict[str, Any]
    ids: Ints
    base: Thesaurus
    """The same without edits."""
    _draft: Draft | None
    """What edits have made of that, if there are any."""
    _generated: dict[int, str]
    _remembered: tuple[dict[Any, list[str]], dict[Any, float]]
    """Labels by words, and divergences by units, of all that was ever edited here."""

    @property
    def tree(self) -> Tree:
        """The tree whose leaves are the clusters."""
        return self.clustering.tree

    @property
    def memberships(self) -> Any:
        """p(cluster|word), a csr_array of words × clusters."""
        return self.clustering.memberships

    @cached_property
    def centroids(self) -> npt.NDArray[np.floating[Any]]:
        """p(context|cluster), clusters × contexts."""
        table = self.clustering.centroids
        return np.asarray(table.toarray() if sparse.issparse(table) else table)

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

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        words, classes = plural(len(self), "word", ","), plural(self.tree.n_clusters, "class", ",")
        return f"Thesaurus: {words} in {classes}, {plural(self.contexts.size, 'context', ',')}"

    def membership(self, word: str, k: int | None = None) -> dict[int, float]:
        """p(class|word) of the leaves, or of the first k classes, the likeliest first."""
        table, row = self.memberships, self.row(word)
        if k is None:
            here = slice(*table.indptr[row : row + 2])
            leaves = self._leaves[table.indices[here]].tolist()
            found = dict(zip(leaves, table.data[here].tolist(), strict=True))
        else:
            whole = table[[row]].toarray().ravel()
            found = {node: float(whole[self._clusters(node)].sum()) for node in self.nodes(k)}
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return {node: p for node, p in ranked if p > 0}

    def path(self, word: str) -> tuple[int, ...]:
        """The classes in which a word has its place, from the root to a leaf."""
        return self.tree.path(int(self.places[self.row(word)]))

    def common_class(self, *words: str) -> int:
        """The smallest class in which all of some words have their place; of one word, its leaf."""
        if not words:
            raise InputError("no words: name one or more to find the class they share")
        # A node has a larger number than the one above it.
        return max(set.intersection(*(set(self.path(word)) for word in words)))

    def neighbours(self, word: str, n: int = Asked.n, by: str = Asked.by) -> list[Neighbour]:
        """The n words that are most like a word, the likest first.

        Similarities are cosines, as standard deviations above the mean of common words. By
        "counts" they are of the words' own contexts, which tell the more, the more surprising they
        are; by "classes" of what their classes do. By "both", of words with e tokens (the geometric
        mean), e/(e + 100) is by their own contexts, and the rest by the vectors that the classes
        were made by, or by the classes if there are none; words seen a few times only (e of 10)
        count half.
        """
        return self.all_neighbours(np.array([self.row(word)]), n, by)[0]

    def all_neighbours(self, rows: Rows, n: int = 10, by: str = "both") -> list[list[Neighbour]]:
        """The neighbours of the words of some rows, which takes less time than one by one."""
        return [
            [Neighbour(str(self.words[at]), float(s)) for at, s in zip(*found, strict=True)]
            for found in self._near.nearest(rows, n, by)
        ]

    def similarities(self, rows: Rows, others: Rows, by: str = Asked.by) -> Floats:
        """How much the words of some rows are like those of others, pair by pair.

        They are those that `neighbours` tells.
        """
        return self._near.compare(rows, others, by)

    def senses(self, word: str, n: int = 10) -> list[Sense]:
        """The classes in which a word is used, the commonest first; of most words, its place only.

        Each has n contexts that vote for it, as in `evidence`, and n words of the class that are
        most like the word in these contexts. The word itself has no vote (see the module `senses`),
        so that a word alone in its class has a sense without contexts and words.
        """
        row = self.row(word)
        own = self._conditional[[row]].toarray().ravel()
        found = []
        for one in self._senses.of(row, n):
            names, p = self.contexts[one.contexts].tolist(), own[one.contexts]
            lifts = np.log(p / np.maximum(self._average[one.contexts], 1e-300))
            contexts = tuple(map(TypicalContext, names, p.tolist(), lifts.tolist()))
            words = tuple(self.words[one.words].tolist())
            found.append(Sense(int(self._leaves[one.cluster]), one.share, contexts, words))
        return found

    @property
    def sense_memberships(self) -> Any:
        """p(class|word) by senses, a csr_array of words × clusters: see `senses`."""
        return self._senses.memberships

    def nodes(
        self, k: int | None = None, *, depth: int | None = None, value: float | None = None
    ) -> list[int]:
        """The classes of a cut (see `cut`), in the order of its numbers; all leaves by default."""
        if sum(asked is not None for asked in (k, depth, value)) > 1:
            raise InputError("a cut is asked for by k, by depth or by value, not by several")
        if depth is not None:
            return self.tree.cut_depth(depth)
        if value is not None:
            return self.tree.cut_splits(self._good(value))
        if k is not None:
            return self.tree.tops(k)
        return [int(leaf) for leaf in self._leaves]

    def cut(
        self, k: int | None = None, *, depth: int | None = None, value: float | None = None
    ) -> Ints:
        """For each word, in which class of a cut of the tree it has its place, by number from 0.

        k: the first so many classes, in the order of the splits.
        depth: the classes under so many splits, and the leaves that lie under fewer.
        value: only splits at least so good, and those above them: of classes by annealing, the
            splits up to this β; by description length, those that save so many nats or more.
        """
        labels = self.tree.label_clusters(self.nodes(k, depth=depth, value=value))
        return np.asarray(labels[self.tree.cluster[self.places]])

    def classes(self, k: int | None = None, n: int = 10) -> list[WordClass]:
        """The leaves, or the first k classes, each with its n most typical words and contexts."""
        return [self.word_class(node, n) for node in self.nodes(k)]

    def word_class(self, node: int, n: int = 10) -> WordClass:
        """The class of a node, with its n most typical words and contexts.

        Typical words are those nearest to the centroid, by KL(p_word ‖ p_class), among the words
        that have their place in the class; where there are none, among all. Typical contexts add
        most to the divergence of the class from the average: p(v|c)·log(p(v|c) / p(v)).
        """
        inside, centroid = self.inside(node), self.centroid(node) if node else self._average
        words = self._nearest(node, centroid, inside if inside.size else np.arange(len(self)), n)
        value = float(self.tree.value[node])
        return WordClass(
            node,
            int(self.tree.parent[node]) if node else None,
            self.tree.children(node),
            self.label(node),
            int(inside.size),
            float(self.mass[self._clusters(node)].sum()),
            None if math.isnan(value) else value,
            tuple(words),
            tuple(distinct(centroid, self._average, self.contexts, n)),
        )

    def context_classes(self, node: int = 0, n: int | None = None) -> list[ContextClass]:
        """Classes of contexts that set a class of words apart; none if contexts have no classes.

        Of the root the likeliest come first, else those that add most to the divergence of the
        class from the average, as with contexts.
        """
        labels = self.clustering.context_labels
        if labels is None:
            return []
        k, usual = int(labels.max(initial=-1)) + 1, self._average
        own = self.centroid(node) if node else usual
        here, average = (
            np.asarray(np.bincount(labels, p, minlength=k), dtype=np.float64) for p in (own, usual)
        )
        by_class = np.split(
            np.lexsort((-usual, labels)), np.cumsum(np.bincount(labels, minlength=k))[:-1]
        )
        return [
            ContextClass(
                int(one.context),
                tuple(map(str, self.contexts[by_class[int(one.context)]])),
                one.probability,
                one.lift,
            )
            for one in distinct(here, average, np.arange(k), k if n is None else n)
        ]

    def label(self, node: int) -> str:
        """The name that a class was given, or else words that tell it from those around it.

        A class in which no word has its place is called by its contexts, in brackets.
        """
        if node in self.labels:
            return self.labels[node]
        if node not in self._generated:
            self._generated[node] = self._described(node)
        return self._generated[node]

    def inside(self, node: int) -> Rows:
        """The rows of the words that have their place in a class."""
        node, layout = self.tree.require_node(node), self.tree.layout
        at = layout.first[self.places]
        return np.flatnonzero((at >= layout.first[node]) & (at < layout.end[node]))

    def evidence(self, word: str, n: int = 10) -> list[TypicalContext]:
        """The n contexts that tell most about a word: p(v|word)·log(p(v|word) / p(v))."""
        table, row = self._conditional, self.row(word)
        here = slice(*table.indptr[row : row + 2])
        seen = table.indices[here]
        return list(distinct(table.data[here], self._average[seen], self.contexts[seen], n))

    def reasons(self, word: str, node: int, n: int = 10) -> Reasons:
        """The n contexts of a word that say most for a class, against the likeliest other one.

        The word is placed by its contexts, as new words are, and again without each of them; of
        the other classes, those are looked at that lie side by side with it: leaves.
        """
        row, inside = self.row(word), self._clusters(node)
        rest = np.setdiff1d(np.arange(self.tree.n_clusters), inside)
        own = self.counts.matrix[[row]]
        found = self.clustering.place(own)[0]
        other = int(rest[found[rest].argmax()]) if rest.size else None
        against = node if other is None else int(self._leaves[other])
        beside = inside if other is None else np.array([other])
        both = np.maximum(
            [self.centroid(node)[own.indices], self.centroid(against)[own.indices]], 1e-12
        )
        likely = np.argsort(-own.data * np.log(both[0] / both[1]), kind="stable")
        tried = likely[: max(_TRIED, n)]
        kept = ~np.eye(own.indices.size, dtype=np.bool_)[tried]
        ends = np.arange(tried.size + 1) * (own.indices.size - 1)
        columns, counts = (np.tile(one, (tried.size, 1))[kept] for one in (own.indices, own.data))
        without = sparse.csr_array((counts, columns, ends), shape=(tried.size, own.shape[1]))
        placed = np.vstack([found, self.clustering.place(without)])
        odds = np.log(
            np.maximum(placed[:, inside].sum(axis=1), 1e-300)
            / np.maximum(placed[:, beside].sum(axis=1), 1e-300)
        )
        weights = odds[0] - odds[1:]
        order = np.argsort(-weights, kind="stable")[:n]
        return Reasons(
            node,
            float(found[inside].sum()),
            against,
            float(found[beside].sum()),
            float(odds[0]),
            tuple(
                Reason(
                    str(self.contexts[own.indices[tried[at]]]),
                    own.data[tried[at]].item(),
                    float(weights[at]),
                )
                for at in order.tolist()
            ),
        )

    def find_class(self, name: str) -> int:
        """The node of a class by its number, its label, or a word that has its place there."""
        number = whole_number(name)
        if number is not None:
            return self.tree.require_node(number)
        for node, label in self.labels.items():
            if label.casefold() == name.casefold():
                return node
        if name in self.rows:
            return int(self.places[self.rows[name]])
        for node in range(self.tree.n_nodes):
            if self.label(node).casefold() == name.casefold():
                return node
        raise InputError(f"no class {name!r:.60}: expected its number, its label, or a word in it")

    @property
    def has_evidence(self) -> bool:
        """Whether sentences are kept with the counts."""
        return self.counts.evidence is not None

    def lines(
        self, word: str, context: str | None = None, n: int = 10, sort: str = "corpus"
    ) -> list[EvidenceLine]:
        """Sentences in which a word was seen, or was in a context; none if none are kept.

        See `Evidence.lines`.
        """
        self.row(word)
        kept = self.counts.evidence
        return [] if kept is None else kept.lines(word, context, n, sort)

    def shared_evidence(self, word: str, other: str, n: int = 10) -> list[TypicalContext]:
        """The n contexts that tell most about two words alike, by the smaller probability."""
        both = self._conditional[[self.row(word), self.row(other)]].toarray()
        return list(distinct(both.min(axis=0), self._average, self.contexts, n))

    def nearest(self, node: int, n: int = 10) -> list[TypicalWord]:
        """The n words of all that are nearest to the centroid of a class."""
        return self._nearest(node, self.centroid(node), np.arange(len(self)), n)

    def centroid(self, node: int) -> Floats:
        """p(context|class) of any node of the tree."""
        clusters = self._clusters(node)
        weights = self.mass[clusters] if self.mass[clusters].sum() > 0 else np.ones(clusters.size)
        if clusters.size * 8 < self.mass.size:
            return np.asarray(weights @ self.centroids[clusters] / weights.sum(), dtype=np.float64)
        # Of many clusters, in their own precision: converting them would take longer than this.
        shares = np.zeros(self.mass.size, dtype=self.centroids.dtype)
        shares[clusters] = weights / weights.sum()
        return np.asarray(shares @ self.centroids, dtype=np.float64)

    def information(self) -> tuple[float, float]:
        """What the classes, and what the words, tell about their contexts, nats.

        Mutual information, in the counts the thesaurus was made from; words tell more.
        """
        return float(self.mass @ self._divergences), self._told_by_words

    @cached_property
    def _divergences(self) -> Floats:
        """KL of the centroid of each cluster from the average, nats."""
        if self._draft is None:
            return np.array([kl(centroid, self._average) for centroid in self.centroids])
        known, units = self._remembered[1], self._draft.units()
        for cluster, some in enumerate(units):
            if some not in known:
                if len(some) == 1 and some[0] < self.base.mass.size:
                    known[some] = float(self.base._divergences[some[0]])
                else:
                    known[some] = kl(self.centroids[cluster], self._average)
        return np.array([known[some] for some in units])

    @cached_property
    def _told_by_words(self) -> float:
        total = max(self.counts.total, 1e-300)
        spread = -xlogx(self.counts.context_totals / total).sum()
        own = np.sum(self.counts.word_totals / total * self._own_entropy)
        return float(spread + own)

    @cached_property
    def places(self) -> Ints:
        """The leaf in which each word has its place, where edits have put it."""
        if self._draft is None:
            return placing.assign_leaves(self.memberships, self.tree)
        return self._draft.places()

    @cached_property
    def sizes(self) -> Ints:
        """How many words have their place in each node."""
        return self.tree.sum_up(np.bincount(self.places, minlength=self.tree.n_nodes))

    @cached_property
    def shares(self) -> Floats:
        """The probability of each node."""
        return self.tree.sum_up(np.bincount(self._leaves, self.mass, self.tree.n_nodes))

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each word."""
        return {word: row for row, word in enumerate(self.words.tolist())}

    @property
    def unsure(self) -> Mapping[str, str]:
        """Words that were set aside, in no class, and why."""
        return self.provenance.get("unsure") or {}

    @property
    def is_imported(self) -> bool:
        """Whether it was read from a taxonomy: nothing was counted, classes stand for contexts."""
        return "imported" in self.provenance

    def row(self, word: str) -> int:
        """The row of a word; of one that is not there, the message says why, or the nearest."""
        if self._draft is not None and word not in self.rows:
            self._draft.row(word)  # which knows of words that were deleted
        try:
            return self.counts.word_id(word)
        except UnknownName:
            if why := self.unsure.get(word):
                said = f"{word!r} is in no class: it was set aside as unsure ({why})"
                raise InputError(said) from None
            raise

    @cached_property
    def _conditional(self) -> Any:
        return self.counts.conditional()

    @cached_property
    def _own_entropy(self) -> Floats:
        """Σ p log p of each word's distribution: minus its entropy."""
        table = self._conditional.copy()
        table.data = xlogx(table.data)
        return np.asarray(table.sum(axis=1)).ravel()

    @cached_property
    def _average(self) -> Floats:
        return self.centroid(0)

    @property
    def draft(self) -> Draft:
        """What the edits made of the thesaurus without them, step by step."""
        return self._draft or Draft(self.base)

    @cached_property
    def _marks(self) -> list[tuple[float, float]]:
        """What tells the words of each node from any other words."""
        return self.draft.marks()

    @cached_property
    def _of_ids(self) -> dict[int, int]:
        return {id: node for node, id in enumerate(self.ids.tolist())}

    @cached_property
    def _labels(self) -> ClassLabels:
        if self._draft is None:
            return ClassLabels(self.counts, self.tree, self.places)
        return StableLabels(self)

    def _described(self, node: int) -> str:
        if rows := self._labels.rows(node):
            return ", ".join(str(self.words[row]) for row in rows)
        told = distinct(self.centroid(node), self._average, self.contexts, LABEL)
        return f"({', '.join(one.context for one in told)})"

    @cached_property
    def _near(self) -> Neighbours:
        if self._draft is None:
            return Neighbours(self.counts, self.clustering)
        parts = None if self._draft.divisions else self._draft.parts
        return self.base._near.after(self.counts, self.clustering, self._draft.origin, parts)

    @cached_property
    def _senses(self) -> Senses:
        """Those of the classes that were learnt, as edits have them."""
        if self._draft is None:
            home = self.tree.cluster[self.places]
            return Senses(self.counts, home, self.tree, self.memberships)
        known, draft = self.base._senses, self._draft
        return known.after(draft.homes(), draft.senses(known.memberships), draft.origin)

    @property
    def _leaves(self) -> Ints:
        return self.tree.cluster_nodes

    def _clusters(self, node: int) -> Ints:
        return np.asarray(self.tree.cluster[self.tree.leaves(node)])

    def _good(self, value: float) -> BoolArray:
        """Which splits are at least as good as a value says."""
        values, inner = self.tree.value.copy(), self.tree.cluster < 0
        for node in np.flatnonzero(inner & np.isnan(values)).tolist():
            # What a person split is as good as the split above it.
            values[node] = values[self.tree.parent[node]] if node else math.nan
        if np.isnan(values[inner]).any() or math.isnan(value):
            raise InputError(f"a cut at {value:g}: the classes were not split at values")
        with np.errstate(invalid="ignore"):
            rising = self.clustering.unit.rising
            return np.asarray(values <= value if rising else values >= value)

    def _nearest(self, node: int, centroid: Floats, rows: Rows, n: int) -> list[TypicalWord]:
        """Of some words, the n nearest to a centroid by KL(word ‖ class)."""
        with np.errstate(divide="ignore"):
            logs = np.log(centroid)
        table = self._conditional if rows.size == len(self) else self._conditional[rows]
        distances = np.maximum(self._own_entropy[rows] - table @ logs, 0.0)
        # A word that was never seen is near to nothing.
        distances[np.diff(table.indptr) == 0] = math.inf
        if 0 < n < rows.size:
            near = distances <= np.partition(distances, n - 1)[n - 1]
            rows, distances = rows[near], distances[near]
        order = np.argsort(distances, kind="stable")[:n]
        best, distances = rows[order], distances[order]
        belongs = np.asarray(self.memberships[best][:, self._clusters(node)].sum(axis=1)).ravel()
        return [
            TypicalWord(str(self.words[row]), float(distance), float(p))
            for row, distance, p in zip(best, distances, belongs, strict=True)
        ]


def distinct(here: Floats, average: Floats, contexts: Array, n: int) -> Iterator[TypicalContext]:
    """The n contexts that set a distribution apart from the average: p·log(p / average)."""
    seen = np.flatnonzero((here > 0) & (average > 0))
    p, lift = here[seen], np.log(here[seen] / average[seen])
    # At the root no context stands out, but for the last digits: the most frequent are typical.
    for at in np.lexsort((-p, -p * lift.round(9)))[:n]:
        yield TypicalContext(str(contexts[seen[at]]), float(p[at]), float(lift[at]))
