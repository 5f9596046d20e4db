"""Labels: what to call a class that nobody has named."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.core.types import Floats, Ints

if TYPE_CHECKING:
    from roget.learn.thesaurus.lookup import Lookup

LABEL = 3
"""Words in the label of a class."""

AGAIN = 0.5
"""What a word is worth that is in a label further up: it says less, but may say most."""

STEADY = 0.95
"""How much of a class must be the same (F of its words) for it to be called as it was."""

KEPT = 64
"""Profiles of classes that are kept; those of a class and of the one above it are needed."""


class ClassLabels:
    """Words that tell a class from the one above it, for each node of a tree.

    A word is good if the other words of its class foretell its tokens better than words outside
    do: Σ n(v)·log(½ + ½·p(v|class) / p(v|above)), where the word itself is left out of both, and
    contexts that no other word has count nothing. That is asked twice, with all words and with
    the class just above, so that labels are typical and yet change on the way down. Words of the
    label just above come last; those of labels further up are worth half. Equals are told by
    how often they were seen, and the root has the words that were seen most.

    A class costs a pass over its words, so that all of them cost one for each level of the tree.
    """

    def __init__(self, counts: Counts, tree: Tree, places: Ints) -> None:
        self._matrix = sparse.csr_array(counts.matrix)
        self._totals = np.asarray(counts.word_totals, dtype=np.float64)
        self._tree = tree
        first, last = tree.layout.first, tree.layout.end
        self._order = np.argsort(first[places], kind="stable")
        at = first[places][self._order]
        self._begin, self._end = np.searchsorted(at, first), np.searchsorted(at, last)
        self._profile = lru_cache(KEPT)(self._add_up)
        self._found: dict[int, list[int]] = {}

    def rows(self, node: int) -> list[int]:
        """The rows of the words in the label of a class, the best first; none if it has no word."""
        if node not in self._found:
            for one in self._tree.path(node):
                if one not in self._found:
                    self._found[one] = self._best(one)
        return self._found[node]

    def _best(self, node: int) -> list[int]:
        """The label of a class whose classes above have theirs."""
        rows = self._inside(node)
        seen = self._totals[rows]
        worth, last = seen, np.zeros(rows.size, dtype=bool)
        if node:
            *above, parent = self._tree.path(int(self._tree.parent[node]))
            worth = self._worth(node, rows, (0, parent))
            # The root is called by its most frequent words, which may yet say more further down.
            used = np.isin(rows, [row for one in above if one for row in self._found[one]])
            worth = np.where(used & (worth > 0), AGAIN * worth, worth)
            last = np.isin(rows, self._found[parent] if parent else [])
        return [int(row) for row in rows[np.lexsort((rows, -seen, -worth, last))[:LABEL]]]

    def _worth(self, node: int, rows: Ints, outside: tuple[int, ...]) -> Floats:
        part = self._matrix[rows]
        word = np.repeat(np.arange(rows.size), np.diff(part.indptr))
        contexts, n = part.indices, np.asarray(part.data, dtype=np.float64)
        own = self._totals[rows][word]

        def others(one: int) -> Floats:
            profile = self._profile(one)
            left = np.maximum(profile.sum() - own, 0.0)
            seen = np.maximum(profile[contexts] - n, 0.0)
            return np.asarray(np.divide(seen, left, out=np.zeros(n.size), where=left > 0))

        inside, sums = others(node), np.zeros(rows.size)
        for one in outside:
            there = others(one)
            ratio = np.divide(inside, there, out=np.ones(n.size), where=there > 0)
            sums += np.bincount(word, n * np.log((1 + ratio) / 2), minlength=rows.size)
        return np.asarray(sums)

    def _add_up(self, node: int) -> Floats:
        """How often the words of a class were seen in each context."""
        part: Any = self._matrix[self._inside(node)]
        sums = np.bincount(part.indices, part.data, minlength=self._matrix.shape[1])
        return np.asarray(sums, dtype=np.float64)

    def _inside(self, node: int) -> Ints:
        return self._order[self._begin[node] : self._end[node]]


class StableLabels(ClassLabels):
    """The labels of classes that have about the same words as when they were learnt or called.

    So an edit leaves the labels of all classes alone that it does not change, or hardly.
    """

    def __init__(self, thesaurus: Lookup) -> None:
        super().__init__(thesaurus.counts, thesaurus.tree, thesaurus.places)
        self._of, self._known = thesaurus, thesaurus._remembered[0]

    def _best(self, node: int) -> list[int]:
        here, base = self._of, self._of.base
        was = base._of_ids.get(int(here.ids[node]))
        known: list[str] | None = None
        if was is not None:
            known = base.words[base._labels.rows(was)].tolist()
            if base._marks[was] != here._marks[node] and not self._is_steady(was, node, known):
                known = None
        if known is None:
            key = self._key(node)
            if key not in self._known:
                self._known[key] = here.words[super()._best(node)].tolist()
            known = self._known[key]
        return [here.rows[word] for word in known]

    def _is_steady(self, was: int, node: int, called: list[str]) -> bool:
        """Whether a class has most of its words still, and all of those by which it is called."""
        here, base = self._of, self._of.base
        rows = here.inside(node)
        if not called or not {*called} <= {*here.words[rows].tolist()}:
            return False
        mine = here._draft.rows[rows] if here._draft is not None else rows
        before = np.zeros(max(len(base), int(mine.max(initial=-1)) + 1), dtype=bool)
        before[base.inside(was)] = True
        return bool(2 * before[mine].sum() >= STEADY * (before.sum() + mine.size))

    def _key(self, node: int) -> Any:
        """All that the label of a class depends on."""
        here, (*above, _) = self._of, self._of.tree.path(node)
        called = tuple(tuple(here.words[self.rows(one)].tolist()) for one in above)
        return here._marks[node], here._marks[above[-1]] if above else None, here._marks[0], called
