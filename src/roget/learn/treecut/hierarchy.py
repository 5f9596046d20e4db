"""Hierarchy: a thesaurus as one tree whose words lie under its nodes, whole or in shares.

By it the classes of a thesaurus are named: as those of a taxonomy that cover them best.
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
from roget.learn.command_options import SENSES
from roget.learn.taxonomy.taxonomy import ROOT, Taxonomy
from roget.learn.thesaurus import Thesaurus

OWN = " (itself)"
"""Told of the words of a class that are in none of its parts."""

COVERED = 0.2
"""The part of a class's words that must lie below what it is named by."""

LEAST = 0.1
"""The least F of a name: what covers much more than a class says nothing of it."""


@dataclass(frozen=True, eq=False)
class WordHierarchy:
    """A tree that can be cut: node 0 is the root, and every parent comes before its children.

    Each word lies under the nodes of the tree with shares that add up to 1 at the root, and on
    every cut. Nodes under which there is nothing are left out.
    """

    words: Names
    tree: Tree
    shares: Any
    """csr_array, words × nodes: how much of each word lies under each node."""
    n_classes: int
    """Nodes from here on are single words."""
    origin: Ints
    """Of each node, its number among the classes it was made from, or the row of the word."""
    name_of: Callable[[int], str]
    id_of: Callable[[int], str]

    @classmethod
    def of(
        cls,
        thesaurus: Thesaurus | Taxonomy | WordHierarchy,
        words: bool = True,
        senses: str = "even",
    ) -> WordHierarchy:
        """The hierarchy of a thesaurus by its memberships, or of a taxonomy, unfolded.

        With `words`, words are nodes of their own, below their classes. `senses` says how a word
        of a taxonomy is shared out over its classes; over several parents of a class it is
        always shared out evenly.
        """
        if isinstance(thesaurus, WordHierarchy):
            return thesaurus
        if isinstance(thesaurus, Thesaurus):
            return _of_thesaurus(thesaurus, words)
        if not isinstance(thesaurus, Taxonomy):
            raise InputError(
                f"{type(thesaurus).__name__} cannot be cut: expected a Thesaurus or a Taxonomy"
            )
        if senses not in SENSES:
            raise UnknownName("way to share out senses", senses, SENSES)
        return _of_taxonomy(thesaurus, words, senses == "weighted")

    @cached_property
    def sizes(self) -> Floats:
        """How many words lie under each node, shares added up."""
        return np.asarray(self.shares.sum(axis=0)).ravel()

    @cached_property
    def spread(self) -> Floats:
        """−Σ share·log share of each word over the lowest nodes: 0 where it has one place only."""
        lowest = self.shares[:, np.flatnonzero(self.tree.cluster >= 0)]
        table = lowest.copy()
        table.data = -table.data * np.log(table.data)
        return np.asarray(table.sum(axis=1)).ravel()

    def label(self, node: int) -> str:
        """What a node is called: the word, or the label of its class, of which it may be a part."""
        at = int(self.origin[node])
        if node >= self.n_classes:
            return str(self.words[at])
        own = node > 0 and self.identifier(node) == self.identifier(int(self.tree.parent[node]))
        return self.name_of(at) + OWN * own

    def identifier(self, node: int) -> str:
        """What a class is known by where it came from; nothing for a word."""
        return self.id_of(int(self.origin[node])) if node < self.n_classes else ""

    def rows(self, words: Sequence[str]) -> Ints:
        """The row of each word, by its very letters or else by its small ones; −1 if unknown."""
        exact, small = self._rows
        return np.array(
            [exact.get(word, small.get(word.lower(), -1)) for word in words], dtype=np.int64
        )

    @cached_property
    def _rows(self) -> tuple[dict[str, int], dict[str, int]]:
        exact = {word: row for row, word in enumerate(self.words.tolist())}
        # Of words that differ by capitals only, the first counts.
        return exact, {word.lower(): row for word, row in reversed(exact.items())}


def _plant(
    words: Sequence[str],
    tree: Tree,
    cells: tuple[Any, Any, Any],
    single: bool,
    name_of: Callable[[int], str],
    id_of: Callable[[int], str],
) -> WordHierarchy:
    """The hierarchy of classes and cells (row of a word, class, share of the word in it)."""
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


def _of_thesaurus(thesaurus: Thesaurus, words: bool) -> WordHierarchy:
    belongs = thesaurus.memberships.tocoo()
    # Memberships add up to 1 but for what was too small to be kept.
    totals = np.asarray(thesaurus.memberships.sum(axis=1)).ravel()
    at = thesaurus.tree.cluster_nodes[belongs.col]
    return _plant(
        thesaurus.words.tolist(),
        thesaurus.tree,
        (belongs.row, at, belongs.data / totals[belongs.row]),
        words,
        thesaurus.label,
        str,
    )


def _of_taxonomy(taxonomy: Taxonomy, words: bool, weighted: bool) -> WordHierarchy:
    parents = taxonomy.acyclic()
    if not parents:
        raise InputError(f"{taxonomy.title}: there is no word in any class")
    nodes = taxonomy.unfold(parents)
    names, labels = nodes.classes, {ROOT: taxonomy.title, **taxonomy.labels}
    return _plant(
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
    """For each class that a class of the taxonomy covers, by node: its name, and our words for it.

    Of all classes of the taxonomy, the one with the best F: the harmonic mean of the part of our
    words that lie below it and the part of its words that are ours. Words have shares in the
    classes of their senses, and only words that both know count.

    Parameters
    ----------
    thesaurus
        Whose classes are to be named.
    taxonomy
        WordNet, a SKOS file, or another thesaurus.

    Returns
    -------
    dict of int to str
        Such as {3: "animal: dog, horse, bird"}; classes that nothing covers are not in it.
    """
    hierarchy = WordHierarchy.of(taxonomy, words=False, senses="weighted")
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
        f[places == 0] = 0  # the root is no name
        if f.max(initial=0) >= LEAST:
            name = hierarchy.label(int(places[f.argmax()]))
            names[node] = f"{name}: {thesaurus.label(node)}"
    return names
