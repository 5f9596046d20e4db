"""`Draft`: the state of a thesaurus after a sequence of edits, before its tables are computed.

In a draft, words belong to *units*. A unit is a learnt cluster, or one of the two parts of a
cluster that an edit has split. Merging or nesting classes leaves the units unchanged. It changes
only the cluster to which each unit is assigned.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core import tree_edits
from roget.core.counts import Counts, NotCounted
from roget.core.tree_edits import EditedTree
from roget.core.types import BoolArray, Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.memberships import (
    assign_leaves,
    grouping_matrix,
    replace_rows,
    tabulate,
)
from roget.learn.clustering.split_clusters import SplitRule, apply_splits, split_cluster
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus.edits import (
    ClassSnapshot,
    Edit,
    GrowthChange,
    MatchedClass,
    Note,
    add_or_move,
    match_class,
    refuse,
)

if TYPE_CHECKING:
    from roget.learn.clustering.result import Clustering
    from roget.learn.thesaurus.thesaurus import Thesaurus

SURE_MATCH = 0.8
"""Minimum F-measure for a match not to be reported as doubtful."""


NO_HOMES: dict[int, int] = {}
"""Empty mapping shared by drafts in which no word was moved.

Edits copy it before they change it.
"""


class Deleted(NotCounted):
    """Error for a word that was deleted from the thesaurus."""

    code = "unknown-word"

    def __init__(self, word: str) -> None:
        LookupError.__init__(self, f"{word!r} was deleted; undo the edit, or add the word again")


class EditTarget(NamedTuple):
    """An edit of another thesaurus, translated to this thesaurus."""

    edits: list[Edit]
    """The edits to apply. Words to add that are already in this thesaurus are moved instead."""
    left: Edit | None
    """The part of the edit that cannot be applied because its words are not in this thesaurus."""
    unsure: list[tuple[ClassSnapshot, MatchedClass]]
    """Class snapshots of the edit that were matched to a class with low similarity."""


class Memory(NamedTuple):
    """A cache shared by all drafts of a thesaurus."""

    labels: dict[Any, list[str]]
    """Words (as rows) in each generated label.

    The key contains everything that a label depends on.
    """
    divergences: dict[tuple[int, ...], float]
    """KL divergence of a class from the background, keyed by the units of the class (see `Draft`).
    """


class Draft:
    """A thesaurus with a sequence of edits applied. Immutable: `after` returns a new draft.

    Words belong to units. A unit is a learnt cluster, or one of the two parts of a cluster that an
    edit has split. A cluster consists of one or more units. The home of a word is the unit that
    determines the word's leaf.
    """

    def __init__(self, base: Thesaurus) -> None:
        self.base, self.tree, self.ids = base, base.tree, base.ids
        self.labels, self.notes = dict(base.labels), dict(base.notes)
        self.before: Draft | None = None
        self.edit: Edit | None = None
        """The last edit, or None. `before` is the draft before this edit."""
        self.added: tuple[str, ...] = ()
        self.gone: frozenset[int] = frozenset()
        """Rows of deleted words. Rows of the words in `added` follow the rows of the base."""
        self.settled: frozenset[int] = frozenset()
        """Rows of words that an edit has assigned to a single class."""
        self.parts: Ints = np.arange(base.tree.n_clusters)
        """The cluster to which each unit belongs, or −1 if the unit was split."""
        self.divisions: tuple[SplitRule, ...] = ()
        self.moved: dict[int, tuple[Ints, Floats]] = {}
        self.home: dict[int, int] = NO_HOMES
        """Home unit of each word that was moved by edits, keyed by row.

        `moved` contains the units and weights of these words.
        """
        self.changes = {one.number: one for one in base.changes}
        self.states: dict[int, str] = {}
        """State of each growth change that was accepted or refused, by change number."""
        self.memory = Memory({}, {})
        self._table, self._homes = base.memberships, base.tree.cluster[base.places]

    def history(self) -> list[Draft]:
        """Return all drafts up to this draft, oldest first."""
        found = [self]
        while found[-1].before is not None:
            found.append(found[-1].before)
        return found[::-1]

    def after(self, edit: Edit) -> Draft:
        """Return the draft after one more edit. The edit identifies classes by node number."""
        made = copy.copy(self)
        made.before, made.edit = self, edit
        for seen in (edit.node, edit.into):
            if seen is not None:
                self.tree.require_node(seen.node)
        getattr(made, f"_{edit.kind}")(edit)
        return made

    def after_all(self, edits: Iterable[Edit]) -> Draft:
        """Return the draft after several edits.

        Edits that are kept for the next rebuild (`waiting`) are skipped.
        """
        made = self
        for edit in edits:
            if not edit.waiting:
                made = made.after(edit)
        return made

    def row(self, word: str) -> int:
        """Return the row of a word. Words that edits added come after the original words."""
        row = self._find_row(word)
        if row in self.gone:
            raise Deleted(word)
        return self.base.row(word) if row < 0 else row

    def _find_row(self, word: str) -> int:
        """Return the row of a word, even if it was deleted, or −1 if it never existed."""
        row = self.base.rows.get(word, -1)
        return len(self.base) + self.added.index(word) if row < 0 and word in self.added else row

    @property
    def words(self) -> list[str]:
        """All words that are not deleted, in row order."""
        listed = [*self.base.words.tolist(), *self.added]
        return [word for row, word in enumerate(listed) if row not in self.gone]

    @property
    def rows(self) -> Ints:
        """The rows of all words that are not deleted."""
        every = np.arange(len(self.base) + len(self.added))
        return np.delete(every, sorted(self.gone)) if self.gone else every

    @property
    def origin(self) -> Ints | None:
        """Row of each word before all edits (−1 for added words), or None if no words changed."""
        if not self.gone and not self.added:
            return None
        return np.where(self.rows < len(self.base), self.rows, -1)

    def counts(self) -> Counts:
        """Return the counts of all words that are not deleted. Added words have no occurrences."""
        return self.base.counts if self.origin is None else self.base.counts.cover(self.words)

    def places(self) -> Ints:
        """Return the leaf in which each word is placed."""
        return self.tree.cluster_nodes[self.homes()]

    def homes(self) -> Ints:
        """Return the cluster whose leaf contains each word."""
        return self.parts[self._home_units()[self.rows]]

    def units(self) -> list[tuple[int, ...]]:
        """Return the units of each cluster (learnt clusters, or parts of split clusters)."""
        found: list[list[int]] = [[] for _ in range(self.tree.n_clusters)]
        for unit, cluster in enumerate(self.parts.tolist()):
            if cluster >= 0:
                found[cluster].append(unit)
        return [tuple(some) for some in found]

    def senses(self, learnt: Any) -> Any:
        """Translate learnt senses to the edited classes, as a csr_array (words, clusters).

        Senses in merged clusters are summed. A sense in a split cluster is assigned to one of its
        two parts. If an edit has put a word into a class, this class is its only sense.
        """
        table, homes = learnt.tocoo(), self._home_units()
        row, unit, data = table.row, table.col.astype(np.int64), table.data
        size = self.base.tree.n_clusters
        # 1. Replace each split cluster by the part that contains the word's home. If neither part
        # does, use the more probable part.
        for number, division in enumerate(self.divisions):
            first = size + 2 * number
            at = np.flatnonzero(np.isin(unit, division.clusters))
            share = division.share(self.base.counts.matrix[row[at]])
            second = np.where(share > 0.5, 1, 0)
            for side in (0, 1):
                second[self._descendants(first + side)[homes[row[at]]]] = side
            unit[at] = first + second
        # 2. Words that edits have added or assigned to a class have that class as their only sense.
        own = np.zeros(homes.size, dtype=bool)
        own[sorted(self.settled)] = True
        own[table.shape[0] :] = True
        kept, alone = ~own[row], np.flatnonzero(own)
        rows, units = np.concatenate([row[kept], alone]), np.concatenate([unit[kept], homes[alone]])
        cells = np.concatenate([data[kept], np.ones(alone.size)]), (rows, self.parts[units])
        found = sparse.csr_array(cells, shape=(homes.size, self.tree.n_clusters))
        # 3. If a word has a single sense, this is the class in which the word is placed.
        lone = np.flatnonzero(np.diff(found.indptr) == 1)
        found.indices[found.indptr[lone]] = self.parts[homes[lone]]
        return found[self.rows] if self.gone else found

    def _descendants(self, unit: int) -> BoolArray:
        """Return a mask of a unit and of all units into which it was split.

        Units are defined in `Draft`.
        """
        found: BoolArray = np.arange(self.parts.size) == unit
        size = self.base.tree.n_clusters
        for number, division in enumerate(self.divisions):
            if found[division.clusters].any():
                found[size + 2 * number : size + 2 * number + 2] = True
        return found

    def _sum_words(self, places: Ints, weights: Any = None) -> Any:
        """Return the number, or the total weight, of the words in the subtree of each node."""
        return self.tree.sum_up(np.bincount(places, weights, minlength=self.tree.n_nodes))

    def fingerprints(self) -> list[tuple[float, float]]:
        """Return a hash of the set of words below each node.

        Each word is assigned two random numbers, which are summed over the words.
        """
        rows, places = self.rows, self.places()
        found = []
        for seed in (1, 2):
            signs = np.random.default_rng(seed).integers(1 << 26, size=rows.max(initial=0) + 1)
            found.append(self._sum_words(places, signs[rows]).tolist())
        return list(zip(*found, strict=True))

    def clustering(self, known: Clustering | None = None) -> Clustering:
        """Return the clustering after the edits.

        Parameters
        ----------
        known
            A clustering with the same clusters, if available. Only its words are then updated.
        """
        base, belongs = self.base.clustering, self.memberships()
        kept, origin = base.representation, self.origin
        if kept is not None and origin is not None:
            kept = kept.keep(origin)
        if known is None and self.tree == base.tree and not self.divisions:
            known = base
        if known is not None:
            return replace(known, tree=self.tree, memberships=belongs, representation=kept)
        bare = replace(base, memberships=base.memberships[:0], representation=kept)
        return bare.join(self.tree, self.parts, belongs, self.divisions)

    def memberships(self) -> Any:
        """Return p(cluster|word), summed over the units of each cluster."""
        table, k = self._unit_memberships(), self.tree.n_clusters
        if not np.array_equal(self.parts, np.arange(k)):
            table = sparse.csr_array(table @ grouping_matrix(self.parts, k))
        return table[self.rows] if self.gone else table

    def locate(self, edit: Edit) -> EditTarget:
        """Translate an edit of another thesaurus to this one, matching classes by their words."""
        known, missing = [], []
        for word in edit.words:
            try:
                self.row(word)
                known.append(word)
            except (InputError, LookupError):
                missing.append(word)
        if edit.words and not known and edit.kind != editing.ADD:
            self.row(edit.words[0])  # Raise an error that states why the word is missing.
        places = self.places()
        sizes, unsure = self._sum_words(places), []
        rows = {word: row for row, word in enumerate(self.words)}

        def translate(seen: ClassSnapshot) -> ClassSnapshot:
            found = match_class(seen, rows, places, sizes, self.tree)
            if found.node and found.similarity < SURE_MATCH:
                unsure.append((seen, found))
            # Keep the words of the original snapshot. Otherwise matching would get worse with each
            # rebuild.
            return replace(seen, node=found.node)

        node, into = (None if seen is None else translate(seen) for seen in (edit.node, edit.into))
        here = replace(edit, node=node, into=into, waiting=False)
        if edit.kind == editing.ADD:
            return EditTarget(add_or_move(here, set(known)), None, unsure)
        if not missing:
            return EditTarget([here], None, unsure)
        left = replace(edit, words=tuple(missing), waiting=True)
        part = [replace(here, words=tuple(known))]
        return EditTarget(part, None if edit.kind == editing.SPLIT else left, unsure)

    def _rename(self, edit: Edit) -> None:
        """Set the label of a class."""
        self.labels = {**self.labels, _node(edit): edit.text}

    def _note(self, edit: Edit) -> None:
        """Set or remove a note on a class or word."""
        about: int | str = edit.words[0] if edit.node is None else _node(edit)
        if edit.words:
            self.row(edit.words[0])
        held = self.notes.get(about, Note())._replace(**{edit.field: edit.text})
        self.notes = {**self.notes, about: held}
        if not any(held):
            del self.notes[about]

    def _merge(self, edit: Edit) -> None:
        """Merge a class into another class."""
        self._reshape(tree_edits.merge(self.tree, _node(edit), _into(edit)), ())

    def _nest(self, edit: Edit) -> None:
        """Make a class a subclass of another class."""
        self._reshape(tree_edits.nest(self.tree, _node(edit), _into(edit)), edit.ids)

    def _move(self, edit: Edit) -> None:
        """Move words to a class, which becomes their only class."""
        self.moved, self.home = dict(self.moved), dict(self.home)
        for word in edit.words:
            self._put(self.row(word), _node(edit))

    def _add(self, edit: Edit) -> None:
        """Add new or deleted words to a class."""
        self.moved, self.home = dict(self.moved), dict(self.home)
        for word in edit.words:
            row = self._find_row(word)
            if row < 0:
                editing.check_word(word)
                row, self.added = len(self.base) + len(self.added), (*self.added, word)
            elif row in self.gone:
                self.gone -= {row}
            else:
                raise refuse(f"{word!r} is already in the thesaurus; move it instead")
            self._put(row, _node(edit))

    def _delete(self, edit: Edit) -> None:
        """Delete words and their notes."""
        rows = {self.row(word) for word in edit.words}
        self.gone |= rows
        if len(self.gone) == len(self.base) + len(self.added):
            raise refuse("cannot delete all words of a thesaurus")
        self.notes = {at: held for at, held in self.notes.items() if at not in edit.words}

    def _split(self, edit: Edit) -> None:
        """Split a leaf into two new leaves. The words of the edit go to the second leaf."""
        node = _node(edit)
        made = tree_edits.split(self.tree, node)
        units = self._find_units(np.array([self.tree.cluster[node]]))
        table, homes = self._unit_memberships(), self._home_units()
        inside = np.isin(homes, units)
        inside[sorted(self.gone)] = False
        apart = np.zeros(homes.size, dtype=bool)
        for word in edit.words:
            row = self.row(word)
            if not inside[row]:
                raise refuse(f"{word!r} is in another class, not in node {node}")
            apart[row] = True
        if not (inside & ~apart).any():
            raise refuse(
                "the new class would contain all words; leave at least one word in the other class"
            )
        # The counts of the words in each new leaf determine how the remaining words are divided
        # between the leaves.
        weights = np.asarray(table[:, units].sum(axis=1)).ravel()
        counts = self.base.counts.matrix
        known = slice(0, counts.shape[0])
        sides = np.stack(
            [np.where(side, weights, 0)[known] @ counts for side in (inside & ~apart, apart)]
        )
        division = split_cluster(units, *self._centroid(units), sides)
        # Each word of the class goes to one of the leaves. Other words with a membership in the
        # class are divided between both leaves by their counts.
        share = np.zeros(homes.size)
        others = np.flatnonzero((weights > 0) & ~inside)
        others = others[others < counts.shape[0]]
        share[others] = division.share(counts[others])
        share[apart] = 1
        # The leaves are represented by two new units, which replace the units of the class.
        size = table.shape[1]
        kept = ~np.isin(table.indices, units)
        rows = np.repeat(np.arange(homes.size), np.diff(table.indptr))[kept]
        cells = [(table.data[kept], rows, table.indices[kept])]
        for number, part in enumerate((weights * (1 - share), weights * share), size):
            some = np.flatnonzero(part)
            cells.append((part[some], some, np.full(some.size, number)))
        data, rows, columns = (np.concatenate(each) for each in zip(*cells, strict=True))
        self._table = sparse.csr_array((data, (rows, columns)), shape=(homes.size, size + 2))
        self._homes = homes.copy()
        self._homes[np.isin(homes, units)] = size
        self._homes[apart] = size + 1
        self.moved, self.home = {}, {}
        self.divisions = (*self.divisions, division)
        self.parts = np.append(self.parts, self.tree.n_clusters + np.arange(2))
        self._reshape(made, edit.ids)

    def _accept(self, edit: Edit) -> None:
        """Mark growth changes as accepted."""
        for number in edit.changes:
            self._decide(number, editing.ACCEPTED)

    def _refuse(self, edit: Edit) -> None:
        """Revert growth changes: move words back or delete them, and merge split classes."""
        self.moved, self.home = dict(self.moved), dict(self.home)
        for number in edit.changes:
            change = self._decide(number, editing.REFUSED)
            if change.kind == editing.NEW:
                known = [word for word in change.words if self.base.rows[word] not in self.gone]
                if known:
                    self._delete(Edit(editing.DELETE, words=tuple(known)))
            elif change.kind == editing.MOVED:
                for word in change.words:
                    if (row := self.base.rows[word]) not in self.gone:
                        self._put(row, self.find(change.source))
            else:
                into = change.source if change.rest is None else change.rest
                merged = tree_edits.merge(self.tree, self.find(change.target), self.find(into))
                self._reshape(merged, ())
                if None not in (change.rest, change.source) and change.source not in self.ids:
                    # Restore the id that the class had before the split.
                    ids = self.ids.copy()
                    ids[ids == change.rest] = int(change.source or 0)
                    ids.flags.writeable = False
                    self.ids = ids

    def _decide(self, number: int, state: str) -> GrowthChange:
        """Set the state of an open growth change to accepted or refused, and return the change."""
        known = self.changes
        if number not in known:
            there = (
                f"the changes are numbered {min(known)} to {max(known)}"
                if known
                else "there are no changes"
            )
            raise refuse(f"unknown change {number}; {there}")
        if number in self.states:
            raise refuse(f"change {number} is already {self.states[number]}; undo that first")
        self.states = {**self.states, number: state}
        return known[number]

    def find(self, id: int | None) -> int:
        """Return the node of the class with the given id."""
        found = np.flatnonzero(self.ids == id)
        if not found.size:
            raise refuse(f"class {id} no longer exists; move the words individually")
        return int(found[0])

    def _reshape(self, made: EditedTree, ids: Sequence[int]) -> None:
        """Replace the tree: renumber labels, notes, ids and the clusters of units."""
        if len(made.made) != len(ids):
            raise refuse(
                f"the edit has {len(ids)} ids for {len(made.made)} new classes; expected one id "
                "per class"
            )
        if set(ids) & set(self.ids.tolist()) or len(set(ids)) < len(ids):
            raise refuse(f"the ids {list(ids)} of new classes are already used")
        labels, notes = dict(self.labels), dict(self.notes)
        if made.heir is not None:
            gone, heir = made.heir
            if gone in labels:
                labels.setdefault(heir, labels[gone])
            if gone in notes:
                notes.setdefault(heir, notes[gone])
        self.labels = {int(made.nodes[n]): text for n, text in labels.items() if made.nodes[n] >= 0}
        self.notes = {
            at if isinstance(at, str) else int(made.nodes[at]): held
            for at, held in notes.items()
            if isinstance(at, str) or made.nodes[at] >= 0
        }
        kept = np.flatnonzero(made.nodes >= 0)
        numbers = np.empty(made.tree.n_nodes, dtype=np.int64)
        numbers[made.nodes[kept]] = self.ids[kept]
        numbers[list(made.made)] = ids
        numbers[0] = self.ids[0]  # The root keeps its id, even if another node replaces it.
        numbers.flags.writeable = False
        self.tree, self.ids = made.tree, numbers
        if not np.array_equal(made.clusters, np.arange(made.clusters.size)):
            self.parts = np.where(self.parts >= 0, made.clusters[self.parts], -1)

    def _put(self, row: int, node: int) -> None:
        """Make a class the only class of a word.

        If the word already belongs to units of the class, the proportions of its memberships in
        them are kept. Otherwise, it is distributed over the units by its counts.
        """
        clusters = self.tree.cluster[self.tree.leaves(node)]
        units = self._find_units(clusters)
        weights = self._unit_weights(row)[units]
        if not weights.sum() > 0:
            weights = self._place_among(row, units)
        weights = weights / weights.sum()
        some = weights > 0
        self.settled |= {row}
        self.moved[row] = units[some], weights[some]
        # Keep the word's unit if it already belongs to the class, for example after a merge.
        home = self.home.get(row, int(self._homes[row]) if row < self._homes.size else -1)
        if home < 0 or self.parts[home] not in clusters:
            sums = np.bincount(self.parts[units], weights, minlength=self.tree.n_clusters)
            leaf = int(assign_leaves(sparse.csr_array(sums[None]), self.tree)[0])
            there = self.parts[units] == self.tree.cluster[leaf]
            self.home[row] = int(units[np.where(there, weights, -1.0).argmax()])

    def _find_units(self, clusters: Ints) -> Ints:
        """Return the units (see `Draft`) of which the given clusters consist."""
        return np.flatnonzero(np.isin(self.parts, clusters))

    def _unit_weights(self, row: int) -> Floats:
        """Return the membership of a word in each unit (see `Draft`)."""
        belongs = np.zeros(self.parts.size)
        if row in self.moved:
            units, weights = self.moved[row]
            belongs[units] = weights
        elif row < self._table.shape[0]:
            here = slice(*self._table.indptr[row : row + 2])
            np.add.at(belongs, self._table.indices[here], self._table.data[here])
        return belongs

    def _place_among(self, row: int, units: Ints) -> Floats:
        """Return p(unit|word) for units to which the word has not belonged so far."""
        # Find the learnt clusters whose splits led to these units.
        learnt = self.base.tree.n_clusters
        feeding, size = set(units.tolist()), self.parts.size
        for division in reversed(self.divisions):
            size -= 2
            if feeding & {size, size + 1}:
                feeding = feeding - {size, size + 1} | set(division.clusters.tolist())
        inside = np.array(sorted(feeding))
        counts = self.base.counts.matrix
        known = row < counts.shape[0]
        matrix = counts[[row]] if known else sparse.csr_array((1, counts.shape[1]))
        placed = np.zeros((1, learnt))
        placed[:, inside] = self.base.clustering.place_among(matrix, inside)
        found = apply_splits(placed, matrix.astype(np.float64), self.divisions)[0, units]
        return found if found.sum() > 0 else np.ones(units.size)

    def _centroid(self, units: Ints) -> tuple[Floats, float]:
        """Return the centroid p(context|units) of several units, and their total mass."""
        base = self.base.clustering
        learnt, mass, rows = base.n_clusters, [], []
        for unit in units.tolist():
            if unit < learnt:
                rows.append(self.base.centroids[unit].astype(np.float64))
                mass.append(float(base.mass[unit]))
            else:
                division, side = divmod(unit - learnt, 2)
                rows.append(self.divisions[division].centroids[side])
                mass.append(float(self.divisions[division].mass[side]))
        sums = sum(mass)
        weights = np.array(mass) / sums if sums > 0 else np.full(len(mass), 1 / len(mass))
        return weights @ np.array(rows), sums

    def _home_units(self) -> Ints:
        """Return the unit that determines the leaf of each word, including deleted words."""
        homes = np.full(len(self.base) + len(self.added), -1, dtype=np.int64)
        homes[: self._homes.size] = self._homes
        if self.home:
            homes[list(self.home)] = list(self.home.values())
        return homes

    def _unit_memberships(self) -> Any:
        """Return the memberships as a csr_array (words, units), including deleted words."""
        table, rows = self._table, sorted(self.moved)
        if not rows:
            return table
        new = tabulate((dict(zip(*self.moved[row], strict=True)) for row in rows), self.parts.size)
        table = table.copy()
        table.resize((len(self.base) + len(self.added), self.parts.size))
        return replace_rows(table, np.array(rows), new)


def _node(edit: Edit) -> int:
    """Return the node number of an edit's class, or −1 if the edit has no class."""
    return edit.node.node if edit.node is not None else -1


def _into(edit: Edit) -> int:
    """Return the node number of an edit's target class, or −1 if the edit has no target class."""
    return edit.into.node if edit.into is not None else -1
