"""Verdicts on claims, the list of differing claims, the summary, and omitted parts."""

from __future__ import annotations

import json
from datetime import date
from importlib import import_module

import pytest

from roget import catalogue
from roget.papers import reproduce as module
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, uses_options
from roget.papers.rules import Rule, Verdict, recomputed
from support.errors import refused

RULE = recomputed("a statement", "equal", "2026-11-18")


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (Claim(RULE, "a", 0.135, 0.13502), "yes"),
        (Claim(RULE, "a", 0.135, 0.1355), "yes"),
        (Claim(RULE, "a", 0.135, 0.1356), "differs"),
        (Claim(RULE, "a", 0.135, 0.1356, within=0.004), "yes"),
        (Claim(RULE, "a", 0.135, 0.1356, misprint="1 + 1 = 2"), "misprint"),
        (Claim(RULE, "a", 0.135, 0.135, misprint="1 + 1 = 2"), "yes"),
        (Claim(RULE, "a", 206.0, 206.4, digits=0), "yes"),
        (Claim(RULE, "a", "falls", "rises"), "differs"),
        (Claim(RULE, "a", "falls", "rises", decided=Verdict.UNCLEAR), "cannot tell"),
    ],
)
def test_claims_have_verdicts(claim, verdict):
    assert claim.verdict == verdict
    assert claim.cells()[-2:] == ("recomputed", verdict)
    assert bool(claim.remark) == (verdict != "yes")
    assert json.loads(json.dumps(claim.as_dict()))["rule"]["dated"] == "2026-11-18"


def test_every_rule_has_a_date_and_a_criterion():
    for paper in ("v_measure", "nvi", "entropy", "soft", "mdl"):
        module_of = import_module(f"roget.papers.{paper}.rules")
        found = [
            rule
            for table in vars(module_of).values()
            if isinstance(table, dict)
            for rule in table.values()
            if isinstance(rule, Rule)
        ]
        assert found
        assert all(
            date.fromisoformat(rule.dated) and rule.statement and rule.test for rule in found
        )


@uses_options("random_state")
def good(options):
    """A table of nobody's."""
    return Reproduced("T", "made up", [Claim(RULE, "x", 1.0, 1.0 + options.random_state)])


@uses_options("counts")
def needy(options):
    """A figure that needs more."""
    raise MissingData("the moon", "moon/rocks.tsv")


@pytest.fixture
def two(monkeypatch):
    table = {"toy/good": good, "toy/needy": needy}
    monkeypatch.setattr(catalogue, "names", lambda kind: list(table))
    monkeypatch.setattr(catalogue, "load", lambda kind, name: table[name])


def test_all_reproductions_run_and_omitted_ones_are_listed(two):
    seen = []
    found = module.reproduce(progress=lambda now: seen.append(now["what"]))
    assert seen == ["toy/good", "toy/needy"]
    assert [row[:2] for row in found.tables[0].rows] == [("toy/good", "1"), ("toy/needy", "")]
    assert "FOLDER/moon/rocks.tsv" in found.notes[0]
    assert [table.rows[-1] for table in found.tables[1:]] == [("all", "", "1", "1", "", "", "")]
    worse = module.reproduce("toy", ReproduceOptions(random_state=1))
    others, summary = worse.tables[1:]
    assert others.title.startswith("toy/good")
    assert others.rows == [("x", "1.000", "2.0000", "differs", "reason unknown")]
    assert summary.rows[0] == ("toy", "recomputed", "1", "", "1", "", "")
    assert worse.data["toy/good"]["claims"][0]["verdict"] == "differs"


def test_options_without_effect_are_refused(two):
    with refused("conflicting-options", "toy/good", "--counts", "toy/needy"):
        module.reproduce("toy/good", ReproduceOptions(counts="x"))
    with refused("conflicting-options"):
        module.reproduce("toy/good", ReproduceOptions(verb="eat"))
    with pytest.raises(MissingData):
        module.reproduce("toy/needy", ReproduceOptions(counts="x", data="elsewhere"))


def test_options_unused_by_a_paper_are_refused(two):
    with refused("conflicting-options", "toy as a whole", "--verb"):
        module.reproduce("toy", ReproduceOptions(verb="eat"))


def test_figures_require_a_folder(two, tmp_path):
    (tmp_path / "file").touch()
    with refused("not-writable", "file"):
        module.reproduce("toy/good", figures=tmp_path / "file")


def test_unknown_reproduction_is_refused():
    with refused("unknown-name", "'softly'"):
        module.reproduce("softly")


def test_data_folder_follows_option_and_environment(tmp_path, monkeypatch):
    (tmp_path / "one.tsv").touch()
    monkeypatch.delenv("ROGET_TEST_DATA", raising=False)
    with pytest.raises(MissingData):
        find_data(ReproduceOptions(), "one", "one.tsv")
    assert find_data(ReproduceOptions(data=str(tmp_path)), "one", "one.tsv") == tmp_path / "one.tsv"
    monkeypatch.setenv("ROGET_TEST_DATA", str(tmp_path))
    assert find_data(ReproduceOptions(), "one", "one.tsv") == tmp_path / "one.tsv"
