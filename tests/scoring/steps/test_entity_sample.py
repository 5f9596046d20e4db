"""Estimates from a sample of entities against naive sums and simulation."""

from __future__ import annotations

import numpy as np
import pytest

import roget
from roget.scoring.labels import as_labels
from roget.scoring.steps.entity_sample import MEASURES, estimate, sum_entities
from support.errors import refused


@pytest.fixture(scope="module")
def population():
    """Entities of one to nine items, which the system splits and merges, large ones more."""
    random = np.random.default_rng(5)
    sizes = 1 + random.binomial(8, random.beta(1, 2, 3000))
    gold = np.repeat(np.arange(3000), sizes)
    torn = random.random(gold.size) < 0.02 * sizes[gold]
    system = np.where(torn, gold + 3000, gold)
    merged = random.random(3000) < 0.15
    system = np.where(merged[gold] & (system < 3000), gold // 2, system)
    return gold, system


def score_naively(gold, system):
    """Precision, recall and F of pairs, of whole clusters and of items, by their definitions."""
    both = np.unique(np.stack([gold, system]), axis=1, return_counts=True)[1]
    classes, clusters = np.bincount(gold), np.bincount(system)
    clusters, classes = clusters[clusters > 0], classes[classes > 0]
    pairs = [float((n * (n - 1) / 2).sum()) for n in (both, clusters, classes)]
    cells, counts = np.unique(np.stack([gold, system]), axis=1, return_counts=True)
    own = counts / np.bincount(system)[cells[1]]
    found = counts / np.bincount(gold)[cells[0]]
    exact = float(((own == 1) & (found == 1)).sum())
    b3 = float((own * counts).sum() / gold.size), float((found * counts).sum() / gold.size)
    return {
        "paired-precision": pairs[0] / pairs[1],
        "paired-recall": pairs[0] / pairs[2],
        "paired-f": 2 * pairs[0] / (pairs[1] + pairs[2]),
        "cluster-precision": exact / clusters.size,
        "cluster-recall": exact / classes.size,
        "cluster-f": 2 * exact / (clusters.size + classes.size),
        "b3-precision": b3[0],
        "b3-recall": b3[1],
        "b3-f": 2 * b3[0] * b3[1] / (b3[0] + b3[1]),
    }


def sums_of(gold, system):
    whole = as_labels(system)
    return sum_entities(as_labels(gold), whole, whole)


def test_sample_of_all_entities_gives_exact_scores(population):
    gold, system = population
    sums = sums_of(gold, system)
    truth = score_naively(gold, system)
    assert truth.keys() == MEASURES.keys()
    for name, ratio in MEASURES.items():
        assert float(ratio(sums.sum(axis=0))) == pytest.approx(truth[name], rel=1e-12)
    for name in ("paired-precision", "paired-recall", "paired-f", "b3-precision", "b3-f"):
        assert roget.measure(name, gold, system) == pytest.approx(truth[name], rel=1e-9)


@pytest.mark.parametrize(
    ("trials", "least", "most"),
    [(150, 0.9, 1.0), pytest.param(1000, 0.92, 0.98, marks=pytest.mark.slow)],
)
def test_estimates_are_unbiased_and_intervals_cover(population, trials, least, most):
    gold, system = population
    sums = sums_of(gold, system)
    random = np.random.default_rng(0)
    samples = [sums[random.choice(len(sums), 250, replace=False)] for _ in range(trials)]
    for name, truth in score_naively(gold, system).items():
        found = np.array([estimate(sample, MEASURES[name]) for sample in samples])
        assert found[:, 0].mean() == pytest.approx(truth, rel=0.01)
        covered = ((found[:, 1] <= truth) & (truth <= found[:, 2])).mean()
        # Without the correction for a finite population, of which one in twelve is drawn.
        assert least <= covered <= most, (name, covered)


def test_sample_estimates_whole_system(population):
    gold, system = population
    random = np.random.default_rng(1)
    chosen = np.isin(gold, random.choice(3000, 600, replace=False))
    items = np.arange(gold.size)
    sample = {str(i): f"e{gold[i]}" for i in items[chosen]}
    answers = {str(i): f"c{system[i]}" for i in items}
    table = roget.score(sample, answers, extra="sample")
    truth = score_naively(gold, system)
    assert [row.measure for row in table.rows] == list(MEASURES)
    for row in table.rows:
        assert row.low <= truth[row.measure] <= row.high
        assert row.high - row.low < 0.1
    assert table.classes == 600
    assert table.signature.endswith("|extra:sample")
    dropped = roget.score(sample, answers, "paired-precision")
    assert dropped["paired-precision"] > truth["paired-precision"] + 0.05
    assert any("precision" in text for text in dropped.warnings)
    only = roget.score(sample, answers, "paired-f", extra="sample")
    assert [row.measure for row in only.rows] == ["paired-f"]


def test_unsupported_options_of_samples_are_refused():
    gold, system = {"a": 1, "b": 1}, {"a": 1, "b": 2, "c": 2}
    with refused("unknown-name", "'v'"):
        roget.score(gold, system, "v", extra="sample")
    with refused("conflicting-options", "extra='sample'"):
        roget.score({("g", "a"): 1}, {("g", "a"): 1}, extra="sample")
    with refused("conflicting-options", "extra='sample'"):
        roget.compare(gold, {"s": system}, extra="sample")
    few = roget.score(gold, system, extra="sample")
    assert few.rows[0].value == 0.0
    assert few.rows[0].low is None
    alone = roget.score({"a": 1}, {"a": 1}, "paired-recall", extra="sample").rows[0]
    assert alone.value is None
    assert alone.reason
