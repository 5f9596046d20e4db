"""Spellings, lemmas and contexts united before a text is compared with its background."""

from __future__ import annotations

import pytest

from roget import Counts
from roget.learn.load import open_pair
from roget.learn.usage.shift import shift
from roget.learn.usage.variants import spell, unite
from support.errors import notice


@pytest.mark.parametrize(
    ("british", "american"),
    [
        ("centre", "center"),
        ("theatres", "theaters"),
        ("colour", "color"),
        ("neighbourhood", "neighborhood"),
        ("organisation", "organization"),
        ("analyser", "analyzer"),
        ("catalogue", "catalog"),
        ("defence", "defense"),
        ("traveller", "traveler"),
        ("anaemia", "anemia"),
        ("oestrogen", "estrogen"),
        ("programme", "program"),
        ("plug-in", "plugin"),
    ],
)
def test_british_and_american_spellings_have_one_key(british, american):
    assert spell(british) == spell(american)


def test_different_words_have_different_keys():
    words = [
        "hour",
        "our",
        "filler",
        "filer",
        "seller",
        "four",
        "shoe",
        "toe",
        "acre",
        "store",
        "tour",
    ]
    assert len({spell(word) for word in words}) == len(words)


SLOTS = ["obj", "~amod", "~compound"]


def counts(rows, contexts=("obj:build", "~amod:local", "~compound:local")):
    slots = [one.rpartition(":")[0] for one in contexts]
    return Counts(list(rows.values()), list(rows), contexts, slots=slots)


def test_spellings_and_plurals_are_united_as_in_the_text():
    background = counts({"center": [5, 4, 0], "thousands": [3, 0, 0], "program": [6, 1, 1]})
    text = counts(
        {"centre": [2, 0, 4], "thousand": [4, 0, 0], "program": [3, 0, 0], "programme": [4, 0, 0]}
    )
    one, other, notes = unite(background, text)
    assert set(one.words) == {"centre", "thousand", "program"}
    assert set(other.words) == {"centre", "thousand", "program", "programme"}
    notice(notes, "variants", "center", "thousands")
    assert one.total == background.total
    assert other.total == text.total


def test_english_rules_do_not_apply_to_other_languages():
    background, text = (
        counts({"maer": [5, 4, 0]}),
        counts({"mer": [5, 0, 4], "bahn-hof": [3, 0, 0]}),
    )
    text = Counts(text.matrix, text.words, text.contexts, provenance={"language": "de"})
    one, other, notes = unite(background, text)
    assert (list(one.words), list(other.words)) == (["maer"], ["mer", "bahn-hof"])
    assert not notes


def test_contexts_with_the_same_phrase_are_united():
    background, text = counts({"centre": [5, 4, 0]}), counts({"centre": [5, 0, 4]})
    one, other, _ = unite(background, text)
    assert list(one.contexts) == list(other.contexts)
    assert one.contexts.size == 2
    assert (one.matrix != other.matrix).nnz == 0
    assert [str(slot) for slot in one.slots] == [name.rpartition(":")[0] for name in one.contexts]


def test_shift_from_background_ignores_spelling_and_tags(tmp_path):
    background = counts({"center": [50, 40, 0], "dog": [40, 0, 30], "cat": [30, 30, 0]})
    text = counts({"centre": [50, 0, 40], "dog": [40, 30, 0], "cat": [0, 0, 60]})
    (tmp_path / "b").mkdir()
    one, other, _ = unite(background, text)
    found = {each.word: each.divergence for each in shift(one, other).changes}
    assert found["centre"] == found["dog"] == pytest.approx(0)
    assert found["cat"] > 0.1
    assert not shift(one, other).appeared


def test_open_pair_unites_only_with_the_background(tmp_path):
    background, text = counts({"center": [50, 40, 0]}), counts({"centre": [50, 0, 40]})
    background.write(tmp_path / "one.counts")
    text.write(tmp_path / "two.counts")
    with open_pair(tmp_path / "one.counts", tmp_path / "two.counts") as (one, other, notes):
        assert (list(one.words), list(other.words)) == (["center"], ["centre"])
        assert not notes
