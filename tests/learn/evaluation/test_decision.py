"""The verb decision task: deleted pairs, errors against a loop, weights, complete runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from learn.classmodel import naive
from learn.classmodel.conftest import planted
from roget import AgglomerativeTree
from roget.core.counts import Counts
from roget.learn.classmodel.families import learn_sizes
from roget.learn.evaluation import decision
from roget.learn.evaluation.decision import DecisionTask, decide
from roget.report.evaluation import decisions
from support.errors import refused


@pytest.fixture(autouse=True)
def wide_band(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a table of forty contexts each is far more frequent than verbs are."""
    monkeypatch.setattr(decision, "BAND", (0.005, 0.04))


@pytest.fixture
def whole() -> Any:
    return planted(seed=3).matrix.toarray()


def test_only_chosen_pairs_are_deleted(whole: Any) -> None:
    task = DecisionTask.draw(whole, 0, pairs=20)
    train = task.train.toarray()
    gone = np.argwhere(train != whole)
    assert len(gone) == 20
    totals = whole.sum(axis=0)
    share = totals[gone[:, 1]] / totals.sum()
    assert ((share >= 0.005) & (share <= 0.04)).all()
    assert (whole[tuple(gone.T)] >= decision.LEAST).all()
    assert not train[tuple(gone.T)].any()
    asked = {(w, task.band[c]) for w, c in zip(task.word, task.context, strict=True)}
    assert asked <= set(map(tuple, gone.tolist()))


@pytest.mark.parametrize("seed", range(5))
def test_errors_equal_those_of_a_loop(whole: Any, seed: int) -> None:
    task = DecisionTask.draw(whole, seed, pairs=15)
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, whole.shape).astype(float)
    pairs = [tuple(pair) for pair in np.argwhere(task.train.toarray() != whole)]
    expected = naive.decision_error(whole, scores, pairs, task.band.tolist())
    assert task.errors(scores[:, task.band]) == pytest.approx(expected, nan_ok=True)


def test_true_counts_make_no_errors_and_totals_miss_all_exceptions(whole: Any) -> None:
    task = DecisionTask.draw(whole, 1, pairs=15)
    assert task.errors(whole[:, task.band].astype(float)) == (0.0, 0.0)
    totals = whole.sum(axis=0).astype(float)[task.band]
    ties = totals[task.context] == totals[task.rival]
    every, odd = task.errors(np.broadcast_to(totals, (len(whole), totals.size)))
    assert odd == 1.0
    assert every == pytest.approx(task.exceptional.mean() + 0.5 * ties.mean())


def test_weights_are_not_negative_and_find_the_informative_margins() -> None:
    rng = np.random.default_rng(0)
    right = rng.random(500) < 0.5
    signal = np.where(right, 1.0, -1.0) + rng.normal(0, 0.5, 500)
    margins = np.stack([signal, rng.normal(0, 1, 500), -signal], axis=1)
    weights = decision.combine(margins, right)
    assert weights[0] > 1
    assert weights[2] == pytest.approx(0, abs=1e-6)
    assert abs(weights[1]) < 0.5


def test_classes_decide_better_than_totals_and_reproducibly() -> None:
    counts, reported = planted(seed=3), []
    names = ("unigram", "kneser-ney", "nearest", "soft-symmetric")
    found = decide(
        counts,
        names,
        draws=2,
        pairs=20,
        progress=lambda now: reported.append((now.done, now.total)),
    )
    errors = {row.model: row.means()[0].mean for row in found.rows}
    for name in names[2:]:
        assert (errors[name] or 1) < 0.7 * (errors["unigram"] or 0)
    assert reported[-1] == (8, 8)
    assert found.pairs == 20
    assert found.rows[-1].chosen
    again = decide(counts, names[-2:], draws=2, pairs=20)
    assert [row.every for row in again.rows] == [row.every for row in found.rows[-2:]]


def test_nothing_to_decide_is_refused() -> None:
    with refused("too-little-text", "test"):
        decide(Counts(np.eye(4, dtype=int)), ("unigram",))
    with refused("missing-option"):
        decide(planted(), (), draws=1)


def test_difficulty_of_the_protocol_equals_the_published_table(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    table = Counts.read(shared_data / "vo-bench" / "train.tsv", columns=(2, 1, 3))
    found = decide(table, ("unigram",), draws=5)
    every, odd = (part.mean or 0.0 for part in found.rows[0].means())
    assert every == pytest.approx(0.289, abs=0.05)
    assert odd == pytest.approx(0.993, abs=0.005)


def test_draw_without_pairs_is_refused() -> None:
    with refused("too-little-text", "test", "0.02", "0.16"):
        decide(Counts(np.eye(4, dtype=int)), ("unigram",))
    # One pair only was seen often enough, and the test has deleted it.
    table = np.ones((5, 40), dtype=int)
    table[0, 0] = decision.LEAST
    with refused("too-little-text", "rehearsal"):
        decide(Counts(table), ("unigram",))


def test_weights_of_count_classes_come_from_count_classes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = planted(seed=3).matrix
    task, rehearsal = DecisionTask.draw(table, 0, pairs=15), DecisionTask.draw(table, 1, pairs=15)
    known = decision.learn_family("nearest", task.train, 0)
    counted, typed = ([c for c in known if c.types == types] for types in (False, True))

    def family(name: str, train: Any, seed: int) -> Any:
        return [*counted, *typed] if train is task.train else [counted[0], *typed]

    monkeypatch.setattr(decision, "learn_family", family)
    learnt = decision.DecisionStage(task, rehearsal, 0)._learn("nearest")
    labels, here, before = zip(*learnt, strict=True)
    assert list(labels) == [counted[0].name, *(one.name for one in typed)]
    assert len(here) == len(before) == len(labels)


def test_no_classes_are_listed_if_none_has_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "combine", lambda margins, right: np.zeros(margins.shape[1]))
    found = decide(planted(seed=3), ("nearest",), draws=1, pairs=20)
    assert found.rows[0].chosen is None
    assert found.rows[0].every == [0.5]
    assert str(decisions(found)).splitlines()[6].split()[-1] == "–"


def test_numbers_of_clusters_are_decided_by_classes_alone() -> None:
    """The errors equal those of a model fitted separately, and of the unigram for one cluster."""
    counts = planted(seed=3)
    found = decide(
        counts, ["unigram", "agglomerative", "mdl"], draws=1, pairs=20, clusters=(1, 4), top=500
    )
    rows = {row.model: row for row in found.rows}
    assert list(rows) == [
        "unigram", "agglomerative 1", "agglomerative 4", "mdl 1", "mdl 4",
    ]  # fmt: skip
    task = DecisionTask.draw(counts.top(500).matrix, [0, 0], 20)
    model = AgglomerativeTree(4).fit(task.train)
    scores = (model.membership_ @ model.centroids_)[:, task.band]
    four = rows["agglomerative 4"]
    assert (four.every[0], four.exceptional[0]) == task.errors(scores)
    assert rows["agglomerative 1"].every == rows["unigram"].every
    assert four.every[0] < rows["unigram"].every[0]
    assert rows["mdl 4"].chosen == "mdl 4"


def test_words_that_lost_all_tokens_are_placed_like_the_average() -> None:
    table = sparse.csr_array(np.array([[3, 0, 1], [0, 0, 0], [0, 4, 1], [2, 0, 0]]))
    one, two = learn_sizes("agglomerative", table, 0, [1, 2])
    assert [classes.parts[0].n_clusters for classes in (one, two)] == [1, 2]
    clustering = two.parts[0]
    expected = clustering.mass @ clustering.centroids
    np.testing.assert_allclose(two.rows(slice(None))[1], expected, atol=1e-12)
