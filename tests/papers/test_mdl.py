"""The reproductions of Li & Abe (1996)."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from roget import data
from roget.papers.mdl import figure_3 as mdl
from roget.papers.reproduce import reproduce


@pytest.fixture(scope="module")
def rows():
    return {(row.way, row.size): row for row in mdl.simulation((100, 3000), 4)}


def test_mdl_finds_the_true_number_and_is_nearer(rows):
    assert rows["MDL", 3000].leaves == 4.0
    assert rows["MDL", 100].leaves < 2.5
    assert rows["MLE", 3000].leaves >= 30
    assert rows["MLE", 3000].distance > 6 * rows["MDL", 3000].distance


def test_the_search_as_printed_does_not_stop(rows):
    assert rows["MDL, as printed", 3000].leaves > 5
    assert rows["MDL, as printed", 3000].distance > rows["MDL", 3000].distance


def test_the_true_model():
    true = mdl.truth(np.random.default_rng(0))
    assert true.joint.shape == (40, 30)
    assert true.joint.sum() == pytest.approx(1.0)
    assert np.bincount(true.labels).tolist() == [10] * 4
    for cluster in range(4):
        inside = true.joint[true.labels == cluster]
        assert np.allclose(inside, inside[0])


def test_estimates_and_distances_are_those_of_the_definition():
    counts, labels = np.array([[3, 0], [1, 2], [0, 4]]), np.array([0, 0, 1])
    guess = mdl.estimate_pairs(counts, labels)
    assert guess.tolist() == [[0.2, 0.1], [0.2, 0.1], [0.0, 0.4]]
    true = np.array([[0.1, 0.2], [0.2, 0.1], [0.2, 0.2]])
    wanted = 0.2 * math.log2(2) + 0.1 * math.log2(0.5) + 0.4 * math.log2(2)
    assert mdl.distance(guess, true) == pytest.approx(wanted)


def test_the_text_and_the_picture(monkeypatch, tmp_path):
    monkeypatch.setattr(mdl, "SIZES", (100, 300))
    monkeypatch.setattr(mdl.simulation, "__defaults__", ((100, 300), 1))
    text = str(reproduce("mdl/figure-3", figures=tmp_path))
    assert max(map(len, text.splitlines())) <= 100
    assert len(re.findall(r"^MDL, as printed +[\d.]+ +[\d.]+$", text, re.MULTILINE)) == 2
    assert "<svg" in (tmp_path / "mdl-figure-3.svg").read_text()


def test_frequent_nouns_make_a_tree():
    text = str(reproduce("mdl/experiment-2"))
    assert max(map(len, text.splitlines())) <= 100
    assert "the same nouns stay one class" in " ".join(text.split())
    nouns = data.sample("verb_object").top(20).words.tolist()
    tree = text.partition("all nouns")[2]
    leaves = re.findall(r"─ (\w+(?:, \w+)?)(?:   [\d,]+ bits)?$", tree, re.MULTILINE)
    assert sorted(", ".join(leaves).split(", ")) == sorted(nouns), "each noun ends in one place"
    assert any({"person", "man"} <= set(leaf.split(", ")) for leaf in leaves)
