"""What every reader of taxonomies gives: classes with their parents, words with their classes."""

from __future__ import annotations

import graphlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from roget.errors import InputError

SHOWN = 10
"""Classes of a cycle named in a message."""

MOST = 5_000_000
"""Copies of classes a tree may have: many parents at many levels multiply."""

ROOT = ""
"""Stands above all classes, where several have none above them."""


class Nodes(NamedTuple):
    """The nodes of a tree, each after the one above it."""

    classes: list[str]
    parents: list[int]
    shares: list[float]
    """How much of its class each is."""
    holders: dict[str, list[int]]
    """The nodes that hold the words of a class."""


@dataclass
class Taxonomy:
    """Classes and words as a file has them: a class may have several parents."""

    title: str
    """The name of the root, where there are several tops."""
    labels: dict[str, str] = field(default_factory=dict)
    """Class → what it is called, in the order of the file."""
    parents: dict[str, list[str]] = field(default_factory=dict)
    """Class → the classes above it, the most important first."""
    otherwise: dict[str, str] = field(default_factory=dict)
    """Class → the class above it where no other is."""
    words: dict[str, dict[str, float]] = field(default_factory=dict)
    """Word → how much it weighs in each class."""
    loops: bool = False
    """Whether cycles are broken where they close, rather than refused."""

    def add(self, word: str, name: str, weight: float = 1.0) -> None:
        """Put a word into a class."""
        classes = self.words.setdefault(word, {})
        classes[name] = classes.get(name, 0.0) + weight

    def tree(self, place: Path) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
        """One parent or none for each class that has words below; and the links left out."""
        self._check_cycles(place)
        kept: dict[str, list[str]] = {}
        dropped: list[tuple[str, str]] = []
        for name in self.labels:
            kept[name] = []
            for parent in self.parents.get(name, ()):
                if not kept[name] and name not in _up(parent, kept):
                    kept[name] = [parent]
                else:
                    dropped.append((name, parent))
            kept[name] = kept[name] or self._otherwise(name)
        return self._used(kept, place), dropped

    def acyclic(self) -> dict[str, list[str]]:
        """All parents of each class that has words below; no class lies above itself."""
        self._check_cycles(self.title)
        closing = _closing(self.parents) if self.loops else set()
        kept: dict[str, list[str]] = {}
        for name in self.labels:
            above = [one for one in self.parents.get(name, ()) if (name, one) not in closing]
            kept[name] = above or self._otherwise(name)
        return self._used(kept, self.title)

    def unfold(self, parents: Mapping[str, Sequence[str]]) -> Nodes:
        """The tree of all ways down: a class has a node below each node of a parent.

        A node has the share of the node above it, divided by the number of parents. A class with
        words and parts has a node of its own for its words.
        """
        holding = {name for classes in self.words.values() for name in classes}
        below: dict[str, list[str]] = {}
        for name, above in parents.items():
            for one in above or [ROOT]:
                below.setdefault(one, []).append(name)
        tops = below[ROOT]
        classes, parent, share = [tops[0] if len(tops) == 1 else ROOT], [-1], [1.0]
        holders: dict[str, list[int]] = {}
        most = MOST if any(len(above) > 1 for above in parents.values()) else 2 * len(parents) + 1
        for node, name in enumerate(classes):  # which grow meanwhile
            if node and classes[parent[node]] == name:
                continue
            parts = below.get(name, [])
            own = [name] if name in holding and parts else []
            if name in holding:
                holders.setdefault(name, []).append(len(classes) if parts else node)
            classes += own + parts
            parent += [node] * len(own + parts)
            share += [share[node]] * len(own)
            share += [share[node] / (len(parents[part]) or 1) for part in parts]
            if len(classes) > most:
                raise InputError(
                    f"{self.title}: with a copy of each class below each of its parents there are "
                    f"more than {MOST:,} classes; import it as a thesaurus, where the first parent "
                    "is kept"
                )
        return Nodes(classes, parent, share, holders)

    def share_out(
        self, nodes: Nodes, weighted: bool = True
    ) -> tuple[list[int], list[int], list[float]]:
        """Of each word in each node that holds it: its row, the node, and its share there."""
        rows, at, shares = [], [], []
        for row, (word, classes) in enumerate(self.words.items()):
            total = sum(classes.values())
            low = min(classes.values(), default=0.0)
            if low < 0 or not math.isfinite(total) or (weighted and not total > 0):
                raise InputError(
                    f"{self.title}: {word!r} weighs {list(classes.values())} in its classes: "
                    "expected numbers, none negative and not all 0"
                )
            for name, weight in classes.items():
                part = weight / total if weighted else 1 / len(classes)
                for node in nodes.holders[name]:
                    rows.append(row)
                    at.append(node)
                    shares.append(part * nodes.shares[node])
        return rows, at, shares

    def _otherwise(self, name: str) -> list[str]:
        return [self.otherwise[name]] if name in self.otherwise else []

    def _used(self, kept: Mapping[str, list[str]], place: Path | str) -> dict[str, list[str]]:
        """The classes that have words below; each that one is said to lie in must be there."""
        used: set[str] = set()
        waiting = [name for classes in self.words.values() for name in classes]
        while waiting:
            name = waiting.pop()
            if name not in used:
                used.add(name)
                waiting += kept.get(name, ())
        if unknown := used - self.labels.keys():
            name = min(unknown)
            inside = [word for word, classes in self.words.items() if name in classes]
            inside += [
                one
                for one in self.labels
                if name in (*self.parents.get(one, ()), *self._otherwise(one))
            ]
            raise InputError(
                f"{place}: {inside[0]!r} lies in {name!r}, which is not among the classes: "
                "expected a label for it"
            )
        return {name: kept[name] for name in self.labels if name in used}

    def _check_cycles(self, place: Path | str) -> None:
        try:
            if not self.loops:
                graphlib.TopologicalSorter(self.parents).prepare()
        except graphlib.CycleError as error:
            found = [repr(self.labels.get(name, name)) for name in error.args[1]]
            shown = found[:SHOWN] + ["…"] * (len(found) > SHOWN)
            raise InputError(
                f"{place}: classes lie above themselves: {' > '.join(shown)}"
            ) from None


def _up(name: str, kept: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield name
    while above := kept.get(name):
        name = above[0]
        yield name


def _closing(parents: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """The links (class, parent) that close a cycle, on the ways up from class after class."""
    found: set[tuple[str, str]] = set()
    done: set[str] = set()
    for start in parents:
        way, open_now = [(start, iter(parents[start]))], {start}
        while way and start not in done:
            name, rest = way[-1]
            for parent in rest:
                if parent in open_now:
                    found.add((name, parent))
                elif parent not in done:
                    way.append((parent, iter(parents.get(parent, ()))))
                    open_now.add(parent)
                    break
            else:
                way.pop()
                open_now.discard(name)
                done.add(name)
    return found
