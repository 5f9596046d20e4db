"""Thesaurus: a tree of word classes, the words in them, and what the classes have in common."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core.counts import Counts
from roget.core.information import kl, xlogx
from roget.core.tree import Ints, Tree
from roget.errors import InputError

Floats: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.intp]

LABEL = 3
"""Words in the label of a class."""

OWN = 0.5
"""How much a word's own counts weigh, beside its classes, where words are compared."""

ROUNDING = 1e-12

CELLS = 1 << 22
"""Cells of a dense table worked on at a time."""


class TypicalWord(NamedTuple):
    """A word of a class: how far it is from the centroid (nats), and p(class|word)."""

    word: str
    distance: float
    probability: float


class TypicalContext(NamedTuple):
    """A context of a class: p(context|class), and the logarithm of that over p(context)."""

    context: str
    probability: float
    lift: float


class Neighbour(NamedTuple):
    """A word near another one, and how far it is (nats)."""

    word: str
    distance: float


@dataclass(frozen=True)
class WordClass:
    """A node of the tree as a class of words."""

    node: int
    parent: int | None
    children: tuple[int, ...]
    label: str
    """The most typical words."""
    size: int
    """How many words have their place here."""
    mass: float
    """The probability of the class, p(c); that of the root is 1."""
    value: float | None
    """At which value the class was split: β, or the nats that saved; None for a leaf."""
    words: tuple[TypicalWord, ...]
    contexts: tuple[TypicalContext, ...]


class Thesaurus:
    """Classes of words in a tree; a word belongs to all of them, more or less.

    The leaves of the tree are clusters; an inner node is the sum of its leaves: memberships are
    added up, and its centroid is their mean, weighted by their probability. A class is known by
    its node. A word has one place in the tree as well: from the root, at every split, the side to
    which it belongs more.

    >>> from roget.learn.clustering.soft.estimator import SoftAnnealing
    >>> counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    >>> model = SoftAnnealing(2, random_state=0).fit(counts)
    >>> thesaurus = Thesaurus.from_clustering(counts, model)
    >>> thesaurus
    Thesaurus: 3 words in 2 classes, 3 contexts
    >>> thesaurus.neighbours("tea", 1)[0].word
    'ale'

    Attributes: `counts`, `tree`, `words`, `contexts`, `memberships` (csr_array, words × clusters),
    `centroids` (clusters × contexts), `mass` (p of each cluster), `steps` (the path of the search,
    row by row) and `provenance`. None of them should be changed in place.
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
    ) -> None:
        self.counts, self.tree = counts, tree
        self.memberships = sparse.csr_array(memberships, dtype=np.float64)
        self.centroids: npt.NDArray[np.floating[Any]] = np.asarray(centroids)
        self.mass: Floats = np.asarray(mass, dtype=np.float64)
        self.steps = tuple(dict(step) for step in steps)
        self.provenance = dict(provenance or {})
        self._check()

    @classmethod
    def from_clustering(cls, counts: Counts, model: Any) -> Thesaurus:
        """The thesaurus of counts and a clusterer that was fitted to them."""
        if not hasattr(model, "membership_"):
            raise InputError(f"{type(model).__name__} is not fitted: call fit(counts) first")
        found = (model.tree_, model.membership_, model.centroids_, model.mass_)
        provenance = {
            "roget": __version__,
            "clusterer": type(model).__name__,
            "options": {name: v for name, v in model.get_params().items() if _is_plain(v)},
            "beta": float(model.beta_) if hasattr(model, "beta_") else None,
            "description_length": getattr(model, "description_length_", None),
        }
        return cls(counts, *found, steps=model.path_, provenance=provenance)

    @property
    def words(self) -> npt.NDArray[Any]:
        """All words, in the order of the rows of `memberships`."""
        return self.counts.words

    @property
    def contexts(self) -> npt.NDArray[Any]:
        """All contexts, in the order of the columns of `centroids`."""
        return self.counts.contexts

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        words, classes, contexts = len(self), self.tree.n_clusters, self.contexts.size
        return (
            f"Thesaurus: {words:,} word{'s' * (words != 1)} in {classes:,} "
            f"class{'es' * (classes != 1)}, {contexts:,} context{'s' * (contexts != 1)}"
        )

    def membership(self, word: str, k: int | None = None) -> dict[int, float]:
        """p(class|word) of the leaves, or of the first k classes, the likeliest first."""
        row = self.memberships[[self.counts.word_id(word)]].toarray().ravel()
        if k is None:
            found = dict(zip(self._leaves.tolist(), row.tolist(), strict=True))
        else:
            found = {top: float(row[self._clusters(top)].sum()) for top in self._tops(k)}
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return {node: p for node, p in ranked if p > 0}

    def path(self, word: str) -> tuple[int, ...]:
        """The classes in which a word has its place, from the root to a leaf."""
        return self.tree.path(int(self.places[self.counts.word_id(word)]))

    def neighbours(self, word: str, n: int = 10) -> list[Neighbour]:
        """The n words that are most like a word, the nearest first.

        The distance is the Jensen–Shannon divergence (nats, at most log 2) of what words' classes
        and their own counts say of them, half and half: ½·Σ p(c|word) p(context|c) +
        ½·p(context|word). Classes alone would not tell words apart that are wholly in one class.
        """
        row = self.counts.word_id(word)
        if n < 1:
            raise InputError(f"{n} neighbours: expected 1 or more")
        # Groups of contexts tell words apart no better than contexts do, so this is a lower bound.
        bound = self._divergences(row, *self._grouped, np.arange(len(self)))
        bound[row] = math.inf
        order = np.argsort(bound, kind="stable")[: len(self) - 1]
        rows, distances = np.empty(0, dtype=np.intp), np.empty(0)
        step = max(n, CELLS // self.contexts.size)
        for begin in range(0, order.size, step):
            part = order[begin : begin + step]
            if rows.size == n and bound[part[0]] > distances[-1] + ROUNDING:
                break
            rows = np.concatenate([rows, part])
            new = self._divergences(row, self.centroids, self._conditional, part)
            distances = np.concatenate([distances, new])
            best = np.lexsort((rows, distances))[:n]
            rows, distances = rows[best], distances[best]
        return [
            Neighbour(str(self.words[at]), float(d)) for at, d in zip(rows, distances, strict=True)
        ]

    def cut(self, k: int) -> Ints:
        """For each word, in which of the first k classes it has its place, by number from 0."""
        labels = self.tree.cut(k)
        return np.asarray(labels[self.tree.cluster[self.places]])

    def classes(self, k: int | None = None, n: int = 10) -> list[WordClass]:
        """The leaves, or the first k classes, each with its n most typical words and contexts."""
        nodes = self._leaves.tolist() if k is None else self._tops(k)
        return [self.word_class(node, n) for node in nodes]

    def word_class(self, node: int, n: int = 10) -> WordClass:
        """The class of a node, with its n most typical words and contexts.

        Typical words are those nearest to the centroid, by KL(p_word ‖ p_class), among the words
        that have their place in the class; where there are none, among all. Typical contexts add
        most to the divergence of the class from the average: p(v|c)·log(p(v|c) / p(v)).
        """
        inside = np.flatnonzero(np.isin(self.places, self.tree.leaves(node)))
        words = self._nearest(node, inside if inside.size else np.arange(len(self)), max(n, LABEL))
        value = float(self.tree.value[node])
        return WordClass(
            node,
            int(self.tree.parent[node]) if node else None,
            self.tree.children(node),
            ", ".join(one.word for one in words[:LABEL]),
            int(inside.size),
            float(self.mass[self._clusters(node)].sum()),
            None if math.isnan(value) else value,
            tuple(words[:n]),
            tuple(self._typical_contexts(node, n)),
        )

    def nearest(self, node: int, n: int = 10) -> list[TypicalWord]:
        """The n words of all that are nearest to the centroid of a class."""
        return self._nearest(node, np.arange(len(self)), n)

    def centroid(self, node: int) -> Floats:
        """p(context|class) of any node of the tree."""
        clusters = self._clusters(node)
        weights = self.mass[clusters]
        if not weights.sum() > 0:
            weights = np.ones(clusters.size)
        return np.asarray(weights @ self.centroids[clusters] / weights.sum(), dtype=np.float64)

    def information(self) -> tuple[float, float]:
        """What the classes, and what the words, tell about their contexts, nats.

        Mutual information, in the counts the thesaurus was made from; words tell more.
        """
        average, totals = self.centroid(0), self.counts.word_totals / self.counts.total
        by_class = sum(
            float(p) * kl(centroid, average)
            for p, centroid in zip(self.mass, self.centroids, strict=True)
        )
        spread = -xlogx(self.counts.context_totals / self.counts.total).sum()
        return float(by_class), float(spread + np.sum(totals * self._own_entropy))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the thesaurus as a folder that `load` and other tools can read."""
        from roget.learn.thesaurus_files import write

        write(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Thesaurus:
        """The thesaurus that `save` wrote; nothing in it is run."""
        from roget.learn.thesaurus_files import read

        return read(path)

    @cached_property
    def places(self) -> Ints:
        """The leaf in which each word has its place."""
        above = self._ancestry
        places = np.zeros(len(self), dtype=np.int64)
        inner = [node for node in range(self.tree.n_nodes) if self.tree.children(node)]
        for part in _parts(len(self), self.tree.n_nodes):
            belongs = (self.memberships[part] @ above).toarray()
            here = np.zeros(part.stop - part.start, dtype=np.int64)
            for node in inner:
                at = np.flatnonzero(here == node)
                below = np.array(self.tree.children(node))
                here[at] = below[belongs[at][:, below].argmax(axis=1)]
            places[part] = here
        return places

    @cached_property
    def _leaves(self) -> Ints:
        """The node of each cluster."""
        leaves = np.flatnonzero(self.tree.cluster >= 0)
        return np.asarray(leaves[np.argsort(self.tree.cluster[leaves])])

    @cached_property
    def _ancestry(self) -> Any:
        """1 where a cluster (row) lies in a node (column)."""
        ways = [self.tree.path(int(leaf)) for leaf in self._leaves]
        rows = np.repeat(np.arange(len(ways)), [len(way) for way in ways])
        columns = np.concatenate([np.array(way) for way in ways])
        shape = len(ways), self.tree.n_nodes
        return sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=shape)

    @cached_property
    def _conditional(self) -> Any:
        return self.counts.conditional()

    @cached_property
    def _own_entropy(self) -> Floats:
        """Σ p_n log p_n of each word: minus its entropy."""
        table = self._conditional.copy()
        table.data = xlogx(table.data)
        return np.asarray(table.sum(axis=1)).ravel()

    @cached_property
    def _grouped(self) -> tuple[Floats, Any]:
        """Centroids and words over groups of contexts, as many as there are clusters."""
        owner = np.argmax(self.centroids * self.mass[:, None], axis=0)
        at = np.arange(owner.size), owner
        group = sparse.csr_array((np.ones(owner.size), at), shape=(owner.size, self.mass.size))
        return np.asarray(self.centroids @ group), self._conditional @ group

    def _clusters(self, node: int) -> Ints:
        return np.asarray(self.tree.cluster[self.tree.leaves(node)])

    def _tops(self, k: int) -> list[int]:
        """The nodes of the first k classes, in the order of the labels of a cut."""
        labels = self.tree.cut(k)
        # Children come after their parents, so that they are known before them from behind.
        held = np.where(self.tree.cluster >= 0, labels[self.tree.cluster], -1)
        for node in reversed(range(self.tree.n_nodes)):
            below = {int(held[child]) for child in self.tree.children(node)}
            if len(below) == 1:
                held[node] = below.pop()
        highest = {int(held[node]): node for node in reversed(range(self.tree.n_nodes))}
        return [node for label, node in sorted(highest.items()) if label >= 0]

    def _nearest(self, node: int, rows: Rows, n: int) -> list[TypicalWord]:
        with np.errstate(divide="ignore"):
            logs = np.log(self.centroid(node))
        distances = np.maximum(self._own_entropy[rows] - self._conditional[rows] @ logs, 0.0)
        # A word that was never seen is near to nothing.
        distances[self.counts.word_totals[rows] <= 0] = math.inf
        best = np.argsort(distances, kind="stable")[:n]
        belongs = np.asarray(self.memberships[rows[best]][:, self._clusters(node)].sum(axis=1))
        return [
            TypicalWord(str(self.words[rows[at]]), float(distances[at]), float(p))
            for at, p in zip(best, belongs.ravel(), strict=True)
        ]

    def _typical_contexts(self, node: int, n: int) -> Iterator[TypicalContext]:
        here, average = self.centroid(node), self.centroid(0)
        seen = np.flatnonzero((here > 0) & (average > 0))
        p, lift = here[seen], np.log(here[seen] / average[seen])
        # At the root no context stands out, but for the last digits: the most frequent are typical.
        for at in np.lexsort((-p, -p * lift.round(9)))[:n]:
            yield TypicalContext(str(self.contexts[seen[at]]), float(p[at]), float(lift[at]))

    def _divergences(self, row: int, centroids: Any, own: Any, rows: Rows) -> Floats:
        """Jensen–Shannon divergence of one word from some, by their classes and counts."""
        out = np.empty(rows.size)
        mine = self._profiles(np.array([row]), centroids, own)[0]
        information = xlogx(mine).sum()
        for part in _parts(rows.size, centroids.shape[1]):
            theirs = self._profiles(rows[part], centroids, own)
            middle = xlogx((theirs + mine) / 2).sum(axis=1)
            out[part] = (information + xlogx(theirs).sum(axis=1)) / 2 - middle
        return np.maximum(out, 0.0)

    def _profiles(self, rows: Rows, centroids: Any, own: Any) -> Floats:
        """What is known of words: by their classes, and by their counts if they have any."""
        weight = np.where(self.counts.word_totals[rows] > 0, OWN, 0.0)[:, None]
        by_class = np.asarray(self.memberships[rows] @ centroids, dtype=np.float64)
        return np.asarray((1 - weight) * by_class + weight * own[rows].toarray())

    def _check(self) -> None:
        k = self.tree.n_clusters
        for name, found, right in (
            ("memberships", self.memberships.shape, (len(self), k)),
            ("centroids", self.centroids.shape, (k, self.contexts.size)),
            ("mass", self.mass.shape, (k,)),
        ):
            if found != right:
                raise InputError(f"{name} of shape {found}: expected {right}")
            values = getattr(self, name)
            values = values.data if sparse.issparse(values) else values
            if not (np.isfinite(values).all() and (values >= 0).all()):
                raise InputError(f"{name}: a value is negative or not a number")
        sums = np.asarray(self.memberships.sum(axis=1)).ravel()
        if not np.allclose(sums, 1.0, atol=1e-4):
            worst = int(np.argmax(np.abs(sums - 1)))
            raise InputError(
                f"the memberships of {str(self.words[worst])!r} add up to {sums[worst]:g}, not 1"
            )


def _parts(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that make tables of at most `CELLS` cells."""
    step = max(1, CELLS // max(columns, 1))
    for begin in range(0, rows, step):
        yield slice(begin, min(begin + step, rows))


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
