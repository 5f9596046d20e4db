"""Exports edited in another tool are read back as edits; nothing else changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Counts, InputError
from roget.core.tree import Tree
from roget.learn.taxonomy import read
from roget.learn.taxonomy.changes import read_changes
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.edits import apply_edits
from roget.report.exports import export
from roget.report.options import ReportOptions
from support.errors import refused

rdflib = pytest.importorskip("rdflib")
from rdflib import RDF, Graph, Literal, URIRef  # noqa: E402
from rdflib.namespace import SKOS  # noqa: E402

BASE = "https://example.org/t#"
WORDS = [f"w{n}" for n in range(15)] + ["two words"]


def made(seed=0):
    chance = np.random.default_rng(seed)
    counts = Counts(chance.integers(1, 20, (16, 8)), WORDS, [f"obj:c{n}" for n in range(8)])
    tree = Tree()
    for at in (0, 1, 0, 2, 4, 1, 3):
        tree = tree.split(at, float(tree.n_clusters))
    belongs = np.full((16, 8), 0.005)
    belongs[np.arange(16), np.arange(16) % 8] = 1 - 0.035
    belongs[3] = [0.4, 0, 0.6, 0, 0, 0, 0, 0]
    return Thesaurus.from_parts(
        counts, tree, belongs, chance.dirichlet(np.ones(8), 8), np.full(8, 1 / 8)
    )


class Elsewhere:
    """An export in another tool."""

    def __init__(self, thesaurus, folder, suffix="ttl", **options):
        self.file = folder / f"changed.{suffix}"
        export(thesaurus, self.file, options=ReportOptions(language="en", base=BASE, **options))
        self.syntax = "turtle" if suffix == "ttl" else "xml"
        self.graph = Graph().parse(self.file, format=self.syntax)

    def word(self, word):
        return URIRef(f"{BASE}word-{word.replace(' ', '%20')}")

    def of(self, id):
        return URIRef(f"{BASE}class-{id}")

    def put(self, concept, above, side="both"):
        if side in ("both", "broader"):
            self.graph.set((concept, SKOS.broader, above))
        if side in ("both", "narrower"):
            self.graph.remove((None, SKOS.narrower, concept))
            self.graph.add((above, SKOS.narrower, concept))

    def drop(self, concept):
        self.graph.remove((concept, None, None))
        self.graph.remove((None, None, concept))

    def save(self):
        self.graph.serialize(self.file, format=self.syntax, encoding="utf-8")
        return self.file


def state(thesaurus):
    """Everything that must not be lost, and what edits make."""
    ids = thesaurus.ids
    parents = {
        int(ids[n]): int(ids[thesaurus.tree.parent[n]]) for n in range(1, thesaurus.tree.n_nodes)
    }
    totals = dict(zip(thesaurus.words.tolist(), thesaurus.counts.word_totals.tolist(), strict=True))
    belongs = {
        word: {int(ids[n]): round(p, 9) for n, p in thesaurus.membership(word).items()}
        for word in thesaurus.words.tolist()
    }
    labels = {int(ids[n]): label for n, label in thesaurus.labels.items()}
    notes = {
        about if isinstance(about, str) else int(ids[about]): note
        for about, note in thesaurus.notes.items()
    }
    return parents, totals, belongs, labels, notes


def test_unchanged_export_gives_no_edits(tmp_path):
    for suffix in ("ttl", "rdf"):
        elsewhere = Elsewhere(made(), tmp_path, suffix)
        assert read_changes(made(), elsewhere.file) == []
        assert read_changes(made(), elsewhere.save()) == []


def test_every_kind_of_change_becomes_an_edit(tmp_path):
    thesaurus = made()
    it = Elsewhere(thesaurus, tmp_path)
    leaves = [int(thesaurus.ids[n]) for n in thesaurus.nodes()]
    home = {w: int(thesaurus.ids[thesaurus.path(w)[-1]]) for w in WORDS}
    a, b = leaves[0], leaves[5]
    it.graph.set((it.of(a), SKOS.prefLabel, Literal("drinks", "en")))
    it.graph.add((it.of(a), SKOS.definition, Literal("what one drinks", "en")))
    it.graph.add((it.word("w1"), SKOS.editorialNote, Literal("rare", "en")))
    it.put(it.word("w2"), it.of(b))
    it.put(it.word("two words"), it.of(b), "broader")
    it.put(it.word("w4"), it.of(b), "narrower")
    it.drop(it.word("w9"))
    new = URIRef("https://elsewhere.org/4711")
    for triple in [
        (new, RDF.type, SKOS.Concept),
        (new, SKOS.prefLabel, Literal("cocoa", "en")),
        (new, SKOS.definition, Literal("hot", "en")),
        (new, SKOS.broader, it.of(a)),
    ]:
        it.graph.add(triple)
    assert home["w2"] != b
    asked = read_changes(thesaurus, it.save())
    found = apply_edits(thesaurus, asked)
    node = thesaurus.node
    by_hand = (
        thesaurus.editor.rename(node(a), "drinks")
        .editor.note(node(a), "what one drinks", "definition")
        .editor.move(("two words", "w2", "w4"), node(b))
        .editor.add("cocoa", node(a))
        .editor.delete("w9")
        .editor.note("w1", "rare")
        .editor.note("cocoa", "hot", "definition")
    )
    assert state(found) == state(by_hand)
    assert [str(edit) for edit in found.edits[:1]] == [str(by_hand.edits[0])]
    # What is done is not asked for again, and what was edited here meanwhile stays.
    assert read_changes(by_hand, it.file) == read_changes(found, it.file) == []
    some = thesaurus.editor.move("w2", node(b)).editor.rename(node(b), "others").editor.delete("w9")
    left = apply_edits(some, read_changes(some, it.file))
    assert [one.kind for one in left.edits[3:]] == ["rename", "note", "move", "add", "note", "note"]
    assert left.edits[5].words == ("two words", "w4")
    assert left.label(node(b)) == "others"
    again = Elsewhere(found, tmp_path)
    assert read_changes(found, again.save()) == []


def test_moved_and_merged_classes_become_edits(tmp_path):
    thesaurus = made()
    leaves = [int(thesaurus.ids[n]) for n in thesaurus.nodes()]
    gone, into, under = leaves[1], leaves[6], leaves[2]
    it = Elsewhere(thesaurus, tmp_path)
    for word in list(it.graph.subjects(SKOS.broader, it.of(gone))):
        it.put(word, it.of(into))
    it.drop(it.of(gone))
    found = apply_edits(thesaurus, read_changes(thesaurus, it.save()))
    assert state(found) == state(thesaurus.editor.merge(thesaurus.node(gone), thesaurus.node(into)))
    assert read_changes(found, it.file) == []
    it = Elsewhere(thesaurus, tmp_path)
    tops = [int(thesaurus.ids[n]) for n in thesaurus.tree.tops(3)]
    place = next(one for one in tops if under not in _below(thesaurus, one))
    it.put(it.of(under), it.of(place))
    found = apply_edits(thesaurus, read_changes(thesaurus, it.save()))
    assert state(found) == state(
        thesaurus.editor.nest(thesaurus.node(under), thesaurus.node(place))
    )
    assert read_changes(found, it.file) == []


def test_class_made_a_top_concept_is_put_under_the_root(tmp_path):
    thesaurus = made()
    id = int(thesaurus.ids[thesaurus.nodes()[0]])
    it = Elsewhere(thesaurus, tmp_path)
    it.graph.remove((it.of(id), SKOS.broader, None))
    it.graph.remove((None, SKOS.narrower, it.of(id)))
    (scheme,) = it.graph.subjects(RDF.type, SKOS.ConceptScheme)
    it.graph.add((scheme, SKOS.hasTopConcept, it.of(id)))
    found = apply_edits(thesaurus, read_changes(thesaurus, it.save()))
    assert state(found) == state(thesaurus.editor.nest(thesaurus.node(id), 0))


def test_dissolved_class_becomes_edits(tmp_path):
    thesaurus = made()
    inner = next(
        n for n in range(1, thesaurus.tree.n_nodes)
        if thesaurus.tree.children(n) and thesaurus.tree.parent[n] > 0
    )  # fmt: skip
    it = Elsewhere(thesaurus, tmp_path)
    above = int(thesaurus.ids[thesaurus.tree.parent[inner]])
    for child in list(it.graph.objects(it.of(thesaurus.ids[inner]), SKOS.narrower)):
        it.put(child, it.of(above))
    it.drop(it.of(thesaurus.ids[inner]))
    found = apply_edits(thesaurus, read_changes(thesaurus, it.save()))
    assert state(found) == state(thesaurus.editor.merge(inner, int(thesaurus.tree.parent[inner])))


def _below(thesaurus, id):
    return {int(thesaurus.ids[n]) for n in thesaurus.tree.walk(thesaurus.node(id))}


def test_exports_by_level_are_read_back(tmp_path):
    thesaurus = made()
    it = Elsewhere(thesaurus, tmp_path, levels=(2, 5), min_children=2)
    assert read_changes(thesaurus, it.save()) == []
    top = int(thesaurus.ids[thesaurus.tree.tops(2)[0]])
    it.graph.set((it.of(top), SKOS.prefLabel, Literal("first", "en")))
    found = apply_edits(thesaurus, read_changes(thesaurus, it.save()))
    assert found.label(found.node(top)) == "first"
    assert found.tree == thesaurus.tree


def test_ambiguous_changes_are_refused(tmp_path):
    thesaurus = made()
    leaves = [int(thesaurus.ids[n]) for n in thesaurus.nodes()]
    cases = [
        (lambda it: it.graph.add((it.word("w2"), SKOS.broader, it.of(leaves[5]))), "w2"),
        (
            lambda it: it.graph.set((it.word("w2"), SKOS.prefLabel, Literal("x", "en"))),
            "'w2'",
        ),
        (
            lambda it: (
                it.put(it.word("w2"), it.of(leaves[5]), "broader"),
                it.put(it.word("w2"), it.of(leaves[6]), "narrower"),
            ),
            "w2",
        ),
        (
            lambda it: [
                it.graph.add((URIRef("urn:n"), p, o))
                for p, o in (
                    (RDF.type, SKOS.Concept),
                    (SKOS.prefLabel, Literal("w3", "en")),
                    (SKOS.broader, it.of(leaves[0])),
                )
            ],
            "'w3'",
        ),
    ]
    for change, value in cases:
        it = Elsewhere(thesaurus, tmp_path)
        change(it)
        with refused("edit-refused", "changed.ttl", value):
            read_changes(thesaurus, it.save())
    with refused("edit-refused"):
        read_changes(
            made(1).editor.delete("w0").base.editor.delete("w1"),
            Elsewhere(made().editor.delete("w0"), tmp_path).file,
        )
    (tmp_path / "x.ttl").write_text(f"<urn:a> a <{SKOS.Concept}> ; <{SKOS.prefLabel}> 'a'@en .")
    with refused("edit-refused"):
        read_changes(thesaurus, tmp_path / "x.ttl")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("minChildren", "abc"),
        ("minChildren", "9" * 5000),
        ("minChildren", "0"),
        ("levels", "²"),
        ("levels", "2,x"),
        ("levels", "2,99"),
        ("state", "9" * 5000 + " abc"),
        ("id", "²"),
        ("id", "9" * 5000),
        ("id", "1"),
    ],
)
def test_invalid_values_of_own_properties_are_refused(tmp_path, name, value):
    thesaurus = made()
    it = Elsewhere(thesaurus, tmp_path, levels=(2, 5), min_children=2)
    property = URIRef(f"urn:x-roget:{name}")
    last = max(it.graph.subjects(property), key=str)
    it.graph.set((last, property, Literal(value)))
    with pytest.raises(InputError, match=r"changed\.ttl: ") as caught:
        read_changes(thesaurus, it.save())
    assert len(str(caught.value)) < 500


def test_overlong_class_ids_are_refused(tmp_path):
    it = Elsewhere(made(), tmp_path)
    it.graph.add((it.of("9" * 5000), RDF.type, URIRef("urn:x-roget:WordClass")))
    with pytest.raises(InputError, match=r"changed\.ttl: .*class-999"):
        read_changes(made(), it.save())


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["rename", "move", "note", "delete", "add"]),
                          st.integers(0, 15), st.integers(0, 7)), max_size=8))  # fmt: skip
def test_edits_made_in_another_tool_give_the_same_state(tmp_path_factory, changes):
    thesaurus = made()
    folder = tmp_path_factory.mktemp("elsewhere")
    it, by_hand = Elsewhere(thesaurus, folder), thesaurus
    done = set()
    for kind, row, leaf in changes:
        word, id = WORDS[row], int(thesaurus.ids[thesaurus.nodes()[leaf]])
        about = word if kind in ("move", "delete") else (kind, id)
        if about in done or (kind == "move" and thesaurus.ids[thesaurus.path(word)[-1]] == id):
            continue
        done.add(about)
        node = thesaurus.node(id)
        if kind == "rename":
            it.graph.set((it.of(id), SKOS.prefLabel, Literal(f"n{row}", "en")))
            by_hand = by_hand.editor.rename(node, f"n{row}")
        elif kind == "note":
            it.graph.add((it.of(id), SKOS.editorialNote, Literal(f"t{row}\nü", "en")))
            by_hand = by_hand.editor.note(node, f"t{row}\nü")
        elif kind == "move":
            it.put(it.word(word), it.of(id))
            by_hand = by_hand.editor.move(word, node)
        elif kind == "delete":
            it.drop(it.word(word))
            by_hand = by_hand.editor.delete(word)
        else:
            new = URIRef(f"urn:new:{id}")
            it.graph.add((new, RDF.type, SKOS.Concept))
            it.graph.add((new, SKOS.prefLabel, Literal(f"new {id}", "en")))
            it.graph.add((new, SKOS.broader, it.of(id)))
            by_hand = by_hand.editor.add(f"new {id}", node)
    found = apply_edits(thesaurus, read_changes(thesaurus, it.save()))
    one, other = state(found), state(by_hand)
    assert [{**part} for part in one] == [{**part} for part in other]


def test_import_of_own_export_keeps_counts_memberships_and_ids(tmp_path):
    thesaurus = (
        made()
        .editor.merge(3, 4)
        .editor.note("w1", "rare")
        .editor.note(2, "x", "definition")
        .editor.delete("w7")
    )
    for suffix in ("ttl", "rdf"):
        file = tmp_path / f"t.{suffix}"
        export(thesaurus, file, options=ReportOptions(language="en"))
        parents, totals, belongs, _, notes = state(read(file))
        expected = state(thesaurus)
        assert parents == expected[0]
        assert {w: pytest.approx(n) for w, n in totals.items()} == expected[1]
        assert {w: pytest.approx(p) for w, p in belongs.items()} == expected[2]
        assert notes == expected[4]
    it = Elsewhere(thesaurus, tmp_path)
    leaf = int(thesaurus.ids[thesaurus.nodes()[0]])
    it.put(it.word("w6"), it.of(leaf))
    assert state(read(it.save()))[2]["w6"] == {leaf: 1.0}
