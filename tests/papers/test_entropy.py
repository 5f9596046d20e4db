"""Reproductions of Li, Titov & Sporleder (2014)."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from roget import contingency
from roget.papers.entropy import (
    figures_1_2,
    figures_3_4,
    ranking,
    sample_size,
    section_5,
    table_1,
    weighted,
)
from roget.papers.entropy.semeval import ESTIMATORS, FILES, TABLE_1, read_key, score_task
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import MissingData
from roget.report.figures import save_picture
from roget.scoring.entropy import entropy_of, get
from support.errors import refused


@pytest.fixture(scope="module")
def options(shared_data):
    return ReproduceOptions(data=str(shared_data))


@pytest.fixture
def without_data(monkeypatch, tmp_path):
    monkeypatch.setenv("ROGET_TEST_DATA", str(tmp_path))


def check(found):
    assert json.loads(found.as_report().render("json"))["claims"]
    return {claim.what: claim for claim in found.claims}


@pytest.fixture(scope="module")
def simulated():
    return figures_1_2.figures_1_2(ReproduceOptions())


@pytest.mark.slow
def test_figures_1_and_2_are_reproduced(simulated, tmp_path):
    claims = check(simulated)
    bias = {(one["shape"], one["entropy"]): one["by_size"] for one in simulated.data["bias"]}
    assert bias["s = 4", "bub"][9] == pytest.approx(0.238, abs=0.001)
    assert bias["s = 4", "bub(small=2)"][9] == pytest.approx(0.002, abs=0.001)
    assert bias["s = 2", "jk"][9] == pytest.approx(-0.1139, abs=5e-5)
    flat = "uniform, s = 1, s = 2, N ≥ 4: jk is less biased than "
    assert claims[flat + "bub(small=2)"].ours == "at 274 of 291 points"
    assert [claims[flat + bub].verdict for bub in figures_1_2.VARIANTS] == ["differs", "yes"]
    save_picture(simulated.picture(), tmp_path / "bias.svg")
    assert "bub(small=2)" in (tmp_path / "bias.svg").read_text(encoding="utf-8")
    assert "expected entropy (nats)" in (tmp_path / "bias.svg").read_text()


def test_statements_on_curves_can_fail():
    """The curves are invented: JK far off, BUB exact."""
    curves = {
        (slope, name): np.full(100, value)
        for slope in figures_1_2.SHAPES
        for name, value in (("ml", -0.5), ("mm", -0.3), ("jk", -0.4), ("bub", 0.0),
                            (figures_1_2.BANDED, 0.0))
    }  # fmt: skip
    verdicts = {claim.what: str(claim.verdict) for claim in figures_1_2.judge(curves)}
    assert verdicts["all shapes, N ≥ 2: jk is less biased than ml"] == "yes"
    assert verdicts["all shapes, N ≥ 2: jk is less biased than mm"] == "differs"
    assert verdicts["s = 4, N ≥ 2: bub is less biased than jk"] == "yes"
    assert verdicts["N ≤ 2: bub is the least biased"] == "yes"


@pytest.mark.parametrize("name", ["ml", "mm", "jk", "bub", "bub(small=2)", "grassberger"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_expected_estimates_equal_sums_over_all_samples(name, n):
    """Sum over every sequence of n items of three cells, weighted by its probability."""
    p = np.array([0.6, 0.3, 0.1])
    expected = 0.0
    for sample in itertools.product(range(3), repeat=n):
        counts = np.bincount(sample, minlength=3)
        expected += math.prod(p[i] for i in sample) * entropy_of(counts, name, support=_told(name))
    assert figures_1_2.expect(get(name), p, n) == pytest.approx(expected, abs=1e-12)


def _told(name):
    return 3 if name in figures_1_2.KNOWN_SUPPORT else None


def test_simulated_errors_equal_means_over_samples(monkeypatch):
    monkeypatch.setattr(figures_1_2, "SAMPLED", (6,))
    monkeypatch.setattr(figures_1_2, "SHAPES", {3: "s = 3"})
    found = figures_1_2.draw_errors(5, draws=40)
    p = figures_1_2.zipf(3)
    truth = -sum(x * math.log(x) for x in p)
    samples = np.random.default_rng(5).multinomial(6, p, size=40)
    for name in ("mm", "chao-shen", "nsb", figures_1_2.BUB_NON_EMPTY):
        own = "bub" if name == figures_1_2.BUB_NON_EMPTY else name
        support = 10 if name == "nsb" else None
        errors = [entropy_of(one, own, support=support) - truth for one in samples]
        assert found[3, 6, name].bias == pytest.approx(sum(errors) / 40)
        assert found[3, 6, name].rmse == pytest.approx(math.sqrt(sum(e * e for e in errors) / 40))


def test_printed_table_1_is_complete():
    """Ranks are complete, and values decrease with rank except for the misprint."""
    assert len(TABLE_1) == 29
    assert set(FILES) < set(TABLE_1)
    for at in range(4):
        ranked = sorted(TABLE_1.values(), key=lambda row, at=at: row.ranks[at])
        assert [row.ranks[at] for row in ranked] == list(range(1, 30))
        values = [row.v[at] for row in ranked]
        assert values == sorted(values, reverse=True)
    for at in range(2):
        ranked = [row for row in TABLE_1.values() if row.recall]
        ranked.sort(key=lambda row, at=at: row.recall_ranks[at])
        assert [row.recall_ranks[at] for row in ranked] == list(range(1, 29))
        values = [60.3 if row.recall[at] == 60.8 else row.recall[at] for row in ranked]
        assert values == sorted(values, reverse=True)


@pytest.mark.slow
def test_table_1_is_reproduced(options):
    claims = check(table_1.table_1(options))
    assert {claim.verdict for claim in claims.values()} == {"yes", "misprint"}
    assert claims["Duluth-WSI: recall, 80:20"].ours == pytest.approx(0.605, abs=5e-4)
    assert claims["Duluth-R-110: recall, 80:20"].ours == pytest.approx(0.548, abs=6e-4)
    (wrong,) = [one for one in claims.values() if one.verdict == "misprint"]
    assert wrong.what == "Duluth-WSI-Co: recall, 80:20"
    assert len(claims) == 13 * 5 + 12 * 2 + 6


def test_statements_on_orders_can_fail(monkeypatch):
    """If the first two are swapped, every order that includes them is wrong."""
    rows = {
        name: table_1.ScoredAnswer(1.0, dict(zip(ESTIMATORS, row.v, strict=True)), {}, {})
        for name, row in TABLE_1.items()
    }
    assert table_1._rank("v", rows, 0).verdict == "yes"
    rows["Hermit"], rows["1ClI"] = rows["1ClI"], rows["Hermit"]
    assert table_1._rank("v", rows, 0).ours == "1 of 28 neighbours swapped"


def test_recall_that_contradicts_its_rank_is_a_misprint():
    proof = table_1.prove_rank("Duluth-WSI-Co", 0)
    assert "rank is 4" in proof
    assert "would be rank 2" in proof
    known = [(name, at) for name, row in TABLE_1.items() if row.recall for at in (0, 1)]
    assert [key for key in known if table_1.prove_rank(*key)] == [("Duluth-WSI-Co", 0)]


@pytest.mark.slow
def test_figures_3_and_4_are_reproduced(options, tmp_path):
    found = figures_3_4.figures_3_4(options)
    claims = check(found)
    assert claims["as printed: unchanged ranks, ml to jk"].ours == "6 of 29"
    assert {claim.verdict for claim in claims.values()} == {"yes"}
    save_picture(found.picture(), tmp_path / "ranks.svg")
    assert "our scores" in (tmp_path / "ranks.svg").read_text()


def test_printed_figures_3_and_4_need_no_data(without_data, tmp_path):
    found = figures_3_4.figures_3_4(ReproduceOptions())
    assert not any(what.startswith("our") for what in check(found))
    assert "not available" in found.about
    save_picture(found.picture(), tmp_path / "ranks.svg")
    assert "our scores" not in (tmp_path / "ranks.svg").read_text()


def test_kendall_correlation_counts_pairs():
    points = [
        figures_3_4.FigurePoint(str(k), k, {"ml": v, "jk": 0.0}, {})
        for k, v in ((1, 0.1), (2, 0.4), (3, 0.3), (4, 0.5))
    ]
    tau, _ = figures_3_4.correlate(points, "jk")
    assert tau == pytest.approx((5 - 1) / 6)


@pytest.mark.slow
def test_section_5_is_reproduced(options, shared_data):
    found = section_5.section_5(options)
    claims = check(found)
    assert [name for name in found.data if name.startswith("random")] == [
        "random for KSU KDD", "random for UoY", "random for Hermit",
    ]  # fmt: skip
    assert claims["mutual information and V, ml to bub"].verdict == "differs"
    assert claims["H(k,c) corrected more than H(k), bub"].verdict == "yes"
    folder = shared_data / "semeval2010-task14"
    gold, system = (_read(path) for path in (folder / "gold/all.key", _file(folder)))
    differences = []
    for word, items in gold.items():
        pairs = [(label, system[word].get(item)) for item, label in items.items()]
        counts = np.unique([f"{a} {b}" for a, b in pairs], return_counts=True)[1]
        gained = entropy_of(counts, "jk") - entropy_of(counts, "ml")
        differences.append(len(items) * gained)
    expected = sum(differences) / sum(map(len, gold.values()))
    assert found.data["Duluth-R-110"]["jk H(k,c)"] == pytest.approx(expected)


def _file(folder):
    return next(folder.glob(FILES["Duluth-R-110"]))


def _read(path):
    """Word → instance → label, from a key file with hard answers."""
    found = {}
    for line in path.read_text().splitlines():
        word, item, label = line.split()[:3]
        found.setdefault(word, {})[item] = label.partition("/")[0]
    return found


def test_random_baseline_is_the_mean_of_five(shared_data):
    from roget import score

    folder = shared_data / "semeval2010-task14"
    files = sorted(folder.glob("baselines/random*.key"))
    values = [
        score(folder / "gold/all.key", path, "v", "jk", baselines=False)["v", "jk"]
        for path in files
    ]
    assert len(values) == 5
    assert score_task(folder)["Random"].v["jk"] == pytest.approx(sum(values) / 5)


@pytest.mark.slow
def test_weighted_experiment_is_reproduced(options):
    claims = check(weighted.weighted(options))
    claim = claims["estimators disagree more with weights: SemEval-2013"]
    assert (claim.ours, claim.verdict) == ("4 of 4 systems", "yes")


def test_weighted_experiment_runs_without_data(without_data):
    claims = check(weighted.weighted(ReproduceOptions(random_state=3)))
    assert "estimators disagree more with weights: SemEval-2013" not in claims
    assert {claim.verdict for claim in claims.values()} == {"yes"}


def test_wrong_recursion_is_detected(monkeypatch):
    """Labels are drawn from other weights than those that are scored."""
    make = weighted.make_answers
    answers = make(0)
    flat = answers._replace(weights=np.full_like(answers.weights, 1 / weighted.CLUSTERS))
    drawn = weighted.draw_entropies

    monkeypatch.setattr(
        weighted, "draw_entropies", lambda _, name, draws, seed: drawn(flat, name, draws, seed)
    )
    assert weighted._expect(0).verdict == "differs"


def test_ranking_page_is_judged(monkeypatch):
    page = {
        "1ClI": ranking.PageRow(0.186, 3.0, 8.0, 3.0),
        "MFS": ranking.PageRow(0.0, 1.0, 50.0, 2.0),
    }
    monkeypatch.setattr(ranking, "PAGE", page)
    rows = {
        "1ClI": ranking.Scored(0.0, 8.0, 8.0, 8.0),
        "MFS": ranking.Scored(0.0, 60.0, 60.0, 50.0),
    }
    verdicts = {claim.what: str(claim.verdict) for claim in ranking.judge(rows)}
    assert verdicts == {
        "1ClI: AMI": "misprint",
        "1ClI: B-cubed, nouns": "yes",
        "1ClI: B-cubed, nouns (second rule: all words)": "yes",
        "1ClI: clusters": "yes",
        "MFS: AMI": "yes",
        "MFS: B-cubed, nouns": "differs",
        "MFS: B-cubed, nouns (second rule: all words)": "yes",
        "MFS: clusters": "misprint",
    }


def test_scores_of_the_ranking_are_means_over_words(tmp_path):
    gold = {"go.v": dict(zip("abcd", "xxyy", strict=True)), "sun.n": {"e": "x", "f": "y"}}
    (tmp_path / "key").write_text("go.v a 1/3 2/5\ngo.v b 2\ngo.v c 1\nsun.n e 1\nsun.n f 2\n")
    system = read_key(tmp_path / "key")
    assert system["go.v"] == {"a": "2", "b": "2", "c": "1"}
    assert ranking.average(gold, system, "b3-f", ".n") == 1
    # Item d is alone in the cluster without a label.
    alone = contingency(list("xxyy"), list("2213")).measure("b3-f")
    assert ranking.average(gold, system, "b3-f") == pytest.approx((4 * alone + 2) / 6)


@pytest.mark.slow
def test_ranking_page_of_the_task_is_reproduced(options):
    claims = check(ranking.ranking(options))
    assert claims["1ClI: AMI"].verdict == "misprint"
    assert claims["Duluth-WSI: AMI"].verdict == "yes"


@pytest.mark.parametrize("run", [table_1.table_1, section_5.section_5, ranking.ranking])
def test_missing_answers_are_named(run, without_data):
    with refused("file-not-found", "SemEval-2010 task 14", "FOLDER/semeval2010", kind=MissingData):
        run(ReproduceOptions())


def test_v_by_sample_size_is_scored_on_nested_samples(monkeypatch, tmp_path):
    small = {
        "SIZES": (64, 1024), "POPULATION": 1024, "CLASSES": (3, 20), "SETS": 6, "SEEDS": 1,
        "MODELS": 3, "MODEL_SIZES": (64, 256), "MODEL_ITEMS": 512, "MODEL_CLASSES": 4, "DRAWS": 2,
    }  # fmt: skip
    for name, value in small.items():
        monkeypatch.setattr(sample_size, name, value)
    monkeypatch.setenv("ROGET_TEST_DATA", str(tmp_path))
    found = sample_size.sample_size(ReproduceOptions())
    claims = check(found)
    # The larger sample is the whole population.
    gold, system = sample_size.simulate_labels(20, np.random.default_rng([0, 20, 0]))
    whole = contingency(gold, system)
    curves = sample_size.score_samples(("ml", "jk"), 0)
    assert curves[20, "jk"][0, 1] == pytest.approx(whole.measure("v", "jk"))
    assert curves[20, "ami"][0, 1] == pytest.approx(whole.measure("ami"))
    assert str(claims["20 classes: V (ml) of 64 and 1,024 items"].verdict) == "yes"
    assert str(claims["V (jk) of 64 minus V of 1,024 items"].verdict) == "differs"
    means = found.data["curves"]
    [plug_in] = [one["v"] for one in means if one["classes"] == 20 and one["entropy"] == "ml"]
    assert plug_in == pytest.approx(curves[20, "ml"].mean(axis=0).tolist())
    assert len(found.data["orders"]) == 7
    save_picture(found.picture(), tmp_path / "v.svg")
    assert "V (jk)" in (tmp_path / "v.svg").read_text()
