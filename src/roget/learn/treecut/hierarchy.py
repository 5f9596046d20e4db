"""`WordHierarchy`: a thesaurus or taxonomy as a tree in which a word may belong to several nodes.

`name_classes` names the classes of a thesaurus after the best matching classes of a taxonomy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.matrix import Names, frozen
from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.errors import InputError, UnknownName
from roget.learn.options import SENSES
from roget.learn.taxonomy.taxonomy import ROOT, Taxonomy
from roget.learn.thesaurus import Thesaurus

OWN = " (itself)"
"""Label suffix of a node for words that are in a class but not in any of its subclasses."""

COVERED = 0.2
"""Minimum share of a class's words that a taxonomy class must contain to give it a name."""

LEAST = 0.1
"""Minimum F-measure between a class and a taxonomy class.

It excludes taxonomy classes that are too broad.
"""


@dataclass(frozen=True, eq=False)
class WordHierarchy:
    """A tree in which a word may belong to several nodes, with weights that sum to 1 on every cut.

    The weight of a word at a node is called its share. Nodes without words are left out.
    """

    words: Names
    tree: Tree
    shares: Any
    """Share of each word in each node and below it, as a csr_array of shape (words, nodes)."""
    n_classes: int
    """Number of classes. Nodes from this number on are single words."""
    origin: Ints
    """For each node, the number of the class in the source, or the row of the word."""
    name_of: Callable[[int], str]
    id_of: Callable[[int], str]

    @classmethod
    def from_source(
        cls,
        thesaurus: Thesaurus | Taxonomy | WordHierarchy,
        words: bool = True,
        senses: str = "even",
    ) -> WordHierarchy:
        """Make the hierarchy from a thesaurus or taxonomy.

        If `words` is True, single words are nodes below their classes. `senses` defines how to
        distribute a word of a taxonomy over its classes. A class with several parents is
        distributed equally over them.
        """
        if isinstance(thesaurus, WordHierarchy):
            return thesaurus
        if isinstance(thesaurus, Thesaurus):
            return _from_thesaurus(thesaurus, words)
        if not isinstance(thesaurus, Taxonomy):
            raise InputError(
                f"cannot cut a {type(thesaurus).__name__}; expected a Thesaurus or a Taxonomy",
                code="invalid-input",
            )
        if senses not in SENSES:
            raise UnknownName("distribution of senses", senses, SENSES)
        return _from_taxonomy(thesaurus, words, senses == "weighted")

    @cached_property
    def sizes(self) -> Floats:
        """Size of each node: the sum of the shares of its words."""
        return np.asarray(self.shares.sum(axis=0)).ravel()

    @cached_property
    def spread(self) -> Floats:
        """Entropy −Σ share·ln share of each word over the leaves."""
        lowest = self.shares[:, np.flatnonzero(self.tree.cluster >= 0)]
        table = lowest.copy()
        table.data = -table.data * np.log(table.data)
        return np.asarray(table.sum(axis=1)).ravel()

    def label(self, node: int) -> str:
        """Return the label of a node.

        The label of a single word is the word. Words that do not belong to any subclass are in a
        separate node, whose label is that of the class with a suffix.
        """
        at = int(self.origin[node])
        if node >= self.n_classes:
            return str(self.words[at])
        own = node > 0 and self.identifier(node) == self.identifier(int(self.tree.parent[node]))
        return self.name_of(at) + OWN * own

    def identifier(self, node: int) -> str:
        """Return the identifier of a class in its source, or "" for a word."""
        return self.id_of(int(self.origin[node])) if node < self.n_classes else ""

    def rows(self, words: Sequence[str]) -> Ints:
        """Return the row of each word, or −1 if it is unknown. Words also match in lower case."""
        exact, small = self._rows
        return np.array(
            [exact.get(word, small.get(word.lower(), -1)) for word in words], dtype=np.int64
        )

    @cached_property
    def _rows(self) -> tuple[dict[str, int], dict[str, int]]:
        """Mappings from words, and from lower-case words, to rows."""
        exact = {word: row for row, word in enumerate(self.words.tolist())}
        # Words that differ only in case share the first row.
        return exact, {word.lower(): row for word, row in reversed(exact.items())}


def _build(
    words: Sequence[str],
    tree: Tree,
    cells: tuple[Any, Any, Any],
    single: bool,
    name_of: Callable[[int], str],
    id_of: Callable[[int], str],
) -> WordHierarchy:
    """Build the hierarchy from a tree of classes and entries (word row, class, share)."""
    row, at, share = (np.asarray(part) for part in cells)
    row, at, share = row[share > 0], at[share > 0], share[share > 0].astype(np.float64)
    n_classes, origin = tree.n_nodes, np.arange(tree.n_nodes)
    if single:
        tree = Tree(np.concatenate([tree.parent, at]))
        origin = np.concatenate([origin, row])
        at = n_classes + np.arange(row.size)
    shares = tree.share_up(row, at, share, len(words))
    kept = np.bincount(shares.indices, minlength=tree.n_nodes) > 0
    number = np.cumsum(kept) - 1
    above = tree.parent[kept]
    above[1:] = number[above[1:]]
    return WordHierarchy(
        frozen(map(str, words)),
        Tree(above),
        shares[:, np.flatnonzero(kept)],
        int(kept[:n_classes].sum()),
        origin[kept],
        name_of,
        id_of,
    )


def _from_thesaurus(thesaurus: Thesaurus, words: bool) -> WordHierarchy:
    """Build the hierarchy from the memberships of a thesaurus."""
    belongs = thesaurus.memberships.tocoo()
    # Normalise, because very small entries are not stored.
    totals = np.asarray(thesaurus.memberships.sum(axis=1)).ravel()
    at = thesaurus.tree.cluster_nodes[belongs.col]
    return _build(
        thesaurus.words.tolist(),
        thesaurus.tree,
        (belongs.row, at, belongs.data / totals[belongs.row]),
        words,
        thesaurus.label,
        str,
    )


def _from_taxonomy(taxonomy: Taxonomy, words: bool, weighted: bool) -> WordHierarchy:
    """Build the hierarchy from a taxonomy, with a copy of each class below each of its parents."""
    parents = taxonomy.acyclic()
    if not parents:
        raise InputError(
            f"{taxonomy.title}: none of the classes contains a word", code="empty-input"
        )
    nodes = taxonomy.unfold(parents)
    names, labels = nodes.classes, {ROOT: taxonomy.title, **taxonomy.labels}
    return _build(
        list(taxonomy.words),
        nodes.tree,
        taxonomy.share_out(nodes, weighted),
        words,
        lambda at: labels[names[at]],
        names.__getitem__,
    )


def name_classes(
    thesaurus: Thesaurus, taxonomy: Thesaurus | Taxonomy | WordHierarchy
) -> dict[int, str]:
    """Name the classes of a thesaurus after the best matching classes of a taxonomy.

    Classes are matched by the F-measure of their words. Words of the taxonomy are distributed over
    the classes of their senses. Words that occur in only one of the two are ignored.

    Parameters
    ----------
    thesaurus
        The thesaurus whose classes are named.
    taxonomy
        WordNet, a SKOS file, or another thesaurus.

    Returns
    -------
    dict of int to str
        Names by node, such as {3: "animal: dog, horse, bird"}, for classes with a match.
    """
    hierarchy = WordHierarchy.from_source(taxonomy, words=False, senses="weighted")
    known = hierarchy.rows(thesaurus.words.tolist())
    rows = np.flatnonzero(known >= 0)
    if not rows.size:
        return {}
    shares = sparse.csr_array(hierarchy.shares[known[rows]])
    tree, ones = thesaurus.tree, np.ones(rows.size)
    above = tree.share_up(np.arange(rows.size), thesaurus.places[rows], ones, rows.size)
    inside = sparse.csr_array(above.T)
    sums = sparse.csr_array(inside @ shares)
    ours, theirs = (np.asarray(table).ravel() for table in (inside.sum(axis=1), shares.sum(axis=0)))
    names = {}
    for node in range(1, tree.n_nodes):
        part = slice(sums.indptr[node], sums.indptr[node + 1])
        places, held = sums.indices[part], sums.data[part]
        f = np.where(held >= COVERED * ours[node], 2 * held / (ours[node] + theirs[places]), 0.0)
        f[places == 0] = 0  # The label of the root is not a useful name.
        if f.max(initial=0) >= LEAST:
            name = hierarchy.label(int(places[f.argmax()]))
            names[node] = f"{name}: {thesaurus.label(node)}"
    return names
