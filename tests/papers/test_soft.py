"""The reproductions of Pereira, Tishby & Lee (1993)."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from roget import Counts, catalogue, data
from roget.learn.evaluation.decision import decide
from roget.papers.options import ReproduceOptions
from roget.papers.reproduce import load, report_names, reproduce
from roget.papers.soft import figure_1, figure_2, figure_3
from roget.report.figures import save_picture
from support.errors import refused

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
    counts, _, least = figure_1.verb_object(ReproduceOptions())
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
    with refused("unknown-name", "soft/figure-1"):
        load("soft/figure1")


@pytest.fixture(scope="module")
def found():
    """The figures from the bundled sample, each made once."""
    return {name: load(f"soft/figure-{name}")(ReproduceOptions(data="nowhere")) for name in "1234"}


@pytest.mark.slow
@pytest.mark.parametrize("name", "1234")
def test_what_the_paper_says_holds_in_the_sample(found, name, tmp_path, monkeypatch):
    monkeypatch.delenv("ROGET_TEST_DATA", raising=False)
    claims = found[name].claims
    assert claims
    assert all(claim.held or claim.excused for claim in claims), [
        claim.cells() for claim in claims if not claim.held
    ]
    assert all(claim.remark for claim in claims if not claim.held)
    text = str(found[name].as_report())
    assert all(len(line) <= 100 for line in text.splitlines())
    save_picture(found[name].picture(), tmp_path / "figure.svg")
    assert "<svg" in (tmp_path / "figure.svg").read_text()


@pytest.mark.slow
def test_the_tree_of_nouns_holds_in_the_national_corpus(shared_data):
    made = load("soft/figure-2")(ReproduceOptions(data=str(shared_data)))
    assert "British National Corpus" in made.about
    assert all(claim.held or claim.excused for claim in made.claims)
    lines = str(made.as_report()).splitlines()
    assert all(len(line) <= 100 for line in lines)
    assert sum(line.endswith(")") and "─ " in line for line in lines) == figure_2.CLUSTERS


@pytest.mark.slow
def test_the_tree_of_nouns_is_whole(found):
    nodes = found["2"].data
    leaves = {node["node"] for node in nodes} - {node["parent"] for node in nodes}
    assert len(leaves) == figure_2.CLUSTERS
    assert sum(nodes[leaf]["size"] for leaf in leaves) == nodes[0]["size"] == 1000
    for node in nodes[1:]:
        distances = [near["distance_bits"] for near in node["nearest"]]
        assert len(distances) == 4
        assert distances == sorted(distances)


@pytest.mark.slow
def test_relative_entropies_are_of_the_next_nouns(found):
    table = data.sample("verb_object")
    nouns, further = figure_3.take_nouns(table)
    assert len(nouns) == len(further) == 1000
    assert not set(nouns.words.tolist()) & set(further.words.tolist())
    assert nouns.word_totals.min() >= further.word_totals.max()
    assert np.array_equal(nouns.contexts, further.contexts)
    assert [row["n_clusters"] for row in found["3"].data] == list(figure_3.SIZES)
    assert all(len(row["new"]) == figure_3.DRAWS for row in found["3"].data)
    with refused("too-little-text", 1001):
        figure_3.take_nouns(table.top(50))


def test_decisions_are_those_of_the_command(found):
    counts = data.sample("verb_object")
    told = decide(counts, ["soft"], draws=1, clusters=(1, 2, 4))
    for row, expected in zip(told.rows, found["4"].data, strict=False):
        assert row.every[0] == pytest.approx(expected["all"][0], abs=0.02)
    assert told.rows[0].every[0] == found["4"].data[0]["all"][0]


def test_own_counts_excuse_what_the_paper_says_of_its_own(tmp_path):
    """Of another verb there is nothing printed, and other counts need not follow the paper."""
    data.sample("verb_object").top(300).write(tmp_path / "counts")
    own = ReproduceOptions(counts=str(tmp_path / "counts"), verb="eat")
    made = load("soft/figure-1")(own)
    assert '"eat"' in made.title
    assert made.claims == []
    fired = load("soft/figure-1")(ReproduceOptions(counts=str(tmp_path / "counts")))
    assert all(claim.excused for claim in fired.claims)
    with refused("conflicting-options", "soft/figure-2", "--verb", "soft/figure-1"):
        reproduce("soft/figure-2", own)
