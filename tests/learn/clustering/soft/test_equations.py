"""The equations as printed in the paper, its free energy, and splits up to a cross-entropy."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import v_measure_score

from roget import SoftAnnealing, Thesaurus, data
from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import ThreadPool
from roget.learn.clustering.soft.em import SoftMixture
from roget.report.thesaurus import report
from support.errors import refused, warned


def naive_printed(counts: Any, q: Any, beta: float, steps: int) -> tuple[Any, Any]:
    """Compute equations 7, 8 and 11 with equal weights of words, one number at a time."""
    n, k = q.shape
    p = counts / counts.sum(axis=1, keepdims=True)
    near = q.copy()  # p(n|c), not normalised
    for _ in range(steps):
        centroids = np.array([near[:, c] @ p / near[:, c].sum() for c in range(k)])
        near = np.zeros((n, k))
        for i in range(n):
            for c in range(k):
                seen = p[i] > 0
                far = float(np.sum(p[i, seen] * np.log(p[i, seen] / centroids[c, seen])))
                near[i, c] = math.exp(-beta * far)
    return near / near.sum(axis=1, keepdims=True), centroids


def test_printed_update_is_equations_7_and_8() -> None:
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, (9, 5)).astype(float)
    q, beta = rng.dirichlet(np.ones(3), 9), 2.5
    mixture = SoftMixture(
        prepare(sparse.csr_array(counts), "uniform"), False, ThreadPool(1), printed=True
    )
    mixture.reserve(3)
    mixture.k = 3
    mixture.q[:, :3] = q
    for _ in range(4):
        mixture.m_step()
        mixture.e_step(beta)
    expected, centroids = naive_printed(counts, q, beta, 4)
    np.testing.assert_allclose(mixture.q[:, :3], expected, rtol=1e-9)
    np.testing.assert_allclose(mixture.centroids(), centroids, rtol=1e-9)


def families(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    means, labels = rng.dirichlet(np.full(40, 0.3), 4), np.arange(80) % 4
    return np.array([rng.multinomial(80, means[label]) for label in labels]), labels


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_masses_find_clusters_that_the_printed_equations_miss(seed: int) -> None:
    """Four planted families: with the printed equations clusters collapse."""
    counts, labels = families(seed)
    options: dict[str, Any] = {"prior": "uniform", "random_state": seed}
    good = SoftAnnealing(4, **options).fit(counts)
    assert v_measure_score(labels, good.labels_) > 0.95
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        bad = SoftAnnealing(4, equations="printed", **options).fit(counts)
    assert bad.n_clusters_ < 4
    assert v_measure_score(labels, bad.labels_) < v_measure_score(labels, good.labels_)


def naive_free_energy(model: SoftAnnealing, counts: Any) -> float:
    """Compute −(1/β)·Σ p(n)·log Z_n with equal weights of words."""
    p = counts / counts.sum(axis=1, keepdims=True)
    total = 0.0
    for row in p:
        seen = row > 0
        far = [
            float(np.sum(row[seen] * np.log(row[seen] / np.maximum(c[seen], 1e-12))))
            for c in model.centroids_
        ]
        total -= math.log(sum(math.exp(-model.beta_ * one) for one in far)) / model.beta_
    return total / len(p)


def test_path_has_the_free_energy_of_the_paper() -> None:
    counts, _ = families(0)
    model = SoftAnnealing(3, equations="bayes", prior="uniform", random_state=0).fit(counts)
    for row in model.path_:
        assert row["paper_free_energy"] == pytest.approx(
            row["distortion"] - row["entropy"] / row["beta"]
        )
        assert row["paper_free_energy"] == pytest.approx(row["free_energy"], rel=1e-9)
    assert model.n_clusters_ == 3
    assert naive_free_energy(model, counts) == pytest.approx(
        model.path_[-1]["paper_free_energy"], abs=1e-3
    )
    massive = SoftAnnealing(3, prior="uniform", random_state=0).fit(counts)
    row = massive.path_[1]
    assert row["free_energy"] > row["paper_free_energy"], "masses cost up to log k"


@pytest.fixture(scope="module")
def nouns() -> Any:
    """Return the most frequent nouns of the sample."""
    return data.sample("verb_object").top(60)


def test_splits_end_at_a_cross_entropy(nouns: Any) -> None:
    wholes = []
    for bits in (7.0, 6.5):
        model = SoftAnnealing(until=bits, random_state=0).fit(nouns)
        reached = -model.score(nouns) / math.log(2)
        assert reached <= bits + 0.01
        assert reached > bits - 0.4, "not much further"
        wholes.append(model.n_clusters_)
    assert wholes == sorted(set(wholes))
    assert str(report(Thesaurus.from_clustering(nouns, model)))


def test_unreachable_cross_entropy_is_a_warning(nouns: Any) -> None:
    with warned("not-converged", "bits", kind=ConvergenceWarning):
        model = SoftAnnealing(3, until=1, random_state=0).fit(nouns)
    assert model.n_clusters_ == 3


@pytest.mark.parametrize("equations", ["mass", pytest.param("bayes", marks=pytest.mark.slow)])
def test_run_up_to_a_cross_entropy_resumes(nouns: Any, tmp_path: Path, equations: str) -> None:
    nouns = nouns.top(40)
    whole = SoftAnnealing(until=6.2, random_state=0, equations=equations).fit(nouns)
    for _ in range(2):
        kept = SoftAnnealing(
            until=6.2, random_state=0, equations=equations, checkpoint=tmp_path / "run"
        ).fit(nouns)
        assert np.array_equal(kept.labels_, whole.labels_)
        assert kept.path_ == whole.path_


def test_incompatible_options_are_refused() -> None:
    counts, _ = families(0)
    with refused("conflicting-options", "mass=False"):
        SoftAnnealing(2, mass=True, equations="printed").fit(counts)
    with refused("conflicting-options", "until"):
        SoftAnnealing(2, model="symmetric", until=3.0).fit(counts)
    with refused("invalid-option", "equations='plain'"):
        SoftAnnealing(2, equations="plain").fit(counts)
