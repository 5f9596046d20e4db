"""Plain text: odd words, lemmas and duplicate files."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

import roget
from roget import count
from roget.learn.corpus.lemma_repair import find_repairs, is_odd
from roget.learn.counting.count import run
from roget.learn.counting.inspect import inspect_inputs
from roget.learn.counting.options import CountOptions
from support.errors import codes, notice, refused

TEXT = "The firm paid £20m for the company and the company paid $9.4bn for the firm. "


@pytest.mark.parametrize(
    "text", ["£20m", "$9.4bn", "512mb", "4x100m", "1990s", "e", "ll", "it", "others", "10,000m"]
)
def test_odd_words_are_recognised_by_form(text):
    assert is_odd(text)


@pytest.mark.parametrize("text", ["mp3", "17-year-old", "tv", "company", "co2", "水"])
def test_words_with_digits_are_kept(text):
    assert not is_odd(text)


def test_tagged_text_has_no_numbers_as_words(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT * 30)
    words = {"tagger": "hanta", "model": "english", "relation": "nouns"}
    found = set(count(tmp_path / "a.txt", **words).words)
    assert {"firm", "company"} <= found
    assert not any(map(is_odd, found))
    kept = set(count(tmp_path / "a.txt", **words, odd_words=True).words)
    assert found < kept


def test_omitted_names_are_reported(tmp_path):
    (tmp_path / "a.txt").write_text("Mr Blair bought a DVD for the company in London. " * 30)
    options = CountOptions(tagger="hanta", model="english", relation="nouns")
    note = notice(run(tmp_path / "a.txt", tmp_path / "c", options).notes, "names")
    assert all(name in note for name in ("blair", "dvd", "london"))
    tokens = int(note.split()[0])
    assert tokens % 30 == 0
    both = replace(options, relation=["nouns", "names"])
    summary = run(tmp_path / "a.txt", tmp_path / "d", both)
    assert "names" not in codes(summary.notes)
    assert {"company", "dvd", "london"} <= set(roget.load(tmp_path / "d").words)


def test_repairs_keep_singular_that_occurs():
    seen = {("symptoms", "symptom"): 90, ("symptom", "symptom"): 2}
    seen |= {("data", "datum"): 90, ("datum", "datum"): 1}
    for word in ("cat", "dog", "tree", "book"):
        seen |= {(f"{word}s", word): 20, (word, word): 20}
    assert find_repairs(seen) == {("data", "datum"): "data"}


def write(folder, **texts):
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def test_duplicate_files_are_counted_once(tmp_path):
    other = "A quite different text about cats and dogs.\n"
    write(tmp_path, a="One text.\nTwo lines.\n", b="one  text. two LINES.", c=other)
    found = inspect_inputs(tmp_path, CountOptions(window=2))
    assert [source.path[-5:] for source in found.sources] == ["a.txt", "c.txt"]
    assert notice(found.draft.notes, "copies", "1 of 3", "b.txt", "a.txt")
    kept = inspect_inputs(tmp_path, CountOptions(window=2, duplicates="keep"))
    assert len(kept.sources) == 3
    assert "copies" not in codes(kept.draft.notes)


def test_empty_files_are_not_duplicates(tmp_path):
    write(tmp_path, a="", b="", c="Some words here.")
    assert len(inspect_inputs(tmp_path, CountOptions(window=2)).sources) == 3


def test_duplicates_option_applies_to_plain_text_only(tmp_path):
    (tmp_path / "a.tsv").write_text("cat\tsee\t3\n")
    with refused("conflicting-options", "duplicates"):
        count(tmp_path / "a.tsv", duplicates="keep")


def test_french_text_is_counted_without_elided_words_and_numbers(tmp_path):
    nouns = ("homme", "arbre", "ami", "enfant", "oiseau", "hiver")
    lines = [
        f"L'{one} dit qu'il est dans le jardin de l'{other} en {1900 + at % 90} et que la ville "
        "est un lieu pour les gens."
        for at in range(100)
        for one, other in itertools.pairwise(nouns)
    ]
    (tmp_path / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    words = set(count(tmp_path / "a.txt", terms=False).words)
    assert {"arbre", "ami", "enfant"} <= words
    assert not any("'" in word or word.isdigit() for word in words)
    kept = count(tmp_path / "a.txt", function_words=True, terms=False)
    assert {"l'", "qu'", "1950"} <= set(kept.words)
