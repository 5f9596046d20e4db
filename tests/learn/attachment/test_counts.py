"""Back-off, tendencies and lexical association against naive computation."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.counts import Counts
from roget.core.quadruple import Quadruple
from roget.learn.attachment.chain import AttachmentPreference, by_cut, head_of
from roget.learn.attachment.quads import LemmatisedQuadruple, check_answers, read
from roget.learn.attachment.statistics import (
    FOLDS,
    OTHERS,
    PARTS,
    Association,
    QuadrupleCounts,
    SlotCounts,
    Tendencies,
    back_off,
    log_odds,
    split_context,
)
from roget.learn.taxonomy.taxonomy import Taxonomy

letters = st.sampled_from("abc")
quads = st.builds(LemmatisedQuadruple, letters, letters, st.sampled_from("pq"), letters)
corpora = st.lists(st.tuples(quads, st.booleans()), min_size=1, max_size=25)


def agree(one: LemmatisedQuadruple, other: LemmatisedQuadruple, part: str) -> bool:
    """Whether two quadruples have the same words in a part."""
    return all(a == b for a, b, letter in zip(one, other, "vnpm", strict=True) if letter in part)


def collins_brooks(
    corpus: list[tuple[LemmatisedQuadruple, bool]], quad: LemmatisedQuadruple
) -> tuple[float, int]:
    """p(N) and the level, from the corpus read anew for each question."""
    for level, size in enumerate((3, 2, 1, 0)):
        parts = ["p" + "".join(some) for some in combinations("vnm", size)]
        seen = [noun for part in parts for other, noun in corpus if agree(quad, other, part)]
        if seen:
            return sum(seen) / len(seen), level
    return 1.0, 4


@given(corpora, quads)
def test_back_off_equals_collins_and_brooks(
    corpus: list[tuple[LemmatisedQuadruple, bool]], quad: LemmatisedQuadruple
) -> None:
    tally = QuadrupleCounts.from_quadruples(
        [one for one, _ in corpus], [noun for _, noun in corpus]
    )
    share, level = back_off(tally.counts([quad]))
    assert (share[0], level[0]) == pytest.approx(collins_brooks(corpus, quad))


@given(corpora, quads)
def test_counts_of_parts_equal_naive_counts(
    corpus: list[tuple[LemmatisedQuadruple, bool]], quad: LemmatisedQuadruple
) -> None:
    tally = QuadrupleCounts.from_quadruples(
        [one for one, _ in corpus], [noun for _, noun in corpus]
    )
    for found, part in zip(tally.counts([quad])[0].tolist(), PARTS, strict=True):
        seen = [noun for other, noun in corpus if agree(quad, other, part)]
        assert found == [sum(seen), len(seen) - sum(seen)]


@given(corpora, quads)
def test_log_odds_equal_explicit_formula(
    corpus: list[tuple[LemmatisedQuadruple, bool]], quad: LemmatisedQuadruple
) -> None:
    tally = QuadrupleCounts.from_quadruples(
        [one for one, _ in corpus], [noun for _, noun in corpus]
    )
    found = log_odds(tally.counts([quad]))[0]
    prep = [noun for other, noun in corpus if agree(quad, other, "p")]
    share = (sum(prep) + 0.5) / (len(prep) + 1)
    usual = math.log(share / (1 - share))
    assert found[-1] == pytest.approx(usual)
    for value, part in zip(found, PARTS[:-1], strict=False):
        seen = [noun for other, noun in corpus if agree(quad, other, part)]
        odds = (sum(seen) + 2 * share) / (len(seen) - sum(seen) + 2 * (1 - share))
        assert value == pytest.approx(math.log(odds) - usual, abs=1e-12)


def test_unseen_preposition_falls_back_to_the_noun() -> None:
    tally = QuadrupleCounts.from_quadruples([LemmatisedQuadruple("a", "b", "p", "c")], [False])
    assert [
        x.tolist() for x in back_off(tally.counts([LemmatisedQuadruple("a", "b", "new", "c")]))
    ] == [
        [1],
        [4],
    ]


@given(corpora, quads)
def test_tendencies_equal_explicit_formula(
    corpus: list[tuple[LemmatisedQuadruple, bool]], quad: LemmatisedQuadruple
) -> None:
    given_ = [one for one, _ in corpus]
    answers = np.array([noun for _, noun in corpus])
    found = Tendencies.from_quadruples(given_, answers).features([quad])[0]
    for value, part in zip(found, ("v", "n", "m", "vn", "nm", "vm"), strict=True):
        total, times = 0.0, 3.0
        for other, noun in corpus:
            if agree(quad, other, part):
                same = [1 if its else -1 for one, its in corpus if one[2] == other[2]]
                total += (1 if noun else -1) - sum(same) / (len(same) + 2)
                times += 1
        assert value == pytest.approx(total / times, abs=1e-12)


def test_cross_fitted_tendencies_exclude_their_own_answer() -> None:
    given_ = [LemmatisedQuadruple(f"v{at % 3}", f"n{at}", "p", f"m{at}") for at in range(4 * FOLDS)]
    answers = np.arange(len(given_)) % 2 == 0
    before = Tendencies.cross_fit(given_, answers, np.random.default_rng(0))
    for at in (0, 7):
        turned = answers.copy()
        turned[at] = not turned[at]
        assert np.array_equal(
            Tendencies.cross_fit(given_, turned, np.random.default_rng(0))[at], before[at]
        )
    assert before.any()


def test_lexical_association_equals_explicit_formula() -> None:
    corpus = [
        (LemmatisedQuadruple("send", "soldier", "into", "town"), False),
        (LemmatisedQuadruple("send", "letter", "to", "friend"), False),
        (LemmatisedQuadruple("read", "letter", "to", "editor"), True),
        (LemmatisedQuadruple("lose", "soldier", "of", "fortune"), True),
    ]
    found = Association.from_quadruples([one for one, _ in corpus], [noun for _, noun in corpus])
    asked = [
        LemmatisedQuadruple("send", "soldier", "into", "battle"),
        LemmatisedQuadruple("send", "letter", "to", "x"),
    ]
    # Two of four verbs have the phrase: once "into" (send), once "to" (send). Half of the nouns
    # have none, and so have half of "soldier" and of "letter".
    verbs = (1 + 1 / 4) / 3 * (1 - (1 + 1 / 2) / 3)
    assert found.share(asked, False) == pytest.approx([verbs, verbs])
    # "into" is never a noun's; "to" is once, that of "letter"; "send" always has a phrase.
    nouns = (1 + 1 / 4) / 3 * (1 - (2 + 1 / 2) / 3)
    assert found.share(asked, True) == pytest.approx([0, nouns])
    assert found.log_ratio(asked) == pytest.approx([-math.inf, math.log(nouns / verbs)])


def test_association_of_new_heads_is_that_of_the_preposition() -> None:
    quads_ = [
        LemmatisedQuadruple("a", "b", "p", "c"),
        LemmatisedQuadruple("d", "e", "q", "c"),
        LemmatisedQuadruple("d", "b", "p", "c"),
    ]
    found = Association.from_quadruples(quads_, [True, False, True])
    asked = [
        LemmatisedQuadruple("x", "y", "p", "c"),
        LemmatisedQuadruple("x", "y", "q", "c"),
        LemmatisedQuadruple("a", "b", "new", "c"),
    ]
    assert found.log_ratio(asked).tolist() == [math.inf, -math.inf, 0]


def test_association_weighs_other_text_less() -> None:
    own, other = LemmatisedQuadruple("a", "b", "p", "c"), LemmatisedQuadruple("a", "e", "p", "c")
    asked = [LemmatisedQuadruple("a", "x", "p", "c")]
    assert Association.from_quadruples([own], [True], [(other, True)]).log_ratio(
        asked
    ).tolist() == [math.inf]
    found = Association.from_quadruples([own], [True], [(other, False)])
    assert found.look_up([["V\ta\tp"]], 1).tolist() == [[OTHERS]]
    assert found.log_ratio(asked)[0] > 0


def test_cuts_are_smoothed_by_all_heads_of_a_kind() -> None:
    tree = Taxonomy("thing", {"food": "food", "tool": "tool"})
    for word, name in (("egg", "food"), ("rice", "food"), ("saw", "tool"), ("axe", "tool")):
        tree.add(word, name)
    eat, cut, new = (head_of("V", verb, "with") for verb in ("eat", "cut", "new"))
    pairs = [("egg", eat)] * 3 + [("saw", cut)]
    found = by_cut(tree, pairs)
    for made in (found, AttachmentPreference.read(found.content())):
        egg, none = made.probability(["egg", "egg"], [eat, new])
        assert egg > 0
        assert none == 0
        usual = made.probability(["egg"], [head_of("V", "", "with")])[0]
        assert usual == pytest.approx(egg * 3 / 4)
        asked = made.smooth(["egg"] * 3, [eat, cut, new])
        assert asked == pytest.approx([(3 * egg + usual) / 4, usual / 2, usual])
    assert found.smooth(["egg", "house"], [head_of("N", "pan", "with"), eat]).tolist() == [0, 0]


def test_slot_counts_include_other_text() -> None:
    pairs = Counts([[3, 0], [1, 4]], ["fork", "pizza"], ["with:eat", "obj:eat"])
    quads_ = [Quadruple("eat", "pizza", "with", "cheese", "N")]
    asked = [
        LemmatisedQuadruple("eat", "pizza", "with", "fork"),
        LemmatisedQuadruple("x", "y", "beyond", "z"),
    ]
    found = SlotCounts.from_sources(quads_, pairs).features(asked)
    assert found.shape == (2, 8)
    assert found[1] == pytest.approx(0)
    # with: 4 of 8 tokens; eat has it in 4 of 8.
    assert found[0, 5] == pytest.approx(math.log((4 + 1) / (10 * 0.5) + 1e-3))
    assert found[0, 6] == pytest.approx(math.log(1.5 / (0.05 * 5 + 0.5)))
    assert found[0, 7] == pytest.approx(math.log(3.5 / 0.5))


def test_slot_counts_are_saved() -> None:
    pairs = Counts([[2.5]], ["fork"], ["with:eat"])
    made = SlotCounts.from_sources([Quadruple("a", "b", "c", "d", "V")], pairs)
    asked = [
        LemmatisedQuadruple("a", "b", "c", "d"),
        LemmatisedQuadruple("eat", "b", "with", "fork"),
    ]
    assert np.array_equal(SlotCounts.read(made.content()).features(asked), made.features(asked))


def test_split_context_separates_slot_and_head() -> None:
    assert split_context("with:eat") == ("with", "eat")
    assert split_context("eat") == ("obj", "eat")
    assert split_context("obl:with:eat") == ("obl:with", "eat")
    assert split_context(":") == ("obj", ":")


def test_back_off_on_real_quadruples(shared_data: Path) -> None:
    train, dev = (read(shared_data / "ppattach" / name) for name in ("training", "devset"))
    assert (len(train), len(dev)) == (20801, 4039)
    tally = QuadrupleCounts.from_quadruples(
        [LemmatisedQuadruple(*one[:4]) for one in train], check_answers(train)
    )
    share, level = back_off(tally.counts([LemmatisedQuadruple(*one[:4]) for one in dev]))
    right = (share >= 0.5) == np.array(check_answers(dev))
    assert right.mean() == pytest.approx(0.8398, abs=0.0005)
    assert (level == 0).mean() == pytest.approx(0.065, abs=0.001)
    assert right[level == 0].mean() > right[level == 1].mean() > right[level == 2].mean()
