"""From a taxonomy to a thesaurus: nodes, memberships, and classes in the place of contexts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import ROOT, Nodes, Taxonomy
from roget.learn.thesaurus import Thesaurus

CELLS = 1 << 23
"""Cells of the table of centroids: clusters times contexts."""


def grown(taxonomy: Taxonomy, place: Path, kind: str) -> Thesaurus:
    """The thesaurus of a taxonomy."""
    if not taxonomy.words:
        raise InputError(f"{place}: there is no word in any class")
    kept, dropped = taxonomy.tree(place)
    nodes = taxonomy.unfold(kept)
    inner = np.zeros(len(nodes.parents), dtype=bool)
    inner[nodes.parents[1:]] = True
    clusters = np.where(inner, -1, np.cumsum(~inner) - 1)
    tree = Tree(nodes.parents, [math.nan] * len(inner), clusters)
    rows, at, shares = taxonomy.share_out(nodes)
    shape = len(taxonomy.words), tree.n_clusters
    memberships = sparse.csr_array((shares, (rows, clusters[at])), shape=shape)
    labels = {ROOT: taxonomy.title, **taxonomy.labels}
    names = [labels[name] for name in nodes.classes]
    above = _above(nodes, tree)
    chosen = _largest(memberships @ above, above.shape[0])
    centroids = above[:, chosen].toarray()
    centroids /= centroids.sum(axis=1, keepdims=True)
    counts = Counts(
        memberships @ sparse.csr_array(centroids),
        taxonomy.words,
        _distinct([names[node] for node in chosen], [nodes.classes[node] for node in chosen]),
        provenance={"counted": f"nothing: contexts are classes of {place.name}"},
    )
    provenance = {
        "roget": __version__,
        "imported": kind,
        "source": place.name,
        "dropped": len(dropped),
        "dropped_examples": [
            f"{taxonomy.labels[name]} < {taxonomy.labels[parent]}" for name, parent in dropped[:20]
        ],
    }
    mass = np.asarray(memberships.mean(axis=0)).ravel()
    return Thesaurus(
        counts,
        tree,
        memberships,
        centroids,
        mass,
        provenance=provenance,
        labels=dict(enumerate(names)),
    )


def _above(nodes: Nodes, tree: Tree) -> Any:
    """1 where a class (a node that is no other's leaf) is on the way to a cluster (row)."""
    rows: list[int] = []
    columns: list[int] = []
    for leaf in np.flatnonzero(tree.cluster >= 0).tolist():
        way = tree.path(leaf)
        own = len(way) > 1 and nodes.classes[way[-1]] == nodes.classes[way[-2]]
        way = way[:-1] if own else way
        rows += [int(tree.cluster[leaf])] * len(way)
        columns += way
    shape = tree.n_clusters, tree.n_nodes
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def _largest(held: Any, clusters: int) -> npt.NDArray[np.intp]:
    """The classes that become contexts: those with most words, as many as there is room for.

    A class has no more words than the one above it, and comes after it: the root is always there.
    """
    sizes = np.asarray(held.sum(axis=0)).ravel().round(9)
    order = np.argsort(-sizes, kind="stable")[: max(1, CELLS // clusters)]
    return np.sort(order[sizes[order] > 0])


def _distinct(names: Sequence[str], ids: Sequence[str]) -> list[str]:
    """Names, with their ids where they are not alone."""
    seen, taken = Counter(names), set(names)
    found = []
    for name, id in zip(names, ids, strict=True):
        text = name if seen[name] == 1 else f"{name} ({id})"
        while seen[name] > 1 and text in taken:
            text += "'"
        taken.add(text)
        found.append(text)
    return found
