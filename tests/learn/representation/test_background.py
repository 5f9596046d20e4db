"""Background counts: added for vectors and classes only, recorded, and reopened by growth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import roget
from roget import Counts, data
from roget.learn.build import build
from roget.learn.clustering.spherical.estimator import SphericalTree
from roget.learn.growth.grow import grow
from roget.learn.load import open_counts, open_pair
from roget.learn.placing.graph import Graph
from roget.learn.placing.place import place
from roget.learn.placing.votes import NeighbourModel
from roget.learn.representation import background as module
from roget.learn.representation.background import (
    add_background,
    choose_background,
    name_sources,
    open_background,
)
from roget.learn.taxonomy import taxonomy_of
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.neighbours import neighbour_sources
from roget.learn.usage.shift import shift
from roget.learn.usage.sketch import sketch
from roget.report.thesaurus import report
from roget.report.words import neighbours
from support.errors import codes, refused

GROUPS, SIZE, CONTEXTS = 4, 8, 12
WORDS = [f"word{at}" for at in range(GROUPS * SIZE)]


def draw(tokens, seed, prefix="obj:c", words=WORDS, language=None):
    """Return counts of words of four groups, each with its own contexts and some common ones."""
    random = np.random.default_rng(seed)
    table = np.zeros((len(words), GROUPS * CONTEXTS), dtype=np.int64)
    for row, word in enumerate(words):
        group = int(word.removeprefix("word")) // SIZE % GROUPS
        weights = np.full(GROUPS * CONTEXTS, 0.5)
        weights[group * CONTEXTS : (group + 1) * CONTEXTS] = 4
        table[row] = random.multinomial(tokens, weights / weights.sum())
    names = [f"{prefix}{at}" for at in range(GROUPS * CONTEXTS)]
    made = Counts(table, words, names, relations=("nouns",)).drop_empty()
    if language:
        made.provenance = {"language": language}
    return made


TEXT = draw(6, 0)
LARGE = draw(400, 1).merge(Counts([[5, 5]], ["unused"], ["obj:c1", "obj:more"]))


def right(counts):
    return [int(str(word).removeprefix("word")) // SIZE for word in counts.words]


def agreement(counts, labels):
    return roget.measure("ari", right(counts), list(labels))


def test_add_background_sums_the_rows_of_the_words_over_all_contexts():
    own = Counts([[2, 1], [0, 3]], ["milk", "book"], ["obj:drink", "obj:read"])
    other = Counts([[4, 7], [1, 0]], ["book", "tea"], ["obj:read", "obj:print"])
    found, contexts = add_background(own.matrix, own.words, own.contexts, other)
    assert contexts.tolist() == ["obj:drink", "obj:read", "obj:print"]
    assert found.toarray().tolist() == [[2, 1, 0], [0, 7, 7]]


def test_background_requires_names():
    with refused("invalid-input"):
        SphericalTree(2, background=LARGE).fit(TEXT.matrix)


def test_background_improves_the_classes_of_rare_words():
    bare = SphericalTree(GROUPS, random_state=0).fit(TEXT)
    helped = SphericalTree(GROUPS, random_state=0, background=LARGE).fit(TEXT)
    assert agreement(TEXT, helped.labels_) > 0.9 > agreement(TEXT, bare.labels_)


def test_classes_keep_the_contexts_and_counts_of_the_text():
    found = build_small(LARGE)
    assert found.counts == build_small("none").counts
    assert set(found.contexts) <= set(TEXT.contexts)
    assert found.centroids.shape[1] == found.contexts.size
    first = found.evidence(str(found.words[0]), 3)
    assert {one.context for one in first} <= set(TEXT.contexts)


def build_small(background, **more):
    folder = more.pop("folder", None)
    if folder is None:
        import tempfile

        with tempfile.TemporaryDirectory() as place:
            return build_small(background, folder=place, **more)
    path = f"{folder}/text.tsv"
    TEXT.write(path)
    return build(
        path, background=background, clusters=GROUPS, min_count=1, heldout=False, **more
    )  # fmt: skip


def test_background_none_changes_nothing():
    plain, none = build_small("auto"), build_small("none")
    model = SphericalTree(GROUPS, random_state=0).fit(plain.counts)
    for one in (plain, none):
        assert module.KEY not in one.provenance
        assert one.memberships.toarray().tolist() == model.membership_.toarray().tolist()
        assert one.clustering.representation.vectors.tobytes() == (
            model.clustering_.representation.vectors.tobytes()
        )


def test_record_names_version_and_hash(tmp_path):
    LARGE.write(tmp_path / "large.counts")
    found = build_small(tmp_path / "large.counts")
    record = found.provenance[module.KEY]
    assert record["name"] == str(tmp_path / "large.counts")
    assert record["sha256"] == module.hash_counts(LARGE)
    assert record["words"] == len(found)
    found.save(tmp_path / "a.thesaurus")
    assert Thesaurus.load(tmp_path / "a.thesaurus").provenance[module.KEY] == record
    result = report(found).data
    assert result["background"] == record


def test_saved_thesaurus_is_the_same(tmp_path):
    found = build_small(LARGE)
    found.save(tmp_path / "a.thesaurus")
    again = Thesaurus.load(tmp_path / "a.thesaurus")
    word = str(found.words[0])
    assert again.neighbours(word) == found.neighbours(word)
    new = draw(30, 5, words=["word40", "word41"])
    assert np.array_equal(again.classify(new).toarray(), found.classify(new).toarray())


def test_sources_of_neighbours():
    own = sparse.csr_array([[2, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0]])
    weights = sparse.csr_array(
        np.array([[1, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1]], dtype=np.float32)
    )
    found = name_sources(own, weights, 0, np.array([1, 2, 3]))
    assert found == ["text", "background", "both"]


def test_neighbours_name_their_source():
    found = build_small(LARGE)
    word = str(found.words[0])
    result = neighbours(found, word, 5, "both")
    sources = [one["source"] for one in result.data["neighbours"]]
    assert set(sources) <= {"text", "background", "both"}
    assert "background" in sources or "both" in sources
    assert "source" in [column.title for column in result.tables[0].columns]
    bare = build_small("none")
    assert neighbour_sources(bare, word, [word]) == []
    plain = neighbours(bare, word, 5, "both")
    assert {one["source"] for one in plain.data["neighbours"]} == {None}
    assert len(plain.tables[0].columns) == len(result.tables[0].columns) - 1


def test_shift_compares_with_the_background(tmp_path):
    LARGE.write(tmp_path / "large.counts")
    build_small(tmp_path / "large.counts", output=tmp_path / "a.thesaurus")
    with open_pair("background", tmp_path / "a.thesaurus") as (old, new, _):
        assert old == LARGE
        assert set(new.words) == set(TEXT.words)
        assert shift(old, new, min_count=5).tested == len(TEXT)


def test_shift_needs_a_background(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    build_small("none", output=tmp_path / "a.thesaurus")
    with refused("no-background", "a.thesaurus"), open_pair("background", "a.thesaurus"):
        pass
    with refused("missing-option"), open_pair("background", "background"):
        pass


def test_senses_and_sketches_use_the_text_alone():
    found, bare = build_small(LARGE), build_small("none")
    word = str(found.words[0])
    assert found.senses(word)
    assert sketch(found.counts, word) == sketch(bare.counts, word)


def test_edits_work_with_a_background(tmp_path):
    found = build_small(LARGE)
    word, other = (str(found.words[found.inside(node)[0]]) for node in found.nodes()[:2])
    edited = found.editor.move([word], found.path(other)[-1])
    edited.save(tmp_path / "a.thesaurus")
    assert Thesaurus.load(tmp_path / "a.thesaurus").path(word) == edited.path(other)
    assert edited.neighbours(word)


@pytest.mark.parametrize("where", ["same", "moved"])
def test_growth_uses_the_background(tmp_path, where):
    LARGE.write(tmp_path / "large.counts")
    found = build_small(tmp_path / "large.counts")
    options = {}
    if where == "moved":
        (tmp_path / "large.counts").rename(tmp_path / "moved.counts")
        with refused("file-not-found", "large.counts"):
            grow(found, draw(5, 7))
        options = {"background": str(tmp_path / "moved.counts")}
    grown = grow(found, draw(5, 7), **options).thesaurus
    assert grown.provenance[module.KEY]["sha256"] == module.hash_counts(LARGE)
    assert agreement(grown.counts, grown.cut(GROUPS)) > 0.9
    assert grown.neighbours(str(grown.words[0]))


def test_growth_refuses_another_background(tmp_path):
    found = build_small(LARGE)
    draw(9, 9).write(tmp_path / "other.counts")
    with refused("changed", "other.counts"):
        grow(found, draw(5, 7), background=str(tmp_path / "other.counts"))


def test_new_words_are_placed_by_their_background(tmp_path):
    more = draw(400, 3, words=["word40", "word48"])
    large = LARGE.merge(more)
    large.write(tmp_path / "large.counts")
    found = build_small(tmp_path / "large.counts")
    new = draw(6, 4, words=["word40", "word48"])
    grown = grow(found, new, min_contexts=1).thesaurus
    for word in ("word40", "word48"):
        if word in grown.rows:
            group = int(word.removeprefix("word")) // SIZE % GROUPS
            assert grown.path(word) == grown.path(f"word{group * SIZE}")


def test_placing_uses_the_background(tmp_path):
    rows = ["".join(f"word{at}\tgroup{at // SIZE}\n" for at in range(GROUPS * SIZE) if at % SIZE)]
    rows += [f"group{at}\tall\n" for at in range(GROUPS)]
    (tmp_path / "taxonomy.tsv").write_text("".join(rows))
    LARGE.write(tmp_path / "large.counts")
    build_small(tmp_path / "large.counts", output=tmp_path / "a.thesaurus")

    counts, _ = open_counts(tmp_path / "a.thesaurus")
    graph = Graph.from_taxonomy(taxonomy_of(tmp_path / "taxonomy.tsv"))

    def share_right(background):
        voters = NeighbourModel(graph, counts, background)
        rows = np.setdiff1d(np.arange(len(counts)), voters.known)
        near = voters.by_contexts(rows).argmax(axis=1)
        group = np.array(right(counts))
        return float(np.mean(group[voters.known][np.asarray(near).ravel()] == group[rows]))

    assert share_right(LARGE) == 1.0
    assert share_right(None) <= 1.0
    placed = place(tmp_path / "taxonomy.tsv", counts, background=tmp_path / "large.counts")
    assert len(placed.words) + len(placed.left_out) == GROUPS


def test_auto_needs_a_language_and_relations():
    assert choose_background("auto", TEXT) == (None, ())
    assert choose_background("auto", draw(6, 0, language="de")) == (None, ())
    assert choose_background("none", draw(6, 0, language="en")) == (None, ())


@pytest.fixture
def bundled(monkeypatch):
    counts = draw(12, 1)
    made = module.Background("english-nouns", counts, module.hash_counts(counts))
    monkeypatch.setattr(module, "_open_bundled", lambda name: made)
    return counts


def test_auto_uses_the_bundled_background(bundled):
    found, notes = choose_background("auto", draw(6, 2, language="en-GB"))
    assert found.name == "english-nouns"
    assert not notes


def test_nouns_and_names_use_the_background_of_nouns(monkeypatch):
    opened = []
    monkeypatch.setattr(module, "_open_bundled", opened.append)
    for relations in (("nouns", "names"), ("nouns",), ("names",), ("verbs", "names"), ("obj",)):
        counts = draw(6, 2, language="en")
        counts.relations = relations
        module.find_bundled(counts)
    assert opened == ["english-nouns", "english-nouns", "english-verbs"]


def test_auto_ignores_counts_of_other_contexts(bundled):
    assert choose_background("auto", draw(6, 0, prefix="x:", language="en"))[0] is None


def test_auto_never_adds_a_text_to_itself(bundled):
    part = bundled.select(WORDS[:10]).drop_empty()
    part.provenance, part.relations = {"language": "en"}, ("nouns",)
    found, notes = choose_background("auto", part)
    assert found is None
    assert codes(notes) == ["no-background"]


@pytest.mark.slow
def test_auto_uses_the_bundled_background_for_the_example_text():
    example = Path(__file__).parents[3] / "docs" / "examples" / "fiction.conllu.xz"
    found, notes = choose_background("auto", roget.count(example))
    assert found.name == "english-nouns"
    assert not notes


def test_named_background_must_share_contexts(tmp_path):
    draw(6, 0, prefix="x:").write(tmp_path / "other.counts")
    with refused("no-common-contexts", "other.counts"):
        choose_background(tmp_path / "other.counts", TEXT)
    with refused("file-not-found", "nothing.counts"):
        choose_background("nothing.counts", TEXT)


def test_background_is_refused_by_methods_without_vectors():
    with refused("conflicting-options", "mdl"):
        build_small(LARGE, method="mdl")


def test_sample_has_no_background():
    assert choose_background("auto", data.sample()) == (None, ())


@pytest.mark.parametrize("name", sorted(data.BACKGROUNDS))
def test_bundled_backgrounds_can_be_opened(name):
    found = open_background(name)
    assert found.counts.relations == (name.rpartition("-")[2],)
    assert len(found.counts) > 3000
    assert "AMALGUM" in found.counts.provenance["source"]
