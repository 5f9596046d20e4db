"""AgglomerativeTree as an estimator."""

from __future__ import annotations

import os
import pickle
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import v_measure_score
from sklearn.utils.estimator_checks import check_estimator

from roget import AgglomerativeTree, Thesaurus, data
from roget.core.progress import Progress
from roget.report.thesaurus import report
from support.errors import notice, refused, warned

FAMILIES = np.array([[9, 1, 0, 0], [8, 2, 0, 0], [0, 0, 7, 3], [0, 0, 6, 4]])


def planted(words: int = 150, contexts: int = 60, clusters: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    means, labels = rng.dirichlet(np.full(contexts, 0.3), clusters), np.arange(words) % clusters
    return np.array([rng.multinomial(120, means[label]) for label in labels]), labels


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it() -> None:
    check_estimator(AgglomerativeTree(2))


def test_planted_clusters_are_learnt() -> None:
    counts, labels = planted()
    model = AgglomerativeTree(4).fit(counts)
    assert v_measure_score(labels, model.labels_) == pytest.approx(1.0)
    assert np.allclose(model.centroids_.sum(axis=1), 1)
    assert np.allclose(model.mass_, np.bincount(model.labels_, counts.sum(axis=1)) / counts.sum())
    assert np.allclose(model.background_, counts.sum(axis=0) / counts.sum())
    assert np.array_equal(model.predict(counts), model.labels_)
    assert len(set(model.cut(2).tolist())) == 2
    assert model.notes_ == []
    assert model.score(counts) > AgglomerativeTree(1).fit(counts).score(counts)
    assert AgglomerativeTree().fit(counts).n_clusters_ == round(150**0.5)
    assert pickle.loads(pickle.dumps(model)).score(counts) == model.score(counts)
    assert clone(model).fit(counts).score(counts) == model.score(counts)


def test_path_holds_the_remaining_information() -> None:
    counts, _ = planted()
    model = AgglomerativeTree(4).fit(counts)
    path = model.path_
    assert [row["n_clusters"] for row in path] == list(range(149, 0, -1))
    assert path[-1]["left"] == pytest.approx(0, abs=1e-12)
    for before, row in pairwise(path):
        assert before["left"] - row["lost"] == pytest.approx(row["left"])
    values = model.tree_.value[~np.isnan(model.tree_.value)]
    expected = [row["lost"] * counts.sum() for row in path[-3:]]
    assert sorted(values) == pytest.approx(sorted(expected))
    # The information that four clusters have about contexts, from their own table.
    joint = np.stack([counts[model.labels_ == c].sum(axis=0) for c in range(4)]) / counts.sum()
    ratio = joint / (joint.sum(axis=1, keepdims=True) * joint.sum(axis=0))
    left = float(np.sum(joint[joint > 0] * np.log(ratio[joint > 0])))
    assert next(row["left"] for row in path if row["n_clusters"] == 4) == pytest.approx(left)


def test_words_that_are_not_merged_are_placed() -> None:
    counts, labels = planted()
    counts[labels == 3] //= 4
    few = AgglomerativeTree(4, max_words=60).fit(counts)
    notice(few.notes_, "words-capped", 60, 150)
    assert few.membership_.shape == (150, 4)
    rare = AgglomerativeTree(3, min_count=100).fit(counts)
    assert v_measure_score(labels[labels < 3], rare.labels_[labels < 3]) == pytest.approx(1.0)
    assert rare.membership_.shape == (150, 3)
    empty = np.insert(FAMILIES, 2, 0, axis=0)
    model = AgglomerativeTree(2).fit(empty)
    assert np.delete(model.labels_, 2).tolist() == [0, 0, 1, 1]
    assert np.allclose(model.predict_proba(empty)[2], model.mass_)
    with refused("too-little-text", "2 row sums", "min_count=0"):
        AgglomerativeTree().fit(np.zeros((2, 2)))


def test_more_clusters_than_words_is_a_warning() -> None:
    with warned("not-converged", "4 clusters", 9, kind=ConvergenceWarning):
        assert AgglomerativeTree(9).fit(FAMILIES).n_clusters_ == 4


def test_words_are_weighted_by_counts_or_equally() -> None:
    """With a uniform prior, ten times the tokens of a word change nothing."""
    counts, _ = planted(40)
    more = counts * np.where(np.arange(40) % 2, 10, 1)[:, None]
    even = [AgglomerativeTree(4, prior="uniform").fit(one).labels_ for one in (counts, more)]
    assert np.array_equal(*even)
    model = AgglomerativeTree(4).fit(more)
    assert np.allclose(model.mass_, np.bincount(model.labels_, more.sum(axis=1)) / more.sum())


def test_interrupt_keeps_the_clusters_and_the_checkpoint_resumes(tmp_path: Path) -> None:
    counts, _ = planted(300)

    def interrupt(progress: Progress) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    stopped = AgglomerativeTree(4, checkpoint=tmp_path / "run", progress=interrupt)
    with warned("interrupted"):
        stopped.fit(counts)
    assert stopped.interrupted_
    assert 4 < stopped.n_clusters_ < 300
    again = AgglomerativeTree(4, checkpoint=tmp_path / "run").fit(counts)
    whole = AgglomerativeTree(4).fit(counts)
    assert np.array_equal(again.labels_, whole.labels_)
    assert again.tree_ == whole.tree_
    with refused("conflicting-options", "run"):
        AgglomerativeTree(4, checkpoint=tmp_path / "run").fit(counts + 1)


def test_levels_are_cuts_of_the_tree() -> None:
    counts, _ = planted()
    model = AgglomerativeTree(8).fit(counts)
    levels = AgglomerativeTree.learn_levels(model.clustering_._table(counts), 0, [2, 8, 999])
    assert [one.n_clusters for (one,) in levels] == [2, 8]
    assert np.array_equal(levels[1][0].labels, model.labels_)
    assert v_measure_score(levels[0][0].labels, model.cut(2)) == pytest.approx(1.0)


def test_thesaurus_of_the_sample() -> None:
    nouns = data.sample("verb_object").top(300)
    thesaurus = Thesaurus.from_clustering(nouns, AgglomerativeTree(12).fit(nouns))
    assert thesaurus.tree.n_clusters == 12
    assert "bits saved" in str(report(thesaurus))
