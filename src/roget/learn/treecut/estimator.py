"""`TreeCut`: p(word|head) from the cut of a thesaurus that has minimum description length.

For a head with |S| tokens, a cut Γ of the tree and counts f of its nodes, the description length in
nats is (Li & Abe 1998)

    (1)  L(Γ) = penalty·(|Γ| − 1)/2·log |S| − Σ_{nodes of Γ} f·log p,   p = f/(|S|·size).

Every node of the cut has the same parameter cost, and its tokens cost −log p each. The `size` words
below a node share its probability equally. The minimum over all cuts is computed bottom-up by

    (2)  L(node) = min(own cost of the node, Σ_children L(child)),

because both terms of (1) are sums over nodes.
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
"""Approximate number of (node, head) pairs to process in one batch."""

PAIRS = 1 << 16
"""Number of (word, head) pairs to compute in one batch."""

ROUNDING = 1e-9
"""Minimum relative saving required to split a node. It prevents splits due to rounding errors."""


class CutClass(NamedTuple):
    """A class in the cut of a head."""

    node: int
    """Number of the node in `hierarchy_`."""
    id: str
    """Identifier of the class in its source (a node or a synset), or "" for a single word."""
    label: str
    probability: float
    """Probability p(class|head)."""
    prior: float
    """Probability p(class) of the class over all heads."""
    size: float
    """Number of words in the class. A word in several classes counts as a fraction."""
    words: tuple[tuple[str, float], ...]
    """Words of the class that occur with the head, in order of decreasing count."""

    @property
    def association(self) -> float:
        """Preference of the head for the class in nats, p·log(p/prior) (Resnik 1996)."""
        return self.probability * math.log(self.probability / self.prior) if self.words else 0.0


@dataclass(eq=False, repr=False)
class TreeCut(BaseEstimator):  # type: ignore[misc]
    """A tree cut model, which describes each head by the probabilities of thesaurus classes.

    The cut of a head minimises the description length of its |S| tokens (Li & Abe 1998): (nodes −
    1)/2·log|S| nats for the parameters, and −Σ f·log p nats for the tokens, where p(word|head) = Σ
    p(class|head)·share/size over the classes of the cut that contain the word.

    Parameters
    ----------
    thesaurus
        A `Thesaurus`, whose memberships distribute each word and its counts over classes; a
        `Taxonomy` (see `roget.learn.taxonomy.taxonomy_of`), in which words are distributed equally
        over their classes, and classes over their parents; or a `WordHierarchy`.
    words
        True if cuts may reach single words, as in the paper; False to stop at the lowest classes.
    penalty
        Cost of a node in units of log|S|/2. Larger values give fewer and broader classes (Wagner
        2000).
    senses
        "weighted" distributes the words of a taxonomy by their weights (in WordNet the tag count of
        the sense plus one). "even" distributes them equally.

    Attributes
    ----------
    heads_
        The heads, which are the contexts of the counts.
    description_length_
        Description length of the cut of each head in nats. If a word is in several classes, this
        includes the cost of encoding the class.
    hierarchy_
        The `WordHierarchy` that is cut.
    prior_
        Probability of each node over all heads.
    unknown_
        Fraction of the tokens of each head that are left out because their words are not in the
        thesaurus.

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
        """Find the cut for each head, that is, for each context of the counts."""
        if not isinstance(X, Counts):
            raise InputError(
                f"'X' has type {type(X).__name__}; expected Counts, because words are needed",
                code="invalid-input",
            )
        penalty: Any = self.penalty
        if not (isinstance(penalty, numbers.Real) and 0 <= float(penalty) < np.inf):
            raise InputError(
                f"'penalty' is {penalty!r}; expected a number ≥ 0", code="invalid-option"
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
        """Return the classes in the tree cut of a head, most probable first.

        `empty` adds classes with probability 0. For a head without known words, the cut is the root
        with probability 0.
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
        """Return p(noun|head) for pairs of nouns and heads.

        A single noun or head is paired with all elements of the other argument. The probability is
        0 if the noun is not in the thesaurus, the head is unknown, or no class of the noun occurs
        with the head.
        """
        check_is_fitted(self)
        nouns = [nouns] if isinstance(nouns, str) else list(nouns)
        heads = [heads] if isinstance(heads, str) else list(heads)
        size = max(len(nouns), len(heads)) if nouns and heads else 0
        if {len(nouns), len(heads)} - {1, size}:
            raise InputError(
                f"'nouns' and 'heads' must have the same length; got {len(nouns):,} and "
                f"{len(heads):,}",
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
        """Return Σ share·density over nodes for each pair. Pairs must be sorted by head."""
        shares = self.hierarchy_.shares[rows]
        density = np.empty(shares.nnz)
        # Density p(class|head)/size at all nodes for one head. It is reset for each head.
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
        """Find the cuts for all heads in batches, and store the densities p(class|head)/size."""
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
        """Return the nodes of a cut without counts, given the nodes with counts.

        They are children of ancestors of the nodes with counts.
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
        """Describe a class of a cut, with the words in it that occur with the head."""
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
    """Return the counts of the words in the hierarchy as a csc_array."""
    lifted = grouping_matrix(hierarchy.rows(counts.words.tolist()), hierarchy.words.size)
    table = (sparse.csr_array(lifted.T) @ counts.matrix).tocsc()
    table.eliminate_zeros()
    return table


class HeadCuts(NamedTuple):
    """Tree cuts of several heads. Each entry is a node with counts in the cut of a head."""

    node: Ints
    head: Ints
    seen: Floats
    """Number of the head's tokens in the node of each entry."""
    length: Floats
    """Description length of each head's cut in nats."""


def find_shortest(hierarchy: WordHierarchy, counts: Any, penalty: float) -> HeadCuts:
    """Return the cut that minimises equation (1) for each column of counts.

    `counts` is a sparse array of shape (words, heads) without explicit zeros. The parameter cost
    uses log max(|S|, 2), so even a single token has a positive cost. Nodes without counts are never
    split, so only ancestors of occurring words are visited. All heads are processed together, from
    the leaves to the root.
    """
    # Step 1: make an entry for each head and node with counts, sorted by head, then node.
    held = (hierarchy.shares.T @ counts).tocsc()
    held.eliminate_zeros()  # Products may underflow to 0 here.
    held.sort_indices()
    heads = np.repeat(np.arange(held.shape[1]), np.diff(held.indptr))
    nodes, count = held.indices.astype(np.int64), held.data.astype(np.float64)
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    # Step 2: compute the cost of a parameter, and the cost of each entry if it is not split.
    each = (penalty * np.log(np.maximum(totals, 2.0)) / 2)[heads]
    own = count * (np.log(totals[heads]) + np.log(hierarchy.sizes[nodes]) - np.log(count)) + each
    # Step 3: find the parent of each entry (any entry for roots), and group entries by depth.
    key = heads * hierarchy.tree.n_nodes
    above = np.searchsorted(key + nodes, key + np.maximum(hierarchy.tree.parent[nodes], 0))
    depth = hierarchy.tree.depths[nodes]
    order = np.argsort(depth, kind="stable")
    levels = np.split(order, np.cumsum(np.bincount(depth))[:-1]) if depth.size else []
    # Step 4: apply equation (2) from the deepest level up. `best` is the minimum length of an
    # entry, and `parts` is the sum over its children. Both include the parameter cost.
    best, split = own.copy(), np.zeros(own.size, dtype=bool)
    parts = hierarchy.tree.n_children[nodes] * each
    for entries in reversed(levels):
        here = entries[hierarchy.tree.n_children[nodes[entries]] > 0]
        split[here] = parts[here] < own[here] - ROUNDING * (1 + np.abs(own[here]))
        best[here] = np.where(split[here], parts[here], own[here])
        lower = entries[nodes[entries] > 0]
        # `parts` starts with the parameter cost of all children, so leave it out of `best`.
        np.add.at(parts, above[lower], best[lower] - each[lower])
    # Step 5: descend from the root. The first entries that are not split form the cut.
    roots = nodes == 0
    reached = roots.copy()
    for entries in levels[1:]:
        reached[entries] = reached[above[entries]] & split[above[entries]]
    on = reached & ~split
    length = counts.T @ hierarchy.spread
    length[heads[roots]] += best[roots] - each[roots]
    return HeadCuts(nodes[on], heads[on], count[on], length)
