"""Cover measures equal naive implementations, other libraries, and measures of tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Contingency
from roget.scoring.labels import as_labels
from roget.scoring.tables import cover as cells
from roget.scoring.tables.cover_table import CoverTable
from roget.scoring.tables.weighted import WeightedTable
from support.errors import refused
from twins import COVER_TWINS

PEERS = json.loads(Path(__file__).parents[2].joinpath("golden/covers.json").read_text("utf-8"))

sets = st.sets(st.integers(0, 4), min_size=1, max_size=3)
covers = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(sets, min_size=n, max_size=n) for _ in range(2)])
)
degrees = st.dictionaries(st.integers(0, 3), st.sampled_from([0.1, 0.3, 0.55, 1.0]), min_size=1)
graded = st.integers(1, 8).flatmap(
    lambda n: st.tuples(*[st.lists(degrees, min_size=n, max_size=n) for _ in range(2)])
)


def labels_of(side):
    found = {str(i): dict.fromkeys(one, 1) for i, one in enumerate(side)}
    return as_labels(found, several="cover")


def table_of(gold, system):
    return CoverTable.from_labels(labels_of(gold), labels_of(system))


def as_degrees(side):
    return [dict.fromkeys(one, 1.0) for one in side]


@settings(max_examples=40)
@given(sides=covers)
def test_cover_measures_equal_naive_computation(sides):
    table, plain = table_of(*sides), list(map(as_degrees, sides))
    for name, twin in COVER_TWINS.items():
        assert table.measure(name) == pytest.approx(twin(*plain), abs=1e-10), name


FUZZY = ["fuzzy-b3-precision", "fuzzy-b3-recall", "fuzzy-b3-f", "fuzzy-nmi"]


@settings(max_examples=40)
@given(sides=graded)
def test_fuzzy_measures_equal_naive_computation(sides):
    labels = [as_labels({str(i): one for i, one in enumerate(side)}) for side in sides]
    table = WeightedTable.from_labels(*labels)
    full = [[{x: w / max(one.values()) for x, w in one.items()} for one in side] for side in sides]
    for name in FUZZY:
        assert table.measure(name) == pytest.approx(COVER_TWINS[name](*full), abs=1e-9), name
    # Walks go by shares of items, which sum to 1.
    shares = [
        [{x: w / sum(one.values()) for x, w in one.items()} for one in side] for side in sides
    ]
    twin = COVER_TWINS["element-centric"](*shares)
    assert table.measure("element-centric") == pytest.approx(twin, abs=1e-9)


@pytest.mark.parametrize("case", PEERS["cases"])
def test_cover_measures_equal_other_libraries(case):
    table = table_of(case["gold"], case["system"])
    for name, value in case["values"].items():
        assert table.measure(name) == pytest.approx(value, abs=1e-10), name


def test_onmi_counts_pairs_with_tied_entropies():
    """McDaid et al. count tied pairs of sets, which CDlib 0.4.1 leaves out (0.1177 here)."""
    gold = [{0, 1}, {0}, {0, 1}, {0}, {0, 1}, {1, 2}, {2}, {1, 2}]
    system = [{1}, {0, 1}, {1, 2}, {1}, {0, 2}, {1}, {1, 0}, {1}]
    twin = COVER_TWINS["onmi"](*map(as_degrees, (gold, system)))
    assert table_of(gold, system).measure("onmi") == pytest.approx(twin, abs=1e-12)


@settings(max_examples=15)
@given(labels=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25))
def test_cover_with_one_set_per_item_equals_table(labels):
    gold, system = zip(*labels, strict=True)
    table = Contingency.from_cells(list(gold), list(system))
    cover = table_of([{g} for g in gold], [{s} for s in system])
    for name in COVER_TWINS:
        assert cover.measure(name) == pytest.approx(table.measure(name), abs=1e-12), name
    for name, other in {"xb3-f": "b3-f", "omega": "ari", "fuzzy-nmi": "onmi"}.items():
        assert table.measure(name) == pytest.approx(table.measure(other), abs=1e-12)
    both = table.measure("larsen") + table.T.measure("larsen")
    assert table.measure("mean-best-f1") == pytest.approx(both / 2, abs=1e-12)


@pytest.mark.parametrize(
    "side",
    [[{0}], [{0, 1}], [{0}] * 3, [{0}, {1}, {2}], [{0, 1}] * 3, [{0, 1}, {1}, {2, 0}, {2}]],
    ids=str,
)
def test_identical_covers_score_one(side):
    table = table_of(side, [{9 - label for label in one} for one in side])
    for name in ("xb3-f", "omega", "onmi", "onmi(norm=lfk)", "mean-best-f1", "element-centric"):
        assert table.measure(name) == 1.0, name


def test_cover_measures_do_not_depend_on_batch_size(monkeypatch):
    random = np.random.default_rng(3)
    sides = [[set(random.integers(0, 6, 3).tolist()) for _ in range(60)] for _ in range(2)]
    names = ("xb3-precision", "xb3-recall", "omega", "element-centric", "fuzzy-b3-f")
    whole = [table_of(*sides).measure(name) for name in names]
    monkeypatch.setattr(cells, "_PAIRS", 100)
    parts = [table_of(*sides).measure(name) for name in names]
    assert parts == pytest.approx(whole, abs=1e-12)


def test_cover_groups_items_with_identical_sets():
    cover = table_of([{0}, {0, 1}, {0}, {1, 0}], [{5}, {6}, {5}, {6}]).cover
    assert cover.times.tolist() == [2, 2]
    assert cover.kinds.tolist() == [0, 1, 0, 1]
    assert cover.n == 4


def test_flat_measures_of_covers_are_undefined_with_a_reason():
    table = table_of([{0, 1}, {0}], [{0}, {1}])
    for name in ("v", "ari", "b3-f", "one-to-one", "ami", "purity"):
        with refused("undefined", "xb3-f", "onmi"):
            table.measure(name)


def test_cover_measures_of_weighted_labels_are_undefined():
    labels = as_labels({"a": {"x": 1, "y": 2}, "b": {"x": 1}})
    with refused("undefined", "--set several=cover"):
        WeightedTable.from_labels(labels, labels).measure("onmi")
