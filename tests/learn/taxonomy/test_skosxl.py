"""SKOS-XL and plain SKOS are equivalent, for both RDF libraries; entity bombs are refused."""

from __future__ import annotations

import gzip
import itertools
import sys

import pytest

from roget import InputError
from roget.learn.taxonomy import read, skos, triples
from support.errors import refused

rdflib = pytest.importorskip("rdflib")
from rdflib import RDF, BNode, Graph, Literal, Namespace, URIRef  # noqa: E402
from rdflib.namespace import SKOS  # noqa: E402

XL = Namespace("http://www.w3.org/2008/05/skos-xl#")
HOME = "http://example.org/"
LABELS = [
    ("animal", "prefLabel", "animal", "en"),
    ("animal", "prefLabel", "Tier", "de"),
    ("dog", "prefLabel", "dog", "en"),
    ("dog", "altLabel", "hound", "en-GB"),
    ("dog", "prefLabel", "Hund", "de"),
    ("cat", "prefLabel", "cat", None),
]
SYNTAX = {"ttl": "turtle", "nt": "nt", "rdf": "xml"}


def vocabulary(extended=lambda row: True, plain=lambda row: False, blank=False):
    """The labels, as SKOS-XL, as SKOS, or some as both."""
    graph = Graph()
    for name in ("animal", "dog", "cat"):
        graph.add((URIRef(HOME + name), RDF.type, SKOS.Concept))
        graph.add((URIRef(HOME + name), SKOS.notation, Literal("7")))
    for name in ("dog", "cat"):
        graph.add((URIRef(HOME + name), SKOS.broader, URIRef(HOME + "animal")))
    group = URIRef(HOME + "group")
    graph.add((group, RDF.type, SKOS.Collection))
    graph.add((group, SKOS.prefLabel, Literal("a group", "en")))
    graph.add((group, SKOS.member, URIRef(HOME + "dog")))
    graph.add((URIRef(HOME + "all"), SKOS.hasTopConcept, URIRef(HOME + "animal")))
    for number, row in enumerate(LABELS):
        name, kind, text, language = row
        if plain(row):
            graph.add((URIRef(HOME + name), SKOS[kind], Literal(text, language)))
        if extended(row):
            label = BNode() if blank else URIRef(f"{HOME}xl{number}")
            graph.add((URIRef(HOME + name), XL[kind], label))
            graph.add((label, RDF.type, XL.Label))
            graph.add((label, XL.literalForm, Literal(text, language)))
    return graph


def shape(thesaurus):
    return {
        word: sorted(
            tuple(thesaurus.label(node) for node in thesaurus.tree.path(leaf))
            for leaf in thesaurus.membership(word)
        )
        for word in thesaurus.words.tolist()
    }


EN = {
    "animal": [("animal", "animal")],
    "dog": [("animal", "dog")],
    "hound": [("animal", "dog")],
    "cat": [("animal", "cat")],
}


@pytest.mark.parametrize("suffix", SYNTAX)
@pytest.mark.parametrize("library", ["pyoxigraph", "rdflib"])
def test_skosxl_label_resources_are_read_as_words(tmp_path, monkeypatch, suffix, library):
    if library == "rdflib":
        monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    else:
        pytest.importorskip("pyoxigraph")
    mixes = {
        "extended": vocabulary(),
        "plain": vocabulary(lambda row: False, lambda row: True),
        "both": vocabulary(plain=lambda row: True),
        "mixed": vocabulary(lambda row: row[3] == "en", lambda row: row[3] != "en"),
        "blank": vocabulary(blank=True),
    }
    for name, graph in mixes.items():
        file = tmp_path / f"{name}.{suffix}"
        graph.serialize(file, format=SYNTAX[suffix], encoding="utf-8")
        assert shape(read(file, language="en")) == EN, name
        # Labels in no language are everybody's.
        assert set(read(file, language="de").words) == {"Tier", "Hund", "cat"}, name
        with refused("label-language"):
            read(file)
        with refused("label-language", "fr"):
            read(file, language="fr")


def test_both_rdf_libraries_read_the_same_taxonomy(tmp_path, monkeypatch):
    pytest.importorskip("pyoxigraph")
    file = tmp_path / "v.ttl"
    vocabulary(plain=lambda row: True).serialize(file, format="turtle")
    found = []
    for library in ("pyoxigraph", "rdflib"):
        if library == "rdflib":
            monkeypatch.setitem(sys.modules, "pyoxigraph", None)
        found.append(sorted(triples.read(file, skos.PREDICATES), key=str))
    assert found[0] == found[1]
    assert len(found[0]) == 3 + 1 + 1 + 2 + 1 + 6 * 4


def test_compressed_files_are_read_and_faulty_ones_refused(tmp_path):
    file = tmp_path / "v.ttl.gz"
    text = vocabulary().serialize(format="turtle", encoding="utf-8")
    file.write_bytes(gzip.compress(b"\xef\xbb\xbf" + text))
    assert shape(read(file, language="en")) == EN
    file.write_bytes(gzip.compress(text)[:-20])
    with pytest.raises(InputError, match=r"v\.ttl\.gz"):
        read(file, language="en")
    (tmp_path / "v.nt").write_bytes(b"<urn:a> <urn:b> nonsense .\n")
    with refused("broken-lines", "v.nt", "line 1"):
        read(tmp_path / "v.nt")


BOMB = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY skos "{}"> <!ENTITY b {}>]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="&skos;">
<skos:Concept rdf:about="urn:x"><skos:prefLabel>tea{}</skos:prefLabel></skos:Concept></rdf:RDF>
"""


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ('"&skos;&skos;&skos;"', "b"),
        (f'"{"x" * 501}"', "b"),
        ('SYSTEM "file:///etc/passwd"', "b"),
        ("'%other;'", "b"),
        ('PUBLIC "-//x" "http://example.org/x"', "b"),
    ],
)
@pytest.mark.parametrize("library", ["pyoxigraph", "rdflib"])
def test_xml_entity_bombs_are_refused(tmp_path, monkeypatch, library, value, name):
    if library == "rdflib":
        monkeypatch.setitem(sys.modules, "pyoxigraph", None)
    file = tmp_path / "bomb.rdf"
    file.write_text(BOMB.format(str(SKOS), value, "&b;"))
    with refused("too-large", "bomb.rdf", f"'{name}'"):
        read(file)
    file.write_bytes(BOMB.format(str(SKOS), value, "&b;").encode("utf-16"))
    with refused("not-text", "8"):
        read(file)


def test_small_xml_entities_are_expanded(tmp_path):
    file = tmp_path / "small.rdf"
    file.write_text(BOMB.format(str(SKOS), '"s&#33;"', "&b;"))
    assert read(file).words.tolist() == ["teas!"]


def test_progress_is_reported(tmp_path):
    file = tmp_path / "v.nt"
    vocabulary().serialize(file, format="nt", encoding="utf-8")
    reported = []
    found = triples.read(file, skos.PREDICATES, reported.append)
    assert len(list(itertools.islice(found, 5))) == 5
    list(found)
    assert reported[-1].done == reported[-1].total == file.stat().st_size
    reported.clear()
    read(file, language="en", progress=reported.append)
    assert reported[-1]["fraction"] == 1
