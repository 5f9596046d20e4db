"""The study behind docs/guide.md: errors equal plain loops, and the file holds its results."""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import roget
import twins

ROOT = Path(__file__).resolve().parents[1]
LINK = (3, 3, 1, 0.5, "anywhere")
TINY = 4


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bench():
    return load("benchmarks/estimators.py", "benchmark_of_estimators")


@pytest.fixture(scope="module")
def guide():
    return load("docs/guide.py", "docs_guide")


@pytest.fixture(scope="module")
def held(guide):
    return guide.Study.read()


def entropy(p):
    return -sum(x * math.log(x) for x in p if x > 0)


def jackknife(labels):
    """Leaving out each item in turn."""
    n, whole = len(labels), twins.entropy(labels)
    if n == 1:
        return 0.0
    rest = [twins.entropy(labels[:at] + labels[at + 1 :]) for at in range(n)]
    return n * whole - (n - 1) * sum(rest) / n


def v_of(h_gold, h_system, h_joint):
    if h_gold == h_system == h_joint:
        return 1.0
    return 2 * (h_gold + h_system - h_joint) / (h_gold + h_system)


def v_jackknife(gold, system):
    joint = list(zip(gold, system, strict=True))
    return v_of(*(jackknife(labels) for labels in (gold, system, joint)))


def v_mixed(gold, system):
    """Miller–Madow at the sides, Chao, Wang & Jost for both."""
    tally = twins.Counter
    sides = (roget.entropy(tally(labels), "mm") for labels in (gold, system))
    return v_of(*sides, roget.entropy(tally(zip(gold, system, strict=True)), "cwj"))


TWINS = {
    "v@ml": twins.v,
    "v@jk": v_jackknife,
    "v@mm+cwj": v_mixed,
    "v@bub,cwj": lambda gold, system: (
        sum(roget.measure("v", gold, system, entropy=name) for name in ("bub", "cwj")) / 2
    ),
    "nvi@ml": twins.nvi,
    "ami": lambda gold, system: twins.ami(gold, system, lambda a, b: (a + b) / 2),
    "b3-f": lambda gold, system: roget.measure("b3-f", gold, system),
}


def test_joint_probabilities_follow_the_case(bench):
    anywhere = bench.make_joint(bench.Case(4, 10, 1, 0.5, "anywhere"))
    near = bench.make_joint(bench.Case(50, 50, 0, 0.9, "near"))
    for joint in (anywhere, near):
        assert joint.sum() == pytest.approx(1)
    assert np.count_nonzero(anywhere) == 40
    sizes = anywhere.sum(axis=0)
    assert sizes[0] / sizes[4] == pytest.approx(5)  # Zipf's law: the fifth has a fifth
    assert np.count_nonzero(near) == 150
    assert np.trace(near) == pytest.approx(0.9)
    alone = bench.make_joint(bench.Case(10, 100, 2, 0.0, "anywhere"))
    assert bench.find_truth(alone)["v"] == pytest.approx(0, abs=1e-12)
    assert bench.find_truth(alone)["nvi"] == pytest.approx(
        1 + entropy(alone.sum(axis=0)) / entropy(alone.sum(axis=1))
    )


def test_real_tables_equal_bundled_clusterings(bench, guide):
    tables = bench.read_tables()
    names = [about["name"] for about, _ in tables]
    assert names == [case["name"] for case in guide.Study.read(real=True).cases]
    folder = ROOT / "src/roget/data/demo"
    for name, joint in zip(names, (joint for _, joint in tables), strict=True):
        assert joint.sum() == pytest.approx(1)
        score = roget.score(
            folder / "gold.tsv",
            folder / "clusterings.csv",
            "v",
            "ml",
            columns={"system.item": "item", "system.label": name},
        )
        assert bench.find_truth(joint)["v"] == pytest.approx(score["v", "ml"])


def test_errors_equal_a_loop_over_samples(bench):
    """Each sample is scored alone, item by item, from the definitions of the measures."""
    case, items, draws = bench.Case(*LINK), 12, 30
    found = bench.study(bench.make_tables([case]), [items], draws, seed=3)
    joint = bench.make_joint(case)
    h_c, h_k, h_both = (entropy(p) for p in (joint.sum(1), joint.sum(0), joint.ravel()))
    truth = {
        "v": 2 * (h_c + h_k - h_both) / (h_c + h_k),
        "nvi": (2 * h_both - h_c - h_k) / h_c,
        "b3-f": found["cases"][0]["truth"]["b3-f"],
    }
    truth["ami"] = truth["v"]
    samples = np.random.default_rng([3, 0, items]).multinomial(items, joint.ravel(), size=draws)
    for score, twin in TWINS.items():
        errors = []
        for counts in samples:
            cells = np.repeat(np.arange(counts.size), counts)
            gold, system = (side.tolist() for side in np.divmod(cells, case.clusters))
            errors.append(twin(gold, system) - truth[score.partition("@")[0]])
        bias = sum(errors) / draws
        rmse = math.sqrt(sum(error**2 for error in errors) / draws)
        at = found["scores"].index(score)
        result = dict(zip(found["statistics"], found["cases"][0]["values"][at][0], strict=True))
        assert result["bias"] == pytest.approx(bias, abs=6e-3 * max(1, abs(bias))), score
        assert result["rmse"] == pytest.approx(rmse, rel=6e-3), score
        assert (
            sorted(map(abs, errors))[-3] - 5e-3 <= result["reach"] <= max(map(abs, errors)) + 5e-3
        )


def test_mean_of_samples_equals_exact_expectation(bench):
    """Sum over every sequence of four items, weighted by its probability."""
    case = bench.Case(*LINK)
    joint = bench.make_joint(case)
    cells = list(np.ndindex(joint.shape))
    mean = square = 0.0
    for drawn in itertools.combinations_with_replacement(cells, TINY):
        times = twins.Counter(drawn).values()
        ways = math.factorial(TINY) / math.prod(map(math.factorial, times))
        p = ways * math.prod(joint[cell] for cell in drawn)
        value = twins.v([c for c, _ in drawn], [k for _, k in drawn])
        mean, square = mean + p * value, square + p * value**2
    draws = 4000
    samples = np.random.default_rng(0).multinomial(TINY, joint.ravel(), size=draws)
    ((_, values),) = bench.score_samples(samples, joint.shape, ["v@ml"])
    assert values.mean() == pytest.approx(mean, abs=4 * math.sqrt((square - mean**2) / draws))


def test_interval_width_equals_that_of_repeated_studies(bench):
    random = np.random.default_rng(0)
    result = np.array([bench.summarise(random.normal(0.1, 0.2, 100)) for _ in range(400)])
    assert result[:, 2].mean() == pytest.approx(1.96 * result[:, 1].std(), rel=0.1)
    assert result[:, 3].mean() == pytest.approx(0.43, abs=0.02)  # P(|0.1 + 0.2·z| < 0.43) = 0.95


def test_stored_file_equals_the_study(bench, held):
    """Run the first case again with the number of samples that the file states."""
    assert [bench.Case(**{name: case[name] for name in bench.Case._fields})
            for case in held.cases] == bench.CASES  # fmt: skip
    assert (held.scores, held.items) == (bench.name_scores(), list(bench.ITEMS))
    again = bench.study(bench.make_tables()[:1], (30, 1000), held.draws)
    at = [held.items.index(items) for items in (30, 1000)]
    values = np.array(again["cases"][0]["values"], dtype=float)
    np.testing.assert_allclose(values, held.values[0][:, at], rtol=0.02, atol=1e-4)


def test_biases_of_entropies_equal_published_ones(guide):
    """Li, Titov & Sporleder 2014, ten items from ten cells."""
    known = {
        "ml": (-0.533, -0.479, -0.329, -0.187, -0.107),
        "mm": (-0.258, -0.257, -0.207, -0.126, -0.076),
        "jk": (-0.039, -0.089, -0.114, -0.078, -0.049),
    }
    for name, biases in known.items():
        for skew, bias in enumerate(biases):
            found = guide.expect_bias(guide.entropies.get(name), 10, 10, skew)
            assert found == pytest.approx(bias, abs=6e-4)


def test_need_items_interpolates_the_required_number(guide):
    items = (10, 100, 1000)
    assert guide.need_items(items, np.array([0.2, 0.02, 0.002])) == pytest.approx(100)
    assert guide.need_items(items, np.array([0.04, 0.01, 0.002])) == pytest.approx(math.sqrt(1000))
    assert guide.need_items(items, np.array([0.01, 0.03, 0.015])) > 100  # it must stay so
    assert guide.need_items(items, np.array([0.01, 0.01, 0.01])) == 10
    assert guide.need_items(items, np.array([0.1, 0.1, 0.03])) == math.inf


BLOCK = re.compile(r"<!-- output: (.+?) -->\n```\w*\n(.*?)```", re.DOTALL)


def test_tables_of_the_guide_equal_the_stored_file(guide, held, monkeypatch):
    """Text between the marks of docs/guide.md equals that generated from the file."""
    monkeypatch.setenv("COLUMNS", "100")
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    tables = {}
    for command, shown in BLOCK.findall(text):
        if command.startswith("python docs/guide.py "):
            tables[command.split()[-1]] = shown
    assert tables.keys() == guide.TABLES.keys()
    for name, shown in tables.items():
        assert shown == guide.TABLES[name](held).render("text"), f"run docs/build.py: {name}"


def test_scores_in_the_text_of_the_guide_are_in_a_table():
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    shown = "".join(block for _, block in BLOCK.findall(text))
    result = re.findall(r"(?<!\d)\.\d{3}\b", BLOCK.sub("", text))
    assert result
    assert [score for score in result if score not in shown] == []


@pytest.mark.slow
def test_figures_of_the_guide_are_drawn(guide, tmp_path):
    written = list(guide.draw(tmp_path))
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    for path in written:
        assert path.read_bytes().startswith(b"<?xml")
        assert f"(pictures/{path.name})" in text
        assert (ROOT / "docs/pictures" / path.name).exists()
