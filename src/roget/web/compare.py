"""A thesaurus beside another one, or beside a gold standard, with scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from roget.errors import InputError
from roget.learn.opening import is_taxonomy, open_thesaurus
from roget.learn.thesaurus import Thesaurus
from roget.scoring.labels import Labels, as_labels
from roget.scoring.score import score
from roget.web.views import View, Views, brief

Ints = npt.NDArray[np.int64]

CUTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Numbers of classes that are offered."""

MEASURES = ("homogeneity", "completeness", "v", "nvi", "ari", "ami", "b3-f", "one-to-one")


class Side(Protocol):
    """What a thesaurus can be compared with."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def kind(self) -> str:
        """ "gold" or "thesaurus"."""

    @property
    def size(self) -> int:
        """How many words it has."""

    def classes(self, words: Mapping[str, int], k: int) -> tuple[Ints, list[str]]:
        """The class of each row (−1: none), and the names of the classes."""

    def usual(self) -> int | None:
        """The number of classes to compare with at first."""


@dataclass(frozen=True, eq=False)
class Gold:
    """Classes that people made: a label for each word."""

    name: str
    answers: Mapping[str, str]
    kind: str = "gold"

    @property
    def size(self) -> int:
        """How many words have a label."""
        return len(self.answers)

    def classes(self, words: Mapping[str, int], k: int) -> tuple[Ints, list[str]]:
        """The gold class of each row."""
        names = sorted(set(self.answers.values()))
        codes = {name: code for code, name in enumerate(names)}
        found = np.full(len(words), -1, dtype=np.int64)
        for word, label in self.answers.items():
            if word in words:
                found[words[word]] = codes[label]
        return found, names

    def usual(self) -> int | None:
        """As many as the gold standard has."""
        return len(set(self.answers.values()))


@dataclass(frozen=True, eq=False)
class Other:
    """Another thesaurus, cut into as many classes."""

    name: str
    thesaurus: Thesaurus
    kind: str = "thesaurus"

    @property
    def size(self) -> int:
        """How many words the other thesaurus has."""
        return len(self.thesaurus)

    def classes(self, words: Mapping[str, int], k: int) -> tuple[Ints, list[str]]:
        """The other thesaurus's class of each row."""
        theirs = self.thesaurus
        k = min(k, theirs.tree.n_clusters)
        found = np.full(len(words), -1, dtype=np.int64)
        for word, label in zip(theirs.words, theirs.cut(k).tolist(), strict=True):
            if (row := words.get(str(word))) is not None:
                found[row] = label
        return found, [theirs.label(node) for node in theirs.nodes(k)]

    def usual(self) -> int | None:
        """A dozen is what a person can look at."""
        return 12


def opened(path: str | os.PathLike[str], columns: Mapping[str, str] | None = None) -> Side:
    """What is at a path: a thesaurus if its name tells that, else a file of gold labels."""
    place = Path(path)
    if is_taxonomy(path):
        return Other(place.name, open_thesaurus(path))
    labels = as_labels(os.fspath(path), columns=columns, gold=True)
    if labels.items is None:
        raise InputError(f"{place}: the labels have no items; expected a word and its class")
    return Gold(place.name, answers(labels))


def answers(labels: Labels) -> dict[str, str]:
    """One label for each item: the first of its heaviest ones."""
    found: dict[str, str] = {}
    for at, item in enumerate(labels.items or ()):
        if labels.indptr is None or labels.weights is None:
            code = int(labels.codes[at])
        else:
            begin, end = int(labels.indptr[at]), int(labels.indptr[at + 1])
            code = int(labels.codes[begin + int(np.argmax(labels.weights[begin:end]))])
        found.setdefault(str(item), labels.label(code))
    return found


def offered(views: Views, side: Side) -> tuple[list[int], int]:
    """The numbers of classes to choose from, and the one to begin with."""
    most = views.thesaurus.tree.n_clusters
    usual = min(max(side.usual() or 1, 1), most)
    ks = sorted({k for k in CUTS if k <= most} | {usual})
    return ks, usual


def comparison(views: Views, side: Side, k: int) -> View:
    """Two sets of classes over the words they share: sizes, overlaps and scores."""
    tops, ours = views.thesaurus.nodes(k), views.thesaurus.cut(k)
    theirs, names = side.classes(views.thesaurus.rows, k)
    shared = theirs >= 0
    if not shared.any():
        raise InputError(f"{side.name} has no word in common with {views.name}")
    classes = len(names)
    table = np.zeros((len(tops), classes), dtype=np.int64)
    np.add.at(table, (ours[shared], theirs[shared]), 1)
    filled = np.flatnonzero(table.sum(axis=1)), np.flatnonzero(table.sum(axis=0))
    table = table[np.ix_(*filled)]
    nodes, names = [tops[at] for at in filled[0]], [names[at] for at in filled[1]]
    scores = score(theirs[shared], ours[shared], list(MEASURES), ("jk",))
    rows = [_short(row.as_dict()) for row in scores.rows]
    cells = zip(*np.nonzero(table), strict=True)
    return {
        "k": len(tops),
        "name": side.name,
        "kind": side.kind,
        "shared": int(shared.sum()),
        "their_words": side.size,
        "their_classes": classes,
        "ours": [
            {"node": node, "label": views.labels[node], "words": int(size)}
            for node, size in zip(nodes, table.sum(axis=1), strict=True)
        ],
        "theirs": [
            {"label": name, "words": int(size)}
            for name, size in zip(names, table.sum(axis=0), strict=True)
        ],
        "cells": [[int(a), int(b), int(table[a, b])] for a, b in cells],
        "scores": {"signature": scores.signature, "rows": rows, "warnings": list(scores.warnings)},
    }


def _short(row: dict[str, Any]) -> dict[str, Any]:
    against = {name: brief(value) for name, value in row.get("baselines", {}).items()}
    return {**row, "value": brief(row["value"]), "baselines": against}
