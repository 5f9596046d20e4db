"""Classes named after the taxonomy classes that cover them best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roget import Counts, Thesaurus, build
from roget.core.tree import Tree
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import Clustering
from roget.learn.load import open_classes
from roget.learn.treecut.hierarchy import name_classes

KINDS = {"drink": ["tea", "ale", "milk", "wine"], "tool": ["saw", "axe", "file", "drill"]}
WORDS = [word for words in KINDS.values() for word in words]


@pytest.fixture
def taxonomy(tmp_path: Path) -> Path:
    lines = ["child\tparent", "drink\tthing", "tool\tthing", "file\tdocument", "document\tthing"]
    lines += [f"{word}\t{kind}" for kind, words in KINDS.items() for word in words]
    place = tmp_path / "kinds.tsv"
    place.write_text("\n".join(lines) + "\n")
    return place


def make(labels: list[int]) -> Thesaurus:
    table = np.array([[9, 1, 2] if label else [1, 9, 2] for label in labels])
    counts = Counts(table, WORDS, ["a", "b", "c"])
    found = Clustering(
        Tree().split(0, 1.0), one_hot(np.array(labels), 2), [[0.1, 0.7, 0.2], [0.7, 0.1, 0.2]],
        [0.5, 0.5],
    )  # fmt: skip
    return Thesaurus.from_clustering(counts, found)


def test_classes_are_named_after_the_best_covering_class(taxonomy: Path) -> None:
    names = name_classes(make([0] * 4 + [1] * 4), open_classes(taxonomy))
    assert {node: name.partition(":")[0] for node, name in names.items()} == {1: "drink", 2: "tool"}
    mixed = name_classes(make([0, 0, 0, 1, 0, 1, 1, 1]), open_classes(taxonomy))
    assert {node: name.partition(":")[0] for node, name in mixed.items()} == {1: "drink", 2: "tool"}


def test_unknown_words_give_no_names(tmp_path: Path) -> None:
    other = tmp_path / "other.tsv"
    other.write_text("child\tparent\noak\ttree\nelm\ttree\ntree\tthing\nmoss\tthing\n")
    assert name_classes(make([0] * 4 + [1] * 4), open_classes(other)) == {}


def test_build_names_its_classes(taxonomy: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rates = np.kron(np.eye(2), np.full((4, 6), 8.0)) + 0.3
    Counts(rng.poisson(rates), WORDS, [f"c{n}" for n in range(12)]).write(tmp_path / "counts")
    made = build(tmp_path / "counts", clusters=2, names=taxonomy, heldout=False)
    assert sorted(name.partition(":")[0] for name in made.labels.values()) == ["drink", "tool"]
