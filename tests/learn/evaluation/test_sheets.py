"""Sheets: words of one class and an intruder that only meaning reveals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from roget import Counts
from roget.learn.evaluation.options import SHOWN
from roget.learn.evaluation.sheets import EACH, MADE_UP, draw_sheet
from support.errors import notice, refused
from thesauri import hard, planted

FAMILIES, EACH_HAS, CONTEXTS = 40, 24, 6


def zipfian(seed=0):
    """Families whose words are seen more or less often, and are of several lengths."""
    random = np.random.default_rng(seed)
    rows, words = [], []
    for family in range(FAMILIES):
        own = np.zeros(FAMILIES * CONTEXTS)
        own[family * CONTEXTS : (family + 1) * CONTEXTS] = random.dirichlet(np.ones(CONTEXTS))
        own = 0.9 * own + 0.1 / own.size
        for rank in range(EACH_HAS):
            rows.append(
                random.multinomial(int(3000 / (rank + 1) * random.uniform(0.5, 2)) + 5, own)
            )
            words.append(f"{'x' * random.integers(1, 9)}{family}n{rank}")
    home = np.repeat(np.arange(FAMILIES), EACH_HAS)
    return hard(Counts(np.array(rows), words), home)


@pytest.fixture(scope="module")
def thesaurus():
    return zipfian()


@pytest.mark.parametrize("shown", SHOWN)
def test_line_has_words_of_one_class_and_an_intruder(thesaurus, shown):
    sheet = draw_sheet(thesaurus, classes=12, words=4, shown=shown, random_state=3)
    assert [one.line for one in sheet.questions] == [*range(1, 13)]
    assert len({one.node for one in sheet.questions}) == 12
    assert sheet.notes == ()
    for one in sheet.questions:
        assert len(set(one.words)) == 5
        assert one.label == thesaurus.label(one.node)
        outside = [word for word in one.words if thesaurus.path(word)[-1] != one.node]
        assert outside == [one.answer]
    assert len({one.answer for one in sheet.questions}) == 12, "each intruder is drawn once"


def test_words_are_shown_in_the_requested_order(thesaurus):
    totals = thesaurus.counts.word_totals
    for one in draw_sheet(thesaurus, shown="frequent").questions:
        inside = thesaurus.inside(one.node)
        first = inside[np.argsort(-totals[inside])][:6]
        assert {*one.words} - {one.answer} < {str(thesaurus.words[row]) for row in first}
        home = thesaurus.inside(thesaurus.path(one.answer)[-1])
        rank = (totals[home] > totals[thesaurus.row(one.answer)]).sum()
        assert rank < 12, "the intruder is one of the frequent words of its own class"
    for one in draw_sheet(thesaurus, shown="typical").questions:
        first = [word.word for word in thesaurus.word_class(one.node, 6).words]
        assert {*one.words} - {one.answer} < {*first}


def test_only_meaning_gives_the_intruder_away(thesaurus):
    """Rank by frequency, rank by length and position of intruders are uniform."""
    totals, places = thesaurus.counts.word_totals, np.zeros((3, 6))
    for seed in range(8):
        for one in draw_sheet(thesaurus, random_state=seed).questions:
            at = one.words.index(one.answer)
            seen = [-totals[thesaurus.row(word)] for word in one.words]
            chance = np.random.default_rng(seed).random(6)
            long = [len(word) + tie for word, tie in zip(one.words, chance, strict=True)]
            for number, ranks in enumerate((stats.rankdata(seen), stats.rankdata(long))):
                places[number, min(int(ranks[at]) - 1, 5)] += 1
            places[2, at] += 1
    shares = places / places.sum(axis=1, keepdims=True)
    assert places.sum() == 3 * 8 * FAMILIES
    assert shares == pytest.approx(np.full((3, 6), 1 / 6), abs=0.07)


def test_intruders_come_from_the_less_similar_half_of_classes():
    """Families in two groups that share contexts: intruders are of the other group."""
    random, rows, words = np.random.default_rng(1), [], []
    for family in range(8):
        own = np.zeros(8 * 5 + 2)
        own[family * 5 : family * 5 + 5] = 0.12
        own[40 + family % 2] = 0.4
        rows += [random.multinomial(300, own) for _ in range(8)]
        words += [f"w{family}n{n}" for n in range(8)]
    t = hard(Counts(np.array(rows), words), np.repeat(np.arange(8), 8))
    for one in draw_sheet(t, words=4).questions:
        family, stranger = (
            int(word[1]) for word in ((set(one.words) - {one.answer}).pop(), one.answer)
        )
        assert family % 2 != stranger % 2


def test_same_seed_gives_the_same_sheet(thesaurus):
    assert draw_sheet(thesaurus, random_state=1) == draw_sheet(thesaurus, random_state=1)
    assert draw_sheet(thesaurus, random_state=1) != draw_sheet(thesaurus, random_state=2)


def test_reading_has_whole_classes_and_made_up_lines(thesaurus):
    sheet = draw_sheet(thesaurus, kind="reading", classes=12, words=9)
    made_up = [one for one in sheet.questions if one.answer == MADE_UP]
    assert (len(sheet.questions), len(made_up)) == (12 + 12 // EACH, 12 // EACH)
    assert [one.line for one in sheet.questions] == [*range(1, 16)]
    for one in sheet.questions:
        homes = {thesaurus.path(word)[-1] for word in one.words}
        assert len(set(one.words)) == 9
        if one.answer == MADE_UP:
            assert (one.node, one.label) == (None, "")
            assert len(homes) == 9, "each word is of another class"
        else:
            assert homes == {one.node}
    assert made_up[0].line <= 12 or made_up[-1].line < 15, "they are among the others"
    alone = draw_sheet(thesaurus, kind="reading", classes=3, made_up=0)
    assert [one.answer for one in alone.questions] == [""] * 3


def test_unreadable_words_are_not_shown():
    counts = np.full((12, 4), 3)
    counts[:6, :2] += 9
    names = [
        "tea",
        "Tea",
        "=sum",
        "1990s",
        "ale",
        "gin",
        "hut",
        "a\tb",
        "-den",
        "inn",
        "pub",
        "bar",
    ]
    t = hard(Counts(counts, names), np.repeat([0, 1], 6))
    sheet = draw_sheet(t, words=2)
    assert {word.casefold() for one in sheet.questions for word in one.words} <= {
        "tea", "ale", "gin", "hut", "inn", "pub", "bar",
    }  # fmt: skip
    assert all(len({word.casefold() for word in one.words}) == 3 for one in sheet.questions)
    with refused("too-little-text", "1 class of 2", "4 words"):
        draw_sheet(t, words=3)


def test_level_of_the_tree_can_be_requested():
    t = planted()
    sheet = draw_sheet(t, level=2, words=3)
    assert {one.node for one in sheet.questions} == set(t.nodes(2))
    notice(sheet.notes, "too-little-text", "2 classes of 2", "4 words", 40)


def test_invalid_requests_are_refused(thesaurus):
    with refused("unknown-name", "'guess'"):
        draw_sheet(thesaurus, kind="guess")
    with refused("unknown-name", "'best'"):
        draw_sheet(thesaurus, shown="best")
    with refused("conflicting-options", "made_up=2"):
        draw_sheet(thesaurus, made_up=2)
    with refused("too-little-text", "0 classes of 40", "31 words"):
        draw_sheet(thesaurus, words=30)
