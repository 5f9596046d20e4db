"""The trust in classes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from roget import Counts, SphericalTree
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.lookup import list_level_nodes
from roget.learn.thesaurus.quality import (
    FIGURES,
    UNSORTED,
    ClassTrust,
    centrality,
    mean_cosine,
    unsorted,
)
from roget.report.thesaurus import report
from support.errors import codes
from thesauri import noisy

READ = Path(__file__).parents[3] / "benchmarks" / "trust.tsv"


@pytest.fixture(scope="module")
def built():
    counts, families = noisy()
    model = SphericalTree(5, random_state=0, set_aside=False, min_contexts=1).fit(counts)
    return Thesaurus.from_clustering(counts, model), families


def score_words(thesaurus, node):
    """Return ln(1 + n)·centrality of the words of a class, to the power 1.5 for inner classes."""
    vectors, rows = thesaurus.index.vectors, thesaurus.inside(node)
    totals = thesaurus.counts.word_totals
    power = 1.5 if thesaurus.tree.children(node) else 1.0
    scores = np.log1p(totals[rows]) ** power * centrality(vectors, totals, rows)
    return dict(zip(rows.tolist(), scores.tolist(), strict=True))


@pytest.mark.parametrize("levels", [(2, 10), (2, 5, 10)])
def test_only_shown_classes_reserve_words_in_labels(levels):
    counts, _ = noisy(size=40)
    model = SphericalTree(10, random_state=0, set_aside=False, min_contexts=1).fit(counts)
    made = Thesaurus.from_clustering(counts, model, provenance={"levels": list(levels)})
    shown = list_level_nodes(made)
    for node in sorted(shown - {0}):
        scores = score_words(made, node)
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        above = [one for one in made.tree.path(node)[1:-1] if one in shown]
        used = {row for one in above for row in made.index.places.labels.rows(one)}
        rest = sorted(ranked[1:], key=lambda row: (row in used, -scores[row]))
        assert made.index.places.labels.rows(node) == [ranked[0], *rest][:3]
    # A hidden class is named like the others, without the words of other hidden classes.
    assert all(made.index.places.labels.rows(node) for node in range(made.tree.n_nodes))


def auc(values, good):
    """Return the probability that a good case has a higher value than another."""
    yes, no = values[good][:, None], values[~good][None, :]
    return float(((yes > no) + 0.5 * (yes == no)).mean())


def test_trust_predicts_what_a_reader_called_coherent():
    with READ.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) >= 120
    kind = np.array([row["build"].partition("-")[2] for row in rows])
    found = [
        ClassTrust.of(*(float(row[name]) for name in FIGURES), prior).trust
        for row, prior in zip(rows, kind == "vectors", strict=True)
    ]
    trust, judged = np.array(found), np.array([row["judgement"] for row in rows])
    assert auc(trust, judged == "coherent") >= 0.85
    assert auc(trust, judged != "junk") >= 0.87
    for one in ("none", "background", "vectors"):
        assert auc(trust[kind == one], judged[kind == one] == "coherent") >= 0.8
        coherent = (judged[kind == one] == "coherent").mean()
        assert trust[kind == one].mean() == pytest.approx(coherent, abs=0.07)  # calibrated
    shown = judged[(trust >= UNSORTED) & (kind == "vectors")]
    assert (shown == "junk").mean() <= 0.03
    assert (shown == "coherent").mean() >= 0.85


def test_each_figure_raises_the_trust():
    usual = [*[one.usual for one in FIGURES.values()][:2], 50.0]
    middle = ClassTrust.of(*usual).trust
    for at in range(3):
        more = list(usual)
        more[at] *= 1.2
        assert ClassTrust.of(*more).trust > middle


def test_reason_names_the_lowest_figure():
    assert "occurrences" in ClassTrust.of(0.4, 0.05, 1.1).reason
    assert "contexts" in ClassTrust.of(0.4, 0.0, 50).reason


def test_planted_classes_are_trusted_more_than_random_words(built):
    thesaurus, families = built
    junk = int(np.bincount(thesaurus.places[families == 4]).argmax())
    others = [thesaurus.trust(node).trust for node in thesaurus.nodes() if node != junk]
    assert min(others) > 0.9
    assert thesaurus.trust(junk).trust < UNSORTED
    assert list(unsorted(thesaurus)) == [junk]


def test_named_class_is_sorted(built):
    thesaurus, _ = built
    node = next(iter(unsorted(thesaurus)))
    named = thesaurus.editor.rename(node, "remainders")
    assert not unsorted(named)
    assert unsorted(named.editor.undo())


def test_report_lists_unsorted_classes(built):
    made = report(built[0])
    (one,) = made.data["unsorted"]
    assert one["reason"] in " ".join(made.lead)
    assert not codes(made.warnings)


def test_warning_if_most_classes_have_low_trust():
    rng = np.random.default_rng(0)
    rows = rng.poisson(0.01, (150, 1500))
    rows[:, :3] += 1
    counts = Counts(rows, [f"w{at}" for at in range(150)])
    model = SphericalTree(4, random_state=0, set_aside=False, min_contexts=1).fit(counts)
    made = report(Thesaurus.from_clustering(counts, model))
    assert codes(made.warnings) == ["unstable-classes"]


def test_classes_without_vectors_have_no_trust():
    counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    made = Thesaurus.from_parts(
        counts, SphericalTree(1).fit(counts).tree_, np.ones((3, 1)), np.full((1, 3), 1 / 3), [1.0]
    )
    assert made.trust(0) is None


def test_trust_survives_a_folder(built, tmp_path):
    thesaurus, _ = built
    thesaurus.save(tmp_path / "t")
    again = Thesaurus.load(tmp_path / "t")
    for node in thesaurus.nodes():
        assert again.trust(node) == pytest.approx(thesaurus.trust(node), rel=1e-2)


def test_mean_cosine_and_centrality_equal_slow_references():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(6, 4))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    totals = rng.integers(1, 50, 6).astype(float)
    pairs = [rows[a] @ rows[b] for a in range(6) for b in range(6) if a != b]
    assert mean_cosine(rows) == pytest.approx(np.mean(pairs))
    found = centrality(rows, totals, np.arange(6))
    for at in range(6):
        rest = sum(np.sqrt(totals[b]) * rows[b] for b in range(6) if b != at)
        assert found[at] == pytest.approx(rows[at] @ rest / np.linalg.norm(rest))


def test_labels_have_typical_and_frequent_words(built):
    thesaurus, _ = built
    vectors = thesaurus.index.vectors
    for node in thesaurus.nodes():
        rows = thesaurus.inside(node)
        totals = np.asarray(thesaurus.counts.word_totals, dtype=float)
        score = np.log1p(totals[rows]) * centrality(vectors, totals, rows)
        best = {str(thesaurus.words[row]) for row in rows[np.argsort(-score)[:4]]}
        assert set(thesaurus.label(node).split(", ")) & best
