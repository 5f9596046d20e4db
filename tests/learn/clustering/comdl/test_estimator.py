from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import v_measure_score
from sklearn.utils.estimator_checks import check_estimator

from roget.core.counts import Counts
from roget.learn.clustering.comdl.estimator import CoMDL
from roget.learn.thesaurus import Thesaurus
from support.errors import codes, notice, refused, warned

FAMILIES = np.array([[90, 10, 0, 0], [80, 20, 0, 0], [0, 0, 70, 30], [0, 0, 60, 40]])


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it() -> None:
    check_estimator(CoMDL(n_row_classes=2, n_sweeps=3, n_starts=1))


def test_planted_classes_are_learnt(planted: Any, naive: Any) -> None:
    counts, rows, columns = planted(200, 100, 4, 3, 100)
    model = CoMDL(random_state=0, n_starts=2).fit(counts)
    assert v_measure_score(rows, model.labels_) == pytest.approx(1.0)
    assert v_measure_score(columns, model.column_labels_) > 0.9
    assert model.row_labels_ is model.labels_
    assert model.n_clusters_ == model.tree_.n_clusters == 4
    assert model.n_column_clusters_ == model.column_tree_.n_clusters
    assert model.membership_.shape == (200, 4)
    assert np.array_equal(model.membership_.argmax(axis=1), model.labels_)
    assert model.centroids_.shape == (4, 100)
    assert model.centroids_.sum(axis=1) == pytest.approx(1)
    assert model.mass_.sum() == pytest.approx(1)
    assert model.background_ == pytest.approx(counts.sum(axis=0) / counts.sum())
    assert np.array_equal(model.predict(counts), model.labels_)
    assert np.array_equal(model.fit_predict(counts), model.labels_)
    assert np.array_equal(model.cut(4), model.labels_)
    assert len(set(model.cut(2).tolist())) == 2
    assert model.score(counts) > CoMDL(n_row_classes=1).fit(counts).score(counts)
    seen = counts.sum(axis=0) > 0
    right = naive(counts[:, seen], model.labels_, model.column_labels_[seen], model.a_, model.b_)
    assert model.description_length_ == pytest.approx(right, rel=1e-12)
    assert model.path_[-1]["description_length"] == pytest.approx(right, rel=1e-12)
    assert len(model.path_) == model.n_clusters_ + model.n_column_clusters_ - 2
    assert not model.interrupted_


def test_predictions_follow_the_formula() -> None:
    model = CoMDL(a=0.7, b=1.3, random_state=0).fit(FAMILIES)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    assert model.column_labels_.tolist() == [0, 0, 1, 1]
    # A noun of the first class has all its 200 tokens with the two verbs of the first class.
    right = (200 + 0.7) / (200 + 2 * 0.7) * (170 + 1.3) / (200 + 2 * 1.3)
    assert model.predictive([0], [0])[0] == pytest.approx(right, rel=1e-12)
    assert model.centroids_[0, 0] == pytest.approx(right, rel=1e-12)
    rows, columns = np.divmod(np.arange(16), 4)
    for level in (None, 0.5):
        every = model.predictive(rows, columns, level).reshape(4, 4)
        assert every.sum(axis=1) == pytest.approx(1)
    merged = (170 + 1.3) / (400 + 4 * 1.3)
    assert model.predictive([0], [0], 0.5)[0] == pytest.approx(merged, rel=1e-12)
    model.levels = (1.0, 0.5)
    assert model.smoothed([0], [0])[0] == pytest.approx((right + merged) / 2, rel=1e-12)
    with refused("invalid-option", "level=2"):
        model.predictive([0], [0], 2)


def test_predictions_of_all_starts_are_averaged(planted: Any) -> None:
    counts = planted(40, 30, 4, 3, 30)[0]
    model = CoMDL(random_state=0, n_starts=3, n_sweeps=2).fit(counts)
    assert len(model.starts_) == 3
    lengths = [start["length"] for start in model.starts_]
    assert lengths == sorted(lengths)
    assert lengths[0] == model.description_length_
    rows, columns = np.divmod(np.arange(1200), 30)
    every = model.predictive(rows, columns, every=True)
    alone = [one.cells(rows, columns) for one in model._models]
    assert every == pytest.approx(np.mean(alone, axis=0))
    assert every.reshape(40, 30).sum(axis=1) == pytest.approx(1)


def test_score_is_the_mean_log_probability_of_tokens() -> None:
    model = CoMDL(random_state=0).fit(FAMILIES)
    q, total = model.predict_proba(FAMILIES), 0.0
    for word, row in enumerate(FAMILIES):
        for context, count in enumerate(row):
            if count:
                total += count * np.log(q[word] @ model.centroids_[:, context])
    assert model.score(FAMILIES) == pytest.approx(total / FAMILIES.sum(), rel=1e-9)


def test_new_words_are_placed() -> None:
    model = CoMDL(random_state=0).fit(FAMILIES)
    new = np.array([[5, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
    proba = model.predict_proba(new)
    assert proba[:2].argmax(axis=1).tolist() == [model.labels_[0], model.labels_[2]]
    assert np.allclose(proba.sum(axis=1), 1)
    assert proba[2] == pytest.approx([0.5, 0.5])
    assert np.array_equal(model.predict_proba(sparse.csr_array(new)), proba)


def test_pairs_are_given_by_name_or_number() -> None:
    words, verbs = ["milk", "tea", "book", "letter"], ["drink", "pour", "read", "write"]
    counts = Counts(FAMILIES, words, verbs)
    model = CoMDL(random_state=0).fit(counts)
    by_name = model.predictive(["tea", "book"], ["pour", "read"])
    assert np.array_equal(by_name, model.predictive([1, 2], [1, 2]))
    other = Counts([[4, 3, 0], [0, 1, 2]], ["wine", "poem"], ["pour", "burn", "read"])
    assert model.predict(other).tolist() == [model.labels_[0], model.labels_[2]]
    with refused("unknown-word", "'ale'"):
        model.predictive(["ale"], ["pour"])
    with refused("invalid-input", "0", "3"):
        model.predictive([4], [0])
    with refused("invalid-input", "word"):
        CoMDL().fit(FAMILIES).predictive(["ale"], [0])
    thesaurus = Thesaurus.from_clustering(counts, model)
    assert thesaurus.neighbours("milk", 1)[0].word == "tea"


@pytest.mark.parametrize("table", [[[3]], [[3, 1, 2]], [[1], [2], [9]], [[1, 1], [1, 1]]])
def test_tables_too_small_for_classes(table: Any) -> None:
    model = CoMDL(random_state=0).fit(table)
    assert (model.n_clusters_, model.n_column_clusters_) == (1, 1)
    assert model.path_ == []
    assert "nothing-clustered" in codes(model.notes_)
    assert model.predict(table).tolist() == [0] * len(table)


@pytest.mark.parametrize("seed", [0, 1])
def test_table_without_structure_is_one_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(60))[:, None] * rng.dirichlet(np.ones(40))
    model = CoMDL(random_state=0).fit(rng.poisson(4000 * weights))
    assert (model.n_clusters_, model.n_column_clusters_) == (1, 1)
    assert "nothing-clustered" in codes(model.notes_)


def test_rows_and_columns_without_counts() -> None:
    padded = np.zeros((6, 5), dtype=int)
    padded[1:5, :4] = FAMILIES
    model, plain = CoMDL(random_state=0).fit(padded), CoMDL(random_state=0).fit(FAMILIES)
    assert model.labels_[1:5].tolist() == plain.labels_.tolist()
    assert model.description_length_ == plain.description_length_
    assert model.centroids_.sum(axis=1) == pytest.approx(1)
    assert model.centroids_[:, 4].min() > 0
    assert codes(model.notes_) == ["empty-rows", "empty-rows"]
    assert ["2 of 6" in model.notes_[0], "1 of 5" in model.notes_[1]] == [True, True]
    with refused("too-little-text", "2 rows"):
        CoMDL().fit(np.zeros((2, 2)))


def test_fractional_counts() -> None:
    model = CoMDL(random_state=0).fit(FAMILIES / 3)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    notice(model.notes_, "fractional-counts")


def test_huge_counts() -> None:
    model = CoMDL(random_state=0).fit(FAMILIES * 10**10)
    assert model.labels_[0] != model.labels_[2]
    assert np.isfinite(model.description_length_)
    with refused("too-large", "2^53"):
        CoMDL().fit(FAMILIES * 10**14)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_invalid_counts_are_refused(bad: float) -> None:
    table = FAMILIES.astype(float)
    table[1, 1] = bad
    with pytest.raises(ValueError, match=r"Negative|NaN|infinity"):  # scikit-learn's wording
        CoMDL().fit(table)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"a": 0}, "a=0"),
        ({"b": "best"}, "b='best'"),
        ({"partition": "flat"}, "partition='flat'"),
        ({"n_row_classes": 0}, "n_row_classes=0"),
        ({"n_sweeps": 0}, "n_sweeps=0"),
        ({"levels": ()}, "levels="),
        ({"levels": (1, 2)}, "levels="),
    ],
)
def test_options_are_checked(options: dict[str, Any], named: str) -> None:
    with refused("invalid-option", named):
        CoMDL(**options).fit(FAMILIES)


def test_numbers_of_classes_may_be_requested() -> None:
    model = CoMDL(n_row_classes=3, n_column_classes=1, random_state=0).fit(FAMILIES)
    assert (model.n_clusters_, model.n_column_clusters_) == (3, 1)
    with warned("not-converged", "4 classes of rows", 9, kind=ConvergenceWarning):
        assert CoMDL(n_row_classes=9, random_state=0).fit(FAMILIES).n_clusters_ == 4


def test_modl_partitions(planted: Any, naive: Any) -> None:
    counts, rows, _ = planted(60, 40, 4, 3, 100)
    seen = counts.sum(axis=0) > 0
    model = CoMDL(a=1, b=1, partition="modl", random_state=0).fit(counts[:, seen])
    assert v_measure_score(rows, model.labels_) > 0.9
    right = naive(counts[:, seen], model.labels_, model.column_labels_, 1, 1, "modl")
    assert model.description_length_ == pytest.approx(right, rel=1e-12)


def test_saved_model_is_loaded_unchanged(tmp_path: Path, planted: Any) -> None:
    counts = Counts(planted(40, 30, 4, 3, 30)[0])
    model = CoMDL(random_state=0, n_starts=2, n_sweeps=5).fit(counts)
    model.save(tmp_path / "model")
    again = CoMDL.load(tmp_path / "model")
    assert again.tree_ == model.tree_
    assert again.column_tree_ == model.column_tree_
    assert again.path_ == model.path_
    assert np.array_equal(again.centroids_, model.centroids_)
    assert np.array_equal(again.predict_proba(counts), model.predict_proba(counts))
    pairs = np.arange(30), np.arange(30)
    assert np.array_equal(again.smoothed(*pairs), model.smoothed(*pairs))
    assert (again.description_length_, again.words_.tolist()) == (
        model.description_length_, model.words_.tolist(),
    )  # fmt: skip


def test_progress_and_interruption(planted: Any) -> None:
    counts = planted(40, 30, 4, 3, 30)[0]
    reported: list[dict[str, Any]] = []

    def interrupt(row: dict[str, Any]) -> None:
        reported.append(row)
        if len(reported) == 4:
            os.kill(os.getpid(), signal.SIGINT)

    model = CoMDL(random_state=0, progress=interrupt)
    with warned("interrupted"):
        model.fit(counts)
    assert model.interrupted_
    assert len(reported) == 4
    assert set(reported[0]) == {"n_clusters", "n_column_clusters", "description_length", "fraction"}
    assert model.labels_.size == 40
    assert model.description_length_ <= reported[-1]["description_length"] + 1e-6
    reported.clear()
    whole = CoMDL(random_state=0, n_sweeps=5, progress=reported.append).fit(counts)
    fractions = [row["fraction"] for row in reported]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert reported[-1]["description_length"] == pytest.approx(whole.description_length_, rel=1e-6)


def test_interrupted_run_resumes(tmp_path: Path, planted: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("roget.learn.clustering.checkpoints.INTERVAL", 0.0)
    counts = planted(40, 30, 4, 3, 30)[0]
    options = {"random_state": 3, "n_sweeps": 6, "n_starts": 2}
    whole = CoMDL(**options).fit(counts)
    steps = 0

    def interrupt(row: dict[str, Any]) -> None:
        nonlocal steps
        steps += 1
        if steps == 5:
            os.kill(os.getpid(), signal.SIGINT)

    place = tmp_path / "run"
    with warned("interrupted"):
        CoMDL(**options, checkpoint=place, progress=interrupt).fit(counts)
    resumed = CoMDL(**options, checkpoint=place).fit(counts)
    assert np.array_equal(resumed.labels_, whole.labels_)
    assert np.array_equal(resumed.column_labels_, whole.column_labels_)
    assert resumed.description_length_ == whole.description_length_
    assert not resumed.interrupted_
    with refused("conflicting-options", "run"):
        CoMDL(**options, checkpoint=place).fit(counts + 1)


@pytest.mark.slow
def test_real_counts_have_a_short_description(shared_data: Path) -> None:
    counts = Counts.read(shared_data / "vo-bench" / "train.tsv", columns=(2, 1, 3))
    model = CoMDL(random_state=0, n_sweeps=40, n_starts=1).fit(counts)
    assert model.description_length_ < 1_026_900


def test_classes_by_li_and_abes_length(planted: Any, tmp_path: Path) -> None:
    counts, rows, columns = planted(120, 80, 4, 3, 200)
    counts += 1
    model = CoMDL(criterion="li-abe", random_state=0).fit(counts)
    assert model.n_clusters_ == 4
    assert v_measure_score(rows, model.labels_) > 0.95
    assert v_measure_score(columns, model.column_labels_) > 0.9
    assert model.a_ > 0
    assert model.b_ > 0
    assert model.predict_proba(counts).argmax(axis=1).tolist() == model.labels_.tolist()
    model.save(tmp_path / "m")
    again = CoMDL.load(tmp_path / "m")
    assert again.description_length_ == model.description_length_
    assert (again.predict_proba(counts) == model.predict_proba(counts)).all()
    given = CoMDL(criterion="li-abe", a=0.5, b=2.0, random_state=0).fit(counts)
    assert (given.a_, given.b_) == (0.5, 2.0)
    assert given.labels_.tolist() == model.labels_.tolist()


def test_input_that_li_and_abes_length_cannot_describe() -> None:
    counts = np.eye(4) / 4
    with refused("too-little-text", "1"):
        CoMDL(criterion="li-abe").fit(counts)
    with refused("conflicting-options", "partition='modl'"):
        CoMDL(criterion="li-abe", partition="modl").fit(8 * counts)
