"""TreeCut: p(word | head) from the cut of a thesaurus with the shortest description.

For a head with |S| tokens, a cut Γ of the tree and counts f of its nodes, the description length is
(Li & Abe 1998, in nats)

    (1)  L(Γ) = penalty·(|Γ| − 1)/2·log |S| − Σ_{nodes of Γ} f·log p,   p = f/(|S|·size).

Every node of the cut costs the same for its parameter, and its tokens cost −log p each, where the
probability of the node is shared evenly by the `size` words below it. The minimum over all cuts
follows bottom-up from

    (2)  L(node) = min(own cost of the node, Σ_children L(child)),

because the two terms of (1) are sums over nodes.
"""

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
"""Approximate number of (node, head) pairs processed at once."""

PAIRS = 1 << 16
"""Number of (word, head) pairs whose probabilities are computed at once."""

ROUNDING = 1e-9
"""Relative saving that a split needs; with equal lengths the higher node is kept."""


class CutClass(NamedTuple):
    """A node of a cut."""

    node: int
    """The number of the node in `hierarchy_`."""
    id: str
    """The identifier of the class in its thesaurus (node, synset, …); "" for a single word."""
    label: str
    probability: float
    """p(class|head)."""
    prior: float
    """p(class) over all heads."""
    size: float
    """The number of words in the class; a word of several classes counts in parts."""
    words: tuple[tuple[str, float], ...]
    """The words of the class seen with the head and their (shared) counts, most frequent first."""

    @property
    def association(self) -> float:
        """The preference of the head for the class in nats, p·log(p/prior) (Resnik 1996)."""
        return self.probability * math.log(self.probability / self.prior) if self.words else 0.0


@dataclass(eq=False, repr=False)
class TreeCut(BaseEstimator):  # type: ignore[misc]
    """A tree cut model: for each head a cut of a thesaurus, with a probability for each class.

    The cut of a head has the shortest description of the head's words (Li & Abe 1998), in nats:
    (nodes − 1)/2·log|S| for the probabilities and −Σ f·log p for the |S| words, where
    p(word|head) = Σ p(class|head)·share/size over the classes of the cut that contain the word.

    Parameters
    ----------
    thesaurus
        A `Thesaurus`, whose memberships distribute each word and its counts over classes; a
        `Taxonomy` (see `roget.learn.taxonomy.taxonomy_of`), in which a word is distributed evenly
        over its classes, and a class over its parents; or a `WordHierarchy` made from either.
    words
        True if a cut may reach single words, as in the paper; False to stop at the lowest classes.
    penalty
        Cost of a node in units of log|S|/2; larger values give fewer, broader classes, however many
        counts there are (Wagner 2000).
    senses
        "weighted" distributes the words of a taxonomy by their weights (in WordNet: the number of
        tagged occurrences of a sense, plus one) instead of evenly.

    Attributes
    ----------
    heads_
        The heads.
    description_length_
        Length of the cut of each head, in nats; for words in several places it includes the
        encoding of the place.
    hierarchy_
        The `WordHierarchy` that is cut.
    prior_
        p of each node over all heads.
    unknown_
        Share of each head's tokens that are not in the thesaurus and are left out.

    Examples
    --------

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
        """Find the cut for each context of the counts; refitting reuses the hierarchy."""
        if not isinstance(X, Counts):
            raise InputError(
                f"{type(X).__name__}: expected Counts, which have words", code="invalid-input"
            )
        penalty: Any = self.penalty
        if not (isinstance(penalty, numbers.Real) and 0 <= float(penalty) < np.inf):
            raise InputError(
                f"penalty {penalty!r}: expected a number of at least 0", code="invalid-option"
            )
        made = (self.thesaurus, self.words, self.senses)
        if getattr(self, "_made", None) != made:
            self.hierarchy_, self._made = WordHierarchy.from_source(*made), made
        self.heads_ = X.contexts
        self._head_ids = {head: column for column, head in enumerate(X.contexts.tolist())}
        seen = _select_rows(self.hierarchy_, X)
        totals = np.asarray(seen.sum(axis=0)).ravel()
        with np.errstate(invalid="ignore"):
            lost = 1 - totals / np.asarray(X.context_totals, dtype=np.float64)
        self.unknown_ = np.where(totals > 0, np.maximum(lost, 0.0), 1.0)
        counts = np.asarray(seen.sum(axis=1)).ravel()
        self.prior_ = (self.hierarchy_.shares.T @ counts) / max(counts.sum(), 1e-300)
        self._seen = seen
        self._cut(seen, totals)
        return self

    def cut(self, head: str, empty: bool = False) -> list[CutClass]:
        """Return the classes of a head's cut, most probable first; with `empty`, also with p = 0.

        For a head without known words the cut is the root, with probability 0.
        """
        check_is_fitted(self)
        column = self._head_ids.get(head)
        if column is None:
            raise NotCounted("head", head, self._head_ids)
        begin, end = self.density_.indptr[column : column + 2]
        nodes = self.density_.indices[begin:end]
        p = self.density_.data[begin:end] * self.hierarchy_.sizes[nodes]
        chosen = dict(zip(nodes.tolist(), p.tolist(), strict=True))
        if empty or not chosen:
            chosen |= dict.fromkeys(self._find_empty(nodes), 0.0)
        classes = [self._make_class(node, p, column) for node, p in chosen.items()]
        return sorted(classes, key=lambda one: (-one.probability, -one.prior, one.node))

    def probability(self, nouns: str | Sequence[str], heads: str | Sequence[str]) -> Floats:
        """Return p(noun|head) for pairs of a noun and a head; a single string pairs with all.

        It is 0 for nouns that are not in the thesaurus, for heads that were not fitted, and for
        classes that never occurred with the head.
        """
        check_is_fitted(self)
        nouns = [nouns] if isinstance(nouns, str) else list(nouns)
        heads = [heads] if isinstance(heads, str) else list(heads)
        size = max(len(nouns), len(heads)) if nouns and heads else 0
        if {len(nouns), len(heads)} - {1, size}:
            raise InputError(
                f"nouns and heads must have the same length; got {len(nouns):,} and {len(heads):,}",
                code="length-mismatch",
            )
        rows = np.broadcast_to(self.hierarchy_.rows(nouns), size)
        columns = np.broadcast_to([self._head_ids.get(head, -1) for head in heads], size)
        out = np.zeros(size)
        known = np.flatnonzero((rows >= 0) & (columns >= 0))
        known = known[np.argsort(columns[known], kind="stable")]
        for begin in range(0, known.size, PAIRS):
            part = known[begin : begin + PAIRS]
            out[part] = self._sum_shares(rows[part], columns[part])
        return np.minimum(out, 1.0)

    def _sum_shares(self, rows: Array, columns: Array) -> Floats:
        """Return Σ share·density over nodes, for pairs that are ordered by head."""
        shares = self.hierarchy_.shares[rows]
        density = np.empty(shares.nnz)
        # The density p(class|head)/size of one head at all nodes, filled and cleared head by head.
        here = np.zeros(self.hierarchy_.tree.n_nodes)
        first = np.flatnonzero(np.diff(columns, prepend=-1))
        for begin, end in zip(first, [*first[1:], rows.size], strict=True):
            at = slice(*self.density_.indptr[columns[begin] : columns[begin] + 2])
            nodes = self.density_.indices[at]
            here[nodes] = self.density_.data[at]
            part = slice(shares.indptr[begin], shares.indptr[end])
            density[part] = here[shares.indices[part]]
            here[nodes] = 0.0
        return np.add.reduceat(shares.data * density, shares.indptr[:-1])

    def _cut(self, seen: Any, totals: Floats) -> None:
        """Find the cuts of a few heads at a time; store p(class|head)/size of their nodes."""
        shape = totals.size, self.hierarchy_.tree.n_nodes
        self.description_length_ = np.zeros(totals.size)
        reach = np.diff(self.hierarchy_.shares.indptr) @ (seen != 0)
        parts = (np.cumsum(reach) - reach) // ENTRIES
        densities = [sparse.csr_array(shape)]
        for part in np.unique(parts):
            columns = np.flatnonzero(parts == part)
            cuts = find_shortest(self.hierarchy_, seen[:, columns], self.penalty)
            self.description_length_[columns] = cuts.length
            heads = columns[cuts.head]
            density = cuts.seen / (totals[heads] * self.hierarchy_.sizes[cuts.node])
            densities.append(sparse.csr_array((density, (heads, cuts.node)), shape=shape))
        self.density_ = sum(densities[1:], densities[0])

    def _find_empty(self, nodes: Array) -> list[int]:
        """Return the nodes of a cut without counts, from the nodes with counts.

        They are the children of split nodes that are neither split nor on the cut.
        """
        if not nodes.size:
            return [0]
        above: set[int] = set()
        for node in nodes.tolist():
            while node and (node := int(self.hierarchy_.tree.parent[node])) not in above:
                above.add(node)
        below = (child for node in above for child in self.hierarchy_.tree.children(node))
        return sorted(set(below) - above - set(nodes.tolist()))

    def _make_class(self, node: int, probability: float, column: int) -> CutClass:
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


def _select_rows(hierarchy: WordHierarchy, counts: Counts) -> Any:
    """Return the counts of the words of a hierarchy as a csc_array, without other words."""
    lifted = grouping_matrix(hierarchy.rows(counts.words.tolist()), hierarchy.words.size)
    table = (sparse.csr_array(lifted.T) @ counts.matrix).tocsc()
    table.eliminate_zeros()
    return table


class HeadCuts(NamedTuple):
    """The cuts of some heads: one entry per node with counts, and the length of each cut."""

    node: Ints
    head: Ints
    seen: Floats
    """The count of the node."""
    length: Floats
    """The description length, one entry per head."""


def find_shortest(hierarchy: WordHierarchy, counts: Any, penalty: float) -> HeadCuts:
    """Return the shortest cut for each column of counts (sparse, words × heads, without zeros).

    Equation (1), with log max(|S|, 2) so that a single token has a cost, too. Nodes without counts
    are never split, so only nodes above words that occur are visited: every other child of a split
    node is one node of the cut, without count. All heads are processed at once, from the leaves to
    the root.
    """
    # Step 1: one entry per head and node with counts, ordered by head, then node.
    held = (hierarchy.shares.T @ counts).tocsc()
    held.eliminate_zeros()  # a small share of a small count
    held.sort_indices()
    heads = np.repeat(np.arange(held.shape[1]), np.diff(held.indptr))
    nodes, count = held.indices.astype(np.int64), held.data.astype(np.float64)
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    # Step 2: the cost of one node, and the own cost of each entry if its node is on the cut.
    each = (penalty * np.log(np.maximum(totals, 2.0)) / 2)[heads]
    own = count * (np.log(totals[heads]) + np.log(hierarchy.sizes[nodes]) - np.log(count)) + each
    # Step 3: the entry of the parent of each entry (any entry for roots), and entries by depth.
    key = heads * hierarchy.tree.n_nodes
    above = np.searchsorted(key + nodes, key + np.maximum(hierarchy.tree.parent[nodes], 0))
    depth = hierarchy.tree.depths[nodes]
    order = np.argsort(depth, kind="stable")
    levels = np.split(order, np.cumsum(np.bincount(depth))[:-1]) if depth.size else []
    # Step 4: equation (2) from the deepest level up. `best` is the least length below an entry,
    # including the cost of its node; `parts` sums the lengths of its children.
    best, split = own.copy(), np.zeros(own.size, dtype=bool)
    parts = hierarchy.tree.n_children[nodes] * each
    for entries in reversed(levels):
        here = entries[hierarchy.tree.n_children[nodes[entries]] > 0]
        split[here] = parts[here] < own[here] - ROUNDING * (1 + np.abs(own[here]))
        best[here] = np.where(split[here], parts[here], own[here])
        lower = entries[nodes[entries] > 0]
        # `parts` starts with the cost of a node per child, which is part of `best` of children
        # with counts already.
        np.add.at(parts, above[lower], best[lower] - each[lower])
    # Step 5: from the root down, the first entries that are not split are the cut.
    roots = nodes == 0
    reached = roots.copy()
    for entries in levels[1:]:
        reached[entries] = reached[above[entries]] & split[above[entries]]
    on = reached & ~split
    length = counts.T @ hierarchy.spread
    length[heads[roots]] += best[roots] - each[roots]
    return HeadCuts(nodes[on], heads[on], count[on], length)
