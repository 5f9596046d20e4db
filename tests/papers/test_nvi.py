"""The reproductions of Reichart & Rappoport (2009)."""

from __future__ import annotations

import pytest

from roget import contingency
from roget.papers.nvi import properties, table_1, tables_2_4
from roget.papers.options import Options
from roget.papers.reproduce import load


@pytest.mark.parametrize("name", ["nvi/table-1", "nvi/properties", "nvi/tables-2-4"])
def test_what_is_printed_comes_out(name):
    found = load(name)(Options())
    assert all(claim.held or claim.excused for claim in found.claims), str(found.as_report())


def test_misprints_are_told():
    wrong = [one.what for one in table_1.table_1(Options()).claims if not one.held]
    assert wrong == ["solution R: V"]
    wrong = [one.what for one in tables_2_4.tables_2_4(Options()).claims if not one.held]
    assert wrong == ["WSJ10, T: V", "NEGRA10, MDL: V", "CTB10, P: V"]


def test_the_two_solutions():
    tables = table_1.solutions()
    assert tables["singletons"].shape == (10, 100)
    matrix = tables["solution R"].to_sparse().toarray()
    assert matrix.sum(axis=0).tolist() == matrix.sum(axis=1).tolist() == [10] * 10
    assert matrix[7].tolist() == [1, 0, 0, 0, 0, 0, 0, 7, 1, 1], "as in the paper's eighth row"


def test_rounding_is_carried_through():
    value, error = tables_2_4.divide("1.9", ("1.73", "1.58"))
    corners = [
        (1.9 + a) / (3.31 + b + c)
        for a in (-0.05, 0.05)
        for b in (-0.005, 0.005)
        for c in (-0.005, 0.005)
    ]
    assert value == pytest.approx(1.9 / 3.31)
    assert value + error == pytest.approx(max(corners))
    assert tables_2_4.digits("3") == 0
    assert tables_2_4.half("0.44") == pytest.approx(0.005)


class _ByClusters:
    """A table whose NVI is divided by H(K)."""

    def __init__(self, gold, system):
        self.table = contingency(gold, system)

    def measure(self, name):
        return self.table.measure("nvi-k" if name == "nvi" else name)

    def entropies(self):
        return self.table.entropies()


@pytest.mark.parametrize(
    "law", ["keeps_order", "parts_at_one", "is_one_for_one_cluster", "is_convexly_additive"]
)
def test_laws_can_fail(law, monkeypatch):
    """NVI_K has none of these properties."""
    assert properties.count_held(getattr(properties, law), 1, 60) == 60
    monkeypatch.setattr(properties, "contingency", _ByClusters)
    assert properties.count_held(getattr(properties, law), 1, 60) < 60


def test_other_seeds_try_other_tables():
    first, second = (next(properties.draw_trials(seed, 1))[0].classes for seed in (0, 1))
    assert first.tolist() != second.tolist()
