"""The reproductions of Pereira, Tishby & Lee (1993)."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from roget import Counts, catalogue, data
from roget.errors import UnknownName
from roget.papers.options import Options
from roget.papers.reproduce import load, report_names, reproduce
from roget.papers.soft import figure_1, figure_3

PEOPLE = {"troop", "worker"}
WEAPONS = {"missile", "weapon"}


@pytest.fixture
def without_data(monkeypatch, tmp_path):
    monkeypatch.setenv("ROGET_TEST_DATA", str(tmp_path))


def nouns_of(text):
    """Node → the nouns printed below it."""
    flat = re.sub(r"\n[ │]+(?=[a-z])", " ", text)
    found = re.findall(r"─ (\d+)  [^\n]*\n[ │]*\d+ nouns: ([^\n]*)", flat)
    return {int(node): set(nouns.split(", ")) for node, nouns in found}


def check(text):
    assert all(len(line) <= 100 for line in text.splitlines() if "picture:" not in line)
    leaves = nouns_of(text)
    assert len(leaves) == 3
    of = {noun: node for node, nouns in leaves.items() for noun in nouns}
    (people,) = {of[noun] for noun in PEOPLE}
    assert people not in {of[noun] for noun in WEAPONS}
    first = re.search(r"root   splits at β = ([\d.]+)", text)
    second = re.findall(r"(?<!root)   splits at β = ([\d.]+)", text)
    assert 1 < float(first[1]) < float(second[0])
    return leaves


def test_objects_of_fire_in_the_sample(without_data):
    text = str(reproduce("soft/figure-1"))
    assert "bundled sample" in text
    check(text)


def test_objects_of_fire_in_the_national_corpus(shared_data, tmp_path, monkeypatch):
    monkeypatch.setenv("ROGET_TEST_DATA", str(shared_data))
    if not (shared_data / "bnc-verb-noun" / "verb_object.tsv").is_file():
        pytest.skip("no counts of the British National Corpus")
    text = str(reproduce("soft/figure-1", figures=tmp_path / "figures"))
    assert "British National Corpus" in " ".join(text.split())
    leaves = check(text)
    guns = {"gun", "pistol", "rifle", "missile", "weapon", "bullet"}
    assert sum(guns <= nouns for nouns in leaves.values()) == 1
    picture = (tmp_path / "figures" / "soft-figure-1.svg").read_text()
    assert "<svg" in picture


def test_distances_are_those_of_the_definition(without_data):
    """Every distance printed, from the memberships of the clustering alone."""
    counts, _, least = figure_1.verb_object(Options())
    nouns = figure_1.objects(counts, "fire", 64, least)
    model = figure_1.SoftAnnealing(3, prior="uniform", random_state=0).fit(nouns)
    rows = nouns.matrix.toarray() / nouns.word_totals[:, None]
    lines = str(reproduce("soft/figure-1")).splitlines()
    for node in range(1, 5):
        clusters = model.tree_.cluster[model.tree_.leaves(node)]
        centroid = sum(model.mass_[c] * model.centroids_[c] for c in clusters)
        centroid /= centroid.sum()
        distances = {
            noun: sum(p * math.log2(p / q) for p, q in zip(row, centroid, strict=True) if p and q)
            if np.all(centroid[row > 0] > 0)
            else math.inf
            for noun, row in zip(nouns.words, rows, strict=True)
        }
        line = next(line for line in lines if f"─ {node}  " in line)
        shown = re.findall(r"(\w+) (\d+\.\d{3})", line.partition(f"─ {node}  ")[2])[:4]
        assert [float(said) for _, said in shown] == pytest.approx(
            sorted(distances.values())[:4], abs=6e-4
        )
        for noun, said in shown:
            assert float(said) == pytest.approx(distances[noun], abs=6e-4)


def test_which_nouns_are_objects():
    counts = Counts([[3, 9], [3, 0], [1, 50], [0, 7], [2, 1]], list("abcde"), ["fire", "see"])
    assert figure_1.objects(counts, "fire", 3, 1, 1).words.tolist() == ["a", "b", "e"]
    assert figure_1.objects(counts, "fire", 3, 1, 2).words.tolist() == ["a", "e"]
    assert figure_1.objects(counts, "fire", 64, 4, 1).words.tolist() == ["a", "c"]
    assert figure_1.objects(data.sample("verb_object"), "fire", 64, 1).count("rocket", "fire") == 9


def test_names():
    listed = report_names().data
    assert [one["name"] for one in listed if one["about"]] == catalogue.names("reproductions")
    with pytest.raises(UnknownName, match=r"did you mean .*soft/figure-1"):
        load("soft/figure1")


def test_relative_entropies(tmp_path, monkeypatch):
    monkeypatch.setattr(figure_3, "SIZES", (1, 4, 16))
    monkeypatch.setattr(figure_3, "FREQUENT", 200)
    text = str(reproduce("soft/figure-3", figures=tmp_path))
    table = [line.split()[:6] for line in text.splitlines() if re.match(r" +\d+ +\d+\.\d\d ", line)]
    rows = [tuple(map(float, row)) for row in table]
    assert [row[0] for row in rows] == [1, 4, 16]
    train = [row[2] for row in rows]
    assert train == sorted(train, reverse=True), "train falls throughout"
    assert text.count("least for test") == 1
    assert re.search(r"Chosen .*: \d+ clusters", text)
    assert "<svg" in (tmp_path / "soft-figure-3.svg").read_text()
