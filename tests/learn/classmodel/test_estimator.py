"""Laws that every model satisfies, and the kinds of classes a ClassModel accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from learn.classmodel.conftest import planted
from roget import catalogue
from roget.core.counts import Counts
from roget.errors import InputError
from roget.learn.classmodel import ClassModel
from roget.learn.classmodel.classes import ClassCounts
from roget.learn.classmodel.families import FAMILIES, learn_family
from roget.learn.classmodel.recipes import recipe
from roget.learn.clustering.comdl.estimator import CoMDL
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.thesaurus import Thesaurus
from support.errors import refused

KINDS = [*FAMILIES, "soft", "soft-symmetric", "mdl", "comdl"]
CLASSY = [name for name in catalogue.MODELS if recipe(name).families]


@pytest.fixture(scope="module")
def learnt() -> dict[str, list[ClassCounts]]:
    """Hold the families learnt so far: they are learnt once for all tests here."""
    return {}


def adds_up(table: Any) -> None:
    assert np.isfinite(table).all()
    assert (table > 0).all()
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", catalogue.MODELS)
def test_every_row_sums_to_one(name: str, parts: Any, learnt: Any) -> None:
    train, dev, test = parts
    model = ClassModel(name, random_state=0).fit(train, dev=dev, learnt=learnt)
    rows = model.proba_rows(np.arange(len(train)))
    adds_up(rows)
    np.testing.assert_allclose(model.weights_.sum(axis=1), 1.0)
    cells = test.matrix.tocoo()
    np.testing.assert_allclose(model.proba(cells.row, cells.col), rows[cells.row, cells.col])
    new = planted(seed=5)
    adds_up(model.predict_proba(new))
    adds_up(model.predict_proba(np.zeros((2, train.shape[1]))))


@pytest.mark.parametrize("backoff", ["discount", "interpolate", "none"])
@pytest.mark.parametrize("name", CLASSY)
def test_classes_beat_models_without_classes(
    name: str, backoff: str, parts: Any, learnt: Any
) -> None:
    train, dev, test = parts
    model = ClassModel(name, backoff=backoff, random_state=0).fit(train, dev=dev, learnt=learnt)
    adds_up(model.proba_rows([0, 1, 2]))
    peer = {"discount": "kneser-ney", "interpolate": "mle", "none": "unigram"}[backoff]
    assert model.score(test) > ClassModel(peer).fit(train, dev=dev).score(test) + 0.05


@pytest.mark.parametrize("name", KINDS)
def test_same_seed_gives_the_same_bits_for_every_kind(name: str, parts: Any, learnt: Any) -> None:
    train, dev, test = parts
    first = ClassModel(name, random_state=0).fit(train, dev=dev, learnt=learnt)
    again = ClassModel(name, random_state=0).fit(train, dev=dev)
    assert first.score(test) == again.score(test)


@pytest.mark.parametrize("name", KINDS)
def test_new_words_are_placed_with_similar_words(name: str, parts: Any, learnt: Any) -> None:
    train, dev, _ = parts
    model = ClassModel(name, random_state=0, backoff="none").fit(train, dev=dev, learnt=learnt)
    new = np.zeros((4, 40))
    for family in range(4):
        new[family, [family, family + 4, family + 8]] = 3
    rows = model.predict_proba(new)
    for family in range(4):
        inside = np.arange(40) % 4 == family
        assert rows[family, inside].sum() > 0.6


def sources(train: Counts) -> dict[str, Any]:
    soft = SoftAnnealing(4, random_state=0).fit(train)
    return {
        "soft": soft,
        "symmetric": SoftAnnealing(4, model="symmetric", random_state=0).fit(train),
        "mdl": MDLTree(random_state=0).fit(train),
        "comdl": CoMDL(random_state=0).fit(train),
        "thesaurus": Thesaurus.from_clustering(train, soft),
        "clustering": soft.clustering_,
        "tables": (soft.membership_, soft.centroids_),
    }


def test_any_clustering_is_accepted(parts: Any) -> None:
    train, dev, test = parts
    plain = ClassModel("kneser-ney").fit(train, dev=dev).score(test)
    made = sources(train)
    for source in (*made.values(), [*made.values(), "nearest"]):
        model = ClassModel(source, random_state=0).fit(train, dev=dev)
        adds_up(model.proba_rows(np.arange(len(train))))
        adds_up(model.predict_proba(planted(seed=6)))
        assert model.score(test) > plain + 0.05


def test_words_missing_from_a_thesaurus_are_placed_by_their_counts(parts: Any) -> None:
    train, dev, test = parts
    half = train.select(train.words[:30])
    thesaurus = Thesaurus.from_clustering(half, SoftAnnealing(4, random_state=0).fit(half))
    model = ClassModel(thesaurus).fit(train, dev=dev)
    plain = ClassModel("kneser-ney").fit(train, dev=dev)
    later = Counts(test.matrix[30:], test.words[30:], test.contexts)
    assert model.score(later) > plain.score(later) + 0.05


def test_weights_are_fitted_to_held_out_tokens_without_dev(parts: Any) -> None:
    train, dev, test = parts
    alone = ClassModel("nearest", random_state=0).fit(train)
    assert alone.score(test) > ClassModel("kneser-ney").fit(train, dev=dev).score(test)
    with refused("fractional-counts", "dev"):
        ClassModel("comdl").fit(train.matrix * 0.5)


def test_empty_dev_leaves_weights_equal(parts: Any) -> None:
    train, _, test = parts
    model = ClassModel("mdl", random_state=0).fit(train, dev=sparse.csr_array(train.shape))
    assert model.weights_ == pytest.approx(np.full((1, len(model.names_)), 1 / len(model.names_)))
    assert np.isfinite(model.score(test))
    assert np.isnan(model.score(sparse.csr_array(train.shape)))


def test_pairs_are_looked_up_by_name_and_scores_ignore_order(parts: Any) -> None:
    train, dev, test = parts
    model = ClassModel("kneser-ney").fit(train, dev=dev)
    assert model.proba("w3", ["v0", "v1"]) == pytest.approx(model.proba(3, [0, 1]))
    turned = Counts(test.matrix[::-1], test.words[::-1], test.contexts)
    assert model.score(turned) == pytest.approx(model.score(test))
    given = train.matrix[:10], test.matrix[:10]
    assert model.score(given[1], given=given[0]) == pytest.approx(
        model.score(Counts(given[1], test.words[:10], test.contexts))
    )


@pytest.mark.parametrize(
    "table", [[[1]], [[5, 0]], [[3], [2]], [[2, 1], [0, 3]], [[0, 0], [4, 1]]], ids=str
)
@pytest.mark.parametrize("name", ["kneser-ney", *KINDS])
def test_tiny_tables_give_probabilities(name: str, table: Any) -> None:
    model = ClassModel(name, random_state=0).fit(np.array(table), dev=np.array(table))
    adds_up(model.proba_rows(np.arange(len(table))))
    adds_up(model.predict_proba(np.array(table)))
    if name in ("kneser-ney", "nearest"):
        adds_up(ClassModel(name, random_state=0).fit(np.array(table)).proba_rows([0]))


def test_invalid_input_is_named(parts: Any) -> None:
    train, dev, _ = parts
    other = SoftAnnealing(2, random_state=0).fit(np.eye(3) + 1)
    for source, code, named in (
        ("sofft", "unknown-name", "soft"),
        (other, "length-mismatch", "3 × 3"),
        (object(), "invalid-input", "object"),
        (("mdl", "nearest"), "invalid-input", "tuple"),
        ((other, other, other), "invalid-input", "tuple"),
        ((other, other), "invalid-input", "tuple"),
        ([], "invalid-option", "'classes' is empty"),
        (["mle", "unigram"], "invalid-option", "'mle'"),
        (["nearest", "kneser-ney"], "invalid-option", "'kneser-ney'"),
        ((np.ones((60, 1)), np.ones((1, 40))), "bad-weight", "centroids"),
        ((np.ones((3, 1)), np.ones((1, 40))), "length-mismatch", "60 words"),
    ):
        with refused(code, named):
            ClassModel(source).fit(train, dev=dev)
    with refused("invalid-option", "backoff='kn'"):
        ClassModel(backoff="kn").fit(train)
    model = ClassModel("unigram").fit(train, dev=dev)
    with refused("length-mismatch", "dev", 60):
        ClassModel("unigram").fit(train.matrix, dev=dev.matrix[:3])
    with refused("empty-input"):
        ClassModel("unigram").fit(np.zeros((2, 2)), dev=np.zeros((2, 2)))
    with refused("length-mismatch", "3 words", "2 contexts"):
        model.proba([0, 1, 2], [0, 1])
    with refused("unknown-word", "nothing"):
        model.proba("nothing", "v0")


def test_unfitted_model_is_refused(parts: Any) -> None:
    for ask in (ClassModel().log_proba, ClassModel().score, ClassModel().predict_proba):
        with pytest.raises(NotFittedError):
            ask(parts[2])


def test_names_of_classes_are_unique(parts: Any) -> None:
    train = parts[0]
    small = Counts(train.matrix[:, :5], train.words, train.contexts[:5])
    for counts in (train, small):
        for name, source in sources(counts).items():
            found = ClassModel(source).fit(counts, dev=counts).names_
            assert len(set(found)) == len(found), (name, found)
            # Equal sizes are left out, and only what two sources say has a number.
            assert not any(one.endswith(")") for one in found), (name, found)
    twice = ClassModel(["mdl", sources(small)["mdl"], sources(small)["mdl"]], random_state=0)
    names = twice.fit(small, dev=small).names_
    assert len(set(names)) == len(names)


def test_weights_stay_with_their_kind_of_classes(
    parts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, calls = parts[0], []
    classes = learn_family("mdl", train.matrix, 0)
    counted, typed = ([c for c in classes if c.types == types][:2] for types in (False, True))

    def family(name: str, table: Any, seed: int) -> list[ClassCounts]:
        calls.append(table)
        return [*counted, typed[0]] if len(calls) == 1 else [counted[0], *typed]

    monkeypatch.setattr("roget.learn.classmodel.estimator.learn_family", family)
    model = ClassModel("mdl", random_state=0).fit(train)
    assert len(calls) == 2
    assert model.classes_ == [*counted, typed[0]]


def test_models_of_passed_classes_are_saved(parts: Any, tmp_path: Path) -> None:
    train, dev, test = parts
    for name, source in sources(train).items():
        model = ClassModel(source, random_state=0).fit(train, dev=dev)
        model.save(tmp_path / name)
        assert ClassModel.load(tmp_path / name).score(test) == model.score(test)


@pytest.mark.parametrize("name", ["mle", "all"])
def test_saved_models_predict_the_same(name: str, parts: Any, learnt: Any, tmp_path: Path) -> None:
    train, dev, test = parts
    model = ClassModel(name, random_state=0).fit(train, dev=dev, learnt=learnt)
    model.save(tmp_path / "model")
    again = ClassModel.load(tmp_path / "model")
    assert again.score(test) == model.score(test)
    assert again.names_ == model.names_
    new = planted(seed=5)
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    assert again.proba("w1", "v2") == model.proba(1, 2)
    (tmp_path / "model" / "arrays.npz").write_bytes(b"")
    with pytest.raises(InputError, match=r"arrays\.npz"):
        ClassModel.load(tmp_path / "model")
