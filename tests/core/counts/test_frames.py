"""Counts from data frames, and access by word."""

from __future__ import annotations

import numpy as np
import pytest

import roget
from roget import Counts
from support.errors import refused

pd = pytest.importorskip("pandas")
FRAME = pd.DataFrame(
    {"context": ["x", "y", "x", "x"], "count": [1, 2, 3, 4], "word": ["a", "b", "a", "b"]}
)


def test_columns_are_found_by_name():
    counts = Counts.from_pandas(FRAME)
    assert (counts.count("a", "x"), counts.count("b", "x"), counts.count("b", "y")) == (4, 4, 2)
    assert counts.matrix.dtype == np.int64


def test_columns_are_found_by_position_or_as_assigned():
    frame = FRAME[["word", "context", "count"]].set_axis(["noun", "verb", "n"], axis=1)
    assert Counts.from_pandas(frame) == Counts.from_pandas(FRAME)
    named = "word=noun,context=verb,count=n"
    assert Counts.from_pandas(frame[["n", "verb", "noun"]], named) == Counts.from_pandas(FRAME)


def test_rows_without_a_count_count_once():
    assert Counts.from_pandas(FRAME[["word", "context"]])["a"] == {"x": 2}


def test_polars_frames_give_the_same_counts():
    pl = pytest.importorskip("polars")
    assert Counts.from_pandas(pl.DataFrame(FRAME.to_dict("list"))) == Counts.from_pandas(FRAME)


def test_lazy_frames_are_collected():
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame(FRAME.to_dict("list"))
    assert roget.count(lazy) == roget.count(FRAME)
    assert Counts.from_pandas(lazy) == Counts.from_pandas(FRAME)


@pytest.mark.parametrize(
    ("change", "value"),
    [({"count": [1, 2, None, 4]}, "count"), ({"count": [1, 2, -3, 4]}, "count"),
     ({"word": ["a", None, "b", "b"]}, "word"), ({"count": list("1x34")}, "count")],
)  # fmt: skip
def test_invalid_values_are_refused(change, value):
    with refused("invalid-input", value):
        Counts.from_pandas(FRAME.assign(**change))


def test_wide_frames_are_refused():
    wide = pd.DataFrame(np.eye(4, dtype=int), index=list("abcd"), columns=list("wxyz"))
    with refused("ambiguous-columns", "4 columns", "Counts(frame)"):
        Counts.from_pandas(wide)
    with refused("ambiguous-columns", "4 columns"):
        roget.count(wide)
    assert Counts(wide).shape == (4, 4)
    assert Counts.from_pandas(FRAME.assign(year=1)) == Counts.from_pandas(FRAME)


def test_unknown_columns_are_refused():
    with refused("invalid-input", "noun", "context"):
        Counts.from_pandas(FRAME, "word=noun,context=context")


def test_roget_count_takes_a_frame_and_its_options():
    counts = roget.count(FRAME, min_count=5)
    assert set(counts.words) == {"b"}
    assert counts["b"] == {"x": 4, "y": 2}


def test_a_word_has_its_contexts_most_frequent_first():
    counts = Counts([[2, 1, 5], [0, 3, 0]], ["milk", "book"], ["drink", "read", "buy"])
    assert list(counts["milk"].items()) == [("buy", 5), ("drink", 2), ("read", 1)]
    assert ("milk" in counts, "tea" in counts, list(counts)) == (True, False, ["milk", "book"])
    with refused("unknown-name", "mlk", "milk"):
        counts["mlk"]


def test_load_opens_counts(tmp_path):
    counts = Counts.from_pandas(FRAME)
    counts.write(tmp_path / "c.counts")
    assert roget.load(tmp_path / "c.counts") == counts


@pytest.mark.parametrize("name", ["MDLTree", "CoMDL", "SphericalTree", "SoftAnnealing"])
def test_estimators_suggest_a_name_for_an_unknown_parameter(name):
    with refused("unknown-name", "randomstate", "random_state"):
        getattr(roget, name)(randomstate=0)
