"""Draft: a thesaurus while edits are made to it; only its end has tables of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from roget.core.merging import merge
from roget.core.types import Floats, Ints
from roget.learn.clustering.memberships import one_hot
from roget.learn.thesaurus.edits import MERGE, RENAME, SURE, Edit, Found, Remembered, found_again
from roget.learn.thesaurus.places import places_of, sizes_of

if TYPE_CHECKING:
    from roget.learn.clustering.result import Clustering
    from roget.learn.thesaurus.thesaurus import Thesaurus


class Draft:
    """A thesaurus without edits, and what some edits make of its tree, labels and words."""

    def __init__(self, base: Thesaurus, edits: Iterable[Edit] = ()) -> None:
        self.base, self.tree = base, base.tree
        self.labels = dict(base.labels)
        self._cluster: Ints = np.arange(base.tree.n_clusters)
        self._leaf: Ints = np.arange(base.tree.n_nodes)
        self._moved: dict[int, Floats] = {}
        self._place: dict[int, int] = {}
        for edit in edits:
            if not edit.waiting:
                self.apply(edit)

    def apply(self, edit: Edit) -> None:
        """Make an edit; its classes are those of the numbers it gives."""
        self.tree.children(edit.node.node)  # one that is not there is an error
        if edit.kind == RENAME:
            self.labels[edit.node.node] = edit.text
        elif edit.into is not None:
            self._merge(edit.node.node, edit.into.node)
        else:
            self._move(self.base.row(edit.text), edit.node.node)

    def located(self, edit: Edit) -> tuple[Edit, list[tuple[Remembered, Found]]]:
        """The edit with the classes of this thesaurus that are most like those it tells of.

        And those of them that are not much alike.
        """
        if edit.kind not in (RENAME, MERGE):
            self.base.row(edit.text)
        places = self.places()
        sizes = sizes_of(places, self.tree)

        def again(seen: Remembered) -> Remembered:
            found = found_again(seen, self.base.rows, places, sizes, self.tree)
            if found.node and found.like < SURE:
                unsure.append((seen, found))
            # The words stay those that a person saw, however often the thesaurus is rebuilt.
            return replace(seen, node=found.node)

        unsure: list[tuple[Remembered, Found]] = []
        node, into = again(edit.node), None if edit.into is None else again(edit.into)
        return replace(edit, node=node, into=into, waiting=False), unsure

    def places(self) -> Ints:
        """The leaf of each word: the one it had, or what that was merged into, or was moved to."""
        places = self._leaf[self.base.places]
        for row, leaf in self._place.items():
            places[row] = leaf
        return places

    def clustering(self) -> Clustering:
        """The clusters, those that were merged as one, and moved words where they went."""
        base = self.base.clustering
        if self.tree == base.tree:
            return replace(base, memberships=self.memberships())
        return base.join(self.tree, self._cluster, self.memberships())

    def memberships(self) -> Any:
        """Memberships with those of merged clusters added up, and moved words where they went."""
        old, k = self._cluster, self.tree.n_clusters
        table = self.base.memberships
        if k < old.size:
            table = sparse.csr_array(table @ one_hot(old, k))
        if not self._moved:
            return table
        rows = sorted(self._moved)
        order = np.arange(table.shape[0])
        order[rows] = table.shape[0] + np.arange(len(rows))
        new = sparse.csr_array(np.array([self._moved[row] for row in rows]))
        return sparse.csr_array(sparse.vstack([table, new], format="csr")[order])

    def _merge(self, node: int, into: int) -> None:
        made = merge(self.tree, node, into)
        labels = dict(self.labels)
        if made.heir is not None and made.heir[0] in labels:
            gone, heir = made.heir
            labels.setdefault(heir, labels[gone])
        self.labels = {int(made.nodes[n]): text for n, text in labels.items() if made.nodes[n] >= 0}
        self.tree, self._leaf = made.tree, made.leaves[self._leaf]
        self._place = {row: int(made.leaves[leaf]) for row, leaf in self._place.items()}
        self._cluster = made.clusters[self._cluster]
        k = self.tree.n_clusters
        self._moved = {
            row: _summed(made.clusters, belongs, k) for row, belongs in self._moved.items()
        }

    def _move(self, row: int, node: int) -> None:
        """Let a word belong to one class only, to the parts of it as it did before."""
        leaves = self.tree.leaves(node)
        clusters = self.tree.cluster[leaves]
        weights = self._row(row)[clusters]
        if not weights.sum() > 0:
            weights = self._likely(row, clusters)
        belongs = np.zeros(self.tree.n_clusters)
        belongs[clusters] = weights / weights.sum()
        self._moved[row] = belongs
        if row not in self._place:
            self._place[row] = int(self._leaf[self.base.places[row]])
        # Where merging has put a word among these leaves, it stays, whatever its memberships say.
        if self._place[row] not in leaves:
            self._place[row] = int(places_of(sparse.csr_array(belongs[None]), self.tree)[0])

    def _row(self, row: int) -> Floats:
        if row in self._moved:
            return self._moved[row]
        before = self.base.memberships[[row]].toarray().ravel()
        return _summed(self._cluster, before, self.tree.n_clusters)

    def _likely(self, row: int, clusters: Ints) -> Floats:
        """How likely each of some clusters is for a word that belonged to none of them."""
        inside = np.flatnonzero(np.isin(self._cluster, clusters))
        found = self.base.clustering.select(inside).place(self.base.counts.matrix[[row]])[0]
        return _summed(self._cluster[inside], found, self.tree.n_clusters)[clusters]


def _summed(clusters: Ints, values: Floats, k: int) -> Floats:
    """The sum of the values of each cluster."""
    return np.bincount(clusters, values, minlength=k).astype(np.float64)
