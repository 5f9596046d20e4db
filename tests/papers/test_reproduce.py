"""Published values beside ours: what holds, what is excused, what is left out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from roget import catalogue
from roget.papers import reproduce as module
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, heeds
from support.errors import refused


@pytest.mark.parametrize(
    ("claim", "held"),
    [
        (Claim("a", 0.135, 0.13502), True),
        (Claim("a", 0.135, 0.1355), True),
        (Claim("a", 0.135, 0.1356), False),
        (Claim("a", 0.135, 0.1356, within=0.004), True),
        (Claim("a", 206.0, 206.4, digits=0), True),
        (Claim("a", "falls", "falls"), True),
        (Claim("a", "falls", "rises"), False),
        (Claim("a", "lowest at 206", "lowest at 71", holds=True), True),
    ],
)
def test_what_holds(claim, held):
    assert claim.held is held
    assert ("differs" in claim.cells()[-1]) is not held


def test_numbers_of_numpy_are_plain_data():
    claim = Claim("a", 0.5, np.float64(0.5), holds=np.bool_(True))
    assert json.loads(json.dumps(claim.as_dict()))["held"] is True
    assert json.loads(json.dumps(Claim("a", 0.5, np.float64(0.5)).as_dict()))["held"] is True


@heeds("random_state")
def good(options):
    """A table of nobody's."""
    return Reproduced("T", "made up", [Claim("x", 1.0, 1.0 + options.random_state)])


@heeds("counts")
def needy(options):
    """A figure that needs more."""
    raise MissingData("the moon", "moon/rocks.tsv")


@pytest.fixture
def two(monkeypatch):
    table = {"toy/good": good, "toy/needy": needy}
    monkeypatch.setattr(catalogue, "names", lambda kind: list(table))
    monkeypatch.setattr(catalogue, "load", lambda kind, name: table[name])


def test_all_are_made_and_what_is_left_out_is_told(two):
    seen = []
    found = module.reproduce(progress=lambda now: seen.append(now["what"]))
    assert seen == ["toy/good", "toy/needy"]
    assert [row[:2] for row in found.tables[0].rows] == [
        ("toy/good", "1 of 1"),
        ("toy/needy", "left out"),
    ]
    assert "FOLDER/moon/rocks.tsv" in found.notes[0]
    assert len(found.tables) == 1
    worse = module.reproduce("toy", ReproduceOptions(random_state=1))
    assert worse.tables[1].rows[0][:3] == ("toy/good", "x", "1.000")
    assert worse.data["toy/good"]["claims"][0]["held"] is False


def test_options_that_mean_nothing_are_refused(two):
    with refused("conflicting-options", "toy/good", "--counts", "toy/needy"):
        module.reproduce("toy/good", ReproduceOptions(counts="x"))
    with refused("conflicting-options"):
        module.reproduce("toy/good", ReproduceOptions(verb="eat"))
    with pytest.raises(MissingData):
        module.reproduce("toy/needy", ReproduceOptions(counts="x", data="elsewhere"))


def test_options_that_nobody_of_a_paper_heeds_are_refused(two):
    with refused("conflicting-options", "toy as a whole", "--verb"):
        module.reproduce("toy", ReproduceOptions(verb="eat"))


def test_pictures_need_a_folder(two, tmp_path):
    (tmp_path / "file").touch()
    with refused("not-writable", "file"):
        module.reproduce("toy/good", figures=tmp_path / "file")


def test_a_name_that_is_none():
    with refused("unknown-name", "'softly'"):
        module.reproduce("softly")


def test_data_is_looked_for_where_it_is_said(tmp_path, monkeypatch):
    (tmp_path / "one.tsv").touch()
    monkeypatch.delenv("ROGET_TEST_DATA", raising=False)
    with pytest.raises(MissingData):
        find_data(ReproduceOptions(), "one", "one.tsv")
    assert find_data(ReproduceOptions(data=str(tmp_path)), "one", "one.tsv") == tmp_path / "one.tsv"
    monkeypatch.setenv("ROGET_TEST_DATA", str(tmp_path))
    assert find_data(ReproduceOptions(), "one", "one.tsv") == tmp_path / "one.tsv"
