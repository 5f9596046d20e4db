"""SKOS is valid by SHACL and skosify for every option."""

from __future__ import annotations

import io
import itertools
import logging
import warnings
from pathlib import Path

import numpy as np
import pytest

from roget import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus
from roget.report.exports import export
from roget.report.language import find_language
from roget.report.options import ReportOptions
from support.errors import refused

rdflib = pytest.importorskip("rdflib")
from rdflib import RDF, Graph, Literal, URIRef  # noqa: E402
from rdflib.namespace import DCTERMS, SKOS  # noqa: E402

SHAPES = Graph().parse(Path(__file__).with_name("shapes.ttl"))
SYNTAX = {"skos": "turtle", "skos-xml": "xml"}
ASKED = {
    "levels": [None, (2, 4)],
    "min_children": [1, 2],
    "collections": [None, (3,)],
    "related": [0, 2],
}


@pytest.fixture(scope="module")
def larger():
    """Six words in five classes, some of them in two."""
    chance = np.random.default_rng(0)
    words = [*(f"w{n}" for n in range(5)), "two words"]
    counts = Counts(chance.integers(1, 20, (6, 6)), words, [f"obj:c{n}" for n in range(6)])
    tree = Tree()
    for at in (0, 1, 0, 2):
        tree = tree.split(at, float(tree.n_clusters))
    belongs = chance.dirichlet(np.full(5, 0.3), 6)
    centroids = chance.dirichlet(np.ones(6), 5)
    made = Thesaurus.from_parts(counts, tree, belongs, centroids, np.full(5, 1 / 5))
    return made.editor.rename(1, "w0").editor.rename(2, "w0")


def loaded(thesaurus, format="skos", **options):
    out = io.BytesIO()
    export(thesaurus, out, format, ReportOptions(**options))
    return Graph().parse(data=out.getvalue(), format=SYNTAX[format])


def complaints(graph):
    shacl = pytest.importorskip("pyshacl")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own use of rdflib
        fine, _, report_text = shacl.validate(graph, shacl_graph=SHAPES, inplace=True)
    return "" if fine else report_text


@pytest.mark.parametrize("levels", ASKED["levels"])
@pytest.mark.parametrize("related", ASKED["related"])
def test_skos_is_valid_for_every_option(larger, caplog, levels, related):
    skosify = pytest.importorskip("skosify")
    others = [name for name in ASKED if name not in ("levels", "related")]
    for values in itertools.product(*(ASKED[name] for name in others)):
        options = dict(zip(others, values, strict=True), levels=levels, related=related)
        graph = loaded(larger, **options, language="pt-BR" if related else None)
        assert complaints(graph) == "", options
        before = set(graph)
        with caplog.at_level(logging.WARNING), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own use of rdflib
            mended = skosify.skosify(graph, label=None)
        assert [record.message for record in caplog.records] == [], options
        assert {t for t in before - set(mended) if t[1] != DCTERMS.title} == set(), options


@pytest.mark.parametrize(
    "wrong",
    [
        lambda g, c: g.add((c["w1"], SKOS.prefLabel, Literal("another", "en"))),
        lambda g, c: g.add((c["w1"], SKOS.altLabel, Literal("w1", "en"))),
        lambda g, c: g.add((c["w1"], SKOS.altLabel, Literal("no language"))),
        lambda g, c: g.add((c["w1"], RDF.type, SKOS.ConceptScheme)),
        lambda g, c: g.add((c["w1"], SKOS.related, c["w2"])),
        lambda g, c: [
            g.add((a, SKOS.related, b))
            for high in [next(g.objects(next(g.objects(c["w1"], SKOS.broader)), SKOS.broader))]
            for a, b in ((c["w1"], high), (high, c["w1"]))
        ],
        lambda g, c: g.remove((c["w1"], SKOS.broader, None)),
        lambda g, c: g.remove((None, SKOS.topConceptOf, None)),
    ],
)
def test_shacl_shapes_detect_errors(larger, wrong):
    graph = loaded(larger, language="en", base="urn:t#")
    assert complaints(graph) == ""
    wrong(graph, {word: URIRef(f"urn:t#word-{word}") for word in ("w1", "w2")})
    assert complaints(graph) != ""


def test_collections_are_cuts(larger):
    graph = loaded(larger, collections=(3, 5), base="urn:t#")
    found = {
        str(one): {str(each) for each in graph.objects(one, SKOS.member)}
        for one in graph.subjects(RDF.type, SKOS.Collection)
    }
    assert found == {
        f"urn:t#level-{k}": {f"urn:t#class-{node}" for node in larger.tree.tops(k)} for k in (3, 5)
    }
    levels = loaded(larger, levels=(2, 4), base="urn:t#")
    assert {
        len(list(levels.objects(one, SKOS.member)))
        for one in levels.subjects(RDF.type, SKOS.Collection)
    } == {2, 4}


def test_related_words_are_mutual_neighbours(larger):
    graph = loaded(larger, related=2, base="urn:t#")
    naive = set()
    for word in larger.words.tolist():
        for near in larger.neighbours(word, 2):
            naive |= {(word, near.word), (near.word, word)}
    name = {one: str(graph.value(one, SKOS.prefLabel)) for one in graph.subjects(RDF.type)}
    assert {(name[a], name[b]) for a, b in graph.subject_objects(SKOS.related)} == naive
    assert not list(loaded(larger).subject_objects(SKOS.related))


def test_language_is_inferred_from_the_corpus(larger):
    counts = larger.counts
    for model, language, tag in [
        ("english", None, "en"), ("german", None, "de"), ("de_core_news_sm", None, "de"),
        (None, None, None), ("./x", None, None), (None, "pt-BR", "pt-BR"), ("./x", "fi", "fi"),
    ]:  # fmt: skip
        record = Counts(
            counts.matrix, counts.words, counts.contexts,
            provenance={"language": language, "recipe": {"reading": {"model": model}}},
        )  # fmt: skip
        made = Thesaurus.from_clustering(record, larger.clustering)
        assert find_language(made) == tag
        tags = {text.language for text in loaded(made).objects(None, SKOS.prefLabel)}
        assert tags == {tag or "und"}
        asked = loaded(made, language="fr").objects(None, SKOS.prefLabel)
        assert {text.language for text in asked} == {"fr"}


@pytest.mark.parametrize("tag", ["english", "en_US", "e", "en-", "1a", "en-x", "de-aaaaaaaaa"])
def test_invalid_language_tags_are_refused(tag):
    with refused("invalid-option", repr(tag)):
        ReportOptions(language=tag)


@pytest.mark.parametrize(
    "tag",
    ["en", "gsw", "zh-Hant-TW", "sl-rozaj-biske", "de-CH-1901", "en-x-lab", "x-own", "es-419"],
)
def test_valid_language_tags_are_accepted(tag):
    assert ReportOptions(language=tag).language == tag
