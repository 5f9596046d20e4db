"""From a taxonomy whose classes have several parents to a tree, by copies that share words."""

from __future__ import annotations

import math

import numpy as np

from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.treecut.hierarchy import Hierarchy, planted

MOST = 5_000_000
"""Copies of classes a tree may have: many parents at many levels multiply."""

ROOT = ""


def unfolded(taxonomy: Taxonomy, words: bool, weighted: bool) -> Hierarchy:
    """The tree of all ways down a taxonomy: a class has a copy below each copy of a parent.

    A copy has the share of its parent's copy divided by the number of parents, and so has each
    word in it. A class with words and parts has a copy of its own for its words.
    """
    parents = taxonomy.acyclic()
    if not parents:
        raise InputError(f"{taxonomy.title}: there is no word in any class")
    holding = {name for classes in taxonomy.words.values() for name in classes}
    names, parent, share, holders = _copies(parents, holding, taxonomy.title)
    rows: list[int] = []
    nodes: list[int] = []
    shares: list[float] = []
    for row, (word, classes) in enumerate(taxonomy.words.items()):
        total = sum(classes.values())
        low = min(classes.values(), default=0.0)
        if low < 0 or not math.isfinite(total) or (weighted and not total > 0):
            raise InputError(
                f"{taxonomy.title}: {word!r} weighs {list(classes.values())} in its classes: "
                "expected numbers, none negative and not all 0"
            )
        for name, weight in classes.items():
            part = weight / total if weighted else 1 / len(classes)
            for node in holders[name]:
                rows.append(row)
                nodes.append(node)
                shares.append(part * share[node])
    labels = {ROOT: taxonomy.title, **taxonomy.labels}
    return planted(
        list(taxonomy.words),
        np.array(parent, dtype=np.int64),
        (np.array(rows), np.array(nodes), np.array(shares)),
        words,
        lambda at: labels[names[at]],
        lambda at: names[at],
    )


def _copies(
    parents: dict[str, list[str]], holding: set[str], title: str
) -> tuple[list[str], list[int], list[float], dict[str, list[int]]]:
    """Of each copy its class, parent and share; and the copies that hold the words of a class."""
    below: dict[str, list[str]] = {}
    for name, above in parents.items():
        for one in above or [ROOT]:
            below.setdefault(one, []).append(name)
    tops = below[ROOT]
    names, parent, share = [tops[0] if len(tops) == 1 else ROOT], [-1], [1.0]
    holders: dict[str, list[int]] = {}
    for node, name in enumerate(names):  # which grow meanwhile
        if node and names[parent[node]] == name:
            continue
        parts = below.get(name, [])
        if name in holding:
            holders.setdefault(name, []).append(len(names) if parts else node)
            parts = [name, *parts] if parts else parts
        names += parts
        parent += [node] * len(parts)
        share += [share[node] / (1 if part == name else len(parents[part]) or 1) for part in parts]
        if len(names) > MOST:
            raise InputError(
                f"{title}: with a copy of each class below each of its parents there are more than "
                f"{MOST:,} classes; import it as a thesaurus, where the first parent is kept"
            )
    return names, parent, share, holders
