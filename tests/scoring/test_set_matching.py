"""Normalised clustering accuracy and the pair sets index."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from roget import Contingency, contingency

PEERS = json.loads((Path(__file__).parents[1] / "golden" / "chance.json").read_text("utf-8"))


@pytest.mark.parametrize("case", [c for c in PEERS["cases"] if "nca" in c["values"]])
@pytest.mark.parametrize("name", ["nca", "psi"])
def test_nca_and_psi_equal_genieclust(name, case):
    assert Contingency.from_table(case["table"]).measure(name) == pytest.approx(
        case["values"][name], abs=1e-10
    )


def test_evenly_spread_classes_score_zero():
    table = Contingency.from_table(np.full((4, 4), 5) * np.array([[1], [2], [3], [9]]))
    assert table.measure("nca") == pytest.approx(0, abs=1e-12)
    assert Contingency.from_table(np.full((4, 4), 5)).measure("psi") == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["nca", "psi"])
def test_random_labels_score_near_zero(name):
    random = np.random.default_rng(5)
    values = [
        contingency(random.integers(0, 5, 20_000), random.integers(0, 5, 20_000)).measure(name)
        for _ in range(20)
    ]
    assert 0 <= np.mean(values) < 0.02


def test_nca_weighs_classes_equally():
    """Half of the small class is lost: half of the score, though only 1 % of the items."""
    table = Contingency.from_table([[980, 0], [10, 10]])
    assert table.measure("nca") == pytest.approx(0.5)
    assert table.measure("one-to-one") == pytest.approx(0.99)


def test_more_clusters_than_classes_lower_nca_and_psi():
    assert contingency([0, 0], [0, 1]).measure("nca") == -0.5
    assert contingency([0, 0], [0, 1]).measure("psi") == 0.0
