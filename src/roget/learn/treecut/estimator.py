"""TreeCut: p(word | head) from the cut of a thesaurus that describes a head's words shortest."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from roget.core.counts import Counts, NotCounted
from roget.core.types import Array, Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.memberships import grouping_matrix
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus
from roget.learn.treecut.hierarchy import WordHierarchy

ENTRIES = 4_000_000
"""Pairs of a node and a head that are worked on at a time, about."""

PAIRS = 1 << 16
"""Pairs of a word and a head whose probabilities are worked out at a time."""

ROUNDING = 1e-9
"""How much shorter, relatively, a split must be: equal lengths keep the higher node."""


class CutClass(NamedTuple):
    """A node of a cut."""

    node: int
    """Its number in `hierarchy_`."""
    id: str
    """What the class is known by in its thesaurus: a node, a synset, …; "" for a single word."""
    label: str
    probability: float
    """p(class|head)."""
    prior: float
    """p(class) over all heads."""
    size: float
    """How many words lie in it; a word of several classes counts in parts."""
    words: tuple[tuple[str, float], ...]
    """Its words that stood with the head, the most frequent first, and how often, in shares."""

    @property
    def association(self) -> float:
        """How much the head prefers the class, nats: p·log(p / prior), as Resnik has it."""
        return self.probability * math.log(self.probability / self.prior) if self.words else 0.0


@dataclass(eq=False, repr=False)
class TreeCut(BaseEstimator):  # type: ignore[misc]
    """For each head, a cut of a thesaurus: classes, each with a probability shared by its words.

    Of all cuts the one is taken that describes a head's words shortest (Li & Abe 1998), in nats:
    (nodes − 1)/2·log|S| for the probabilities and −Σ f·log p for the |S| words, where
    p(word|head) = Σ p(class|head)·share/size over the classes of the cut in which the word lies.

    thesaurus: a `Thesaurus`, whose memberships share out each word and its counts; a `Taxonomy`
        (see `roget.learn.taxonomy.taxonomy_of`), in which a word is shared out evenly over its
        classes, and a class over its parents; or a `WordHierarchy`, made of either beforehand.
    words: whether a cut may go down to single words, as in the paper, or to the lowest classes.
    penalty: how much a node costs, in halves of log|S|; more gives fewer, broader classes, however
        many counts there are (Wagner 2000).
    senses: "weighted" shares out the words of a taxonomy by their weights (in WordNet: how
        often a sense was tagged, plus one), not evenly.

    Fitted: `heads_`, `description_length_` (nats, of each head; a word in several places is told
    together with the place), `hierarchy_`, `prior_` (p of each node over all heads), `unknown_`
    (the share of each head's tokens that the thesaurus does not know, and the model leaves out).

    >>> taxonomy = Taxonomy("thing", {"food": "food", "tool": "tool"})
    >>> for word, name in (("egg", "food"), ("rice", "food"), ("saw", "tool"), ("axe", "tool")):
    ...     taxonomy.add(word, name)
    >>> counts = Counts([[9], [8], [0]], ["egg", "rice", "saw"], ["eat"])
    >>> model = TreeCut(taxonomy).fit(counts)
    >>> [(one.label, one.probability) for one in model.cut("eat")]
    [('food', 1.0)]
    >>> model.probability(["egg", "rice", "saw", "cake"], "eat").tolist()
    [0.5, 0.5, 0.0, 0.0]
    """

    thesaurus: Thesaurus | Taxonomy | WordHierarchy
    words: bool = True
    penalty: float = 1.0
    senses: str = "even"

    def fit(self, X: Counts, y: Any = None) -> Self:
        """Cut the thesaurus for each context of the counts; a refit keeps the hierarchy."""
        if not isinstance(X, Counts):
            raise InputError(f"{type(X).__name__}: expected Counts, whose words can be looked up")
        penalty: Any = self.penalty
        if not (isinstance(penalty, numbers.Real) and 0 <= float(penalty) < np.inf):
            raise InputError(f"penalty {penalty!r}: expected a number, 0 or more")
        made = (self.thesaurus, self.words, self.senses)
        if getattr(self, "_made", None) != made:
            self.hierarchy_, self._made = WordHierarchy.of(*made), made
        self.heads_ = X.contexts
        self._head_ids = {head: column for column, head in enumerate(X.contexts.tolist())}
        seen = _by_row(self.hierarchy_, X)
        totals = np.asarray(seen.sum(axis=0)).ravel()
        with np.errstate(invalid="ignore"):
            lost = 1 - totals / np.asarray(X.context_totals, dtype=np.float64)
        self.unknown_ = np.where(totals > 0, np.maximum(lost, 0.0), 1.0)
        of_all = np.asarray(seen.sum(axis=1)).ravel()
        self.prior_ = (self.hierarchy_.shares.T @ of_all) / max(of_all.sum(), 1e-300)
        self._seen = seen
        self._cut(seen, totals)
        return self

    def cut(self, head: str, empty: bool = False) -> list[CutClass]:
        """The classes of a head's cut, the likeliest first; those of probability 0 if asked for.

        For a head of which no word is known that is the root, of probability 0.
        """
        check_is_fitted(self)
        column = self._head_ids.get(head)
        if column is None:
            raise NotCounted("head", head, self._head_ids)
        begin, end = self.density_.indptr[column : column + 2]
        nodes = self.density_.indices[begin:end]
        p = self.density_.data[begin:end] * self.hierarchy_.sizes[nodes]
        found = dict(zip(nodes.tolist(), p.tolist(), strict=True))
        if empty or not found:
            found |= dict.fromkeys(self._empty(nodes), 0.0)
        made = [self._class(node, p, column) for node, p in found.items()]
        return sorted(made, key=lambda one: (-one.probability, -one.prior, one.node))

    def probability(self, nouns: str | Sequence[str], heads: str | Sequence[str]) -> Floats:
        """p(noun|head) of each noun with the head beside it; a single text goes with all others.

        It is 0 for nouns that the thesaurus does not know, for heads that were not fitted, and
        for classes that never stood with the head.
        """
        check_is_fitted(self)
        nouns = [nouns] if isinstance(nouns, str) else list(nouns)
        heads = [heads] if isinstance(heads, str) else list(heads)
        size = max(len(nouns), len(heads)) if nouns and heads else 0
        if {len(nouns), len(heads)} - {1, size}:
            raise InputError(f"{len(nouns):,} nouns with {len(heads):,} heads: expected as many")
        rows = np.broadcast_to(self.hierarchy_.rows(nouns), size)
        columns = np.broadcast_to([self._head_ids.get(head, -1) for head in heads], size)
        out = np.zeros(size)
        known = np.flatnonzero((rows >= 0) & (columns >= 0))
        known = known[np.argsort(columns[known], kind="stable")]
        for begin in range(0, known.size, PAIRS):
            part = known[begin : begin + PAIRS]
            out[part] = self._work_out(rows[part], columns[part])
        return np.minimum(out, 1.0)

    def _work_out(self, rows: Array, columns: Array) -> Floats:
        """p of pairs that are ordered by head: a word's shares times what each node gives."""
        shares = self.hierarchy_.shares[rows]
        given = np.empty(shares.nnz)
        here = np.zeros(self.hierarchy_.tree.n_nodes)
        first = np.flatnonzero(np.diff(columns, prepend=-1))
        for begin, end in zip(first, [*first[1:], rows.size], strict=True):
            at = slice(*self.density_.indptr[columns[begin] : columns[begin] + 2])
            nodes = self.density_.indices[at]
            here[nodes] = self.density_.data[at]
            part = slice(shares.indptr[begin], shares.indptr[end])
            given[part] = here[shares.indices[part]]
            here[nodes] = 0.0
        return np.add.reduceat(shares.data * given, shares.indptr[:-1])

    def _cut(self, seen: Any, totals: Floats) -> None:
        """Cut for some heads at a time, and keep p(class|head)/size of the nodes of the cuts."""
        shape = totals.size, self.hierarchy_.tree.n_nodes
        self.description_length_ = np.zeros(totals.size)
        reach = np.diff(self.hierarchy_.shares.indptr) @ (seen != 0)
        parts = (np.cumsum(reach) - reach) // ENTRIES
        densities = [sparse.csr_array(shape)]
        for part in np.unique(parts):
            columns = np.flatnonzero(parts == part)
            cuts = shortest(self.hierarchy_, seen[:, columns], self.penalty)
            self.description_length_[columns] = cuts.length
            heads = columns[cuts.head]
            density = cuts.seen / (totals[heads] * self.hierarchy_.sizes[cuts.node])
            densities.append(sparse.csr_array((density, (heads, cuts.node)), shape=shape))
        self.density_ = sum(densities[1:], densities[0])

    def _empty(self, nodes: Array) -> list[int]:
        """The nodes without counts on a cut, given those that have some."""
        if not nodes.size:
            return [0]
        above: set[int] = set()
        for node in nodes.tolist():
            while node and (node := int(self.hierarchy_.tree.parent[node])) not in above:
                above.add(node)
        beside = (child for node in above for child in self.hierarchy_.tree.children(node))
        return sorted(set(beside) - above - set(nodes.tolist()))

    def _class(self, node: int, probability: float, column: int) -> CutClass:
        hierarchy = self.hierarchy_
        begin, end = self._seen.indptr[column : column + 2]
        rows = self._seen.indices[begin:end]
        counts = self._seen.data[begin:end] * hierarchy.shares[rows][:, [node]].toarray().ravel()
        order = [at for at in np.lexsort((rows, -counts)) if counts[at] > 0]
        words = tuple((str(hierarchy.words[rows[at]]), float(counts[at])) for at in order)
        return CutClass(
            node,
            hierarchy.identifier(node),
            hierarchy.label(node),
            min(probability, 1.0),
            float(self.prior_[node]),
            float(hierarchy.sizes[node]),
            words,
        )


def _by_row(hierarchy: WordHierarchy, counts: Counts) -> Any:
    """Counts of the words of a hierarchy, as a csc_array; those of other words are left out."""
    lifted = grouping_matrix(hierarchy.rows(counts.words.tolist()), hierarchy.words.size)
    table = (sparse.csr_array(lifted.T) @ counts.matrix).tocsc()
    table.eliminate_zeros()
    return table


class HeadCuts(NamedTuple):
    """The nodes on the cuts of some heads that were seen, how often, and how long each cut is."""

    node: Ints
    head: Ints
    seen: Floats
    length: Floats


def shortest(hierarchy: WordHierarchy, counts: Any, penalty: float) -> HeadCuts:
    """The cut of each column of counts (sparse, words × heads, no zero kept) of least length.

    Length is penalty·(nodes − 1)/2·log max(|S|, 2) − Σ f·log P, where a node of the cut with count
    f and size z gives P = f/(|S|·z) to a word that is wholly below it. What has no count is never
    split, so only nodes above words that occur are looked at: every other child of a split node is
    one node of the cut, of no count. All heads are worked on at once, from the leaves to the root.
    """
    held = (hierarchy.shares.T @ counts).tocsc()
    held.eliminate_zeros()  # a small share of a small count
    held.sort_indices()
    heads = np.repeat(np.arange(held.shape[1]), np.diff(held.indptr))
    nodes, count = held.indices.astype(np.int64), held.data.astype(np.float64)
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    # Even one token has to pay, else it would be told down to single words.
    each = (penalty * np.log(np.maximum(totals, 2.0)) / 2)[heads]
    own = count * (np.log(totals[heads]) + np.log(hierarchy.sizes[nodes]) - np.log(count)) + each
    # Entries (head, node) are in this order: that of the head and the parent; 0 for roots.
    key = heads * hierarchy.tree.n_nodes
    above = np.searchsorted(key + nodes, key + np.maximum(hierarchy.tree.parent[nodes], 0))
    depth = hierarchy.tree.depths[nodes]
    order = np.argsort(depth, kind="stable")
    levels = np.split(order, np.cumsum(np.bincount(depth))[:-1]) if depth.size else []
    # The least length below each entry, its node's own cost included, and whether it is split.
    best, split = own.copy(), np.zeros(own.size, dtype=bool)
    parts = hierarchy.tree.n_children[nodes] * each
    for entries in reversed(levels):
        here = entries[hierarchy.tree.n_children[nodes[entries]] > 0]
        split[here] = parts[here] < own[here] - ROUNDING * (1 + np.abs(own[here]))
        best[here] = np.where(split[here], parts[here], own[here])
        lower = entries[nodes[entries] > 0]
        # Every child costs a node, which a child with counts has in its own length already.
        np.add.at(parts, above[lower], best[lower] - each[lower])
    roots = nodes == 0
    reached = roots.copy()
    for entries in levels[1:]:
        reached[entries] = reached[above[entries]] & split[above[entries]]
    on = reached & ~split
    length = counts.T @ hierarchy.spread
    length[heads[roots]] += best[roots] - each[roots]
    return HeadCuts(nodes[on], heads[on], count[on], length)
