"""A thesaurus beside another one, or beside a gold standard, with scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np

from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.load import is_taxonomy, open_thesaurus
from roget.learn.thesaurus import Thesaurus
from roget.report.format import brief
from roget.scoring.labels import as_labels
from roget.scoring.labels.labels import heaviest
from roget.scoring.score import score
from roget.web.views import View, Views

CUTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Numbers of classes that are offered."""

MEASURES = ("homogeneity", "completeness", "v", "nvi", "ari", "ami", "b3-f", "one-to-one")


@dataclass(frozen=True, eq=False)
class Gold:
    """Classes that people made: a label for each word."""

    name: str
    answers: Mapping[str, str]
    kind: ClassVar = "gold"

    @property
    def usual(self) -> int:
        """The number of classes to compare with at first: as many as the gold standard has."""
        return len(set(self.answers.values()))

    def classes(self, k: int) -> tuple[dict[str, int], list[str]]:
        """The class of each word, by its number, and the names of the classes."""
        names = sorted(set(self.answers.values()))
        codes = {name: code for code, name in enumerate(names)}
        return {word: codes[label] for word, label in self.answers.items()}, names


@dataclass(frozen=True, eq=False)
class Other:
    """Another thesaurus, cut into as many classes."""

    name: str
    thesaurus: Thesaurus
    kind: ClassVar = "thesaurus"
    usual: ClassVar = 12
    """A dozen is what a person can look at."""

    def classes(self, k: int) -> tuple[dict[str, int], list[str]]:
        """The class of each word, by its number, and the names of the classes."""
        theirs = self.thesaurus
        k = min(k, theirs.tree.n_clusters)
        found = dict(zip(map(str, theirs.words), theirs.cut(k).tolist(), strict=True))
        return found, [theirs.label(node) for node in theirs.nodes(k)]


Side: TypeAlias = Gold | Other
"""What a thesaurus can be compared with."""


def opened(path: PathLike, columns: Mapping[str, str] | None = None) -> Side:
    """What is at a path: a thesaurus if its name tells that, else a file of gold labels."""
    place = Path(path)
    if is_taxonomy(path):
        return Other(place.name, open_thesaurus(path))
    labels = as_labels(os.fspath(path), columns=columns, gold=True)
    if labels.items is None:
        raise InputError(f"{place}: the labels have no items; expected a word and its class")
    answers: dict[str, str] = {}
    for item, code in zip(labels.items, heaviest(labels).tolist(), strict=True):
        if code >= 0:
            answers.setdefault(str(item), labels.label(code))
    return Gold(place.name, answers)


def offered(views: Views, side: Side) -> tuple[list[int], int]:
    """The numbers of classes to choose from, and the one to begin with."""
    most = views.thesaurus.tree.n_clusters
    usual = min(max(side.usual, 1), most)
    ks = sorted({k for k in CUTS if k <= most} | {usual})
    return ks, usual


def comparison(views: Views, side: Side, k: int) -> View:
    """Two sets of classes over the words they share: sizes, overlaps and scores."""
    tops, ours = views.thesaurus.nodes(k), views.thesaurus.cut(k)
    placed, names = side.classes(k)
    theirs = np.array([placed.get(str(word), -1) for word in views.thesaurus.words])
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
    rows = []
    for row in (one.as_dict() for one in scores.rows):
        against = {name: brief(value) for name, value in row.get("baselines", {}).items()}
        rows.append({**row, "value": brief(row["value"]), "baselines": against})
    cells = zip(*np.nonzero(table), strict=True)
    return {
        "k": len(tops),
        "name": side.name,
        "kind": side.kind,
        "shared": int(shared.sum()),
        "their_words": len(placed),
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
