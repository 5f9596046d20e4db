"""The graph of a taxonomy: its numbered classes, their words, and the distances between classes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.types import Array, Ints
from roget.errors import InputError
from roget.learn.clustering.memberships import tabulate
from roget.learn.taxonomy.taxonomy import Taxonomy, climb

NEAR = (1.0, 0.75, 0.5)
"""Weights with which a vote counts for the class itself, and for classes 1 and 2 steps away."""

FAR = len(NEAR)
"""Distance reported for all classes that are more than two steps away."""

CROWD = 1000
"""Maximum number of neighbours of the middle class on a path of two steps.

Other paths are ignored.
"""

FLATTEN = 0.5
"""Exponent applied to sense weights (0 = uniform, 1 = unchanged)."""


def fold(word: str) -> str:
    """Normalise a word for comparison: lower-case it and separate its parts by single spaces."""
    return " ".join(re.split(r"[\W_]+", word.casefold())).strip()


def is_part(word: str, other: str) -> bool:
    """Return True if a folded word is equal to another one or is a part of it.

    >>> is_part("leader", "team leader"), is_part("ear", "year")
    (True, False)
    """
    return f" {word} " in f" {other} "


@dataclass(frozen=True, eq=False)
class Graph:
    """The numbered classes of a taxonomy, and its normalised (folded) words with their weights."""

    title: str
    names: tuple[str, ...]
    """The id of each class in the taxonomy file."""
    labels: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    words: tuple[str, ...]
    weights: Any
    """Weight of each word in each class, as in the file: a csr_array of shape (words, classes)."""

    @classmethod
    def from_taxonomy(cls, taxonomy: Taxonomy) -> Graph:
        """Make the graph of all classes with words in their subtree."""
        above = taxonomy.acyclic()
        names = tuple(above)
        number = {name: at for at, name in enumerate(names)}
        folded: dict[str, dict[int, float]] = {}
        for word, classes in taxonomy.words.items():
            held = folded.setdefault(fold(word), {})
            for name, weight in classes.items():
                at = number[name]
                held[at] = held.get(at, 0.0) + weight
        folded.pop("", None)
        if not folded:
            raise InputError(
                f"{taxonomy.title}: none of the classes contains a word", code="empty-input"
            )
        return cls(
            taxonomy.title,
            names,
            tuple(taxonomy.labels.get(name, name) for name in names),
            tuple(tuple(number[one] for one in above[name]) for name in names),
            tuple(folded),
            tabulate(folded.values(), len(names)),
        )

    def without(self, hidden: Collection[str]) -> Graph:
        """Return the graph without the hidden words and the words that contain one of them.

        Classes whose subtrees contain no words any more lose their links but keep their numbers.
        """
        gone = set(hidden)
        kept = [at for at, word in enumerate(self.words) if not _list_parts(word) & gone]
        if not kept:
            raise InputError(
                f"{self.title}: no words are left after hiding {len(gone):,} of them; hide fewer",
                code="too-little-text",
            )
        words = tuple(self.words[at] for at in kept)
        weights = sparse.csr_array(self.weights[kept])
        alive = climb(np.unique(weights.indices).tolist(), self.parents.__getitem__)
        parents = tuple(above if at in alive else () for at, above in enumerate(self.parents))
        return replace(self, words=words, weights=weights, parents=parents)

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """Mapping from each word, in folded form, to its row."""
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def shares(self) -> Any:
        """Membership of each word in each class: a csr_array of shape (words, classes).

        Rows sum to 1.
        """
        table = self.weights.copy()
        table.data = np.maximum(table.data, 0.0) ** FLATTEN
        sums = np.asarray(table.sum(axis=1)).ravel()
        return sparse.csr_array(sparse.diags_array(1 / np.where(sums > 0, sums, 1)) @ table)

    @cached_property
    def adjacent(self) -> Any:
        """Adjacency matrix of the classes, with 1 on the diagonal, as a csr_array."""
        low = [at for at, above in enumerate(self.parents) for _ in above]
        high = [one for above in self.parents for one in above]
        n = len(self.names)
        links = sparse.csr_array((np.ones(len(low), np.float32), (low, high)), shape=(n, n))
        return _ones(links + links.T + sparse.eye_array(n, dtype=np.float32))

    @cached_property
    def nearness(self) -> Any:
        """Weight with which a vote for one class counts for another class, as a csr_array."""
        degrees = np.diff(self.adjacent.indptr)
        through = sparse.diags_array((degrees <= CROWD).astype(np.float32))
        two = _ones(self.adjacent @ through @ self.adjacent)
        own, one = (sparse.eye_array(len(self.names), dtype=np.float32), self.adjacent)
        # Sum three matrices: one for pairs within two steps, one for pairs within one step, and one
        # for the classes themselves.
        steps = np.diff([*NEAR[::-1]], prepend=0.0)
        return sparse.csr_array(
            steps[0] * _ones(two + one) + steps[1] * one + steps[2] * own, dtype=np.float32
        )

    def senses(self, word: str) -> Ints:
        """Return the classes of a word, sorted by decreasing weight."""
        row = self.rows[fold(word)]
        part = slice(self.weights.indptr[row], self.weights.indptr[row + 1])
        order = np.argsort(-self.weights.data[part], kind="stable")
        return np.asarray(self.weights.indices[part][order], dtype=np.int64)

    def steps(self, classes: Iterable[int], others: Sequence[int] | Array) -> Ints:
        """Return the distance from each of `others` to the nearest of `classes`, at most `FAR`."""
        found = np.full(len(self.names), FAR)
        reached = np.unique(np.fromiter(classes, np.int64))
        for far in range(FAR):
            reached = reached[found[reached] > far]
            found[reached] = far
            reached = np.unique(self.adjacent[reached].indices) if far + 1 < FAR else reached
        return found[np.asarray(others, dtype=np.int64)]

    def path(self, at: int) -> tuple[str, ...]:
        """Return the labels of the classes from the root to a class, following first parents."""
        way = [self.labels[at]]
        while above := self.parents[at]:
            at = above[0]
            way.append(self.labels[at])
        return tuple(reversed(way))


def _ones(table: Any) -> Any:
    """Return a csr_array with every stored entry set to 1."""
    made = sparse.csr_array(table, dtype=np.float32)
    made.sum_duplicates()
    made.data[:] = 1
    return made


def _list_parts(word: str) -> set[str]:
    """Return all contiguous sequences of parts of a folded word, including the whole word."""
    parts = word.split(" ")
    ends = range(1, len(parts) + 1)
    return {" ".join(parts[begin:end]) for end in ends for begin in range(end)}
