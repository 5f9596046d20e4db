"""Legends: full names of abbreviated scores."""

from __future__ import annotations

from roget import catalogue
from roget.report.legend import explain_scores


def test_parts_may_declare_their_full_name(monkeypatch):
    purity = catalogue.load("measures", "purity")
    assert explain_scores([("purity", None)]) == []
    monkeypatch.setattr(purity, "title", "share of the largest class")
    assert explain_scores([("purity", None), ("unknown", None)]) == [
        "purity = share of the largest class"
    ]
