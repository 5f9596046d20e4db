"""Behaviour that all clusterers share, tested on each of them."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from roget import catalogue
from roget.learn.clustering import result
from support.errors import refused

FAMILIES = np.kron(np.eye(2, dtype=int), [[9, 5, 1], [8, 6, 0], [7, 4, 2]])


@pytest.fixture(params=catalogue.names("clusterers"))
def model(request: pytest.FixtureRequest) -> Any:
    kind = catalogue.load("clusterers", request.param)
    return kind(**{kind.number: 2}, random_state=0).fit(FAMILIES)


def test_dask_arrays_give_the_same_result_and_are_checked(model: Any) -> None:
    array = pytest.importorskip("dask.array")
    lazy = array.from_array(FAMILIES, chunks=(4, 2))
    shares = model.predict_proba(lazy)
    assert shares.dtype == model.membership_.dtype
    np.testing.assert_allclose(shares.compute(), model.predict_proba(FAMILIES), rtol=1e-12)
    assert np.array_equal(model.predict(lazy).compute(), model.labels_)
    with refused("invalid-input", "6 columns"):
        model.predict_proba(lazy[:, 1:])
    with pytest.raises(ValueError, match="Negative"):  # scikit-learn's wording
        model.predict_proba(-lazy).compute()


def test_loaded_model_predicts_the_same(model: Any, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = type(model).load(tmp_path / "model")
    assert np.array_equal(again.predict_proba(FAMILIES), model.predict_proba(FAMILIES))
    assert np.array_equal(again.cut(2), model.labels_)
    assert again.score(FAMILIES) == model.score(FAMILIES)
    assert again.get_feature_names_out().size == again.n_clusters_ == 2


def test_unknown_parameter_is_refused_with_the_nearest_name(model: Any) -> None:
    with refused("unknown-name", "random_stat", "random_state", type(model).__name__):
        model.set_params(random_stat=1)
    with pytest.raises(ValueError, match="random_stat"):  # as scikit-learn's own estimators
        model.set_params(random_stat__nested=1)
    assert model.set_params(random_state=3).get_params()["random_state"] == 3


def test_signature_lists_the_parameters(model: Any) -> None:
    assert set(inspect.signature(type(model)).parameters) == set(model.get_params(deep=False))


def test_score_is_the_mean_log_probability_of_the_mixture(model: Any) -> None:
    fit = model.predict_proba(FAMILIES) @ model.centroids_
    seen = FAMILIES > 0
    expected = np.sum(FAMILIES[seen] * np.log(fit[seen])) / FAMILIES.sum()
    assert model.score(FAMILIES) == pytest.approx(expected, rel=1e-9)


def test_placement_does_not_depend_on_threads_or_blocks(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    counts = random.poisson(random.gamma(0.3, 1.0, (200, 150)) * 0.5)
    counts[:, :2] += 1
    made = model.fit(counts).clustering_
    assert any(one["user_api"] == "blas" for one in threadpool_info())
    placed = []
    for threads, block in ((1, 200), (2, 200), (1, 199), (2, 61)):
        monkeypatch.setattr(result, "CELLS", block * made.n_clusters)
        with threadpool_limits(threads):
            placed.append(made.place(counts))
    for other in placed[1:]:
        assert np.array_equal(other, placed[0])
