"""Words whose use changed: statistic and chance level, calibration, planted changes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import roget
from roget import Counts
from roget.learn.load import open_pair
from roget.learn.usage import shift as module
from roget.learn.usage.shift import control_fdr, find_usual, shift
from support.errors import codes, refused


@pytest.fixture(scope="module")
def nouns():
    return roget.data.sample("nouns").top(2000)


def naive_divergence(old, new):
    """Jensen–Shannon, from its definition, in bits."""
    p, q = (np.array(one) / sum(one) for one in (old, new))
    middle = (p + q) / 2

    def kl(one):
        return sum(a * math.log2(a / m) for a, m in zip(one, middle, strict=True) if a)

    return (kl(p) + kl(q)) / 2


def naive_chance(old, new):
    """Mean and variance over all ways to deal out the tokens, each as often as it can be."""
    tokens = [a + b for a, b in zip(old, new, strict=True)]
    values, weights = [], []
    for dealt in itertools.product(*(range(t + 1) for t in tokens)):
        if sum(dealt) == sum(old):
            rest = [t - a for t, a in zip(tokens, dealt, strict=True)]
            values.append(naive_divergence(dealt, rest))
            weights.append(math.prod(map(math.comb, tokens, dealt)))
    mean = np.average(values, weights=weights)
    return mean, np.average((np.array(values) - mean) ** 2, weights=weights)


ROWS = [
    ([3, 1, 0, 2], [1, 2, 2, 0]),
    ([5, 1, 1, 0, 1], [0, 1, 1, 2, 0]),
    ([2, 2, 1, 1, 1, 0], [1, 0, 0, 0, 1, 1]),
    ([1, 1, 1, 0, 0], [0, 0, 0, 1, 1]),
]


@pytest.mark.parametrize(("old", "new"), ROWS)
def test_divergence_and_chance_equal_enumeration(old, new):
    [found] = shift(Counts([old], ["w"]), Counts([new], ["w"]), ["w"]).changes
    mean, variance = naive_chance(old, new)
    assert found.divergence == pytest.approx(naive_divergence(old, new))
    assert found.expected == pytest.approx(mean)
    assert found.change == pytest.approx(found.divergence - mean)
    if variance < 1e-12:
        assert (found.z, found.p) == (0, 1)
    else:
        # Covariances of a handful of contexts are not wholly linear and quadratic.
        assert (found.change / found.z) ** 2 == pytest.approx(variance, rel=0.08)


def test_chance_equals_simulation(nouns):
    random = np.random.default_rng(0)
    old, new = nouns.split(0.75, random_state=0)
    for word in ("disease", "tea", "time"):
        [found] = shift(old, new, [word]).changes
        a, b = (one.matrix[[one.word_id(word)]].toarray()[0] for one in (old, new))
        tokens = (a + b)[a + b > 0]
        drawn = random.multivariate_hypergeometric(tokens, int(a.sum()), size=1500)
        values = module._divergence(drawn / a.sum(), (tokens - drawn) / b.sum()).sum(axis=1)
        assert found.expected == pytest.approx(values.mean(), abs=4 * values.std() / 1500**0.5)
        assert found.change / found.z == pytest.approx(values.std(), rel=0.08)
        assert found.p == pytest.approx(np.mean(values >= found.divergence), abs=0.04)


@pytest.mark.parametrize("fraction", [0.5, 0.85])
def test_unchanged_words_are_found_at_the_nominal_rate(nouns, fraction):
    p, p_usual, changes = [], [], []
    for seed in range(2):
        old, new = nouns.split(fraction, random_state=seed)
        found = shift(old, new, n=10**6, min_count=10, changes=1)
        assert found.changed == found.unusual == 0
        p += [one.p for one in found.changes]
        p_usual += [one.p_usual for one in found.changes]
        changes += [one.change for one in found.changes]
    assert 0.035 < np.mean(np.array(p) <= 0.05) < 0.06
    assert 0.03 < np.mean(np.array(p_usual) <= 0.05) < 0.06
    assert abs(np.mean(changes)) < 0.003, "also rare words do not seem to change"
    assert np.mean(p) == pytest.approx(0.5, abs=0.03)


def test_clumped_tokens_are_not_unusual(nouns):
    """Documents repeat words: every token occurs three times, always in the same corpus."""
    old, new = (
        Counts(one.matrix * 3, one.words, one.contexts, slots=one.slots)
        for one in nouns.top(1200).split(0.5, random_state=0)
    )
    found = shift(old, new, n=10**6, changes=1)
    p, p_usual = (np.array([getattr(one, name) for one in found.changes]) for name in
                  ("p", "p_usual"))  # fmt: skip
    assert np.mean(p <= 0.05) > 0.5, "single tokens would never differ so"
    assert np.mean(p_usual <= 0.05) < 0.1
    assert found.unusual <= 0.01 * found.tested


@pytest.mark.parametrize("fraction", [0.5, 0.85])
def test_planted_changes_are_found_and_explained(nouns, fraction):
    old, new = nouns.split(fraction, random_state=1)
    swapped = ["disease", "chair", "money", "village"]
    names = new.words.copy()
    at = [new.word_id(word) for word in swapped]
    names[at] = names[at[::-1]]
    new = Counts(new.matrix, names, new.contexts, slots=new.slots)
    found = shift(old, new, n=8)
    assert {one.word for one in found.changes[:4]} == {*swapped}
    assert found.changed == found.unusual == 4
    assert all(one.least > 0.1 and one.q_usual < 0.001 for one in found.changes[:4])
    assert all(one.q_usual > 0.05 for one in found.changes[4:])
    disease = next(one for one in found.changes if one.word == "disease")
    for one in (*disease.gained, *disease.lost):
        assert one.counts == (old.count("disease", one.context), new.count("disease", one.context))
    assert "~amod:chronic" in [one.context for one in disease.lost]
    rates = [
        tuple(c / t for c, t in zip(one.counts, disease.counts, strict=True))
        for one in disease.gained
    ]
    assert all(before < after for before, after in rates)
    parts = [one.part for one in disease.gained]
    assert parts == sorted(parts, reverse=True)


def test_scores_of_contexts_equal_those_of_sketches(nouns):
    from roget.learn.usage.sketch import sketch

    old, new = nouns.split(0.5, random_state=2)
    [found] = shift(old, new, ["time"], changes=40).changes
    right = [
        {c.context: c.score for r in sketch(one, "time", n=10**6, least=1, share=0).relations
         for c in r.collocates}
        for one in (old, new)
    ]  # fmt: skip
    for one in (*found.gained, *found.lost):
        for score, scores in zip(one.scores, right, strict=True):
            assert score == pytest.approx(scores.get(one.context))


def test_swapping_old_and_new_mirrors_the_result(nouns):
    old, new = nouns.split(0.7, random_state=3)
    here, there = shift(old, new, n=30), shift(new, old, n=30)
    assert [one.word for one in here.changes] == [one.word for one in there.changes]
    for one, other in zip(here.changes, there.changes, strict=True):
        assert one.counts == other.counts[::-1]
        assert one.change == pytest.approx(other.change)
        assert one.p == pytest.approx(other.p)
        assert [c.context for c in one.gained] == [c.context for c in other.lost]


def test_results_do_not_depend_on_chunk_size(nouns, monkeypatch):
    old, new = nouns.top(150).split(0.5, random_state=0)
    whole = shift(old, new, n=150)
    monkeypatch.setattr(module, "_CHUNK", 500)
    reported = []
    assert shift(old, new, n=150, progress=reported.append) == whole
    assert len(reported) > 3
    assert reported[-1]["fraction"] == 1


def test_words_of_one_corpus_are_listed():
    old = Counts([[30, 10], [0, 40]], ["cat", "gramophone"], ["see", "play"])
    new = Counts([[60, 20], [0, 80], [25, 0]], ["cat", "phone", "app"], ["see", "play"])
    found = shift(old, new)
    assert [(one.word, one.count) for one in found.appeared] == [("phone", 80), ("app", 25)]
    assert [(one.word, one.count) for one in found.vanished] == [("gramophone", 40)]
    assert found.appeared[0].expected == pytest.approx(80 * 80 / 185)
    assert found.appeared[0].p == pytest.approx((185 / 265) ** 80)
    asked = shift(old, new, ["app", "cat"], min_count=100)
    assert [one.word for one in asked.appeared] == ["app"]
    assert [one.word for one in asked.changes] == ["cat"]
    assert asked.vanished == ()


def test_contexts_of_one_corpus_count_unless_shared_ones_are_requested():
    old = Counts([[30, 30], [9, 9]], ["mouse", "cat"], ["chase", "see"])
    new = Counts([[15, 15, 30], [9, 9, 0]], ["mouse", "cat"], ["chase", "see", "click"])
    [mouse] = shift(old, new, ["mouse"]).changes
    assert mouse.change > 0.2
    assert mouse.gained[0].context == "click"
    [mouse] = shift(old, new, ["mouse"], shared=True).changes
    assert mouse.change < 0
    assert mouse.counts == (60, 30)


def test_differences_in_counting_are_reported():
    old = Counts([[30, 30]], ["w"], ["a", "b"], relations=["obj"])
    new = Counts([[2.5, 30, 40]], ["w"], ["c", "b", "d"], relations=["subj"])
    notes = shift(old, new).notes
    assert codes(notes) == ["incompatible-counts"] * 5
    assert "obj and subj" in notes[0]
    assert "59%" in notes[-1]
    assert shift(old, old).notes == ()


def test_incomparable_corpora_are_refused(nouns):
    with refused("no-common-contexts"):
        shift(nouns, Counts([[1]], ["w"], ["elsewhere"]))
    with refused("unknown-name", "diseas", "disease"):
        shift(nouns, nouns, ["diseas"])
    with refused("invalid-option", "0"):
        shift(nouns, nouns, n=0)
    with refused("invalid-option", "0"):
        shift(nouns, nouns, min_count=0)
    assert shift(nouns, nouns, min_count=10**6).tested == 0


def test_control_fdr_equals_explicit_computation():
    p = np.array([0.001, 0.2, 0.012, 0.03, 0.9])
    # p·m/rank: .005, .25 (4th), .03 (2nd), .05 (3rd), .9
    assert control_fdr(p) == pytest.approx([0.005, 0.25, 0.03, 0.05, 0.9])
    assert control_fdr(np.array([0.04, 0.05])) == pytest.approx([0.05, 0.05])
    assert control_fdr(np.array([])).size == 0


def test_usual_change_is_estimated_apart_from_chance():
    random = np.random.default_rng(0)
    chance = random.uniform(0.01, 0.1, 20_000)
    changes = random.normal(0.05, 0.04, 20_000) + random.normal(0, chance)
    changes[:500] += 2  # those that did change
    middle, spread = find_usual(changes, chance)
    assert middle == pytest.approx(0.05, abs=0.005)
    assert spread == pytest.approx(0.04, abs=0.005)
    assert find_usual(random.normal(0, chance), chance)[1] < 0.01
    assert find_usual(changes[:20], chance[:20]) == (0, 0)


def write_conllu(path, sentences):
    lines = []
    for verb, noun in sentences:
        lines += [f"1\t{verb}\t{verb}\tVERB\t_\t_\t0\troot\t_\t_",
                  f"2\t{noun}\t{noun}\tNOUN\t_\t_\t1\tobj\t_\t_", ""]  # fmt: skip
    path.write_text("\n".join([*lines, ""]))


def test_texts_are_counted_by_one_recipe_and_counts_are_opened(tmp_path):
    write_conllu(tmp_path / "old.conllu", [("drink", "tea"), ("read", "book")] * 3)
    write_conllu(tmp_path / "new.conllu", [("drink", "milk"), ("read", "book")] * 2)
    with open_pair(tmp_path / "old.conllu", tmp_path / "new.conllu") as (old, new, notes):
        assert old.count("tea", "obj:drink") == 3
        assert new.count("milk", "obj:drink") == 2
        assert old.provenance["recipe"] == new.provenance["recipe"]
        assert any("relations: nouns" in note for note in notes)
        old.write(tmp_path / "old.counts")
        new.write(tmp_path / "new.tsv")
    with open_pair(tmp_path / "old.counts", tmp_path / "new.tsv") as (before, after, _):
        assert before == old
        assert after.count("milk", "obj:drink") == 2
    with open_pair(tmp_path / "old.counts", tmp_path / "new.conllu") as (before, after, _):
        assert before == old
        assert after.count("book", "obj:read") == 2
    from roget.learn.options import Compared

    with (
        refused("conflicting-options"),
        open_pair(tmp_path / "old.counts", tmp_path / "new.tsv", Compared(relation="obj")),
    ):
        pass
