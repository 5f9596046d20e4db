"""The number of classes does not depend on the seed; no class is empty or a copy of another."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from roget import CoMDL, Counts, MDLTree, SoftAnnealing, catalogue
from roget.core.tree import Tree
from roget.data import sample
from roget.learn.clustering.annealing.estimator import close_gaps
from roget.learn.clustering.base import NEARLY_ALL
from roget.learn.clustering.memberships import to_dense
from roget.learn.clustering.result import Clustering
from support.errors import codes, notice, warned

SEEDS = range(3)
FAST = {"soft": 1000, "symmetric": 300, "mdl": 300, "comdl": 60}
"""Number of BNC words a method is tried on; 300 for other methods."""


@pytest.fixture(scope="module")
def nouns(shared_data: Path) -> Counts:
    """Return nouns of the BNC by the verbs whose objects they are."""
    table = shared_data / "bnc-verb-noun" / "verb_object.tsv"
    if not table.exists():
        pytest.skip(f"no {table}")
    return Counts.read(table, columns=(2, 1, 3))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", catalogue.names("clusterers"))
def test_number_of_classes_is_stable_over_seeds(nouns: Counts, method: str) -> None:
    counts, kind = nouns.top(FAST.get(method, 300)), catalogue.load("clusterers", method)
    quick = {"n_starts": 1, "n_sweeps": 20} if method == "comdl" else {}
    models = [kind.make(random_state=seed, **quick).fit(counts) for seed in SEEDS]
    numbers = np.array([model.n_clusters_ for model in models])
    assert np.abs(numbers / numbers.mean() - 1).max() <= 0.1, numbers
    for model in models:
        check_classes(model.clustering_)
        noted = "nothing-clustered" in codes(model.notes_)
        assert noted == (model.n_clusters_ >= NEARLY_ALL * len(counts.words))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", catalogue.names("clusterers"))
def test_every_class_has_words_and_a_centroid_of_its_own(method: str) -> None:
    """A quick version of the test over seeds: one seed, few words."""
    counts, kind = sample("verb_object").top(60), catalogue.load("clusterers", method)
    quick = {"n_starts": 1, "n_sweeps": 10} if method == "comdl" else {}
    quick |= {"concentration": 30.0} if method == "mdl" else {}
    check_classes(kind.make(random_state=0, **quick).fit(counts).clustering_)


def check_classes(found: Clustering) -> None:
    """Check that every class is some word's likeliest, and no two have the same centroid."""
    assert np.bincount(found.labels, minlength=found.n_clusters).min() > 0
    roots = np.sqrt(to_dense(found.centroids))
    apart = 2 - 2 * roots @ roots.T
    np.fill_diagonal(apart, 1)
    assert apart.min() > 1e-6
    assert found.mass.sum() == pytest.approx(1, abs=1e-6)


def made(centroids: Any, memberships: Any, mass: Any) -> Clustering:
    tree = Tree.from_splits([(0, 1.0), (1, 2.0), (0, 3.0)])
    return Clustering(tree, sparse.csr_array(memberships), np.array(centroids), np.array(mass))


def kept(found: Clustering) -> Any:
    return found.memberships


def test_empty_and_duplicate_clusters_are_absorbed() -> None:
    """Clusters 1 and 2 have the same centroid; all words of 3 prefer 0."""
    found = made(
        [[0.9, 0.1, 0.0], [0.1, 0.2, 0.7], [0.1, 0.2, 0.7], [0.7, 0.2, 0.1]],
        [[0.6, 0.0, 0.0, 0.4], [0.0, 0.5, 0.5, 0.0], [0.0, 0.4, 0.6, 0.0], [0.6, 0.0, 0.0, 0.4]],
        [0.3, 0.2, 0.3, 0.2],
    )
    closed = close_gaps(found, kept)
    check_classes(closed)
    assert closed.tree == Tree().split(0, 1.0)
    assert closed.labels.tolist() == [0, 1, 1, 0]
    np.testing.assert_allclose(closed.mass, [0.5, 0.5])
    np.testing.assert_allclose(closed.memberships.toarray().sum(axis=1), 1)
    np.testing.assert_allclose(closed.centroids[0], [0.82, 0.14, 0.04])


def test_cluster_without_words_is_absorbed_by_its_sibling() -> None:
    belongs = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    found = made(np.eye(4) * 0.6 + 0.1, belongs, [0.5, 0.0, 0.3, 0.2])
    closed = close_gaps(found, kept)
    assert closed.n_clusters == 3
    assert sorted(closed.mass.tolist()) == [0.2, 0.3, 0.5]
    assert close_gaps(closed, kept) is closed


def test_collapsed_clusters_are_removed() -> None:
    """Words of two kinds cannot fill nine clusters, whatever number is requested."""
    rng = np.random.default_rng(0)
    counts = np.kron(np.eye(2, dtype=int), np.full((20, 6), 9)) + rng.integers(0, 2, (40, 12))
    for model in ("asymmetric", "symmetric"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = SoftAnnealing(9, model=model, random_state=0).fit(counts)
        check_classes(found.clustering_)
        assert found.tree_.n_clusters == found.n_clusters_ == found.mass_.size
        shares = found.predict_proba(counts)
        assert np.allclose(shares.sum(axis=1), 1)


def test_concentration_does_not_depend_on_the_seed() -> None:
    rng = np.random.default_rng(1)
    families = rng.dirichlet(np.ones(30), 6)
    counts = np.array([rng.multinomial(60, families[n % 6]) for n in range(60)])
    models = [MDLTree(random_state=seed).fit(counts) for seed in SEEDS[:2]]
    assert len({(model.concentration_, model.parent_weight_) for model in models}) == 1


@pytest.mark.parametrize("method", catalogue.names("clusterers"))
def test_single_class_is_noted(method: str) -> None:
    counts = np.tile([30, 20, 10], (12, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = catalogue.load("clusterers", method).make(random_state=0).fit(counts)
    if model.n_clusters_ == 1:
        notice([model.notes_[-1]], "nothing-clustered", 12)


def test_one_class_per_word_is_noted_and_warned_of_unless_requested() -> None:
    """Frequent words that all differ have the shortest description one by one."""
    rng = np.random.default_rng(0)
    counts = np.array([rng.multinomial(20_000, rng.dirichlet(np.ones(40))) for _ in range(20)])
    for kind, number in ((CoMDL, "n_row_classes"), (MDLTree, "n_clusters")):
        options = {"n_starts": 1} if kind is CoMDL else {"concentration": 1.0}
        with warned("nothing-clustered", "20 words", number):
            model: Any = kind(random_state=0, **options).fit(counts)
        assert model.n_clusters_ >= 18
        notice(model.notes_, "nothing-clustered", model.n_clusters_)
        again: Any = kind(random_state=0, **options, **{number: model.n_clusters_}).fit(counts)
        assert "nothing-clustered" not in codes(again.notes_)
