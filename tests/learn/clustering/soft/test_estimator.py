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

import roget
from roget.core.counts import Counts
from roget.data import sample
from roget.errors import InputError
from roget.learn.clustering import checkpoints
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.thesaurus.thesaurus import Thesaurus
from support.errors import notice, refused, warned

FAMILIES = np.array([[9, 1, 0, 0], [8, 2, 0, 0], [0, 0, 7, 3], [0, 0, 6, 4]])


@pytest.fixture(scope="module")
def nouns() -> Counts:
    """Return the most frequent nouns of the sample by the verbs whose objects they are."""
    return sample("verb_object").top(200)


@pytest.fixture(scope="module")
def wide(nouns: Counts) -> SoftAnnealing:
    """Return a model of many clusters; not to be changed."""
    return SoftAnnealing(20, random_state=0).fit(nouns)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it() -> None:
    check_estimator(SoftAnnealing(n_clusters=2))


def test_planted_clusters_are_learnt(planted: Any) -> None:
    counts, labels = planted(200, 100, 4, 60)
    model = SoftAnnealing(4, random_state=0).fit(counts)
    assert v_measure_score(labels, model.labels_) == pytest.approx(1.0)
    assert model.n_clusters_ == 4
    assert model.membership_.shape == (200, 4)
    assert model.centroids_.shape == (4, 100)
    assert model.tree_.n_clusters == 4
    assert [row["n_clusters"] for row in model.path_[:3]] == [2, 3, 4]
    assert model.path_[0]["parent"] == 0
    assert model.path_[-1]["beta"] == model.beta_
    assert set(model.path_[0]) == {
        "step", "n_clusters", "beta", "critical_beta", "parent", "free_energy",
        "paper_free_energy", "distortion", "entropy",
    }  # fmt: skip
    assert np.array_equal(model.predict(counts), model.labels_)
    assert np.array_equal(model.fit_predict(counts), model.labels_)
    assert np.allclose(model.predict_proba(counts), model.membership_.toarray(), atol=1e-8)
    assert np.array_equal(model.cut(4), model.labels_)
    assert len(set(model.cut(2).tolist())) == 2
    assert v_measure_score(labels, model.cut(2)) < 1
    assert model.score(counts) > SoftAnnealing(1).fit(counts).score(counts)


def test_score_is_the_mean_log_probability_of_tokens() -> None:
    model = SoftAnnealing(2, beta=2.0).fit(FAMILIES)
    q, total = model.predict_proba(FAMILIES), 0.0
    for word, row in enumerate(FAMILIES):
        for context, count in enumerate(row):
            if count:
                total += count * np.log(q[word] @ model.centroids_[:, context])
    assert model.score(FAMILIES) == pytest.approx(total / FAMILIES.sum(), rel=1e-6)


def test_new_words_are_placed() -> None:
    model = SoftAnnealing(2, random_state=0).fit(FAMILIES)
    new = np.array([[5, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
    proba = model.predict_proba(new)
    assert proba[0].argmax() == model.labels_[0]
    assert proba[1].argmax() == model.labels_[2]
    assert np.allclose(proba[2], model.mass_)
    assert np.allclose(proba.sum(axis=1), 1)
    assert np.array_equal(model.predict_proba(sparse.csr_array(new)), proba)


def test_counts_are_matched_by_context() -> None:
    names = ["drink", "pour", "read", "write"]
    words = ["milk", "tea", "book", "letter"]
    model = SoftAnnealing(2, random_state=0).fit(Counts(FAMILIES, words, names))
    assert model.words_.tolist() == words
    other = Counts([[4, 3, 0], [0, 1, 2]], ["wine", "poem"], ["pour", "burn", "read"])
    assert model.predict(other).tolist() == [model.labels_[0], model.labels_[2]]


def test_rare_words_are_placed_but_not_learnt_from() -> None:
    counts = np.vstack([FAMILIES, [[0, 1, 0, 1]]])
    model = SoftAnnealing(2, min_count=5, random_state=0).fit(counts)
    plain = SoftAnnealing(2, random_state=0).fit(FAMILIES)
    assert np.array_equal(model.centroids_, plain.centroids_)
    assert model.membership_.shape == (5, 2)
    with refused("too-little-text", "min_count=50"):
        SoftAnnealing(2, min_count=50).fit(counts)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mass", [False, True])
def test_disconnected_families_split_at_beta_1(dtype: str, mass: bool) -> None:
    model = SoftAnnealing(2, dtype=dtype, mass=mass, random_state=0).fit(FAMILIES)
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    assert model.path_[0]["critical_beta"] == pytest.approx(1.0, rel=1e-5)
    if dtype == "float64":
        notice(model.notes_, "disconnected-words")
        assert SoftAnnealing(2).fit(FAMILIES + 1).notes_ == []


@pytest.mark.parametrize("model", ["asymmetric", "symmetric"])
def test_disconnected_words_are_noted(model: str) -> None:
    apart = np.kron(np.eye(3), np.ones((4, 5)))
    found = SoftAnnealing(3, model=model, random_state=0).fit(apart)
    notice(found.notes_, "disconnected-words")
    linked = apart + 0.1
    assert SoftAnnealing(3, model=model, random_state=0).fit(linked).notes_ == []


def test_degenerate_tables_give_one_cluster() -> None:
    for table in ([[3]], [[3, 1, 2]], [[1], [2], [9]]):
        model = SoftAnnealing(1).fit(table)
        assert model.n_clusters_ == 1
        assert model.labels_.tolist() == [0] * len(table)
        with warned("not-converged", "1 cluster", 2, kind=ConvergenceWarning):
            assert SoftAnnealing(2).fit(table).n_clusters_ == 1
    with pytest.warns(ConvergenceWarning):
        doubled = SoftAnnealing(4).fit(np.repeat(FAMILIES[[0, 2]], 3, axis=0))
    assert doubled.n_clusters_ == 2
    assert doubled.labels_[0] == doubled.labels_[2] != doubled.labels_[3]


def test_empty_row_and_empty_column_are_accepted() -> None:
    counts = np.insert(np.insert(FAMILIES, 2, 0, axis=0), 1, 0, axis=1)
    model = SoftAnnealing(2, random_state=0).fit(counts)
    assert np.allclose(model.membership_.toarray()[2], model.mass_)
    assert np.isfinite(model.score(counts))
    kept = np.delete(model.labels_, 2)
    assert kept[0] == kept[1] != kept[2] == kept[3]
    with refused("too-little-text", "2 row sums", "min_count=0"):
        SoftAnnealing(1).fit(np.zeros((2, 2)))


def test_huge_counts_are_accepted() -> None:
    small, huge = (SoftAnnealing(2, random_state=0).fit(FAMILIES * size) for size in (1, 10**12))
    assert np.array_equal(small.labels_, huge.labels_)
    assert np.allclose(small.centroids_, huge.centroids_)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"n_clusters": 2, "beta": -1.0}, "beta=-1.0"),
        ({"n_clusters": 2, "model": "both"}, "model='both'"),
        ({"n_clusters": 2, "prior": "flat"}, "prior='flat'"),
        ({"n_clusters": 2, "dtype": "int8"}, "dtype='int8'"),
        ({"n_clusters": 2, "n_jobs": 0}, "n_jobs=0"),
        ({"n_clusters": 2, "max_iter": 0}, "max_iter=0"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], named: str) -> None:
    with refused("invalid-option", named):
        SoftAnnealing(**options).fit(FAMILIES)


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_invalid_values_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=r"NaN|Negative|infinity"):  # scikit-learn's wording
        SoftAnnealing(2).fit([[1.0, bad], [2.0, 3.0]])


def test_number_and_beta_are_chosen_by_default(planted: Any) -> None:
    counts, _ = planted(60, 40, 3, 80)
    model = SoftAnnealing(random_state=0).fit(counts)
    assert 1 <= model.n_clusters_ <= 60


def test_saved_model_is_loaded_unchanged(planted: Any, tmp_path: Path) -> None:
    counts, _ = planted(100, 60, 3, 40)
    model = SoftAnnealing(5, random_state=0, progress=print, checkpoint=tmp_path / "run")
    model.set_params(progress=None).fit(Counts(counts)).save(tmp_path / "model")
    again = SoftAnnealing.load(tmp_path / "model")
    assert again.predict_proba(counts).tobytes() == model.predict_proba(counts).tobytes()
    assert (again.membership_ != model.membership_).nnz == 0
    assert again.tree_ == model.tree_
    assert again.path_ == model.path_
    assert again.words_.tolist() == model.words_.tolist()
    assert again.get_params()["n_clusters"] == 5
    with pytest.raises(InputError, match=r"roget\.soft\.model"):
        SoftAnnealing.load(tmp_path / "run")
    with pytest.raises(InputError, match="nothing"):
        SoftAnnealing.load(tmp_path / "nothing")


class Stopped(Exception):
    """The machine is switched off."""


@pytest.mark.parametrize("after", [5, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 11))])
def test_run_resumes_from_its_checkpoint(
    planted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(checkpoints, "INTERVAL", -1e9)
    counts, _ = planted(100, 50, 5, 50)
    reported: list[dict[str, Any]] = []

    def stop(news: dict[str, Any]) -> None:
        reported.append(news)
        if len(reported) == after:
            raise Stopped

    options: dict[str, Any] = {"beta": 14.0, "random_state": 3, "checkpoint": tmp_path / "run"}
    with pytest.raises(Stopped):
        SoftAnnealing(9, progress=stop, **options).fit(counts)
    resumed = SoftAnnealing(9, progress=reported.append, **options).fit(counts)
    whole = SoftAnnealing(9, beta=14.0, random_state=3).fit(counts)
    assert resumed.centroids_.tobytes() == whole.centroids_.tobytes()
    assert resumed.path_ == whole.path_
    assert resumed.tree_ == whole.tree_
    assert {news["n_clusters"] for news in reported} == set(range(2, 10))
    assert reported[-1]["fraction"] == 1.0
    finished = SoftAnnealing(9, **options).fit(counts)
    assert finished.centroids_.tobytes() == whole.centroids_.tobytes()
    assert finished.path_ == whole.path_
    with refused("conflicting-options", "run"):
        SoftAnnealing(8, **options).fit(counts)


@pytest.mark.parametrize("how", ["raised", "signal"])
def test_interrupt_keeps_the_clusters_so_far(planted: Any, how: str) -> None:
    counts, _ = planted(100, 50, 5, 50)

    def stop(news: dict[str, Any]) -> None:
        if news["n_clusters"] == 4:
            if how == "raised":
                raise KeyboardInterrupt
            os.kill(os.getpid(), signal.SIGINT)

    usual = signal.getsignal(signal.SIGINT)
    with warned("interrupted"):
        model = SoftAnnealing(30, random_state=0, progress=stop).fit(counts)
    assert signal.getsignal(signal.SIGINT) is usual
    assert 4 <= model.n_clusters_ < 30
    assert np.array_equal(model.predict(counts), model.labels_)


def test_choice_that_was_interrupted_is_repeated_by_the_next_run(
    planted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "INTERVAL", -1e9)
    counts, _ = planted(100, 60, 3, 80)

    def stop(news: dict[str, Any]) -> None:
        if news["free_energy"] is None:  # numbers of clusters are being tried
            raise KeyboardInterrupt

    options: dict[str, Any] = {"random_state": 0, "checkpoint": tmp_path / "run"}
    with warned("interrupted"):
        cut = SoftAnnealing(progress=stop, **options).fit(counts)
    whole = SoftAnnealing(random_state=0).fit(counts)
    assert cut.n_clusters_ < whole.n_clusters_
    resumed = SoftAnnealing(**options).fit(counts)
    assert resumed.centroids_.tobytes() == whole.centroids_.tobytes()


def test_model_can_be_pickled_and_cloned(planted: Any) -> None:
    import pickle

    from sklearn.base import clone

    counts, _ = planted(60, 40, 3, 30)
    model = SoftAnnealing(3, random_state=0).fit(counts)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(counts), model.labels_)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("model", ["asymmetric", "symmetric"])
@pytest.mark.parametrize("after", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 6))])
def test_interrupted_model_is_consistent(nouns: Counts, model: str, after: int) -> None:
    counts, calls = nouns, 0

    def stop(news: dict[str, Any]) -> None:
        nonlocal calls
        calls += 1
        if calls == after:
            signal.raise_signal(signal.SIGINT)

    with warned("interrupted"):
        found = SoftAnnealing(30, model=model, random_state=0, progress=stop).fit(counts)
    assert found.interrupted_
    assert 1 < found.n_clusters_ < 30
    assert found.tree_.n_clusters == found.n_clusters_ == found.membership_.shape[1]
    assert found.cut(2).max() == 1
    weights = counts.word_totals / counts.total
    assert np.allclose(found.membership_.T @ weights, found.mass_, atol=0.02)


def test_interrupted_choice_is_used(nouns: Counts) -> None:
    seen = []

    def stop(news: dict[str, Any]) -> None:
        seen.append(news["fraction"])
        if news["n_clusters"] == 4 and news["free_energy"] is None:
            signal.raise_signal(signal.SIGINT)

    with warned("interrupted"):
        found = SoftAnnealing(random_state=0, progress=stop).fit(nouns)
    assert found.interrupted_
    assert found.n_clusters_ in (2, 3, 4)
    assert seen == sorted(seen), "progress never goes back"


@pytest.mark.parametrize("model", ["asymmetric", "symmetric"])
def test_unseeded_run_resumes_with_its_own_seed(tmp_path: Path, nouns: Counts, model: str) -> None:
    few = nouns.top(60)
    one, two = (SoftAnnealing(6, model=model, checkpoint=tmp_path / "run").fit(few) for _ in "ab")
    assert np.array_equal(one.centroids_, two.centroids_)
    assert one.path_ == two.path_


@pytest.mark.parametrize("model", ["asymmetric", "symmetric"])
def test_dask_arrays_are_checked(nouns: Counts, model: str) -> None:
    array = pytest.importorskip("dask.array")
    counts = nouns.top(60).matrix.toarray()
    found = SoftAnnealing(3, model=model, random_state=0).fit(counts)
    right = found.predict_proba(array.from_array(counts, chunks=(25, 100))).compute()
    assert np.allclose(right, found.predict_proba(counts), atol=1e-4)
    with refused("invalid-input", "columns"):
        found.predict_proba(array.from_array(counts[:, 1:], chunks=25))
    with pytest.raises(ValueError, match="Negative"):  # scikit-learn's wording
        found.predict_proba(array.from_array(-counts, chunks=25)).compute()


def test_numbers_of_numpy_are_accepted(tmp_path: Path, nouns: Counts) -> None:
    found = SoftAnnealing(np.int64(3), beta=np.float32(6.0), checkpoint=tmp_path / "run")
    found.fit(nouns.top(60)).save(tmp_path / "model")
    assert SoftAnnealing.load(tmp_path / "model").n_clusters_ == 3


def test_rows_of_the_path_describe_one_state(wide: SoftAnnealing) -> None:
    found = wide
    sizes = [row["n_clusters"] for row in found.path_]
    assert sizes[:19] == [*range(2, 21)]
    assert set(sizes[19:]) == {20}
    assert [row["step"] for row in found.path_] == [*range(1, len(found.path_) + 1)]
    last = found.path_[-1]
    assert last["beta"] == found.beta_
    assert last["free_energy"] == pytest.approx(last["distortion"] - last["entropy"] / last["beta"])


def test_cuts_of_the_tree_are_better_than_chance(wide: SoftAnnealing) -> None:
    """Merging leaves by the tree keeps more information about contexts than random merges."""
    found = wide
    rng = np.random.default_rng(0)

    def information(groups: Any) -> float:
        joint = np.zeros((groups.max() + 1, found.centroids_.shape[1]))
        np.add.at(joint, groups, found.mass_[:, None] * found.centroids_)
        expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        here = joint > 0
        return float(np.sum(joint[here] * np.log(joint[here] / expected[here])))

    for k in (8, 12):
        groups = found.tree_.cut(k)
        chance = [information(rng.permutation(groups)) for _ in range(50)]
        assert information(groups) > np.quantile(chance, 0.9)


def test_no_cluster_is_a_copy_of_another(nouns: Counts) -> None:
    found = SoftAnnealing(beta=2.0, random_state=0).fit(nouns.top(100))
    assert found.n_clusters_ > 3
    gaps = np.abs(found.centroids_[:, None] - found.centroids_[None]).sum(axis=2)
    assert gaps[~np.eye(found.n_clusters_, dtype=bool)].min() > 5e-4
    assert found.tree_.n_clusters == found.n_clusters_


def plant_homonym() -> Counts:
    """Two families of nouns without a common context, and a noun with three fifths of one."""
    rng = np.random.default_rng(0)
    first, second = (rng.dirichlet(np.ones(12)) for _ in range(2))
    none = np.zeros(12)
    families = [np.append(first, none)] * 10 + [np.append(none, second)] * 10
    mixed = np.append(0.6 * first, 0.4 * second)
    counts = np.array([rng.multinomial(2000, p) for p in [*families, mixed]])
    return Counts(
        counts, [*(f"n{at}" for at in range(20)), "charge"], [f"v{at}" for at in range(24)]
    )


def test_mixture_separates_the_senses_of_a_word(tmp_path: Path) -> None:
    counts = plant_homonym()
    near, mixed = (
        SoftAnnealing(2, beta=6.0, memberships=name, random_state=0).fit(counts)
        for name in ("nearest", "mixture")
    )
    assert mixed.tree_ == near.tree_
    assert mixed.path_ == near.path_
    assert near.membership_.toarray()[-1].max() > 0.9
    shares = mixed.membership_.toarray()
    assert np.sort(shares[-1]) == pytest.approx([0.4, 0.6], abs=0.1)
    assert (shares[:-1].max(axis=1) > 0.9).all()
    # The likelihood is largest: no centroid explains the word better than the mixture does.
    p = counts.matrix.toarray()[-1] / counts.word_totals[-1]
    centroids = np.asarray(mixed.centroids_)
    gains = centroids @ np.divide(p, shares[-1] @ centroids, where=p > 0, out=np.zeros_like(p))
    assert gains == pytest.approx(1, abs=1e-3)
    # New words are placed in the same way, also by a stored thesaurus.
    assert mixed.predict_proba(counts)[-1] == pytest.approx(shares[-1], abs=1e-6)
    made = Thesaurus.from_clustering(counts, mixed)
    made.save(tmp_path / "t")
    again = roget.load(tmp_path / "t")
    assert again.clustering.place(counts.matrix)[-1] == pytest.approx(shares[-1], abs=1e-6)


@pytest.mark.parametrize("options", [{"mass": True}, {"model": "symmetric"}])
def test_mixture_requires_the_model_of_the_paper(options: dict[str, Any]) -> None:
    with refused("conflicting-options", "memberships"):
        SoftAnnealing(2, memberships="mixture", **options).fit(plant_homonym())
