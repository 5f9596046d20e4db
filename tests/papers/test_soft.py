"""Reproductions of Pereira, Tishby & Lee (1993)."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from roget import Counts, catalogue, data
from roget.learn.evaluation.decision import Decided
from roget.papers.options import ReproduceOptions
from roget.papers.reproduce import load, report_names, reproduce
from roget.papers.soft import figure_1, figure_2, figure_3, figure_4
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


def test_objects_of_fire_in_the_sample_are_reproduced(without_data):
    text = str(reproduce("soft/figure-1"))
    assert "bundled sample" in text
    check(text)


def test_objects_of_fire_in_the_bnc_are_reproduced(shared_data, tmp_path, monkeypatch):
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


def test_distances_equal_their_definition(without_data):
    """Recompute every printed distance from the memberships of the clustering alone."""
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
        assert [float(distance) for _, distance in shown] == pytest.approx(
            sorted(distances.values())[:4], abs=6e-4
        )
        for noun, distance in shown:
            assert float(distance) == pytest.approx(distances[noun], abs=6e-4)


def test_objects_selects_frequent_nouns():
    counts = Counts([[3, 9], [3, 0], [1, 50], [0, 7], [2, 1]], list("abcde"), ["fire", "see"])
    assert figure_1.objects(counts, "fire", 3, 1, 1).words.tolist() == ["a", "b", "e"]
    assert figure_1.objects(counts, "fire", 3, 1, 2).words.tolist() == ["a", "e"]
    assert figure_1.objects(counts, "fire", 64, 4, 1).words.tolist() == ["a", "c"]
    assert figure_1.objects(data.sample("verb_object"), "fire", 64, 1).count("rocket", "fire") == 9


def test_report_names_lists_every_reproduction():
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
def test_figures_of_the_sample_have_verdicts(found, name, tmp_path, monkeypatch):
    monkeypatch.delenv("ROGET_TEST_DATA", raising=False)
    claims = found[name].claims
    assert claims
    assert all(claim.remark for claim in claims if claim.verdict == "differs")
    text = str(found[name].as_report())
    assert all(len(line) <= 100 for line in text.splitlines())
    assert not re.search(r"\binf\b", text)
    save_picture(found[name].picture(), tmp_path / "figure.svg")
    assert "<svg" in (tmp_path / "figure.svg").read_text()
    if name == "3":
        verdicts = {claim.what: claim.verdict for claim in claims}
        assert verdicts["overtraining, new nouns and test"] == verdicts["train"] == "yes"


@pytest.mark.slow
def test_decisions_in_the_bnc_match_the_figure(shared_data):
    made = load("soft/figure-4")(ReproduceOptions(data=str(shared_data)))
    assert "British National Corpus" in made.about
    verdicts = {claim.what: claim.verdict for claim in made.claims}
    assert verdicts["exceptional, large models"] == verdicts["exceptional, one cluster"] == "yes"


@pytest.mark.slow
def test_tree_of_nouns_in_the_bnc_is_reproduced(shared_data):
    made = load("soft/figure-2")(ReproduceOptions(data=str(shared_data)))
    assert "British National Corpus" in made.about
    lines = str(made.as_report()).splitlines()
    assert sum(line.endswith(")") and "─ " in line for line in lines) == figure_2.CLUSTERS


@pytest.mark.slow
def test_tree_of_nouns_is_complete(found):
    nodes = found["2"].data
    leaves = {node["node"] for node in nodes} - {node["parent"] for node in nodes}
    assert len(leaves) == figure_2.CLUSTERS
    nouns = figure_2.choose_nouns(data.sample("verb_object"))
    assert np.diff(nouns.matrix.indptr).min() >= figure_2.VERBS
    assert sum(nodes[leaf]["size"] for leaf in leaves) == nodes[0]["size"] == len(nouns)
    for node in nodes[1:]:
        distances = [near["distance_bits"] for near in node["nearest"]]
        assert 1 <= len(distances) <= 4
        assert distances == sorted(distances)


def test_relative_entropies_use_the_next_frequent_nouns():
    table = data.sample("verb_object")
    nouns, further = figure_3.take_nouns(table)
    assert len(nouns) == len(further) == 1000
    assert not set(nouns.words.tolist()) & set(further.words.tolist())
    assert nouns.word_totals.min() >= further.word_totals.max()
    assert np.array_equal(nouns.contexts, further.contexts)
    with refused("too-little-text", 1001):
        figure_3.take_nouns(table.top(50))


def curves(train, test, new, wobble=0.01):
    """Rows of three splits around the given values."""
    return [
        {
            name: [value - wobble, value, value + wobble]
            for name, value in zip(figure_3.SETS, row, strict=True)
        }
        for row in zip(train, test, new, strict=True)
    ]


def test_relative_entropies_are_judged():
    sizes = (1, 128, 256)
    rows = curves((4, 3, 2), (6, 5, 5.5), (6, 4.5, 5.5))
    verdicts = {claim.what: str(claim.verdict) for claim in figure_3.judge(sizes, rows, 9)}
    assert set(verdicts.values()) == {"yes"}
    worse = curves((4, 3, 3.5), (6, 5, 4), (6, 5.5, 5.2))
    verdicts = [str(claim.verdict) for claim in figure_3.judge(sizes, worse, 9)]
    assert verdicts[0] == verdicts[3] == "differs"
    assert verdicts[1] != "yes"
    # The same increase for both: an interval around 0.
    same = curves((4, 3, 2), (6, 5, 5.5), (6, 4, 4.5))
    assert figure_3.judge(sizes, same, 9)[-1].verdict in ("cannot tell", "differs")


def test_decisions_are_judged():
    def row(every, odd):
        return Decided("soft", list(every), list(odd))

    good = [row([0.4, 0.41, 0.39], [1, 1, 1]), row([0.2, 0.21, 0.2], [0.5, 0.5, 0.6]),
            row([0.3, 0.3, 0.31], [0.3, 0.31, 0.3])]  # fmt: skip
    assert [str(claim.verdict) for claim in figure_4.judge(good)] == ["yes"] * 4
    bad = [good[0], row([0.3, 0.3, 0.31], [0.3, 0.31, 0.3]), row([0.2, 0.21, 0.2], [0.5, 0.5, 0.6])]
    verdicts = [str(claim.verdict) for claim in figure_4.judge(bad)]
    assert verdicts[1] in ("differs", "cannot tell")
    assert verdicts[3] == "differs"


def test_another_verb_has_no_claims(tmp_path):
    data.sample("verb_object").top(300).write(tmp_path / "counts")
    own = ReproduceOptions(counts=str(tmp_path / "counts"), verb="eat")
    made = load("soft/figure-1")(own)
    assert '"eat"' in made.title
    assert made.claims == []
    with refused("conflicting-options", "soft/figure-2", "--verb", "soft/figure-1"):
        reproduce("soft/figure-2", own)
