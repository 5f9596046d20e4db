"""Bundled samples: their content equals that of their sources."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from roget import count
from roget.data import SAMPLES, Quadruple, sample, sample_path
from roget.data.bundled import ATTRIBUTION
from support.errors import refused


def rows(path: Path) -> list[list[str]]:
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def test_verb_object_equals_its_source(shared_data: Path) -> None:
    counts = sample("verb_object")
    source = {(n, v): int(c) for v, n, c in rows(shared_data / "amalgum/verb_object.tsv")}
    assert {(word, context): count for word, context, count in counts.rows()} == source
    assert counts.total == 110_270


@pytest.mark.slow
def test_verb_slot_noun_equals_its_source(shared_data: Path) -> None:
    counts = sample("verb_slot_noun")
    source = {
        (noun, f"{slot}:{verb}"): int(count)
        for verb, slot, noun, count in rows(shared_data / "amalgum/verb_slot_noun.tsv")
    }
    assert {(word, context): count for word, context, count in counts.rows()} == source
    slots = dict(zip(counts.contexts, counts.slots, strict=True))
    assert slots["obj:drink"] == "obj"


@pytest.mark.slow
def test_nouns_sample_equals_counted_corpus(shared_data: Path) -> None:
    counts = sample("nouns")
    news = count(shared_data / "amalgum/news.conllu.gz", vocabulary=counts.words)
    pairs = {(word, context): n for word, context, n in counts.rows()}
    found = [(pairs.get((word, context), 0), n) for word, context, n in news.rows()]
    assert all(whole >= n for whole, n in found if whole), "five genres have no less than one"
    assert sum(n for whole, n in found if whole) > 0.8 * news.total
    assert counts.relations == ("nouns",)
    assert set(counts.slots) > {"obj", "subj", "~amod", "conj", "obl:in", "~nmod:of", "compound"}
    assert (counts.word_totals.min(), counts.context_totals.min()) == (10, 3)


def test_quadruples_equal_their_source(shared_data: Path) -> None:
    source = [Quadruple(*row) for row in rows(shared_data / "amalgum/pp_quads.tsv")]
    assert sample("pp_quads") == source


def test_samples_have_documented_content() -> None:
    objects, slots = sample("verb_object"), sample("verb_slot_noun")
    assert (objects.total, slots.total) == (110_270, 257_789)
    assert objects.count("water", "drink") == slots.count("water", "obj:drink") > 0
    quads = sample("pp_quads")
    assert Counter(quad.attachment for quad in quads).keys() == {"N", "V"}
    assert len(quads) == 31_889
    assert objects.provenance["source"] == ATTRIBUTION


def test_attribution_is_in_the_readme() -> None:
    readme = sample_path("verb_object").parent / "README.md"
    assert ATTRIBUTION in readme.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(SAMPLES))
def test_sample_files_exist(name: str) -> None:
    assert sample_path(name).is_file()


def test_unknown_sample_suggests_nearest() -> None:
    with refused("unknown-name", "verb_object"):
        sample("verb_objects")
