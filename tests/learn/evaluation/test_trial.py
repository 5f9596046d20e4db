"""Quality of classes on held-out tokens, as reported in the summary of a build."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from roget import CoMDL, Counts, MDLTree, SoftAnnealing
from roget.learn.build import Plan, run
from roget.learn.clustering import tokens as heldout
from roget.learn.counting.options import CountOptions
from roget.learn.evaluation.heldout import KEPT, trial


def planted(seed: int = 0) -> Counts:
    """Return forty words of four families, each with few tokens of its family's contexts."""
    rng = np.random.default_rng(seed)
    kinds = rng.dirichlet(np.full(60, 0.2), 4)
    return Counts(np.vstack([rng.multinomial(40, kinds[row % 4]) for row in range(40)]))


@pytest.mark.parametrize(
    "model",
    [
        SoftAnnealing(4, random_state=0),
        MDLTree(4, random_state=0, concentration=30.0),
        CoMDL(random_state=0, n_starts=1),
    ],
)
def test_classes_of_families_improve_predictions(model) -> None:
    counts = planted()
    collected = []
    found = trial(counts, model.fit(counts), 0, collected.append)
    assert found is not None
    assert found["word"] - found["both"] > 0.1
    assert found["class"] < found["all"]
    assert collected
    assert all(now["trial"] for now in collected)
    _, held = counts.split(KEPT, random_state=0)
    assert found["tokens"] == held.total


def test_bits_are_those_of_words_backed_off_to_the_unigram() -> None:
    counts = planted()
    found = trial(counts, SoftAnnealing(4, random_state=0).fit(counts), 0)
    train, held = counts.split(KEPT, random_state=0)
    given, expected = train.matrix.toarray(), held.matrix.toarray()
    totals = given.sum(axis=0) + 0.5
    rows, columns = np.nonzero(expected)
    words = given[rows, columns] / given[rows].sum(axis=1)
    unigram = (totals / totals.sum())[columns]
    weights = expected[rows, columns].astype(float)
    loss = 0.0
    for half in (0, 1):
        here = np.arange(rows.size) % 2 == half
        share, _ = heldout.fit_weights(np.stack([words[~here], unigram[~here]]), weights[~here])
        predicted = share * words[here] + (1 - share) * unigram[here]
        loss -= float(weights[here] @ np.log2(predicted))
    assert found is not None
    assert found["word"] == pytest.approx(loss / weights.sum(), rel=1e-9)


def test_trial_is_omitted_if_it_cannot_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Counts([[3, 1], [0, 2]])
    assert trial(few, SoftAnnealing(2, random_state=0).fit(few), 0) is None
    broken = Counts(sparse.csr_array(planted().matrix * 0.5))
    assert trial(broken, SoftAnnealing(2, random_state=0).fit(broken), 0) is None


def test_build_reports_the_trial_unless_disabled(tmp_path) -> None:
    planted().write(tmp_path / "x.counts")
    plan = Plan("soft", 4)
    built = run([tmp_path / "x.counts"], tmp_path / "one", CountOptions(), plan)
    assert math.isfinite(built.thesaurus.provenance["heldout"]["both"])
    plain = run(
        [tmp_path / "x.counts"], tmp_path / "two", CountOptions(), Plan("soft", 4, heldout=False)
    )
    assert "heldout" not in plain.thesaurus.provenance
    assert plain.thesaurus.tree == built.thesaurus.tree
