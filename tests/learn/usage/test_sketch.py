"""Sketches of words: logDice and grouping against naive code, names, cuts, differences."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

import roget
from roget import Counts
from roget.learn.corpus.relations import RelationSet
from roget.learn.usage.sketch import Sketches, find_lines, sketch
from support.errors import refused


def made(pairs, **more):
    """Counts of (word, slot, head, count)."""
    words = list(dict.fromkeys(word for word, *_ in pairs))
    contexts = list(dict.fromkeys((slot, head) for _, slot, head, _ in pairs))
    matrix = np.zeros((len(words), len(contexts)))
    for word, slot, head, count in pairs:
        matrix[words.index(word), contexts.index((slot, head))] += count
    names = [f"{slot}:{head}" if slot else head for slot, head in contexts]
    return Counts(matrix, words, names, slots=[slot for slot, _ in contexts], **more)


PAIRS = [
    ("tea", "obj", "drink", 6), ("tea", "obj", "make", 2), ("tea", "~amod", "hot", 3),
    ("tea", "obl:in", "dip", 1), ("tea", "nmod:of", "cup", 5), ("tea", "nmod:in", "milk", 1),
    ("war", "obj", "make", 8), ("war", "obl:in", "die", 4), ("war", "~amod", "hot", 1),
    ("war", "obj", "win", 5), ("war", "dislocated", "that", 2),
]  # fmt: skip


@pytest.fixture(scope="module")
def nouns():
    return roget.data.sample("nouns")


def naive(counts, word, least):
    """{slot: {context: (count, logDice)}} by going through all rows of the table."""
    own, everywhere, found = defaultdict(int), defaultdict(int), defaultdict(dict)
    slots = dict(zip(counts.contexts, counts.slots, strict=True))
    for other, context, count in counts.rows():
        everywhere[context] += count
        if other == word:
            own[slots[context]] += count
            found[slots[context]][context] = count
    return own, {
        slot: {
            context: (count, 14 + math.log2(2 * count / (own[slot] + everywhere[context])))
            for context, count in here.items()
            if count >= least
        }
        for slot, here in found.items()
    }


def test_scores_equal_explicit_computation():
    [relation] = sketch(made(PAIRS), "tea", relations=["obj"]).relations
    # ‖tea,obj,*‖ = 8, ‖*,obj,drink‖ = 6, ‖*,obj,make‖ = 10
    assert [(one.name, one.count) for one in relation.collocates] == [("drink", 6), ("make", 2)]
    drink, make = (one.score for one in relation.collocates)
    assert drink == pytest.approx(14 + math.log2(12 / 14))
    assert make == pytest.approx(14 + math.log2(4 / 18))
    assert (relation.total, relation.share) == (8, pytest.approx(8 / 18))


@pytest.mark.parametrize(("word", "least"), [("disease", 1), ("time", 3), ("illness", 2)])
def test_sketch_equals_naive_scan_of_all_rows(nouns, word, least):
    totals, right = naive(nouns, word, least)
    found = sketch(nouns, word, n=10**6, least=least, share=0)
    assert {one.slot for one in found.relations} == {slot for slot, here in right.items() if here}
    assert {*found.left} == {slot for slot, here in right.items() if not here}
    for relation in found.relations:
        assert relation.total == totals[relation.slot]
        assert relation.share == totals[relation.slot] / found.totals[0]
        assert {one.context: one.count for one in relation.collocates} == {
            context: count for context, (count, _) in right[relation.slot].items()
        }
        for one in relation.collocates:
            assert one.score == pytest.approx(right[relation.slot][one.context][1])
            assert one.context == f"{relation.slot}:{one.name}"
        assert relation.more == 0
    assert sum(one.total for one in found.relations) + sum(
        totals[slot] for slot in found.left
    ) == found.totals[0]  # fmt: skip


@pytest.mark.parametrize("sort", ["score", "count"])
def test_first_collocates_equal_start_of_full_list(nouns, sort):
    for few, all in zip(
        sketch(nouns, "country", n=3, sort=sort).relations,
        sketch(nouns, "country", n=10**6, sort=sort).relations,
        strict=True,
    ):
        assert few.collocates == all.collocates[:3]
        assert few.more == len(all.collocates) - len(few.collocates)
        ranks = [getattr(one, sort) for one in all.collocates]
        assert ranks == sorted(ranks, reverse=True)


def test_rare_collocates_are_excluded_for_frequent_words_only(nouns):
    assert sketch(nouns, "disease").least == 2
    assert sketch(nouns, "illness").least == 1
    assert all(c.count > 1 for r in sketch(nouns, "disease").relations for c in r.collocates)
    assert any(c.count == 1 for r in sketch(nouns, "illness").relations for c in r.collocates)


def test_relations_are_ordered_and_prepositions_grouped(nouns):
    found = sketch(nouns, "disease", share=0, least=1).relations
    slots = [one.slot for one in found]
    assert slots[:6] == ["subj", "obj", "~amod", "~compound", "compound", "~nmod:poss"]
    groups = [one.group for one in found]
    runs = [group for at, group in enumerate(groups) if not at or groups[at - 1] != group]
    assert len(runs) == len(set(runs)), "no preposition comes twice"
    assert runs[:2] == ["", "of"]
    tokens = {group: sum(r.total for r in found if r.group == group) for group in runs[1:]}
    assert [*tokens.values()] == sorted(tokens.values(), reverse=True)
    assert {one.slot for one in found if one.group == "in"} == {"obl:in", "nmod:in", "~nmod:in"}


def test_relations_have_readable_names():
    named = {r.slot: r.name for r in sketch(made(PAIRS), "war").relations}
    assert named == {
        "obj": "verbs with “war” as object",
        "~amod": "adjectives of “war”",
        "dislocated": "dislocated",
        "obl:in": "verbs … in “war”",
    }
    tagged = made([("run/VERB", "~obl:out_of", "room", 1)])
    assert [r.name for r in sketch(tagged, "run/VERB").relations] == ["“run” out of …"]


def test_every_preset_slot_has_a_readable_name():
    slots = [
        *RelationSet.from_names(["all"]).list_slots(),
        *(f"{slot}:of" for slot in ("obl", "~obl", "nmod", "~nmod")),
    ]
    bare = {"obl", "~obl"}  # never without a preposition
    pairs = [("w", slot, "x", 1) for slot in slots if slot not in bare]
    named = {r.slot: r.name for r in sketch(made(pairs), "w", share=0).relations}
    assert named.keys() == {*slots} - bare
    for slot, name in named.items():
        assert name != slot
        assert "“w”" in name
    assert len({*named.values()}) >= len(named) - 1, "of verbs and nouns, “w” of … is the same"


def test_counts_without_slots_give_one_relation():
    for counts, name in (
        (roget.data.sample("verb_object"), "verbs with “law” as object"),
        (roget.data.sample("verb_object").T.T, "contexts of “law”"),
        (made([("law", "", "break", 2)]), "contexts of “law”"),
        (
            made([("law", "", "break", 2)], provenance={"recipe": {"window": 2}}),
            "words near “law”",
        ),
    ):
        [relation] = sketch(counts, "law", least=1).relations
        assert (relation.slot, relation.name, relation.share) == ("", name, 1)


def test_prepositions_of_single_relation_are_named_by_provenance():
    counts = made([("law", "in", "live", 2), ("law", "near", "be", 1)], relations=["obl:prep"])
    assert [(r.slot, r.group, r.name) for r in sketch(counts, "law").relations] == [
        ("in", "in", "verbs … in “law”"),
        ("near", "near", "verbs … near “law”"),
    ]


def test_lost_slots_are_inferred_from_context_names(nouns):
    small = nouns.top(50)
    plain = Counts(small.matrix, small.words, small.contexts)
    assert sketch(plain, "time").relations == sketch(small, "time").relations


def test_relations_can_be_selected_and_unknown_ones_suggest_nearest(nouns):
    def slots(*asked):
        return {one.slot for one in sketch(nouns, "time", relations=asked, least=1).relations}

    assert slots("obj") == {"obj"}
    assert slots("in") == {"obl:in", "nmod:in", "~nmod:in"}
    assert {"obl:in", "obl:at"} < slots("obl")
    assert all(slot.startswith("obl:") for slot in slots("obl"))
    assert slots("obj", "subj") == {"obj", "subj"}
    with refused("unknown-name", "obl:im"):
        slots("obl:im")


@pytest.mark.parametrize("pair", [("disease", "illness"), ("tea", "coffee"), ("man", "woman")])
def test_difference_is_antisymmetric(nouns, pair):
    here, there = sketch(nouns, *pair, n=7), sketch(nouns, *pair[::-1], n=7)
    assert here.totals == there.totals[::-1]
    assert [one.slot for one in here.relations] == [one.slot for one in there.relations]
    assert here.relations
    for one, other in zip(here.relations, there.relations, strict=True):
        assert one.totals == other.totals[::-1]
        assert turn(one.only) == list(other.other)
        assert turn(one.other) == list(other.only)
        assert {c.context for c in one.both} == {c.context for c in other.both}
        leaning = [c.difference for c in one.both]
        assert leaning == sorted(leaning, reverse=True)
        assert sorted(leaning) == pytest.approx(sorted(-c.difference for c in other.both))


def turn(collocates):
    return [
        type(one)(one.context, one.name, one.counts[::-1], one.scores[::-1]) for one in collocates
    ]


def test_difference_has_the_scores_of_both_sketches(nouns):
    found = sketch(nouns, "disease", "illness", n=10**6, least=1, share=0)
    alone = [
        {c.context: c for r in sketch(nouns, word, n=10**6, least=1, share=0).relations
         for c in r.collocates}
        for word in found.words
    ]  # fmt: skip
    collocates = [c for r in found.relations for c in r.collocates]
    assert {c.context for c in collocates} == {*alone[0], *alone[1]}
    for one in collocates:
        for at, here in enumerate(alone):
            if one.context in here:
                assert one.counts[at] == here[one.context].count
                assert one.scores[at] == here[one.context].score
            else:
                assert (one.counts[at], one.scores[at]) == (0, None)
        assert one.difference == (one.scores[0] or 0) - (one.scores[1] or 0)
    for relation in found.relations:
        assert all(c.counts[1] == 0 for c in relation.only)
        assert all(c.counts[0] == 0 for c in relation.other)
        assert all(all(c.counts) for c in relation.both)
        parts = (*relation.only, *relation.both, *relation.other)
        assert parts == relation.collocates


def test_one_index_serves_all_words(nouns):
    sketches = Sketches(nouns)
    assert sketches.sketch("disease", n=4) == sketch(nouns, "disease", n=4)
    assert sketches.sketch("tea", "coffee") == sketch(nouns, "tea", "coffee")
    assert "~nmod:of" in sketches.slots


def test_fractional_counts_have_sketches():
    counts = made([("a", "", "b", 0.5), ("a", "", "c", 1.5), ("d", "", "c", 2.25)])
    [relation] = sketch(counts, "a", least=1).relations
    [one] = relation.collocates
    assert one.score == pytest.approx(14 + math.log2(3 / (2 + 3.75)))


def test_words_without_counts_have_sketches():
    counts = Counts([[3, 2], [0, 0], [0, 0]], ["tea", "mead", "ale"], ["obj:drink", "obj:make"])
    found = sketch(counts, "tea", compare="mead").relations[0]
    assert found.shares == (1.0, 0.0)
    assert [one.counts for one in found.collocates] == [(3, 0), (2, 0)]
    assert sketch(counts, "mead", compare="ale").relations == ()


def test_unknown_words_and_invalid_options_are_refused(nouns):
    with refused("unknown-name", "diseas", "disease"):
        sketch(nouns, "diseas")
    with refused("unknown-name", "ilness"):
        sketch(nouns, "disease", "ilness")
    with refused("invalid-option", "0", "1"):
        sketch(nouns, "disease", n=0)
    with refused("unknown-name"):
        sketch(nouns, "disease", sort="counts")


def test_counts_without_evidence_have_no_lines(nouns):
    assert find_lines(nouns, "disease", "obj:have", 3) == []
