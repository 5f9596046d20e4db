"""Selecting, splitting and merging tables, each compared with naive code on dictionaries."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.counts import Counts
from support.errors import refused

WORDS, CONTEXTS = ["d", "a", "c", "ä", "b"], ["x", "z", "w", "y"]

tables = st.lists(
    st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 5, 10**12]), min_size=4, max_size=4),
    min_size=5,
    max_size=5,
).map(lambda dense: Counts(dense, WORDS, CONTEXTS, slots=["s", "", "t", ""], relations=["obj"]))


def cells(counts):
    return {(word, context): count for word, context, count in counts.rows()}


def totals(counts, axis):
    sums = dict.fromkeys((counts.words, counts.contexts)[axis], 0)
    for pair, count in cells(counts).items():
        sums[pair[axis]] += count
    return sums


def ranked(sums):
    return sorted(sums, key=lambda name: (-sums[name], name))


def slots_follow(cut, whole):
    was = dict(zip(whole.contexts, whole.slots, strict=True))
    return cut.slots.tolist() == [was[context] for context in cut.contexts]


@given(tables, st.integers(1, 6), st.integers(1, 5))
def test_top_keeps_the_most_frequent(counts, words, contexts):
    best = ranked(totals(counts, 0))[:words]
    cut = counts.top(words)
    assert cut.words.tolist() == best
    left = {pair: n for pair, n in cells(counts).items() if pair[0] in best}
    assert cells(cut) == left
    seen = {context for _, context in left}
    assert cut.contexts.tolist() == [context for context in CONTEXTS if context in seen]
    assert slots_follow(cut, counts)
    both = counts.top(words=words, contexts=contexts)
    assert both.words.tolist() == best
    assert both.contexts.tolist() == ranked(totals(counts, 1))[:contexts]
    assert cells(both) == {pair: n for pair, n in left.items() if pair[1] in both.contexts}
    assert both.matrix.has_sorted_indices


def test_top_of_a_real_table_has_documented_size(shared_data):
    counts = Counts.read(shared_data / "amalgum" / "verb_object.tsv")
    assert repr(counts) == "Counts: 9,994 words × 3,609 contexts, 66,626 entries, 110,270 tokens"
    assert repr(counts.top(1000)).startswith("Counts: 1,000 words × 3,054 contexts, 39,192 entries")
    assert counts.top(1000).total == 77_509


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "3"])
def test_top_requires_a_positive_integer(bad):
    with refused("invalid-option", "words="):
        Counts([[1]]).top(bad)
    with refused("invalid-option", "contexts="):
        Counts([[1]]).top(contexts=bad)


@given(tables, *[st.sampled_from([0, 1, 2, 3, 6, 10**12])] * 3)
def test_min_count_uses_totals_before_any_cut(counts, words, contexts, pairs):
    by_word, by_context = totals(counts, 0), totals(counts, 1)
    left = {
        (word, context): n
        for (word, context), n in cells(counts).items()
        if by_word[word] >= words and by_context[context] >= contexts and n >= pairs
    }
    cut = counts.min_count(words, contexts, pairs)
    assert cells(cut) == left
    assert cut.words.tolist() == [word for word in WORDS if word in {pair[0] for pair in left}]
    assert set(cut.contexts) == {pair[1] for pair in left}
    assert slots_follow(cut, counts)


def test_min_count_of_words_keeps_fractional_pairs():
    counts = Counts([[0.3, 2.0], [0.5, 0.2]])
    assert cells(counts.min_count(words=1)) == {("0", "0"): 0.3, ("0", "1"): 2.0}
    assert counts.min_count(pairs=1).matrix.dtype == np.int64


@given(tables)
def test_drop_empty_and_ranked_keep_all_counts(counts):
    dense = counts.drop_empty()
    assert cells(dense) == cells(counts)
    assert all(dense.word_totals > 0)
    assert all(dense.context_totals > 0)
    order = counts.ranked()
    assert cells(order) == cells(counts)
    assert order.words.tolist() == ranked(totals(counts, 0))
    assert order.contexts.tolist() == ranked(totals(counts, 1))
    assert slots_follow(order, counts)


def test_select_keeps_order_of_requested_names():
    counts = Counts([[1, 2, 3], [4, 5, 6]], ["a", "b"], ["x", "y", "z"], slots=["1", "2", "3"])
    cut = counts.select(iter(["b", "a"]), ["z", "x"])
    assert cut == Counts([[6, 4], [3, 1]], ["b", "a"], ["z", "x"])
    assert cut.slots.tolist() == ["3", "1"]
    assert counts.select() == counts
    assert counts.select(words=[]).shape == (0, 3)
    assert counts.select(contexts=np.array(["y"])).matrix.toarray().tolist() == [[2], [5]]
    with refused("unknown-name", "word 'c'"):
        counts.select(["a", "c"])
    with refused("duplicate-name", "'a'"):
        counts.select(["a", "a"])
    with refused("invalid-option", "'ab'"):
        counts.select("ab")


@given(tables, st.integers(0, 5))
def test_parts_of_a_split_add_up(counts, seed):
    for fractions in ((0.9,), (0.8, 0.1), (0.2, 0.3, 0.4)):
        parts = counts.split(*fractions, random_state=seed)
        assert len(parts) == len(fractions) + 1
        assert sum(part.matrix.toarray() for part in parts).tolist() == (
            counts.matrix.toarray().tolist()
        )
        for part in parts:
            assert part.words.tolist() == counts.words.tolist()
            assert part.contexts.tolist() == counts.contexts.tolist()
            assert part.slots.tolist() == counts.slots.tolist()
            assert part.matrix.dtype == np.int64
            assert all(part.matrix.data > 0)
    again = counts.split(0.2, 0.3, 0.4, random_state=np.random.default_rng(seed))
    assert list(again) == list(parts)


@pytest.mark.parametrize("count", [1, 7, 10**4, 10**12])
def test_split_assigns_tokens_independently(count):
    """Mean and variance of each part are those of a binomial distribution."""
    cells = 20_000
    counts = Counts(np.full((1, cells), count, dtype=np.int64))
    parts = counts.split(0.7, 0.2, random_state=1)
    for part, fraction in zip(parts, (0.7, 0.2, 0.1), strict=True):
        drawn = part.matrix.toarray().ravel().astype(float) - count * fraction
        variance = count * fraction * (1 - fraction)
        assert abs(drawn.mean()) < 5 * math.sqrt(variance / cells)
        assert drawn.var() == pytest.approx(variance, rel=0.06)


ROUNDED = (0.38328503798774577, 0.029513611595172486, 0.5872013504170817)  # 1 − 2⁻⁵³


@pytest.mark.parametrize(
    "fractions", [(), (0,), (1,), (1.2,), (-0.1,), (0.7, 0.2, 0.1), ROUNDED, (math.nan,)]
)
def test_split_refuses_fractions_without_remainder(fractions):
    with refused("invalid-option", "split("):
        Counts([[5]]).split(*fractions)


def test_split_refuses_fractional_counts():
    with refused("needs-whole-weights"):
        Counts([[1.5]]).split(0.5)


@given(tables, tables, tables)
def test_merged_tables_are_summed(first, second, third):
    second = second.top(3)
    expected = defaultdict(int)
    for table in (first, second, third):
        for pair, count in cells(table).items():
            expected[pair] += count
    merged = first.merge(second, third)
    assert cells(merged) == expected
    assert merged.words.tolist() == ranked(totals(merged, 0))
    assert merged.contexts.tolist() == ranked(totals(merged, 1))
    assert set(merged.words) == set(WORDS)
    assert slots_follow(merged, first)
    assert merged == third.merge(first).merge(second)


def test_merge_rounds_fractions_once():
    parts = [Counts([[value, 1]], ["w"], ["x", "y"]) for value in (0.1, 0.2, 0.3, 1e-20, 0.4)]
    exact = float(sum(Fraction(part.count("w", "x")) for part in parts))
    for order in (parts, parts[::-1], parts[2:] + parts[:2]):
        merged = order[0].merge(*order[1:])
        assert merged.count("w", "x") == exact
        assert merged.count("w", "y") == 5
    assert Counts([[0.5]]).merge(Counts([[0.5]])) == Counts([[1]])


def test_merge_keeps_slots_relations_and_provenance():
    first = Counts(
        [[1]], ["a"], ["obj:x"], relations=["obj"], provenance={"inputs": [1], "tokens": 5}
    )
    second = Counts(
        [[1, 1]],
        ["a"],
        ["obj:x", "y"],
        slots=["obj", ""],
        relations=["subj", "obj"],
        provenance={"inputs": [2, 3], "tokens": 6},
    )
    merged = first.merge(second)
    assert dict(zip(merged.contexts, merged.slots, strict=True)) == {"obj:x": "obj", "y": ""}
    assert merged.relations == ("obj", "subj")
    assert merged.provenance["inputs"] == [1, 2, 3]
    assert merged.provenance["merged"] == [{"tokens": 5}, {"tokens": 6}]
    with refused("invalid-option", "Counts"):
        first.merge([[1]])


def components(counts):
    """By walking from word to word: sets of pairs."""
    left, found = set(cells(counts)), []
    while left:
        part = {left.pop()}
        while near := {p for p in left if any(p[0] == q[0] or p[1] == q[1] for q in part)}:
            part |= near
            left -= near
        found.append(part)
    return found


@given(tables)
def test_largest_component_has_most_tokens(counts):
    cut, count = counts.largest_component(), cells(counts)
    weights = [sum(count[pair] for pair in part) for part in components(counts)]
    assert cut.total == max(weights, default=0)
    assert set(cells(cut)) in [*components(counts), set()]
    assert all(cut.word_totals > 0)
    assert all(cut.context_totals > 0)
    assert slots_follow(cut, counts)
    order = [WORDS.index(word) for word in cut.words]
    assert order == sorted(order)


def test_tied_components_are_resolved_by_first_word():
    assert Counts([[0, 0], [2, 0], [0, 2]]).largest_component().words.tolist() == ["1"]


def test_provenance_records_steps():
    counts = Counts([[3, 1]], provenance={"tokens": 9})
    train, _ = counts.top(1).split(0.5, random_state=3)
    assert train.provenance == {
        "tokens": 9,
        "steps": ["top(words=1, contexts=None)", "split(0.5, random_state=3)[0]"],
    }
    assert counts.provenance == {"tokens": 9}
