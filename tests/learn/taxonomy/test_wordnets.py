"""WordNet as tables and through the package wn."""

from __future__ import annotations

import sys
import types

import pytest

from roget.errors import FormatError
from roget.learn.taxonomy import read, taxonomy_of
from support.errors import refused

NOUNS = """dog\t1\t2\tnoun.animal\t42
frank\t1\t4\tnoun.food\t0
dog\t2\t4\tnoun.food\t3
domestic_dog\t1\t2\tnoun.animal\t0
animal\t1\t1\tnoun.Tops\t9
pet\t1\t3\tnoun.animal\t0
"""
ABOVE = "2\t@\t1\n2\t@\t3\n3\t@\t1\n4\t@\t9\n2\t~\t4\n"
VERBS = "dog\t1\t7\tverb.motion\t1\nchase\t1\t7\tverb.motion\t5\n"


@pytest.fixture
def tables(tmp_path):
    for name, text in (("noun_senses", NOUNS), ("noun_hypernyms", ABOVE), ("verb_senses", VERBS)):
        (tmp_path / f"{name}.tsv").write_text(text)
    return tmp_path


def test_wordnet_tables_are_read(tables):
    found = taxonomy_of(tables)
    assert found.title == "WordNet"
    assert found.labels["2-n"] == "dog"
    assert found.labels["4-n"] == "dog", "a synset is called by the lemma tagged most"
    assert found.labels["7-v"] == "chase"
    assert found.words["dog"] == {"2-n": 43.0, "4-n": 4.0, "7-v": 2.0}
    assert found.words["domestic dog"] == {"2-n": 1.0}
    assert found.parents["2-n"] == ["1-n", "3-n"]
    assert found.parents["4-n"] == [], "a hypernym that is nowhere is none"
    assert found.otherwise["4-n"] == "noun"
    assert read(tables).provenance["imported"] == "wordnet-tables"


def test_part_option_selects_a_part_of_speech(tables):
    nouns = taxonomy_of(tables, part="noun")
    assert nouns.title == "noun"
    assert nouns.words["dog"] == {"2-n": 43.0, "4-n": 4.0}
    assert "chase" not in nouns.words
    assert set(taxonomy_of(tables, part="verb").words) == {"dog", "chase"}
    with refused("unknown-name", "nuon"):
        taxonomy_of(tables, part="nuon")
    (tables / "verb_senses.tsv").unlink()
    with refused("file-not-found", "verb_senses.tsv"):
        taxonomy_of(tables, part="verb")


def test_part_option_selects_a_file_of_dict_folder(tmp_path):
    line = "0000000{} 03 {} 01 {} 0 000 | a gloss\n"
    (tmp_path / "data.noun").write_text(line.format(1, "n", "hit"))
    (tmp_path / "data.verb").write_text(line.format(2, "v", "hit"))
    assert taxonomy_of(tmp_path).words == {"hit": {"00000001-n": 1.0, "00000002-v": 1.0}}
    assert taxonomy_of(tmp_path, part="noun").words == {"hit": {"00000001-n": 1.0}}
    (tmp_path / "data.noun").unlink()
    with refused("file-not-found"):
        taxonomy_of(tmp_path, part="noun")


def test_broken_tables_are_refused_with_line_numbers(tables):
    (tables / "noun_senses.tsv").write_text("dog\t1\t2\tnoun.animal\tmany\n\ncat\t1\n")
    with pytest.raises(FormatError) as error:
        taxonomy_of(tables)
    assert len(error.value.problems) == 2
    assert "noun_senses.tsv:1: 'dog" in str(error.value)
    assert "noun_senses.tsv:3: 'cat" in str(error.value)


class Sense:
    """What the package's senses are asked for."""

    def __init__(self, lemma, *counts):
        self._lemma, self._counts = lemma, list(counts)

    def word(self):
        return types.SimpleNamespace(lemma=lambda: self._lemma)

    def counts(self):
        return self._counts


class OfPackage:
    """What the package's synsets are asked for."""

    def __init__(self, id, senses, above=()):
        self.id, self._senses, self._above = id, senses, above

    def senses(self):
        return self._senses

    def get_related(self, *names):
        assert set(names) == {"hypernym", "instance_hypernym"}
        return self._above


@pytest.fixture
def wn(monkeypatch):
    """A stand-in for the package, with the little of it that is used."""
    fake = types.ModuleType("wn")
    animal = OfPackage("x-1-n", [Sense("animal")])
    unnamed = OfPackage("x-3-n", [], [animal])
    dog = OfPackage("x-2-n", [Sense("dog", 40, 2), Sense("hound")], [animal, unnamed])
    chase = OfPackage("x-7-v", [Sense("dog"), Sense("chase")])

    class Wordnet:
        def __init__(self, lexicon, expand):
            assert expand == ""
            if lexicon not in ("oewn:2024", "empty"):
                raise fake.Error(f"no lexicon found with {lexicon}")
            self._known = {"n": [animal, unnamed, dog], "v": [chase]}
            self._known = self._known if lexicon != "empty" else {"n": [], "v": []}

        def synsets(self, pos):
            return self._known[pos]

    fake.Error = type("Error", (Exception,), {})
    fake.Wordnet = Wordnet
    fake.lexicons = lambda: [types.SimpleNamespace(specifier=lambda: "oewn:2024")]
    monkeypatch.setitem(sys.modules, "wn", fake)
    return fake


@pytest.mark.usefixtures("wn")
def test_wn_lexicon_is_read_by_name():
    found = taxonomy_of("wn:oewn:2024")
    assert found.labels["x-2-n"] == "dog"
    assert found.labels["x-3-n"] == "x-3-n"
    assert found.words["dog"] == {"x-2-n": 43.0, "x-7-v": 1.0}
    assert found.parents["x-2-n"] == ["x-1-n", "x-3-n"]
    assert found.otherwise["x-7-v"] == "verb"
    assert set(taxonomy_of("wn:oewn:2024", part="verb").words) == {"dog", "chase"}
    assert read("wn:oewn:2024").path("hound")


@pytest.mark.usefixtures("wn")
def test_missing_wn_lexicon_is_refused():
    with refused("file-not-found", "2024"):
        taxonomy_of("wn:nope")
    with refused("empty-input"):
        taxonomy_of("wn:empty")


def test_missing_wn_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "wn", None)
    with refused("missing-extra", "roget[wordnet]"):
        taxonomy_of("wn:oewn:2024")


def test_installed_wn_package_is_read(tmp_path):
    wn = pytest.importorskip("wn", reason="needs the extra wordnet")
    lexicon = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource><Lexicon id="tiny" label="t" language="en" email="a@b.org" license="x" version="1">
<LexicalEntry id="tiny-dog"><Lemma writtenForm="dog" partOfSpeech="n"/>
<Sense id="tiny-dog-1" synset="tiny-2-n"><Count>4</Count></Sense></LexicalEntry>
<LexicalEntry id="tiny-animal"><Lemma writtenForm="animal" partOfSpeech="n"/>
<Sense id="tiny-animal-1" synset="tiny-1-n"/></LexicalEntry>
<Synset id="tiny-1-n" ili="" partOfSpeech="n"/>
<Synset id="tiny-2-n" ili="" partOfSpeech="n">
<SynsetRelation relType="hypernym" target="tiny-1-n"/></Synset>
</Lexicon></LexicalResource>
"""
    (tmp_path / "tiny.xml").write_text(lexicon)
    before = wn.config.data_directory
    try:
        wn.config.data_directory = tmp_path / "wn"
        wn.add(tmp_path / "tiny.xml", progress_handler=None)
        found = taxonomy_of("wn:tiny:1")
        assert found.words == {"dog": {"tiny-2-n": 5.0}, "animal": {"tiny-1-n": 1.0}}
        assert found.parents == {"tiny-1-n": [], "tiny-2-n": ["tiny-1-n"]}
    finally:
        wn.config.data_directory = before


@pytest.mark.slow
def test_all_nouns_of_wordnet_are_read(shared_data):
    folder = shared_data / "wordnet30"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    found = taxonomy_of(folder, part="noun")
    assert len(found.words) == 117_798
    kept = found.acyclic()
    assert kept["02084071-n"] == ["02083346-n", "01317541-n"], "a dog is a canine and a pet"
    assert sum(1 for above in kept.values() if not above) == 1
