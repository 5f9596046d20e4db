"""Detection of odd nouns and wrong lemmas, and counts after their repair."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest

from learn.corpus.test_relations import conllu_text
from roget.core.io.paths import find
from roget.learn.corpus import conllu
from roget.learn.corpus.base import NONE, ReadContext, Tables
from roget.learn.corpus.lemma_repair import (
    LemmaRepair,
    NounStatistics,
    find_repairs,
    is_plural,
)
from roget.learn.counting.count import count, run
from roget.learn.counting.options import CountOptions
from support.errors import codes, refused

REGULAR = {
    (form, lemma): 9
    for lemma in ("cat", "dog", "wave", "slave", "wife", "box", "fox", "life", "tree", "wolf")
    for form in (
        lemma,
        {"wife": "wives", "life": "lives", "wolf": "wolves"}.get(lemma, lemma + "s"),
    )
} | {("boxes", "box"): 9, ("foxes", "fox"): 9, ("buses", "bus"): 9, ("bus", "bus"): 9}


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ({("data", "datum"): 90, ("datum", "datum"): 1}, {("data", "datum"): "data"}),
        ({("data", "datum"): 90, ("datum", "datum"): 9}, {}),
        ({("data", "datum"): 9}, {}),
        ({("scissors", "scissor"): 90}, {}),
        ({("investors", "investor"): 15}, {}),
        ({("competencies", "competency"): 15}, {}),
        ({("women", "woman"): 15}, {}),
        ({("children", "child"): 15}, {}),
        ({("figures", "figure"): 3, ("figures", "figures"): 9}, {}),
        ({("skies", "sky"): 6, ("sky", "sky"): 6, ("ski", "ski"): 64}, {}),
        ({("diabetes", "diabet"): 22}, {("diabetes", "diabet"): "diabetes"}),
        ({("directories", "directorie"): 9, ("directory", "directory"): 20,
          ("cities", "city"): 9, ("city", "city"): 9, ("duties", "duty"): 9, ("duty", "duty"): 9,
          ("parties", "party"): 9, ("party", "party"): 9},
         {("directories", "directorie"): "directory"}),
        ({("scissors", "scissor"): 90, ("scissor", "scissor"): 9}, {}),
        ({("knives", "knive"): 9, ("knife", "knife"): 20}, {("knives", "knive"): "knife"}),
        ({("knives", "knive"): 9, ("knife", "knife"): 4}, {}),
        ({("taxes", "taxis"): 9, ("tax", "tax"): 30}, {("taxes", "taxis"): "tax"}),
        (
            {("taxis", "taxi"): 9, ("taxis", "taxis"): 4, ("taxi", "taxi"): 9},
            {("taxis", "taxis"): "taxi"},
        ),
        ({("bites", "bite"): 9, ("bite", "bite"): 9, ("bit", "bit"): 90}, {}),
        ({("cares", "care"): 9, ("care", "care"): 9, ("car", "car"): 90}, {}),
        (
            {("data", "datum"): 90, ("datum", "datum"): 1, ("data", "data"): 9},
            {("data", "datum"): "data"},
        ),
    ],
)  # fmt: skip
def test_find_repairs_corrects_lemmas(seen, expected):
    assert find_repairs({**REGULAR, **seen}) == expected


def test_regular_lemmas_are_not_repaired():
    assert find_repairs(REGULAR) == find_repairs({}) == {}


def noun(form, lemma=None, tag="NOUN", children=()):
    """A sentence: somebody sees a noun."""
    rows = [f"1 see see VERB 0 root\n2 {form} {lemma or form} {tag} 1 obj"]
    rows += [
        f"{at} {word} {word} {tag} 2 {label}" for at, (word, tag, label) in enumerate(children, 3)
    ]
    return conllu_text("\n".join(rows)) + "\n"


TEXT = "".join(
    [
        noun("Something") * 3 + noun("others", "other") * 20,
        noun("km", children=[("five", "NUM", "nummod")]) * 9 + noun("km"),
        noun("this") * 2 + noun("this", tag="DET") * 9,
        noun("those") * 10 + noun("those", tag="DET") * 90,
        noun("cat", children=[("five", "NUM", "nummod")]) * 5 + noun("cat") * 9,
        noun("%") + noun("x") * 9 + noun("\u6c34") + noun("_", "_"),
        noun("data", "datum") * 20 + noun("Data", "datum"),
    ]
)  # fmt: skip


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(TEXT)
    return path


def test_find_odd_lists_words_that_are_not_nouns(text):
    tables = Tables()
    evidence = NounStatistics(tables)
    for tokens in conllu.read(find([text], [])[0], tables, ReadContext(both=True)):
        evidence.add(tokens)
    assert evidence.find_odd() == {
        "pronouns": {"something": 3, "those": 10, "other": 20},
        "measures": {"km": 10},
        "non-words": {"%": 1, "x": 9},
    }
    assert evidence.find_repairs() == {("data", "datum"): ("data", 21)}, (
        "others is left out as it is"
    )


def test_lemma_repair_removes_odd_nouns_and_repairs_lemmas(text):
    tables = Tables()
    (tokens,) = conllu.read(find([text], [])[0], tables, ReadContext(both=True))
    vetted = LemmaRepair(tables, ["x", "see"], [("data", "datum", "data")])(tokens)
    before, after = (
        Counter(tables.words.texts[i] for i in one.word.tolist() if i != NONE)
        for one in (tokens, vetted)
    )
    assert before - after == {"x": 9, "datum": 21}, "see is no noun"
    assert after - before == {"data": 21}
    assert vetted.first(1).form.tolist() == tokens.form[:2].tolist()


def test_presets_are_counted_with_lemma_repair(text, tmp_path):
    summary = run(text, tmp_path / "c")
    odd = ["odd-words"] * 3
    assert codes(summary.notes) == ["default-contexts", *odd, "lemma-repair"]
    for note, tokens in zip(summary.notes[1:], (33, 10, 10, 21), strict=True):
        assert f"{tokens} tokens" in note
    assert set(count(text).words) == {"cat", "data", "this", "\u6c34"}
    assert "datum" in count(text, repair=False).words
    assert "km" in count(text, odd_words=True).words
    as_tagged = count(text, relation="obj")
    assert {"something", "datum", "%"} < set(as_tagged.words)
    asked = count(text, relation="obj", odd_words=False, repair=True)
    assert set(asked.words) == {"cat", "data", "this", "\u6c34"}
    assert set(count(text, form=True).words) == {"cat", "data", "this", "\u6c34"}


def test_broken_text_is_reported_by_count(tmp_path):
    (tmp_path / "a.conllu").write_text(TEXT + "1\tbroken\n\n")
    with refused("broken-lines", "a.conllu:", "2 columns"):
        run(tmp_path / "a.conllu", tmp_path / "c", CountOptions())


def test_lemmas_of_real_text_are_repaired(shared_data):
    path = shared_data / "amalgum" / "academic.conllu.gz"
    seen = Counter()
    for line in gzip.decompress(path.read_bytes()).decode().split("\n"):
        columns = line.split("\t")
        if len(columns) == 10 and columns[3] == "NOUN":
            seen[columns[1].lower(), columns[2].lower()] += 1
    found = find_repairs(seen)
    assert found["data", "datum"] == "data"
    assert found["diabetes", "diabet"] == "diabetes"
    assert not {("scientists", "scientist"), ("girls", "girl")} & found.keys()
    assert not any(is_plural(*pair) and word == pair[0] for pair, word in found.items())
    assert sum(seen[pair] for pair in found) < 0.02 * sum(seen.values())
    assert all(word == form or seen[word, word] for (form, _), word in found.items())
