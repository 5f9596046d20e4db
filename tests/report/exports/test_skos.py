"""SKOS: exactly the expected triples, in both syntaxes."""

from __future__ import annotations

import io
import logging
import re
import warnings
from urllib.parse import unquote

import pytest

from roget import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus
from roget.report.exports import export
from roget.report.options import ReportOptions
from support.errors import refused

rdflib = pytest.importorskip("rdflib")
from rdflib import RDF, Literal, URIRef  # noqa: E402
from rdflib.namespace import DCTERMS, SKOS  # noqa: E402

SYNTAX = {"skos": "turtle", "skos-xml": "xml"}
BASE = "https://example.org/t#"


def loaded(thesaurus, format, **options):
    out = io.BytesIO()
    export(thesaurus, out, format, ReportOptions(**options))
    return rdflib.Graph().parse(data=out.getvalue(), format=SYNTAX[format])


def lines(graph):
    return {(*map(str, triple), getattr(triple[2], "language", None)) for triple in graph}


@pytest.mark.parametrize("format", SYNTAX)
def test_skos_export_has_exactly_the_expected_triples(small, format):
    graph = loaded(small, format, title="Tiny", language="en", base=BASE)
    scheme, classes = URIRef(BASE[:-1]), [URIRef(f"{BASE}class-{n}") for n in range(5)]
    words = {word: URIRef(f"{BASE}word-{word}") for word in small.words}
    roget, expected = "urn:x-roget:", rdflib.Graph()
    for what in (
        (scheme, RDF.type, SKOS.ConceptScheme),
        (scheme, DCTERMS.title, Literal("Tiny", "en")),
        (scheme, SKOS.prefLabel, Literal("Tiny", "en")),
        *((scheme, SKOS.hasTopConcept, classes[n]) for n in (1, 2)),
        *((classes[n], SKOS.topConceptOf, scheme) for n in (1, 2)),
    ):
        expected.add(what)
    links = [(1, 3), (1, 4)]
    below = [(classes[a], classes[b]) for a, b in links]
    # 0.05 of tea is too little to be listed in class 2; 0.4 of bank is not.
    held = [("tea", 3), ("ale", 3), ("book", 2), ("bank", 4), ("bank", 2)]
    below += [(classes[node], words[word]) for word, node in held]
    for high, low in below:
        expected.add((high, SKOS.narrower, low))
        expected.add((low, SKOS.broader, high))
    for concept in (*classes[1:], *words.values()):
        expected.add((concept, RDF.type, SKOS.Concept))
        expected.add((concept, SKOS.inScheme, scheme))
    for node, concept in list(enumerate(classes))[1:]:
        expected.add((concept, RDF.type, URIRef(f"{roget}WordClass")))
        label = small.word_class(node).label
        twins = [n for n in range(1, 5) if small.word_class(n).label == label]
        if len(twins) > 1 or label in small.words:
            expected.add((concept, SKOS.altLabel, Literal(label, "en")))
            label = f"{label} ({node})"
        expected.add((concept, SKOS.prefLabel, Literal(label, "en")))
    for word, concept in words.items():
        expected.add((concept, RDF.type, URIRef(f"{roget}Word")))
        expected.add((concept, SKOS.prefLabel, Literal(word, "en")))
    # For programs: what is told of the whole, ids of classes, counts and shares of words.
    state = graph.value(scheme, URIRef(f"{roget}state"))
    assert re.fullmatch("0 [0-9a-f]{16}", state)
    expected.add((scheme, URIRef(f"{roget}state"), state))
    expected.add((scheme, URIRef(f"{roget}root"), Literal(0)))
    for node, concept in list(enumerate(classes))[1:]:
        expected.add((concept, URIRef(f"{roget}id"), Literal(node)))
    expected.add((classes[1], URIRef(f"{roget}split"), Literal(2)))
    for row, (word, concept) in enumerate(words.items()):
        total = int(small.counts.word_totals[row])
        expected.add((concept, URIRef(f"{roget}count"), Literal(total)))
        shares = [f"{node}:{share!r}" for node, share in small.membership(word).items()]
        expected.add((concept, URIRef(f"{roget}memberships"), Literal(" ".join(shares))))
    notes = {t for t in graph if t[1] in (SKOS.note, SKOS.scopeNote)}
    assert set(graph) - notes == set(expected)
    noted = {subject for subject, predicate, _ in notes if predicate == SKOS.note}
    assert noted == {scheme}, "figures are properties for programs, not notes for readers"
    assert str(graph.value(classes[2], SKOS.scopeNote)).startswith("typical contexts: read")


def test_default_base_differs_between_thesauri(small):
    def export_as(title):
        out = io.StringIO()
        export(small, out, "skos", ReportOptions(title, language="en"))
        return out.getvalue()

    assert "<urn:x-roget:thesaurus:bbc-news#word-tea>" in export_as("BBC News")
    assert "<urn:x-roget:thesaurus:bible#word-tea>" in export_as("Bible")


def test_preferred_labels_are_distinct(small):
    labels = list(loaded(small, "skos").objects(None, SKOS.prefLabel))
    assert len(labels) == len(set(labels))


def test_turtle_preserves_hostile_words(broken):
    graph = loaded(broken, "skos")
    words = {
        concept: str(graph.value(concept, SKOS.prefLabel))
        for concept in graph.subjects(RDF.type, URIRef("urn:x-roget:Word"))
    }
    assert sorted(words.values()) == sorted(broken.words)
    for concept, word in words.items():
        if len(word) < 50:
            assert unquote(concept.partition("#word-")[2]) == word
    assert all(value.language == "und" for value in graph.objects(None, SKOS.prefLabel))


def test_both_rdf_syntaxes_have_equal_triples(hostile):
    legal = hostile  # its control characters need no escape in XML
    turtle, xml = (lines(loaded(legal, format, language="pt-BR")) for format in SYNTAX)
    cleaned = {
        (*ends, text.replace("\x0b", "\N{REPLACEMENT CHARACTER}"), tag)
        for *ends, text, tag in turtle
    }
    assert xml == cleaned


def test_characters_illegal_in_xml_are_replaced(broken):
    graph = loaded(broken, "skos-xml")
    texts = {str(text) for text in graph.objects(None, SKOS.prefLabel)}
    assert {"tab\there", "line\nbreak", "carriage\rreturn"} <= texts
    assert "\N{REPLACEMENT CHARACTER}" * 2 + "\x7f\N{REPLACEMENT CHARACTER}" in texts


@pytest.mark.parametrize("base", ["https://example.org/t", "https://example.org/t/"])
def test_base_without_hash_is_accepted(small, base):
    graph = loaded(small, "skos", base=base)
    (scheme,) = graph.subjects(RDF.type, SKOS.ConceptScheme)
    assert str(scheme) == base
    tops = set(map(str, graph.objects(scheme, SKOS.hasTopConcept)))
    assert tops == {base + ("" if base.endswith("/") else "#") + f"class-{n}" for n in (1, 2)}


def test_root_with_a_name_or_a_note_is_a_concept(small):
    root = URIRef(f"{BASE}class-0")
    for edited in (small.editor.rename(0, "everything"), small.editor.note(0, "all words")):
        graph = loaded(edited, "skos", base=BASE)
        assert list(graph.objects(None, SKOS.hasTopConcept)) == [root]
        assert (root, SKOS.narrower, URIRef(f"{BASE}class-1")) in graph
    assert not list(loaded(small, "skos", base=BASE).predicate_objects(root))


@pytest.mark.parametrize(
    "options", [{"language": "en us"}, {"language": 'en"'}, {"base": "a b"}, {"base": "x:<>"}]
)
def test_invalid_options_are_refused(options):
    with refused("invalid-option", *map(repr, options.values())):
        ReportOptions(**options)


@pytest.mark.parametrize("format", SYNTAX)
def test_skosify_finds_nothing_to_repair(small, format, caplog):
    skosify = pytest.importorskip("skosify")
    graph = loaded(small, format, language="en", base=BASE)
    before = set(graph)
    with caplog.at_level(logging.WARNING), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own use of rdflib
        mended = skosify.skosify(graph, label=None)
    assert [record.message for record in caplog.records] == []
    lost = {t for t in before - set(mended) if t[1] != DCTERMS.title}
    assert lost == set()


def test_duplicate_labels_are_made_distinct():
    counts = Counts([[3, 1], [2, 2], [1, 4]], ["tea", "ale", "tea (3)"])
    tree = Tree().split(0, 1.0).split(1, 2.0)
    belongs = [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
    labels = {0: "tea", 1: "tea", 2: "tea (0)", 3: "tea", 4: "tea (1)"}
    t = Thesaurus.from_parts(counts, tree, belongs, [[0.5, 0.5]] * 3, [1 / 3] * 3, labels=labels)
    graph = loaded(t, "skos")
    concepts = graph.subjects(RDF.type, SKOS.Concept)
    found = [str(graph.value(concept, SKOS.prefLabel)) for concept in concepts]
    assert len(found) == 3 + 5
    assert len(set(found)) == len(found)
    assert {"tea (0)", "tea (1)", "tea"} <= set(found), "what is alone stays as it is"
