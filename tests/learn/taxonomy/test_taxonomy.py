"""Import of taxonomies as thesauri."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from roget import InputError, load
from roget.errors import FormatError
from roget.learn.taxonomy import read
from roget.learn.taxonomy.taxonomy import Taxonomy, _distinct
from roget.learn.thesaurus import quality
from roget.report.exports import export
from roget.report.options import ReportOptions
from support.errors import refused

ANIMALS = """child\tparent
mammal\tanimal
bird\tanimal
dog\tmammal
cat\tmammal
crow\tbird
bat\tmammal
bat\ttool
tool\tthing
animal\tthing
thing\t
animal\tanimal
"""


def table(tmp_path, text, name="t.tsv"):
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


@pytest.fixture
def animals(tmp_path):
    return read(table(tmp_path, ANIMALS))


def names(thesaurus, word):
    return [thesaurus.word_class(node).label for node in thesaurus.path(word)]


def naive_kl(p, q):
    return sum(a * math.log(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def naive_memberships(thesaurus):
    """{word: {labels of the path to a leaf: p}}."""
    return {
        str(word): {
            tuple(thesaurus.word_class(n).label for n in thesaurus.tree.path(leaf)): p
            for leaf, p in thesaurus.membership(word).items()
        }
        for word in thesaurus.words
    }


def test_table_is_read_as_tree_of_classes(animals):
    above = ("thing", "animal")
    assert naive_memberships(animals) == {
        "dog": {(*above, "mammal"): 1.0},
        "cat": {(*above, "mammal"): 1.0},
        "crow": {(*above, "bird"): 1.0},
        "bat": {(*above, "mammal"): 0.5, ("thing", "tool"): 0.5},
        # A class with parts keeps its own words in a leaf of its own.
        "animal": {(*above, "animal"): 1.0},
    }
    assert animals.provenance["imported"] == "tsv"
    assert animals.provenance["dropped"] == 0


def test_classes_are_used_as_contexts(animals):
    assert set(animals.contexts) == {"thing", "animal", "mammal", "bird", "tool"}
    third = 1 / 3
    for word, right in (
        ("dog", {"thing": third, "animal": third, "mammal": third}),
        ("animal", {"thing": 0.5, "animal": 0.5}),
        ("bat", {"thing": 5 / 12, "animal": 1 / 6, "mammal": 1 / 6, "tool": 1 / 4}),
    ):
        for context in animals.contexts:
            assert math.isclose(
                animals.counts.count(word, context), right.get(context, 0.0), abs_tol=1e-12
            )
    assert np.allclose(animals.counts.word_totals, 1)
    assert math.isclose(animals.mass.sum(), 1)
    assert np.allclose(animals.centroids.sum(axis=1), 1)


def test_imported_thesaurus_supports_every_lookup(animals, tmp_path):
    near = [one.word for one in animals.neighbours("dog", 4)]
    assert set(near) == set(animals.words.tolist()) - {"dog"}
    shared = [len(set(animals.path("dog")) & set(animals.path(word))) for word in near]
    assert shared == sorted(shared, reverse=True), near
    by_class, by_word = quality.information(animals)
    assert 0 < by_word <= by_class
    cut = dict(zip(animals.words.tolist(), animals.cut(4).tolist(), strict=True))
    assert cut["dog"] == cut["cat"] == cut["bat"]
    assert len(set(cut.values())) == 3
    assert names(animals, "crow") == ["thing", "animal", "bird"]
    animals.save(tmp_path / "a.thesaurus")
    again = load(tmp_path / "a.thesaurus")
    assert naive_memberships(again) == naive_memberships(animals)


def test_several_roots_get_a_common_root_named_after_the_file(tmp_path):
    found = read(table(tmp_path, "tea\tdrink\nbook\tthing\n", "goods.tsv"))
    assert names(found, "tea") == ["goods", "drink"]
    assert found.tree.n_clusters == 2


def test_class_keeps_its_first_parent(tmp_path):
    found = read(table(tmp_path, "a\tx\nx\ttop\nx\tother\ny\tother\nother\ttop\n"))
    assert names(found, "a") == ["top", "x"]
    assert found.provenance["dropped"] == 1
    assert found.provenance["dropped_examples"] == ["x < other"]


def test_classes_without_words_are_excluded(tmp_path):
    found = read(table(tmp_path, "a\tx\nx\ttop\ny\ttop\nz\ty\nz\tz2\nz2\ttop\nq\tz\nz\ty\n"))
    assert "z2" not in found.contexts
    assert names(found, "q") == ["top", "y", "z"]


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ("a\tb\nb\tc\nc\tb\n", "not-a-tree", "'b' > 'c'"),
        ("a\tx\ny\tx\nx\ty\n", "not-a-tree", ">"),
        ("a b\nc\td\te\n", None, ""),
        ("\tx\n", None, "t.tsv:1"),
        ("", "empty-input", ""),
        ("a\t\n", "not-a-tree", "'a'"),
        (b"\xff\tx\n", None, "t.tsv:1"),
    ],
)
def test_broken_tables_are_refused(tmp_path, text, code, value):
    with pytest.raises(InputError) as caught:
        read(table(tmp_path, text))
    assert "t.tsv" in str(caught.value)
    assert value in str(caught.value)
    assert code in (None, caught.value.code)


def test_broken_lines_are_collected_up_to_a_limit(tmp_path):
    with pytest.raises(FormatError) as caught:
        read(table(tmp_path, "x\n" * 30))
    assert len(caught.value.problems) == 20


def test_kind_is_inferred_or_must_be_named(tmp_path):
    file = table(tmp_path, "tea\tdrink\n", "odd.name")
    with refused("unsupported-format"):
        read(file)
    assert len(read(file, "tsv")) == 1
    with refused("unknown-name"):
        read(file, "skoss")
    with refused("file-not-found"):
        read(tmp_path / "absent.tsv")
    with refused("unsupported-format"):
        read(tmp_path)


def test_weight_of_a_class_is_divided_among_its_copies():
    parents = {
        "animal": ["thing"],
        "tool": ["thing"],
        "bat": ["animal", "tool"],
        "vampire": ["bat"],
    }
    names = ["thing", *parents]
    taxonomy = Taxonomy("all", dict(zip(names, names, strict=True)), parents)
    taxonomy.add("dracula", "vampire")
    nodes = taxonomy.unfold(taxonomy.acyclic())
    shares = {name: [] for name in names}
    for name, share in zip(nodes.classes, nodes.shares, strict=True):
        shares[name].append(share)
    assert shares == {
        "thing": [1], "animal": [1], "tool": [1], "bat": [0.5, 0.5], "vampire": [0.5, 0.5],
    }  # fmt: skip


def test_only_the_largest_of_many_classes_become_contexts(tmp_path, monkeypatch):
    monkeypatch.setattr("roget.learn.taxonomy.taxonomy.CELLS", 8)
    found = read(table(tmp_path, ANIMALS))  # four clusters: two contexts
    assert set(found.contexts) == {"thing", "animal"}
    assert np.allclose(found.counts.word_totals, 1)


def test_duplicate_labels_are_made_distinct_by_id():
    assert _distinct(["a", "b", "a"], ["1", "2", "3"]) == ["a (1)", "b", "a (3)"]
    assert _distinct(["a", "a (1)", "a"], ["1", "2", "3"]) == [
        "a (1)'",
        "a (1)",
        "a (3)",
    ]


SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix : <http://example.org/> .
:animal a skos:Concept ; skos:prefLabel "animal"@en, "Tier"@de .
:dog a skos:Concept ; skos:broader :animal ; skos:prefLabel "dog"@en, "Hund"@de ;
    skos:altLabel "hound"@en-GB .
:cat skos:prefLabel "cat"@en .
:animal skos:narrower :cat .
:crane1 skos:broader :animal ; skos:prefLabel "crane"@en .
:tool a skos:Concept ; skos:prefLabel "tool"@en .
:crane2 skos:broader :tool, :zzz ; skos:prefLabel "crane"@en .
:zzz a skos:Concept .
"""


@pytest.fixture
def rdflib():
    return pytest.importorskip("rdflib")


def test_skos_concepts_become_classes_of_their_labels(tmp_path, rdflib):
    found = read(table(tmp_path, SKOS, "zoo.ttl"), language="en")
    assert naive_memberships(found) == {
        "animal": {("zoo", "animal", "animal"): 1.0},
        "dog": {("zoo", "animal", "dog"): 1.0},
        "hound": {("zoo", "animal", "dog"): 1.0},
        "cat": {("zoo", "animal", "cat"): 1.0},
        "crane": {("zoo", "animal", "crane"): 0.5, ("zoo", "tool", "crane"): 0.5},
        "tool": {("zoo", "tool", "tool"): 1.0},
    }
    assert found.provenance["dropped_examples"] == ["crane < zzz"]
    assert set(read(tmp_path / "zoo.ttl", language="de").words) == {"Tier", "Hund"}


@pytest.mark.parametrize(
    ("text", "options", "code", "value"),
    [
        (SKOS, {}, "label-language", "de, en, en-gb"),
        (SKOS, {"language": "fr"}, "label-language", "'fr'"),
        ("<a> <b> <c> .", {}, "empty-input", "zoo.ttl"),
        ("@prefix broken", {}, "broken-lines", "zoo.ttl"),
        (SKOS + ":animal skos:broader :dog .", {"language": "en"}, "not-a-tree", "'dog'"),
    ],
)
def test_broken_skos_is_refused(tmp_path, rdflib, text, options, code, value):
    with refused(code, value):
        read(table(tmp_path, text, "zoo.ttl"), **options)


def test_missing_rdf_library_is_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "rdflib", None)
    monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    with refused("missing-extra"):
        read(table(tmp_path, SKOS, "zoo.ttl"))


@pytest.mark.parametrize("suffix", ["ttl", "rdf"])
def test_own_skos_export_is_read_back(animals, tmp_path, rdflib, suffix):
    file = tmp_path / f"zoo.{suffix}"
    export(animals, file, options=ReportOptions(language="en"))
    assert naive_memberships(read(file)) == naive_memberships(animals)


# Fields: offset, file, type, words (hexadecimal), word, id …, pointers, pointer …, gloss.
NOUNS = """  1 This line is the licence, and begins with two blanks.
00000001 03 n 01 entity 0 000 | what is
00000002 05 n 02 animal 0 living_thing 1 001 @ 00000001 n 0000 | it lives
00000003 05 n 01 dog 0 003 @ 00000002 n 0000 @ 00000004 n 0000 ~ 00000009 n 0000 | it barks
00000004 03 n 01 pet 0 001 @ 00000001 n 0000 | kept
00000005 18 n 01 Fido 0 001 @i 00000003 n 0000 | a dog; it | barks
00000006 06 n 01 bank 0 001 @ 00000001 n 0000 | for money
00000007 17 n 01 bank 0 001 @ 00000001 n 0000 | of a river
"""
VERBS = """00000001 30 v 01 restrain 0 001 @ 00000002 v 0000 01 + 08 00 | hold
00000002 30 v 01 inhibit 1 001 @ 00000001 v 0000 01 + 08 00 | hold
00000003 38 v 01 dog 0 000 01 + 08 00 | follow
"""


@pytest.fixture
def wordnet(tmp_path):
    folder = tmp_path / "dict"
    folder.mkdir()
    (folder / "data.noun").write_text(NOUNS)
    (folder / "data.verb").write_text(VERBS)
    (folder / "cntlist.rev").write_text("bank%1:06:00:: 1 7\nbank%1:17:00:: 2 1\n")
    return folder


def test_wordnet_is_read_as_tree_of_synsets(wordnet):
    found = read(wordnet)
    # 7 + 1 and 1 + 1, of ten.
    assert sorted(found.membership("bank").values()) == pytest.approx([0.2, 0.8])
    assert names(found, "Fido") == ["WordNet", "noun", "entity", "animal", "dog", "Fido"]
    assert names(found, "living thing") == ["WordNet", "noun", "entity", "animal", "animal"]
    assert {names[1] for names in naive_memberships(found)["dog"]} == {"noun", "verb"}
    assert sorted(found.provenance["dropped_examples"]) == ["dog < pet", "inhibit < restrain"]
    assert names(found, "inhibit") == ["WordNet", "verb", "inhibit", "inhibit"]
    assert found.tree.n_clusters == 10, "ten synsets, each with words"


def test_single_part_of_speech_has_no_class_of_its_own(wordnet):
    (wordnet / "cntlist.rev").unlink()
    found = read(wordnet / "data.noun")
    assert names(found, "Fido") == ["entity", "animal", "dog", "Fido"]
    assert list(found.membership("bank").values()) == [0.5, 0.5]
    assert names(read(wordnet / "data.verb"), "inhibit") == ["verb", "inhibit", "inhibit"]


def test_broken_wordnet_files_are_refused(wordnet, tmp_path):
    (wordnet / "data.noun").write_text(NOUNS + "nonsense\n00000009 03 n 05 short 0 000 | x\n")
    with refused("broken-lines", "9") as caught:
        read(wordnet)
    assert len(caught.value.problems) == 2
    with refused("file-not-found"):
        read(tmp_path, "wordnet")


def test_wordnet_hypernym_table_is_read(shared_data, tmp_path):
    source = shared_data / "wordnet30" / "verb_hypernyms.tsv"
    links = [line.split("\t") for line in source.read_text().splitlines()]
    found = read(table(tmp_path, "".join(f"{low}\t{high}\n" for low, _, high in links)))
    above = {}
    for low, _, high in links:
        above.setdefault(low, []).append(high)
    words = set(above) - {high for *_, high in links}
    assert set(found.words) == words
    for word in sorted(words)[::500]:
        way = [above[word][0]]
        while way[-1] in above:
            way.append(above[way[-1]][0])
        labels = [found.label(node) for node in found.path(word)]
        if labels[-1:] == labels[-2:-1]:
            del labels[-1]  # the leaf of a class that has parts as well
        if len(above[word]) == 1:
            assert labels == ["t", *reversed(way)]


@pytest.mark.parametrize(
    ("parents", "otherwise", "name", "inside"),
    [
        ({"x": ["up"]}, {}, "x", ("'x'", "'up'")),
        ({}, {"x": "up"}, "x", ("'x'", "'up'")),
        ({}, {}, "y", ("'a'", "'y'")),
    ],
)
def test_missing_classes_are_named(parents, otherwise, name, inside):
    taxonomy = Taxonomy("t", {"x": "x"}, parents, otherwise)
    taxonomy.add("a", name)
    with refused("not-a-tree", "t: ", *inside):
        taxonomy.acyclic()
    with refused("not-a-tree", "t.tsv: ", *inside):
        taxonomy.tree(Path("t.tsv"))


def test_cycle_of_unlabelled_classes_is_named():
    taxonomy = Taxonomy("t", {}, {"x": ["y"], "y": ["x"]})
    with refused("not-a-tree", "'x'", "'y'"):
        taxonomy.acyclic()
