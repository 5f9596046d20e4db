"""View: a comparison with another thesaurus or a gold standard, with overlaps and scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NotRequired, TypeAlias, TypedDict

import numpy as np

from roget.core.types import PathLike
from roget.errors import InputError, code_of
from roget.learn.load import is_taxonomy, open_thesaurus
from roget.learn.thesaurus import Thesaurus
from roget.report.format import brief
from roget.scoring.labels import as_labels
from roget.scoring.labels.labels import heaviest
from roget.scoring.score import score
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views.base import Number, Sheet, StaticPage, View

CUTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Numbers of classes that the user can choose from."""

MEASURES = ("homogeneity", "completeness", "v", "nvi", "ari", "ami", "b3-f", "one-to-one")

MAX_KEPT = 32
"""Maximum number of comparisons cached per snapshot."""


@dataclass(frozen=True, eq=False)
class Gold:
    """A gold standard, with one label for each word."""

    name: str
    labels: Mapping[str, str]
    kind: ClassVar = "gold"

    @property
    def usual(self) -> int:
        """The default number of classes, which is the number of classes in the gold standard."""
        return len(set(self.labels.values()))

    def classes(self, k: int) -> tuple[dict[str, int], list[str]]:
        """Return the class number of each word, and the names of the classes."""
        names = sorted(set(self.labels.values()))
        codes = {name: code for code, name in enumerate(names)}
        return {word: codes[label] for word, label in self.labels.items()}, names


@dataclass(frozen=True, eq=False)
class Other:
    """Another thesaurus, cut into the same number of classes as the open thesaurus."""

    name: str
    thesaurus: Thesaurus
    kind: ClassVar = "thesaurus"
    usual: ClassVar = 12
    """The default number of classes, small enough for an overview."""

    def classes(self, k: int) -> tuple[dict[str, int], list[str]]:
        """Return the class number of each word, and the names of the classes."""
        k = min(k, self.thesaurus.tree.n_clusters)
        words = map(str, self.thesaurus.words)
        codes = dict(zip(words, self.thesaurus.cut(k).tolist(), strict=True))
        return codes, [self.thesaurus.label(node) for node in self.thesaurus.nodes(k)]


Side: TypeAlias = Gold | Other
"""The gold standard or thesaurus with which the open thesaurus is compared."""


def open_side(path: PathLike, columns: Mapping[str, str] | None = None) -> Side:
    """Open a thesaurus or taxonomy, or else read the path as a file of gold labels."""
    place = Path(path)
    if is_taxonomy(path):
        return Other(place.name, open_thesaurus(path))
    labels = as_labels(os.fspath(path), columns=columns, gold=True)
    if labels.items is None:
        raise InputError(
            f"{place}: no items found; expected a file of words and their classes",
            code="missing-column",
        )
    gold: dict[str, str] = {}
    for item, code in zip(labels.items, heaviest(labels).tolist(), strict=True):
        if code >= 0:
            gold.setdefault(str(item), labels.label(code))
    return Gold(place.name, gold)


def class_numbers(snapshot: ThesaurusSnapshot) -> tuple[list[int], int]:
    """Return the numbers of classes to choose from, and the default."""
    assert snapshot.side is not None
    most = snapshot.thesaurus.tree.n_clusters
    usual = min(max(snapshot.side.usual, 1), most)
    return sorted({k for k in CUTS if k <= most} | {usual}), usual


class SideClass(TypedDict):
    """A class of the other thesaurus or gold standard, with its number of common words."""

    label: str
    words: int


class OwnClass(SideClass):
    """A class of the open thesaurus."""

    node: int


class Score(TypedDict):
    """The value of a measure, with the values of the baselines."""

    measure: str
    entropy: str | None
    value: float | None
    better: str
    reason: NotRequired[str]
    baselines: dict[str, float | None]


class Scores(TypedDict):
    """The scores with their signature and warnings."""

    signature: str
    rows: list[Score]
    warnings: list[str]
    warning_codes: list[str | None]


class CompareView(TypedDict):
    """Data of the comparison view. `cells` are (own class, other class, number of words)."""

    k: int
    name: str
    kind: str
    shared: int
    their_words: int
    their_classes: int
    ours: list[OwnClass]
    theirs: list[SideClass]
    cells: list[tuple[int, int, int]]
    scores: Scores


def make(snapshot: ThesaurusSnapshot, k: int) -> CompareView:
    """Return the comparison for k classes."""
    if snapshot.side is None:
        raise InputError(
            "no comparison available; start roget explore with --compare THESAURUS|GOLD",
            code="missing-option",
        )
    kept = snapshot.comparisons
    if (made := kept.get(k)) is None:
        made = compare(snapshot, snapshot.side, k)
        while len(kept) >= MAX_KEPT:
            kept.pop(next(iter(kept)), None)
        kept[k] = made
    return made


def compare(snapshot: ThesaurusSnapshot, side: Side, k: int) -> CompareView:
    """Compare two classifications on their common words."""
    thesaurus = snapshot.thesaurus
    own_nodes, own = thesaurus.nodes(k), thesaurus.cut(k)
    codes, names = side.classes(k)
    other = np.array([codes.get(str(word), -1) for word in thesaurus.words])
    shared = other >= 0
    if not shared.any():
        raise InputError(
            f"{side.name} has no word in common with {snapshot.name}", code="no-common-items"
        )
    table = np.zeros((len(own_nodes), len(names)), dtype=np.int64)
    np.add.at(table, (own[shared], other[shared]), 1)
    # Only classes with common words are drawn.
    rows, columns = np.flatnonzero(table.sum(axis=1)), np.flatnonzero(table.sum(axis=0))
    table = table[np.ix_(rows, columns)]
    return {
        "k": len(own_nodes),
        "name": side.name,
        "kind": side.kind,
        "shared": int(shared.sum()),
        "their_words": len(codes),
        "their_classes": len(names),
        "ours": [
            {
                "node": own_nodes[row],
                "label": snapshot.labels[own_nodes[row]],
                "words": int(size),
            }
            for row, size in zip(rows, table.sum(axis=1), strict=True)
        ],
        "theirs": [
            {"label": names[column], "words": int(size)}
            for column, size in zip(columns, table.sum(axis=0), strict=True)
        ],
        "cells": [(int(a), int(b), int(table[a, b])) for a, b in np.argwhere(table)],
        "scores": _score(other[shared], own[shared]),
    }


def _score(gold: Any, system: Any) -> Scores:
    scores = score(gold, system, list(MEASURES), ("jk",))
    rows = []
    for row in (one.as_dict() for one in scores.rows):
        baselines = {name: brief(value) for name, value in row.get("baselines", {}).items()}
        rows.append({**row, "value": brief(row["value"]), "baselines": baselines})
    return {
        "signature": scores.signature,
        "rows": rows,  # type: ignore[typeddict-item]
        "warnings": [str(one) for one in scores.warnings],
        "warning_codes": [code_of(one) for one in scores.warnings],
    }


def sheet(data: CompareView, _: ThesaurusSnapshot) -> Sheet:
    """Return the CSV table of this view, with one row per score."""
    rows, signature = data["scores"]["rows"], data["scores"]["signature"]
    baselines = list(dict.fromkeys(name for row in rows for name in row["baselines"]))
    head = ["measure", "entropy", "value", "better"]
    values = [
        [*map(dict(row).get, head), *map(row["baselines"].get, baselines), signature]
        for row in rows
    ]
    return [*head, *baselines, "signature"], values


def embed(page: StaticPage) -> dict[str, Any]:
    """Return this view's data for the static page: one comparison per number of classes."""
    if page.snapshot.side is None:
        return {}
    ks = [k for k in class_numbers(page.snapshot)[0] if k <= max(CUTS)]
    return {"compare": {str(k): make(page.snapshot, k) for k in ks}}


VIEW = View(
    "compare",
    make,
    CompareView,
    route="/api/compare/{k}",
    parameters=(Number("k"),),
    sheet=sheet,
    static=embed,
)
