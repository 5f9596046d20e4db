"""`Taxonomy`: the classes and words of a file, and their conversion to a thesaurus."""

from __future__ import annotations

import graphlib
import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from roget._version import __version__
from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.edits import Note

Name = TypeVar("Name", str, int)

SHOWN = 10
"""Maximum number of classes to list in an error message about a cycle."""

CELLS = 1 << 23
"""Maximum number of cells in the centroid matrix (clusters × contexts)."""

MAX_NODES = 5_000_000
"""Maximum number of nodes in a tree with a copy of each class below each of its parents."""

ROOT = ""
"""Name of the root node that is added if several classes have no parent."""


class Nodes(NamedTuple):
    """The nodes of a tree. Parents come before children."""

    classes: list[str]
    """Class of each node."""
    tree: Tree
    shares: list[float]
    """Weight of each node. The weight of a class is divided among its copies."""
    holders: dict[str, list[int]]
    """For each class, the nodes that contain its words."""


@dataclass
class Taxonomy:
    """A hierarchy of classes with words. A class may have several parents."""

    title: str
    """Title of the taxonomy. It is also the label of the root if several classes have no parent."""
    labels: dict[str, str] = field(default_factory=dict)
    """Label of each class, in the order of the file."""
    parents: dict[str, list[str]] = field(default_factory=dict)
    """Parents of each class, most important first."""
    otherwise: dict[str, str] = field(default_factory=dict)
    """Default parent of each class that is missing in `parents`."""
    words: dict[str, dict[str, float]] = field(default_factory=dict)
    """Weight of each word in each of its classes."""
    language: str | None = None
    """Language of the words, if known."""
    counts: dict[str, float] = field(default_factory=dict)
    """Count of each word. Missing words have the count 1."""
    ids: dict[str, int] = field(default_factory=dict)
    """Id of each class in an exported thesaurus."""
    notes: dict[str, Note] = field(default_factory=dict)
    """Definition and note of each class."""
    word_notes: dict[str, Note] = field(default_factory=dict)
    order: dict[str, float] = field(default_factory=dict)
    """Rank of each class in the order of splits. By default, the tree is split level by level."""
    loops: bool = False
    """True to break cycles of classes, False to raise an error."""

    def add(self, word: str, name: str, weight: float = 1.0) -> None:
        """Put a word into a class."""
        classes = self.words.setdefault(word, {})
        classes[name] = classes.get(name, 0.0) + weight

    def tree(self, place: Path) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
        """Return the first parent of each class with words, and the links to other parents.

        A class counts as having words if there are words in it or below it. Classes without words
        are dropped, with their links.
        """
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
        return self._keep_used(kept, place), dropped

    def acyclic(self) -> dict[str, list[str]]:
        """Return all parents of each class that has words in it or below it, without cycles."""
        self._check_cycles(self.title)
        closing = _closing(self.parents) if self.loops else set()
        kept: dict[str, list[str]] = {}
        for name in self.labels:
            above = [one for one in self.parents.get(name, ()) if (name, one) not in closing]
            kept[name] = above or self._otherwise(name)
        return self._keep_used(kept, self.title)

    def unfold(self, parents: Mapping[str, Sequence[str]]) -> Nodes:
        """Unfold the hierarchy into a tree, with a copy of each class below each of its parents.

        The copies share the weight of a class equally. A class with both words and subclasses has
        an extra leaf for its words.
        """
        holding = {name for classes in self.words.values() for name in classes}
        below: dict[str, list[str]] = {}
        for name, above in parents.items():
            for one in above or [ROOT]:
                below.setdefault(one, []).append(name)
        tops = below[ROOT]
        classes, parent, share = [tops[0] if len(tops) == 1 else ROOT], [-1], [1.0]
        holders: dict[str, list[int]] = {}
        most = (
            MAX_NODES if any(len(above) > 1 for above in parents.values()) else 2 * len(parents) + 1
        )
        for node, name in enumerate(classes):  # The list grows during the loop.
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
                    f"{self.title}: the tree has over {MAX_NODES:,} nodes, because classes are "
                    "copied below each of their parents; import it as a thesaurus, which keeps "
                    "only the first parent",
                    code="too-large",
                )
        return Nodes(classes, Tree(parent), share, holders)

    def share_out(
        self, nodes: Nodes, weighted: bool = True
    ) -> tuple[list[int], list[int], list[float]]:
        """Distribute words over tree nodes. Return rows, nodes and weights as three sequences."""
        rows, at, shares = [], [], []
        for row, (word, classes) in enumerate(self.words.items()):
            total = sum(classes.values())
            low = min(classes.values(), default=0.0)
            if low < 0 or not math.isfinite(total) or (weighted and not total > 0):
                raise InputError(
                    f"{self.title}: {word!r} has the weights {list(classes.values())}; "
                    "expected numbers ≥ 0, not all 0",
                    code="bad-weight",
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

    def _keep_used(self, kept: Mapping[str, list[str]], place: Path | str) -> dict[str, list[str]]:
        """Keep classes that have words in them or below them.

        Raise an error for links to missing classes.
        """
        used = climb(itertools.chain(*self.words.values()), lambda name: kept.get(name, ()))
        if unknown := used - self.labels.keys():
            name = min(unknown)
            inside = [word for word, classes in self.words.items() if name in classes]
            inside += [
                one
                for one in self.labels
                if name in (*self.parents.get(one, ()), *self._otherwise(one))
            ]
            raise InputError(
                f"{place}: {inside[0]!r} is in {name!r}, which is not a class of the file",
                code="not-a-tree",
            )
        return {name: kept[name] for name in self.labels if name in used}

    def _check_cycles(self, place: Path | str) -> None:
        """Raise an error if classes form a cycle, unless cycles are to be broken."""
        try:
            if not self.loops:
                graphlib.TopologicalSorter(self.parents).prepare()
        except graphlib.CycleError as error:
            found = [repr(self.labels.get(name, name)) for name in error.args[1]]
            shown = found[:SHOWN] + ["…"] * (len(found) > SHOWN)
            raise InputError(
                f"{place}: the classes form a cycle: {' > '.join(shown)}", code="not-a-tree"
            ) from None


def climb(names: Iterable[Name], parents_of: Callable[[Name], Iterable[Name]]) -> set[Name]:
    """Return the classes and all their ancestors."""
    found = set(names)
    waiting = list(found)
    while waiting:
        more = set(parents_of(waiting.pop())) - found
        found |= more
        waiting += more
    return found


def _up(name: str, kept: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a class, its first parent, the first parent of that class, and so on."""
    yield name
    while above := kept.get(name):
        name = above[0]
        yield name


def _closing(parents: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """Return the (class, parent) links that close a cycle.

    They are found by depth-first search from each class upwards.
    """
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


def make_thesaurus(taxonomy: Taxonomy, place: Path, kind: str) -> Thesaurus:
    """Convert a taxonomy to a thesaurus. See `roget.learn.taxonomy.read`."""
    if not taxonomy.words:
        raise InputError(f"{place}: none of the classes contains a word", code="empty-input")
    # 1. Make the tree, and the memberships of words in its leaves.
    kept, dropped = taxonomy.tree(place)
    nodes = _reorder(taxonomy.unfold(kept), taxonomy.order)
    tree = nodes.tree
    rows, at, shares = taxonomy.share_out(nodes)
    shape = len(taxonomy.words), tree.n_clusters
    memberships = sparse.csr_array((shares, (rows, tree.cluster[at])), shape=shape)
    labels = {ROOT: taxonomy.title, **taxonomy.labels}
    names = [labels[name] for name in nodes.classes]
    # 2. Use the classes above a word as its contexts, with equal weights.
    above = _above(nodes, tree)
    chosen = _largest(memberships @ above, above.shape[0])
    centroids = above[:, chosen].toarray()
    centroids /= centroids.sum(axis=1, keepdims=True)
    totals = np.array([taxonomy.counts.get(word, 1.0) for word in taxonomy.words])
    counts = Counts(
        sparse.csr_array(memberships.multiply(totals[:, None])) @ sparse.csr_array(centroids),
        taxonomy.words,
        _distinct([names[node] for node in chosen], [nodes.classes[node] for node in chosen]),
        provenance={"counted": f"nothing: contexts are the classes of {place.name}"},
    )
    provenance: dict[str, Any] = {
        "roget": __version__,
        "imported": kind,
        "source": place.name,
        "dropped": len(dropped),
        "dropped_examples": [
            f"{taxonomy.labels[name]} < {taxonomy.labels[parent]}" for name, parent in dropped[:20]
        ],
    }
    if taxonomy.language:
        provenance["language"] = taxonomy.language
    weights = totals if totals.any() else np.ones(totals.size)
    mass = np.asarray(weights @ memberships).ravel() / weights.sum()
    first = {name: node for node, name in reversed(list(enumerate(nodes.classes)))}
    return Thesaurus.from_parts(
        counts,
        tree,
        memberships,
        centroids,
        mass,
        provenance=provenance,
        # The root of an exported thesaurus is not a class in the file, and has no name.
        labels={
            node: name
            for node, name in enumerate(names)
            if node or nodes.classes[0] != ROOT or ROOT not in taxonomy.ids
        },
        ids=_ids(nodes.classes, first, taxonomy.ids),
        notes={
            **{first[name]: note for name, note in taxonomy.notes.items() if name in first},
            **{word: note for word, note in taxonomy.word_notes.items() if word in taxonomy.words},
        },
    )


def _reorder(nodes: Nodes, order: Mapping[str, float]) -> Nodes:
    """Sort the nodes by the order in which classes were split, if it is known."""
    if not order:
        return nodes
    waiting, found = [(0.0, 0)], [0]
    while waiting:
        _, node = heapq.heappop(waiting)
        for child in nodes.tree.children(node):
            found.append(child)
            heapq.heappush(waiting, (order.get(nodes.classes[child], math.inf), child))
    number = np.argsort(found)
    return Nodes(
        [nodes.classes[node] for node in found],
        Tree(np.append(-1, number[nodes.tree.parent[found[1:]]])),
        [nodes.shares[node] for node in found],
        {name: number[held].tolist() for name, held in nodes.holders.items()},
    )


def _ids(classes: Sequence[str], first: Mapping[str, int], known: Mapping[str, int]) -> list[int]:
    """Return the known id for the first node of each class, and new ids for all other nodes."""
    if not known:
        return list(range(len(classes)))
    new = itertools.count(max(known.values()) + 1)
    return [
        known[name] if name in known and first[name] == node else next(new)
        for node, name in enumerate(classes)
    ]


def _above(nodes: Nodes, tree: Tree) -> Any:
    """Return a (clusters × nodes) matrix with 1 where the node is on the path to the cluster."""
    leaves, clusters = tree.cluster_nodes, np.arange(tree.n_clusters)
    own = [nodes.classes[leaf] == nodes.classes[tree.parent[leaf]] for leaf in leaves]
    at = np.where(np.array(own) & (leaves > 0), tree.parent[leaves], leaves)
    return tree.share_up(clusters, at, np.ones(clusters.size), clusters.size)


def _largest(held: Any, clusters: int) -> Ints:
    """Return the largest nodes, up to the maximum number of columns of the context matrix.

    A node is never larger than its parent and comes after it, so the root is included.
    """
    sizes = np.asarray(held.sum(axis=0)).ravel().round(9)
    order = np.argsort(-sizes, kind="stable")[: max(1, CELLS // clusters)]
    return np.sort(order[sizes[order] > 0])


def _distinct(names: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Make names unique by adding the id in brackets to duplicates."""
    seen, taken = Counter(names), set(names)
    found = []
    for name, id in zip(names, ids, strict=True):
        text = name if seen[name] == 1 else f"{name} ({id})"
        while seen[name] > 1 and text in taken:
            text += "'"
        taken.add(text)
        found.append(text)
    return found
