"""Induce labels of constituents by merging labels as long as this shortens a grammar.

The method is Bayesian model merging (Borensztajn & Zuidema 2007), the first step of the paper. At
first, constituents with the same right-hand side have the same label. Labels are then merged
greedily, as long as the description of the grammar and of the treebank becomes shorter.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from roget.core.types import Ints
from roget.papers.nvi.treebank import PHRASE, Constituent

Symbol: TypeAlias = int | str
"""A label, or the tag of a word."""

Production: TypeAlias = tuple[Symbol, ...]
"""A label, followed by its right-hand side."""

PARTNERS = 8
"""Number of labels with which a label may be merged.

The most frequent labels in a position are used.
"""


class InducedGrammar:
    """The productions of a treebank, with the labels merged so far.

    The description length in bits is

        Σ_productions (symbols + 1)·log2(n) + Σ_constituents −log2(f(production)/f(label)),

    where n is the number of distinct symbols: labels, tags and an end-of-production marker.
    """

    def __init__(self, productions: Counter[Production]) -> None:
        self.counts = Counter(productions)
        self.uses: dict[int, set[Production]] = {}
        self.totals: Counter[int] = Counter()
        tags: set[str] = set()
        for production, count in self.counts.items():
            self.totals[_label(production)] += count
            for symbol in production:
                if isinstance(symbol, str):
                    tags.add(symbol)
                else:
                    self.uses.setdefault(symbol, set()).add(production)
        self.tags = len(tags)
        self.symbols = sum(len(production) + 1 for production in self.counts)
        self.into: dict[int, int] = {}

    def length(self) -> float:
        """Return the description length in bits."""
        data = sum(_xlog2(n) for n in self.totals.values())
        data -= sum(_xlog2(n) for n in self.counts.values())
        return self.symbols * math.log2(len(self.totals) + self.tags + 1) + data

    def gain(self, one: int, two: int) -> float:
        """Return the number of bits that are saved if two labels are merged."""
        old = self.uses[one] | self.uses[two]
        new: Counter[Production] = Counter()
        for production in old:
            new[_replace(production, two, one)] += self.counts[production]
        before = sum(_xlog2(self.counts[production]) for production in old)
        after = sum(_xlog2(count) for count in new.values())
        heads = self.totals[one], self.totals[two]
        mixed = _xlog2(sum(heads)) - sum(map(_xlog2, heads))
        removed = sum(len(p) + 1 for p in old) - sum(len(p) + 1 for p in new)
        n = len(self.totals) + self.tags + 1
        saved = self.symbols * math.log2(n) - (self.symbols - removed) * math.log2(n - 1)
        return saved - mixed + after - before

    def merge(self, one: int, two: int) -> None:
        """Replace label `two` by label `one` everywhere."""
        old = self.uses[one] | self.uses[two]
        counts = [(production, self.counts.pop(production)) for production in old]
        for production in old:
            self.symbols -= len(production) + 1
            for symbol in production:
                if not isinstance(symbol, str):
                    self.uses[symbol].discard(production)
        del self.uses[two]
        for production, count in counts:
            merged = _replace(production, two, one)
            if merged not in self.counts:
                self.symbols += len(merged) + 1
            self.counts[merged] += count
            for symbol in merged:
                if not isinstance(symbol, str):
                    self.uses[symbol].add(merged)
        self.totals[one] += self.totals.pop(two)
        self.into[two] = one

    def partners(self, labels: Iterable[int] | None = None) -> Iterator[tuple[int, int]]:
        """Yield candidate merges: pairs of labels found in the same position of a production.

        With `labels`, only productions that contain these labels are searched.
        """
        chosen = None if labels is None else {p for label in labels for p in self.uses[label]}
        places: dict[tuple[int, Production], Counter[int]] = {}
        for production in self.counts if chosen is None else chosen:
            for at, symbol in enumerate(production):
                if at and not isinstance(symbol, str):
                    hole = at, (*production[:at], PHRASE, *production[at + 1 :])
                    places.setdefault(hole, Counter())[symbol] += self.counts[production]
        for fillers in places.values():
            ordered = [label for label, _ in fillers.most_common()]
            for at, first in enumerate(ordered[:PARTNERS]):
                yield from ((min(first, x), max(first, x)) for x in ordered[at + 1 :])

    def find(self, label: int) -> int:
        """Return the label into which a label has been merged, or the label itself."""
        while label in self.into:
            label = self.into[label]
        return label


def _label(production: Production) -> int:
    assert isinstance(production[0], int)
    return production[0]


def _replace(production: Production, old: int, new: int) -> Production:
    return tuple(new if symbol == old else symbol for symbol in production)


def _xlog2(count: int) -> float:
    return count * math.log2(count) if count else 0.0


def induce_labels(constituents: Sequence[Constituent], labels: Ints) -> Ints:
    """Merge labels greedily.

    Each step makes the merge that saves most bits. Return the new labels.
    """
    grammar = InducedGrammar(count_productions(constituents, labels))
    heap = [(-grammar.gain(*pair), pair) for pair in set(grammar.partners())]
    heapq.heapify(heap)
    while heap:
        _, (one, two) = heapq.heappop(heap)
        if one in grammar.into or two in grammar.into:
            continue
        # Earlier merges may have changed the gain. Recompute it, and return the pair to the heap if
        # another pair is now better.
        saved = grammar.gain(one, two)
        if heap and -saved > heap[0][0] + 1e-9:
            if saved > 0:
                heapq.heappush(heap, (-saved, (one, two)))
            continue
        if saved <= 0:
            continue
        grammar.merge(one, two)
        for pair in set(grammar.partners([one])):
            if one in pair:
                heapq.heappush(heap, (-grammar.gain(*pair), pair))
    found = np.array([grammar.find(label) for label in labels.tolist()])
    return np.asarray(np.unique(found, return_inverse=True)[1])


def count_productions(constituents: Sequence[Constituent], labels: Ints) -> Counter[Production]:
    """Count the productions of all constituents, with the labels of their daughters."""
    daughters: dict[int, list[int]] = {}
    for number, one in enumerate(constituents):
        if one.parent >= 0:
            daughters.setdefault(one.parent, []).append(number)
    found: Counter[Production] = Counter()
    for number, one in enumerate(constituents):
        below = iter(daughters.get(number, ()))
        right = tuple(int(labels[next(below)]) if tag == PHRASE else tag for tag in one.rule)
        found[(int(labels[number]), *right)] += 1
    return found
