from __future__ import annotations

import math
import os
import pickle
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import v_measure_score
from sklearn.utils.estimator_checks import check_estimator

from roget.core.counts import Counts
from roget.data import sample
from roget.errors import InputError
from roget.learn.clustering import checkpoints
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.thesaurus import Thesaurus
from support.errors import notice, refused, warned

FAMILIES = np.array([[9, 1, 0, 0], [8, 2, 0, 0], [0, 0, 7, 3], [0, 0, 6, 4]])


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it() -> None:
    check_estimator(MDLTree(2, criterion="nml"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_the_default_criterion() -> None:
    check_estimator(MDLTree(2))


def test_planted_clusters_are_learnt(planted: Any) -> None:
    counts, labels = planted(100, 40, 4, 80)
    model = MDLTree(random_state=0).fit(counts)
    assert model.n_clusters_ == 4
    assert v_measure_score(labels, model.labels_) == pytest.approx(1.0)
    assert model.criterion_ == "dirichlet"
    assert model.membership_.toarray().sum(axis=1).tolist() == [1.0] * 100
    assert np.array_equal(model.membership_.argmax(axis=1).ravel(), model.labels_)
    assert np.allclose(model.centroids_.sum(axis=1), 1)
    assert np.allclose(model.mass_, np.bincount(model.labels_, counts.sum(axis=1)) / counts.sum())
    assert np.allclose(model.background_, counts.sum(axis=0) / counts.sum())
    assert np.array_equal(model.predict(counts), model.labels_)
    again = MDLTree(random_state=0, concentration=model.concentration_)
    assert np.array_equal(again.fit_predict(counts), model.labels_)
    assert np.array_equal(model.transform(counts), model.predict_proba(counts))
    assert np.allclose(model.predict_proba(counts).sum(axis=1), 1)
    assert np.array_equal(model.cut(4), model.labels_)
    assert len(set(model.cut(2).tolist())) == 2
    assert model.notes_ == []
    assert not model.interrupted_
    assert model.score(counts) > MDLTree(1, criterion="nml").fit(counts).score(counts)


def test_path_accounts_for_every_split(planted: Any) -> None:
    counts, _ = planted(60, 30, 4, 120)
    for criterion in ("li-abe", "corrected", "dirichlet", "nml"):
        options = {"concentration": 30.0} if criterion == "dirichlet" else {}
        model = MDLTree(criterion=criterion, random_state=0, **options).fit(counts)
        assert model.n_clusters_ >= 3
        for row, after in zip(model.path_, [*model.path_[1:], None], strict=True):
            for when in ("before", "after"):
                parts = row[f"model_{when}"] + row[f"data_{when}"]
                assert row[f"total_{when}"] == pytest.approx(parts)
                if after is not None and when == "after":
                    assert row["total_after"] == after["total_before"]
            assert row["saved"] == pytest.approx(row["total_before"] - row["total_after"])
            assert row["saved"] > 0
            assert row["model_after"] > row["model_before"]
            assert row["data_after"] < row["data_before"]
        assert model.description_length_ == model.path_[-1]["total_after"]
        values = model.tree_.value[~np.isnan(model.tree_.value)]
        assert sorted(values) == pytest.approx(sorted(row["saved"] for row in model.path_))
        assert [row["n_clusters"] for row in model.path_] == list(range(2, model.n_clusters_ + 1))


@pytest.mark.parametrize("search", ["auto", "paper"])
def test_length_of_a_tree_is_the_documented_sum(planted: Any, search: str) -> None:
    """L_mod, L_par with the tokens of each split set, and L_dat of the final partition."""
    counts, _ = planted(40, 20, 4, 120)
    model = MDLTree(criterion="li-abe", search=search, random_state=0).fit(counts)
    table, tree = counts.toarray(), model.tree_
    tokens, width = table.sum(), np.count_nonzero(table.sum(axis=0))
    length = (len(table) - 1) * math.log(2) + (width - 1) / 2 * math.log(tokens)
    for node in range(tree.n_nodes):
        if tree.children(node):
            words = np.isin(model.labels_, tree.cluster[tree.leaves(node)])
            length += width / 2 * math.log(table[words].sum())
    for cluster in range(model.n_clusters_):
        rows = table[model.labels_ == cluster]
        for total in rows.sum(axis=0):
            if total:
                length -= total * math.log(total / (tokens * len(rows)))
    assert model.n_clusters_ > 2
    assert model.description_length_ == pytest.approx(length)


@pytest.mark.filterwarnings("ignore:40 classes")
def test_maximum_likelihood_splits_down_to_single_words(planted: Any) -> None:
    counts, _ = planted(40, 30, 4, 100)
    for criterion in ("li-abe", "dirichlet"):
        model = MDLTree(criterion=criterion, estimator="mle", random_state=0).fit(counts)
        assert model.n_clusters_ == 40
        assert model.path_[-1]["model_after"] == 0
    assert MDLTree(criterion="li-abe", random_state=0).fit(counts).n_clusters_ == 4


def test_printed_search_rarely_stops(planted: Any) -> None:
    counts, _ = planted(40, 30, 4, 100)
    model = MDLTree(criterion="li-abe", search="paper", random_state=0).fit(counts)
    assert model.n_clusters_ > 4
    assert any(row["saved"] <= 0 for row in model.path_)
    notice(model.notes_[:1], "nothing-saved", len(model.path_))


def test_similar_words_stay_one_cluster() -> None:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(60, rng.dirichlet(np.ones(15)), size=30)
    for criterion in ("auto", "li-abe", "corrected", "nml"):
        model = MDLTree(criterion=criterion, random_state=0).fit(counts)
        assert model.n_clusters_ == 1
        assert model.path_ == []
        notice(model.notes_[:1], "nothing-saved", "bits")


def test_degenerate_tables_give_one_cluster() -> None:
    model = MDLTree().fit([[3, 1, 2]])
    assert model.labels_.tolist() == [0]
    notice(model.notes_, "nothing-saved")
    assert MDLTree().fit([[3]]).n_clusters_ == 1
    for criterion in ("auto", "corrected", "nml"):
        assert MDLTree(criterion=criterion).fit([[1], [2], [9]]).n_clusters_ == 1
    doubled = MDLTree(random_state=0).fit(np.repeat(FAMILIES[[0, 2]], 3, axis=0))
    assert doubled.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert MDLTree(estimator="mle").fit(np.repeat(FAMILIES[[0, 2]], 3, axis=0)).n_clusters_ == 2
    with warned("not-converged", "1 cluster", 2, kind=ConvergenceWarning):
        MDLTree(2).fit([[1, 2]])


def test_families_without_common_contexts_are_separated() -> None:
    for criterion in ("auto", "nml"):
        model = MDLTree(criterion=criterion, random_state=0).fit(FAMILIES)
        assert model.labels_.tolist() == [0, 0, 1, 1]
    for counts in (FAMILIES, sparse.coo_array(FAMILIES), sparse.csc_matrix(FAMILIES * 10**12)):
        assert MDLTree(2, random_state=0).fit(counts).labels_.tolist() == [0, 0, 1, 1]


def test_fractional_counts_are_used_unchanged() -> None:
    whole = MDLTree(concentration=4.0, random_state=0).fit(FAMILIES)
    near = MDLTree(concentration=4.0, random_state=0).fit(FAMILIES + 1e-9 * (FAMILIES > 0))
    assert np.array_equal(whole.labels_, near.labels_)
    assert near.description_length_ == pytest.approx(whole.description_length_, rel=1e-6)


def test_empty_row_and_empty_column_are_accepted() -> None:
    counts = np.insert(np.insert(FAMILIES, 2, 0, axis=0), 1, 0, axis=1)
    model = MDLTree(2, random_state=0).fit(counts)
    assert np.delete(model.labels_, 2).tolist() == [0, 0, 1, 1]
    assert model.labels_[2] == np.argmax(model.mass_)
    assert np.allclose(model.predict_proba(counts)[2], model.mass_)
    assert np.isfinite(model.score(counts))
    assert model.score(counts + 1) < model.score(counts)
    with refused("too-little-text", "2 row sums", "min_count=0"):
        MDLTree().fit(np.zeros((2, 2)))


def test_input_is_not_changed() -> None:
    indptr, columns = np.array([0, 4, 6, 8, 10]), np.array([1, 0, 0, 3, 0, 1, 3, 2, 2, 3])
    untidy = sparse.csr_array((np.array([1.0, 4, 5, 0, 8, 2, 3, 7, 6, 4]), columns, indptr))
    before = [part.copy() for part in (untidy.data, untidy.indices, untidy.indptr)]
    model, clean = MDLTree(2, random_state=0).fit(untidy), MDLTree(2, random_state=0).fit(FAMILIES)
    for part, kept in zip((untidy.data, untidy.indices, untidy.indptr), before, strict=True):
        assert np.array_equal(part, kept)
    assert np.array_equal(model.centroids_, clean.centroids_)
    assert np.array_equal(model.predict_proba(untidy), clean.predict_proba(FAMILIES))


@pytest.mark.parametrize("criterion", ["li-abe", "corrected", "dirichlet", "nml"])
def test_new_words_are_placed(planted: Any, criterion: str) -> None:
    counts, labels = planted(80, 60, 4, 200)
    options = {"concentration": 30.0} if criterion == "dirichlet" else {}
    model = MDLTree(criterion=criterion, random_state=0, **options).fit(counts[:60])
    assert v_measure_score(labels[60:], model.predict(counts[60:])) > 0.95
    assert np.array_equal(
        model.predict_proba(counts[60:]), model.predict_proba(counts[60:].toarray())
    )


def test_contexts_of_no_class_are_ignored() -> None:
    table = np.hstack([FAMILIES, np.zeros((4, 1), dtype=np.int64)])
    model = MDLTree(2, random_state=0).fit(table)
    new = np.array([[5, 1, 0, 0, 0], [5, 1, 0, 0, 3], [0, 0, 0, 0, 3]])
    placed = model.predict_proba(new)
    assert placed[1].argmax() == placed[0].argmax()
    assert np.allclose(placed[2], model.mass_)
    assert np.allclose(placed.sum(axis=1), 1)


def test_rare_words_are_placed_but_not_learnt_from() -> None:
    counts = np.vstack([FAMILIES, [[0, 1, 0, 0]]])
    model = MDLTree(2, min_count=5, random_state=0).fit(counts)
    plain = MDLTree(2, random_state=0).fit(FAMILIES)
    assert np.array_equal(model.centroids_, plain.centroids_)
    assert model.labels_.tolist() == [0, 0, 1, 1, 0]
    with refused("too-little-text", "min_count=50"):
        MDLTree(min_count=50).fit(counts)


def test_counts_are_matched_by_context_and_make_a_thesaurus() -> None:
    words, names = ["milk", "tea", "book", "letter"], ["drink", "pour", "read", "write"]
    counts = Counts(FAMILIES, words, names)
    model = MDLTree(2, random_state=0).fit(counts)
    other = Counts([[4, 3, 0], [0, 1, 2]], ["wine", "poem"], ["pour", "burn", "read"])
    assert model.predict(other).tolist() == [0, 1]
    thesaurus = Thesaurus.from_clustering(counts, model)
    assert [one.size for one in thesaurus.classes()] == [2, 2]
    assert thesaurus.neighbours("milk", 1)[0].word == "tea"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"criterion": "aic"}, "criterion='aic': expected auto or li-abe"),
        ({"estimator": "map"}, "estimator='map'"),
        ({"search": "all"}, "search='all'"),
        ({"concentration": 0}, "concentration=0"),
        ({"concentration": "low"}, "concentration='low'"),
        ({"concentration": float("nan")}, "concentration=nan"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], named: str) -> None:
    with refused("invalid-option", named):
        MDLTree(**options).fit(FAMILIES)


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_invalid_values_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=r"NaN|Negative|infinity"):  # scikit-learn's wording
        MDLTree(2).fit([[1.0, bad], [2.0, 3.0]])


def test_saved_model_is_loaded_unchanged(planted: Any, tmp_path: Path) -> None:
    counts, _ = planted(60, 40, 3, 40)
    model = MDLTree(5, random_state=0, checkpoint=tmp_path / "run").fit(Counts(counts))
    model.save(tmp_path / "model")
    again = MDLTree.load(tmp_path / "model")
    assert again.predict_proba(counts).tobytes() == model.predict_proba(counts).tobytes()
    assert again.tree_ == model.tree_
    assert again.path_ == model.path_
    assert again.score(counts) == model.score(counts)
    assert again.words_.tolist() == model.words_.tolist()
    assert again.get_params()["n_clusters"] == 5
    with pytest.raises(InputError, match=r"roget\.mdl\.model"):
        MDLTree.load(tmp_path / "run")
    pickled = pickle.loads(pickle.dumps(model))
    assert np.array_equal(pickled.predict(counts), model.predict(counts))
    assert clone(model).get_params() == model.get_params()


class Stopped(Exception):
    """The machine is switched off."""


@pytest.mark.parametrize("after", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 7))])
def test_run_resumes_from_its_checkpoint(
    planted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(checkpoints, "INTERVAL", -1e9)
    counts, _ = planted(50, 30, 5, 50)
    reported: list[dict[str, Any]] = []

    def stop(news: dict[str, Any]) -> None:
        reported.append(news)
        if len(reported) == after:
            raise Stopped

    options: dict[str, Any] = {"random_state": 3, "checkpoint": tmp_path / "run"}
    with pytest.raises(Stopped):
        MDLTree(9, progress=stop, **options).fit(counts)
    resumed = MDLTree(9, progress=reported.append, **options).fit(counts)
    whole = MDLTree(9, random_state=3).fit(counts)
    assert resumed.centroids_.tobytes() == whole.centroids_.tobytes()
    assert resumed.path_ == whole.path_
    assert resumed.tree_ == whole.tree_
    assert {news["n_clusters"] for news in reported} == set(range(1, 10))
    assert reported[-1]["fraction"] == 1.0
    assert reported[-1]["description_length"] == pytest.approx(whole.description_length_)
    assert MDLTree(9, **options).fit(counts).path_ == whole.path_
    with refused("conflicting-options", "run"):
        MDLTree(8, **options).fit(counts)


@pytest.mark.parametrize("how", ["raised", "signal"])
def test_interrupt_keeps_the_clusters_so_far(planted: Any, how: str) -> None:
    counts, _ = planted(50, 30, 5, 50)

    def stop(news: dict[str, Any]) -> None:
        if news["n_clusters"] == 4 and news["fraction"] < 1:
            if how == "raised":
                raise KeyboardInterrupt
            os.kill(os.getpid(), signal.SIGINT)

    usual = signal.getsignal(signal.SIGINT)
    with warned("interrupted"):
        model = MDLTree(30, random_state=0, progress=stop).fit(counts)
    assert signal.getsignal(signal.SIGINT) is usual
    assert model.n_clusters_ == 4
    assert model.interrupted_


def test_interrupt_before_the_first_split_is_not_noted_as_one_cluster(planted: Any) -> None:
    counts, _ = planted(50, 30, 5, 50)

    def stop(news: dict[str, Any]) -> None:
        if news["fraction"] < 1:
            raise KeyboardInterrupt

    with warned("interrupted"):
        model = MDLTree(random_state=0, progress=stop).fit(counts)
    assert model.n_clusters_ == 1
    assert model.notes_ == []
    assert MDLTree(random_state=0).fit(counts).n_clusters_ > 1


def test_interrupt_before_the_search_gives_one_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    from roget.learn.clustering.mdl import estimator

    def stop(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(estimator, "choose", stop)
    with warned("interrupted"):
        model = MDLTree().fit(FAMILIES)
    assert model.n_clusters_ == 1
    assert model.interrupted_


def test_twenty_most_frequent_nouns() -> None:
    nouns = sample("verb_object").top(20)
    with warned("nothing-clustered", "20 words"):
        model = MDLTree(random_state=0).fit(nouns)
    labels = dict(zip(nouns.words.tolist(), model.cut(8).tolist(), strict=True))
    assert labels["person"] == labels["man"]
    assert labels["effect"] != labels["person"]
    assert model.path_[0]["saved"] == max(row["saved"] for row in model.path_)
    printed = MDLTree(criterion="li-abe", random_state=0).fit(nouns)
    assert printed.n_clusters_ == 1
