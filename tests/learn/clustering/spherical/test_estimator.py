"""SphericalTree on planted classes: learning, placement, saving, and excluded words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import estimator_checks as checks
from sklearn.utils.estimator_checks import check_estimator

from roget import Counts, Thesaurus, measure
from roget.errors import InputError
from roget.learn.clustering.spherical import estimator
from roget.learn.clustering.spherical.estimator import SphericalTree
from support.errors import notice

KINDS = 12


def draw(words: int, seed: int, tokens: float = 60, light: int = 10) -> np.ndarray:
    """Draw words of twelve kinds, each with ten contexts of its own; others are shared by all."""
    rng = np.random.default_rng(seed)
    kind = np.arange(words) % KINDS
    own = np.repeat(np.arange(KINDS), 10)
    rates = np.where(own == kind[:, None], 1.0, 0.05)
    rates = np.hstack([rates, np.full((words, light), 2.0)])
    return rng.poisson(tokens * rates / rates.sum(axis=1, keepdims=True))


def counts(words: int = 240, seed: int = 0, tokens: float = 60) -> Counts:
    table = draw(words, seed, tokens)
    names = [f"w{n}" for n in range(words)]
    return Counts(table, names, [f"obj:v{n}" for n in range(table.shape[1])])


@pytest.fixture(scope="module")
def fitted() -> SphericalTree:
    """Return a model of the planted counts; not to be changed."""
    return SphericalTree(KINDS, random_state=0).fit(counts())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it() -> None:
    check_estimator(SphericalTree(2))


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it_on_small_tables() -> None:
    for check in (
        checks.check_estimators_dtypes,
        checks.check_methods_subset_invariance,
        checks.check_fit2d_1sample,
        checks.check_dict_unchanged,
        checks.check_estimator_sparse_array,
        checks.check_estimators_nan_inf,
        checks.check_get_params_invariance,
        checks.check_set_params,
        checks.check_n_features_in_after_fitting,
        checks.check_estimators_unfitted,
    ):
        check("SphericalTree", SphericalTree(2))


def test_requested_classes_include_words_in_few_contexts() -> None:
    table = np.repeat(np.eye(4, dtype=int), 6, axis=0) * 5
    table[0] = 5
    assert SphericalTree(4, random_state=0).fit(table).n_clusters_ == 4


def test_planted_kinds_are_found_for_any_seed(fitted: SphericalTree) -> None:
    kinds = np.arange(240) % KINDS
    for model in (fitted, SphericalTree(KINDS, random_state=1).fit(counts())):
        assert measure("v", kinds, model.labels_) > 0.97
        assert measure("v", kinds, model.predict(counts())) > 0.95


def test_new_words_are_placed_with_words_of_their_kind(fitted: SphericalTree) -> None:
    model = fitted
    placed = model.predict(counts(120, seed=7))
    joint = set(zip((np.arange(120) % KINDS).tolist(), placed.tolist(), strict=True))
    assert measure("v", np.arange(120) % KINDS, placed) > 0.95
    assert len(joint) < 1.5 * KINDS
    nothing = model.predict_proba(np.zeros((1, model.n_features_in_)))
    np.testing.assert_allclose(nothing[0], model.mass_, rtol=1e-6)


def test_default_is_one_class_per_forty_words_with_levels_above() -> None:
    found = SphericalTree(random_state=0).fit(counts(1000, tokens=300))
    assert found.n_clusters_ == 25
    assert found.levels_ == [8, 25]
    asked = SphericalTree(levels="4,12", random_state=0).fit(counts(240))
    assert asked.n_clusters_ == 12
    assert asked.levels_ == [4, 12]
    assert np.unique(asked.cut(4)).size == 4


def test_words_with_little_evidence_or_between_classes_are_excluded() -> None:
    table = draw(240, 0)
    table[0] = 0
    table[0, 3] = 5
    table[5, :120] = np.roll(table[6, :120], 10) + table[6, :120]
    given = Counts(table, [f"w{n}" for n in range(240)], [f"c{n}" for n in range(130)])
    model = SphericalTree(KINDS, random_state=0).fit(given)
    assert model.unsure_[0] == "occurs in 1 context"
    notice(model.notes_, "words-set-aside", len(model.unsure_))
    made = Thesaurus.from_clustering(given, model)
    assert "w0" not in made.words
    assert len(made) == 240 - len(model.unsure_)
    with pytest.raises(InputError, match="w0"):
        made.neighbours("w0")
    node = int(made.places[made.row("w1")])
    assert made.editor.add("w0", node).path("w0")[0] == made.path("w1")[0], (
        "unless somebody adds it"
    )
    every = SphericalTree(KINDS, random_state=0, set_aside=False).fit(given)
    assert not every.unsure_
    assert len(Thesaurus.from_clustering(given, every)) == 240


def test_classes_of_rare_words_are_dissolved() -> None:
    vectors = np.eye(4, dtype=np.float32)[np.repeat([0, 1, 2, 3], 10)]
    vectors[30:, 2] += 0.1
    seldom = np.arange(40) >= 30
    seldom[30] = False
    labels, among = estimator.dissolve(vectors, np.repeat([0, 1, 3, 2], 10), seldom)
    assert labels.tolist() == [0] * 10 + [1] * 10 + [2] * 20, "each in the class nearest to it"
    assert np.flatnonzero(among).tolist() == list(range(31, 40)), "the rare words"
    every, nobody = estimator.dissolve(vectors, labels, np.ones(40, dtype=bool))
    assert np.array_equal(every, labels), "where all are rare, none is more so"
    assert not nobody.any()


def test_excluded_words_are_saved_with_the_thesaurus(tmp_path: Path) -> None:
    table = draw(240, 0)
    table[0] = 0
    table[0, 3] = 5
    given = Counts(table, [f"w{n}" for n in range(240)], [f"c{n}" for n in range(130)])
    model = SphericalTree(KINDS, random_state=0).fit(given)
    model.save(tmp_path / "model")
    assert SphericalTree.load(tmp_path / "model").unsure_ == model.unsure_
    made = Thesaurus.from_clustering(given, model)
    made.save(tmp_path / "t")
    again = Thesaurus.load(tmp_path / "t")
    assert again.unsure == made.unsure
    new = counts(20, seed=5)
    new = Counts(new.matrix, new.words, [f"c{n}" for n in range(130)])
    assert abs(again.classify(new) - made.classify(new)).max() < 1e-12


def test_stopped_run_resumes_with_its_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*given: object) -> None:
        raise KeyboardInterrupt

    options = {"random_state": 3, "checkpoint": tmp_path / "kept"}
    with monkeypatch.context() as patched:
        patched.setattr(estimator, "start", stop)
        with pytest.raises(KeyboardInterrupt):
            SphericalTree(KINDS, **options).fit(counts())
    plain = SphericalTree(KINDS, random_state=3).fit(counts())
    with monkeypatch.context() as patched:
        patched.setattr(estimator.Representation, "learn", stop)
        again = SphericalTree(KINDS, **options).fit(counts())
    assert np.array_equal(again.labels_, plain.labels_)


def test_single_class_is_noted_unless_requested() -> None:
    notice(SphericalTree(random_state=0).fit(counts(24)).notes_, "nothing-clustered", 24)
    for requested in (1, 24):
        assert not SphericalTree(requested, random_state=0).fit(counts(24)).notes_
    assert SphericalTree(random_state=0).fit(np.array([[3, 4, 5]])).n_clusters_ == 1
