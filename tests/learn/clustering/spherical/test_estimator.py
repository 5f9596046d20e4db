"""SphericalTree on planted classes: found again, placed again, kept, and words set aside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from roget import Counts, Thesaurus, measure
from roget.errors import InputError
from roget.learn.clustering.spherical import estimator
from roget.learn.clustering.spherical.estimator import SphericalTree

KINDS = 12


def draw(words: int, seed: int, tokens: float = 60, light: int = 10) -> np.ndarray:
    """Words of twelve kinds, each with ten contexts of its own; others are everybody's."""
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


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_takes_it_for_an_estimator() -> None:
    check_estimator(SphericalTree(2))


def test_classes_that_are_asked_for_are_made_of_words_in_few_contexts_too() -> None:
    table = np.repeat(np.eye(4, dtype=int), 6, axis=0) * 5
    table[0] = 5
    assert SphericalTree(4, random_state=0).fit(table).n_clusters_ == 4


def test_planted_kinds_are_found_whatever_the_seed() -> None:
    kinds = np.arange(240) % KINDS
    for seed in range(3):
        model = SphericalTree(KINDS, random_state=seed).fit(counts())
        assert measure("v", kinds, model.labels_) > 0.97
        assert measure("v", kinds, model.predict(counts())) > 0.95


def test_new_words_are_placed_with_those_of_their_kind() -> None:
    model = SphericalTree(KINDS, random_state=0).fit(counts())
    placed = model.predict(counts(120, seed=7))
    joint = set(zip((np.arange(120) % KINDS).tolist(), placed.tolist(), strict=True))
    assert measure("v", np.arange(120) % KINDS, placed) > 0.95
    assert len(joint) < 1.5 * KINDS
    nothing = model.predict_proba(np.zeros((1, model.n_features_in_)))
    np.testing.assert_allclose(nothing[0], model.mass_, rtol=1e-6)


def test_one_class_for_forty_words_and_levels_above() -> None:
    found = SphericalTree(random_state=0).fit(counts(2000, tokens=300))
    assert found.n_clusters_ == 50
    assert found.levels_ == [8, 50]
    asked = SphericalTree(levels="4,12", random_state=0).fit(counts(480))
    assert asked.n_clusters_ == 12
    assert asked.levels_ == [4, 12]
    assert np.unique(asked.cut(4)).size == 4


def test_words_of_little_evidence_or_between_classes_are_set_aside() -> None:
    table = draw(240, 0)
    table[0] = 0
    table[0, 3] = 5
    table[5, :120] = np.roll(table[6, :120], 10) + table[6, :120]
    given = Counts(table, [f"w{n}" for n in range(240)], [f"c{n}" for n in range(130)])
    model = SphericalTree(KINDS, random_state=0).fit(given)
    assert model.unsure_[0] == "seen in 1 context"
    assert any("set aside as unsure" in note for note in model.notes_)
    made = Thesaurus.from_clustering(given, model)
    assert "w0" not in made.words
    assert len(made) == 240 - len(model.unsure_)
    with pytest.raises(InputError, match=r"set aside as unsure .seen in 1 context"):
        made.neighbours("w0")
    node = int(made.places[made.row("w1")])
    assert made.add("w0", node).path("w0")[0] == made.path("w1")[0], "unless somebody adds it"
    every = SphericalTree(KINDS, random_state=0, set_aside=False).fit(given)
    assert not every.unsure_
    assert len(Thesaurus.from_clustering(given, every)) == 240


def test_classes_of_rare_words_only_are_dissolved_unless_a_number_is_asked_for() -> None:
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


def test_unsure_words_survive_a_thesaurus_kept_and_read(tmp_path: Path) -> None:
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


def test_the_run_that_was_stopped_goes_on_with_its_vectors(
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


def test_nothing_clustered_is_said() -> None:
    assert "in one class" in SphericalTree(random_state=0).fit(counts(24)).notes_[0]
    for asked in (1, 24):
        assert not SphericalTree(asked, random_state=0).fit(counts(24)).notes_
    assert SphericalTree(random_state=0).fit(np.array([[3, 4, 5]])).n_clusters_ == 1
