"""Held-out comparison: splits, losses compared with a loop, intervals, new words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from learn.classmodel.conftest import planted
from roget.core.counts import Counts
from roget.core.intervals import interval
from roget.learn.classmodel import ClassModel
from roget.learn.evaluation.heldout import TokenSplit, compare, measure_losses
from support.errors import refused

QUICK = ("unigram", "mle", "absolute", "kneser-ney", "nearest", "soft-symmetric")


@pytest.fixture(scope="module")
def found() -> Any:
    return compare(planted(words=80, seed=1), QUICK, top=60, splits=3)


def test_losses_equal_those_of_a_loop() -> None:
    tokens = np.array([[2, 0, 1], [0, 0, 0], [0, 4, 0]])
    p = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [0.25, 0.5, 0.25]])
    cells = sparse.coo_array(tokens)
    loss, entropy = measure_losses(cells, np.log(p[cells.row, cells.col]))
    spent = -(2 * math.log(0.2) + math.log(0.5) + 4 * math.log(0.5))
    assert loss == pytest.approx(spent / 7)
    first = 2 / 3 * math.log(2 / 3 / 0.2) + 1 / 3 * math.log(1 / 3 / 0.5)
    assert entropy == pytest.approx((first + math.log(1 / 0.5)) / 2)
    nothing = measure_losses(sparse.coo_array((2, 3)), np.empty(0))
    assert all(math.isnan(value) for value in nothing)


def test_intervals_are_student_t_intervals() -> None:
    values = [7.1, 7.3, 7.2, 7.6, 7.3]
    got = interval(values)
    half = 2.776445 * np.std(values, ddof=1) / math.sqrt(5)
    assert (got.mean, got.low, got.high) == pytest.approx((7.3, 7.3 - half, 7.3 + half))
    assert interval([math.nan]).mean is None
    assert interval([1.0, math.nan]).low is None


def test_parts_sum_to_the_whole() -> None:
    counts = planted(words=80, seed=1)
    split = TokenSplit.draw(counts.top(60), counts.select(counts.words[60:]), 0)
    assert split.train.sum() + split.dev.sum() + split.test.sum() == counts.top(60).total
    assert split.known is not None
    assert split.known.shape[1] == split.train.shape[1]


def test_every_model_has_every_number(found: Any) -> None:
    assert [row.model for row in found.rows] == list(QUICK)
    assert (found.words, found.new_words, found.splits) == (60, 20, 3)
    for row in found.rows:
        for values in (*row.loss.values(), *row.entropy.values()):
            assert len(values) == 3
            assert np.isfinite(values).all()
    by_name = {row.model: row for row in found.rows}
    assert found.peer is by_name["kneser-ney"]
    for name in ("nearest", "soft-symmetric"):
        below = by_name[name].below(found.peer)
        assert below.low > 0
        assert by_name[name].mean("loss", "new").mean < found.peer.mean("loss", "new").mean
    worst = by_name["unigram"].below(found.peer)
    assert worst.high < 0


def test_losses_equal_those_of_a_model_fitted_separately(found: Any) -> None:
    counts = planted(words=80, seed=1)
    split = TokenSplit.draw(counts.top(60), None, 1)
    model = ClassModel("soft-symmetric", random_state=1).fit(split.train, dev=split.dev)
    assert found.rows[-1].loss["test"][1] == pytest.approx(-model.score(split.test))


def test_kneser_ney_is_always_included_and_new_words_if_any_are_left() -> None:
    found = compare(planted(), ("unigram",), top=1000, splits=1)
    assert [row.model for row in found.rows] == ["kneser-ney", "unigram"]
    assert found.new_words == 0
    assert found.rows[0].mean("loss", "new").mean is None


def test_backoff_changes_the_loss() -> None:
    names = ("nearest",)
    found = {
        way: compare(planted(), names, splits=1, backoff=way).rows[-1].loss["test"][0]
        for way in ("none", "interpolate", "discount")
    }
    assert len(set(found.values())) == 3


def test_invalid_input_is_named() -> None:
    with refused("unknown-name", "comdl"):
        compare(planted(), ("comd",))
    with refused("too-little-text", "3 tokens"):
        compare(Counts([[1, 2]]))
    with refused("missing-option"):
        compare(planted(), ())
    with refused("needs-whole-weights"):
        compare(Counts(planted().matrix * 0.5))
