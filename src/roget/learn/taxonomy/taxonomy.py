"""What every reader of taxonomies gives: classes with their parents, words with their classes."""

from __future__ import annotations

import graphlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roget.errors import InputError

SHOWN = 10
"""Classes of a cycle named in a message."""


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

    def tree(self, place: Path) -> tuple[dict[str, str | None], list[tuple[str, str]]]:
        """One parent or none for each class that has words below; and the links left out."""
        if not self.loops:
            self._refuse_cycles(place)
        kept: dict[str, str | None] = {}
        dropped: list[tuple[str, str]] = []
        for name in self.labels:
            kept[name] = None
            for parent in self.parents.get(name, ()):
                if kept[name] is None and name not in _up(parent, kept):
                    kept[name] = parent
                else:
                    dropped.append((name, parent))
            if kept[name] is None:
                kept[name] = self.otherwise.get(name)
        used = {
            above
            for classes in self.words.values()
            for name in classes
            for above in _up(name, kept)
        }
        self._refuse_unknown(used, place)
        return {name: kept[name] for name in self.labels if name in used}, dropped

    def acyclic(self) -> dict[str, list[str]]:
        """All parents of each class that has words below; no class lies above itself."""
        if not self.loops:
            self._refuse_cycles(self.title)
        closing = _closing(self.parents) if self.loops else set()
        kept: dict[str, list[str]] = {}
        for name in self.labels:
            above = [one for one in self.parents.get(name, ()) if (name, one) not in closing]
            other = self.otherwise.get(name)
            kept[name] = above or ([] if other is None else [other])
        used: set[str] = set()
        waiting = [name for classes in self.words.values() for name in classes]
        while waiting:
            name = waiting.pop()
            if name not in used:
                used.add(name)
                waiting += kept.get(name, ())
        self._refuse_unknown(used, self.title)
        return {name: kept[name] for name in self.labels if name in used}

    def _refuse_unknown(self, used: set[str], place: Path | str) -> None:
        """Classes that words or other classes are said to lie in must be there."""
        unknown = used - self.labels.keys()
        if not unknown:
            return
        name = min(unknown)
        inside = [word for word, classes in self.words.items() if name in classes]
        inside += [one for one in self.labels if name in self._above(one)]
        raise InputError(
            f"{place}: {inside[0]!r} lies in {name!r}, which is not among the classes: expected a "
            "label for it"
        )

    def _above(self, name: str) -> list[str]:
        other = self.otherwise.get(name)
        return [*self.parents.get(name, ()), *([] if other is None else [other])]

    def _refuse_cycles(self, place: Path | str) -> None:
        try:
            graphlib.TopologicalSorter(self.parents).prepare()
        except graphlib.CycleError as error:
            found = [self.labels.get(name, name) for name in error.args[1]]
            more = ["…"] if len(found) > SHOWN else []
            said = " > ".join(repr(label) for label in found[:SHOWN])
            raise InputError(
                f"{place}: classes lie above themselves: {' > '.join([said, *more])}"
            ) from None


def _up(name: str | None, kept: dict[str, str | None]) -> Iterator[str]:
    while name is not None:
        yield name
        name = kept.get(name)


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
