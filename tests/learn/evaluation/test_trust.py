"""Reliability of the classes of a build."""

from __future__ import annotations

import numpy as np
import pytest

from roget import Counts
from roget.learn.build import build
from roget.learn.evaluation.trust import Trust, compare_classes, describe, gauge, warn
from roget.learn.growth.grow import grow
from roget.learn.thesaurus import Thesaurus
from roget.report.thesaurus import report
from support.errors import codes, notice

WORDS = np.arange(120)


def flat(tokens):
    return Counts(np.full((WORDS.size, 2), tokens), [f"w{at}" for at in WORDS])


def test_equal_classes_are_stable():
    labels = WORDS % 6
    found = gauge(flat(50), labels, labels[::1] + 9, WORDS, background=False)
    assert (found.agreement, found.recurring, found.classes) == (1.0, 6, 6)
    assert found.verdict == "stable"
    assert warn(found) is None


def test_random_classes_are_unstable():
    again = np.random.default_rng(0).permutation(WORDS % 6)
    found = gauge(flat(50), WORDS % 6, again, WORDS, background=False)
    assert found.recurring == 0
    assert found.verdict == "unstable"
    assert notice([warn(found)], "unstable-classes", "100 occurrences", "--background")


def test_few_occurrences_are_reported_with_the_option():
    found = gauge(flat(4), WORDS % 6, WORDS % 6, WORDS, background=False)
    assert found.occurrences == 8
    assert notice([warn(found)], "unstable-classes", "8 occurrences per word", "--background")
    helped = gauge(flat(4), WORDS % 6, WORDS % 6, WORDS, background=True)
    assert warn(helped) is None


def test_without_a_second_run_stability_is_not_measured():
    found = gauge(flat(50), WORDS % 6, None, WORDS, background=False)
    assert (found.agreement, found.recurring, found.verdict) == (None, None, "unmeasured")
    assert warn(found) is None
    assert len(describe(found)) == 1


def test_few_words_give_no_warning():
    rows = WORDS[:20]
    assert warn(gauge(flat(1), rows, rows[::-1], rows, background=False)) is None


@pytest.mark.parametrize("seed", range(3))
def test_jaccard_equals_its_definition(seed):
    random = np.random.default_rng(seed)
    first, second = random.integers(0, 4, (2, 30))
    found = compare_classes(first, second)
    for at, label in enumerate(np.unique(first)):
        mine = set(np.flatnonzero(first == label))
        best = max(
            len(mine & its) / len(mine | its)
            for its in (set(np.flatnonzero(second == one)) for one in np.unique(second))
        )
        assert found[at] == pytest.approx(best)


def planted(tokens, seed=0):
    random = np.random.default_rng(seed)
    kinds = random.dirichlet(np.full(60, 0.2), 4)
    words = [f"w{at}" for at in WORDS]
    return Counts(np.vstack([random.multinomial(tokens, kinds[at % 4]) for at in WORDS]), words)


def test_build_reports_and_keeps_the_figures(tmp_path):
    planted(60).write(tmp_path / "pairs.tsv")
    made = build(tmp_path / "pairs.tsv", output=tmp_path / "a.thesaurus", clusters=4)
    again = Thesaurus.load(tmp_path / "a.thesaurus")
    figures = again.provenance["trust"]
    assert figures == made.provenance["trust"]
    assert figures["verdict"] == "stable"
    assert figures["recurring"] == 4
    result = report(again)
    assert result.data["trust"] == figures
    assert set(describe(Trust.from_json(figures))) <= set(result.lead)
    grown = grow(again, planted(5, 1)).thesaurus
    assert "trust" not in grown.provenance


def test_build_warns_of_too_little_text(tmp_path):
    planted(6).write(tmp_path / "pairs.tsv")
    made = build(tmp_path / "pairs.tsv", heldout=False, clusters=4)
    assert made.provenance["trust"]["agreement"] is None
    assert codes(report(made).warnings) == ["unstable-classes"]
