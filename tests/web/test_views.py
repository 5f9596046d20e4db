"""Views agree with the thesaurus."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import roget
from roget.core.counts import Counts
from roget.core.information import bits
from roget.errors import InputError
from roget.learn.representation.background import open_background
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.quality import unsorted
from roget.report.exports import export
from roget.report.options import ReportOptions
from roget.scoring.score import score
from roget.web.search import Search
from roget.web.server import format_csv
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views import cut, find, overview, path, tree, word, word_class
from roget.web.views.base import MAX_ROWS, rows_parameter
from roget.web.views.compare import Gold, Other, class_numbers, compare, open_side
from support.errors import refused
from thesauri import noisy
from web.helpers import FAMILIES, hostile, made


@pytest.mark.parametrize("soft", [True, False])
def test_class_view_equals_the_thesaurus(soft):
    thesaurus = made(FAMILIES, soft)
    views = ThesaurusSnapshot(thesaurus, "words")
    for node in range(thesaurus.tree.n_nodes):
        known = thesaurus.word_class(node, 30)
        found = word_class.make(views, node, 30)
        assert found["label"] == views.labels[node] == known.label
        assert found["words"] == thesaurus.index.places.sizes[node] == known.size
        assert found["share"] == pytest.approx(known.mass, rel=1e-4)
        assert thesaurus.index.places.shares[node] == pytest.approx(known.mass)
        typical = found["typical"]
        assert [one["word"] for one in typical] == [one.word for one in known.words]
        assert [thesaurus.words[one["id"]] for one in typical] == [one.word for one in known.words]
        assert [one["distance_bits"] for one in typical] == pytest.approx(
            [bits(one.distance) for one in known.words], rel=1e-4
        )
        assert [one["probability"] for one in typical] == pytest.approx(
            [one.probability for one in known.words], rel=1e-4
        )
        told = found["contexts"][:8]
        assert [one["context"] for one in told] == [one.context for one in known.contexts[:8]]


def test_pages_of_words_add_up():
    views = ThesaurusSnapshot(made(FAMILIES), "words")
    whole = word_class.make(views, 0, 100)["typical"]
    assert whole == (
        word_class.make(views, 0, 5)["typical"]
        + word_class.make(views, 0, 100, offset=5)["typical"]
    )
    assert len(whole) == sum(map(len, FAMILIES.values()))


def test_assigned_labels_are_shown():
    thesaurus = made(FAMILIES).editor.rename(3, "beasts")
    assert ThesaurusSnapshot(thesaurus, "words").labels[3] == "beasts"


def test_word_view_has_memberships_and_evidence():
    thesaurus = made(FAMILIES)
    row = thesaurus.row("owl")
    found = word.make(ThesaurusSnapshot(thesaurus, "words"), row)
    belongs = {one["node"]: one["probability"] for one in found["memberships"]}
    assert belongs == pytest.approx(thesaurus.membership("owl"), rel=1e-4)
    assert list(belongs) == list(thesaurus.membership("owl"))
    assert found["among"] == 4
    counts = dict(zip(thesaurus.contexts, thesaurus.counts.matrix.toarray()[row], strict=True))
    assert len(found["contexts"]) > 5
    for one in found["contexts"]:
        assert one["amount"] == counts[one["context"]]


def test_senses_equal_those_of_the_thesaurus(ambiguous):
    views = ThesaurusSnapshot(ambiguous, "words")
    found = word.make(views, ambiguous.row("m0"))
    right = ambiguous.senses("m0", 8)
    assert len(right) == 2
    for one, sense in zip(found["senses"], right, strict=True):
        assert one["node"] == sense.node
        assert one["weight"] == pytest.approx(sense.share, rel=1e-4)
        assert [like["word"] for like in one["like"]] == list(sense.words)
        assert all(ambiguous.words[like["id"]] == like["word"] for like in one["like"])
        assert [c["context"] for c in one["contexts"]] == [c.context for c in sense.contexts]
    assert word.make(views, ambiguous.row("w0"))["senses"] == []


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_cut_view_equals_the_thesaurus(k):
    thesaurus = made(FAMILIES)
    shown = cut.make(ThesaurusSnapshot(thesaurus, "words"), k)["classes"]
    assert [one["node"] for one in shown] == thesaurus.nodes(k)
    assert [one["words"] for one in shown] == [thesaurus.cut(k).tolist().count(n) for n in range(k)]


def naive_find(words, typed):
    def rank(row):
        word = words[row].casefold()
        return (word != typed, not word.startswith(typed), len(word), row)

    return sorted((row for row, word in enumerate(words) if typed in word.casefold()), key=rank)


@pytest.mark.parametrize("typed", ["a", "ca", "car", "r", "zebra"])
def test_search_equals_naive_scan(typed):
    words = [word for family in FAMILIES.values() for word in family] + ["Carpet", "scar"]
    assert Search(words).find(typed, 100) == naive_find(words, typed)


def test_search_ignores_case_and_accents():
    search = Search(["café", "CAFE", "tea", ""], [1, 2, 3, 4])
    assert search.find("Cafe") == [1, 0]
    assert search.find("  ") == []


def test_number_of_rows_is_limited():
    rows = rows_parameter(10)
    assert [rows.parse(text) for text in (None, "7", str(MAX_ROWS), str(MAX_ROWS + 1))] == [
        10,
        7,
        MAX_ROWS,
        MAX_ROWS,
    ]
    with refused("invalid-option", "n=", "many"):
        rows.parse("many")


def test_views_are_plain_json():
    views = ThesaurusSnapshot(hostile(), "hostile")
    for view in (
        overview.make(views),
        tree.make(views),
        path.make(views),
        cut.make(views, 3),
        find.make(views, "x"),
    ):
        json.dumps(view, allow_nan=False)
    for row in range(len(views.thesaurus)):
        json.dumps(word.make(views, row), allow_nan=False)


def test_words_without_counts_have_no_distance():
    thesaurus = made(FAMILIES)
    empty = thesaurus.counts.matrix.toarray()
    empty[0] = 0
    counts = Counts(empty, thesaurus.words, thesaurus.contexts)
    parts = thesaurus.tree, thesaurus.memberships, thesaurus.centroids, thesaurus.mass
    views = ThesaurusSnapshot(Thesaurus.from_parts(counts, *parts), "gaps")
    listed = word_class.make(views, 0)["typical"]
    assert listed[-1]["word"] == "dog"
    assert listed[-1]["distance_bits"] is None
    assert word.make(views, 0)["neighbours"]
    assert views.kind == "none"
    assert [step["value"] for step in path.make(views)["steps"]] == [1.5, 2.0, 2.5]


def test_path_view_is_in_bits():
    given = made(FAMILIES)
    total = {"total_before": 40 * math.log(2), "total_after": 30 * math.log(2)}
    parts = given.counts, given.tree, given.memberships, given.centroids, given.mass
    steps, known = [{"n_clusters": 2, **total}], {"description_length": 30.0}
    views = ThesaurusSnapshot(Thesaurus.from_parts(*parts, steps=steps, provenance=known), "mdl")
    assert path.make(views)["steps"] == [{"classes": 1, "value": 40}, {"classes": 2, "value": 30}]
    assert views.split_value(0) == pytest.approx(1.5 / math.log(2), rel=1e-4)


def test_unknown_nodes_are_refused():
    views = ThesaurusSnapshot(made(FAMILIES), "words")
    for ask in (
        lambda: word_class.make(views, 7),
        lambda: word.make(views, -1),
        lambda: cut.make(views, 5),
    ):
        with pytest.raises(InputError):
            ask()


def test_comparison_with_gold_is_scored(gold):
    views = ThesaurusSnapshot(made(FAMILIES), "words")
    side = open_side(gold)
    assert isinstance(side, Gold)
    view = compare(views, side, 4)
    known = {word: name for name, family in FAMILIES.items() for word in family[:4]}
    labels = dict(zip(views.thesaurus.words, views.thesaurus.cut(4), strict=True))
    expected = score(list(known.values()), [labels[word] for word in known], ["v"], ("jk",))
    rows = {row["measure"]: row["value"] for row in view["scores"]["rows"]}
    assert rows["v"] == pytest.approx(expected["v"], rel=1e-4)
    assert view["shared"] == 16
    assert sum(words for _, _, words in view["cells"]) == 16
    assert class_numbers(replace(views, side=side)) == ([2, 3, 4], 4)


def test_comparison_with_itself_is_perfect(folder):
    views = ThesaurusSnapshot(made(FAMILIES), "words")
    side = open_side(folder)
    assert isinstance(side, Other)
    view = compare(views, side, 3)
    rows = {row["measure"]: row["value"] for row in view["scores"]["rows"]}
    assert rows["v"] == rows["ari"] == rows["b3-f"] == 1
    assert len(view["cells"]) == 3


def test_gold_without_common_items_is_refused(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("item\tlabel\nunicorn\tbeast\n")
    with refused("no-common-items", "gold.tsv"):
        compare(ThesaurusSnapshot(made(FAMILIES), "words"), open_side(path), 2)


def parse_sheet(view, data, snapshot):
    return list(csv.DictReader(io.StringIO(format_csv(view.sheet(data, snapshot)))))


def test_csv_sheets_have_the_rows_of_the_views():
    snapshot = ThesaurusSnapshot(hostile(), "hostile")
    rows = parse_sheet(cut.VIEW, cut.make(snapshot, 2), snapshot)
    assert [row["item"] for row in rows] == list(snapshot.thesaurus.words)
    rows = parse_sheet(tree.VIEW, tree.make(snapshot), snapshot)
    assert [int(row["parent"]) for row in rows] == snapshot.thesaurus.tree.parent.tolist()
    data = word.make(snapshot, 0)
    kinds = [row["kind"] for row in parse_sheet(word.VIEW, data, snapshot)]
    assert kinds.count("neighbour") == len(data["neighbours"])


def test_distances_are_in_bits():
    thesaurus = made(FAMILIES)
    views = ThesaurusSnapshot(thesaurus, "words")
    near = thesaurus.neighbours("owl", 3)
    found = [one["similarity"] for one in word.make(views, thesaurus.row("owl"), 3)["neighbours"]]
    assert found == pytest.approx([one.similarity for one in near], rel=1e-4)
    (first, *_) = word_class.make(views, 3)["typical"]
    nats = thesaurus.word_class(3).words[0].distance
    assert first["distance_bits"] == pytest.approx(nats / math.log(2), rel=1e-4)


def test_comparison_counts_excluded_words(tmp_path):
    views = ThesaurusSnapshot(made(FAMILIES), "words")
    found = compare(views, Gold("gold", {"dog": "a", "cat": "a", "gnu": "a", "yak": "b"}), 4)
    assert (found["k"], len(found["ours"])) == (4, 1)
    assert (found["shared"], found["their_words"]) == (2, 4)
    assert (len(found["theirs"]), found["their_classes"]) == (1, 2)


def test_taxonomy_can_be_compared(tmp_path):
    pytest.importorskip("rdflib", reason="needs roget[skos]")
    export(made(FAMILIES), tmp_path / "other.ttl", options=ReportOptions("other", "en"))
    side = open_side(tmp_path / "other.ttl")
    assert side.kind == "thesaurus"
    assert len(side.thesaurus) >= sum(map(len, FAMILIES.values()))
    found = compare(ThesaurusSnapshot(made(FAMILIES), "words"), side, 4)
    assert found["shared"] == sum(map(len, FAMILIES.values()))


def test_tree_of_levels_skips_intermediate_classes():
    counts = random_counts(40, 60)
    fitted = roget.AgglomerativeTree(n_clusters=12).fit(counts)
    thesaurus = Thesaurus.from_clustering(
        counts, fitted.clustering_, provenance={"levels": [3, 6, 12]}
    )
    views, nodes = ThesaurusSnapshot(thesaurus, "words"), thesaurus.tree
    hidden = set(tree.make(views)["hidden"])
    kept = {0}.union(*(nodes.tops(k) for k in (3, 6, 12)))
    assert hidden == set(range(nodes.n_nodes)) - kept
    assert hidden
    root = word_class.make(views, 0)
    assert {one["node"] for one in root["children"]} == set(nodes.tops(3))
    for name in map(str, thesaurus.words):
        listed = [one["node"] for one in word.make(views, thesaurus.row(name))["path"]]
        assert listed == [node for node in thesaurus.path(name) if node not in hidden]
    # Without levels, all classes are shown.
    plain = ThesaurusSnapshot(thesaurus.replace(provenance={}), "words")
    assert tree.make(plain)["hidden"] == []
    assert [one["node"] for one in word_class.make(plain, 0)["children"]] == list(nodes.children(0))


def random_counts(words, contexts):
    """Return random counts of four families of words."""
    numbers = np.random.default_rng(1)
    rates = np.ones((words, contexts))
    for row in range(words):
        rates[row, row % 4 * 15 : row % 4 * 15 + 15] = 6
    return Counts(
        numbers.poisson(rates), [f"w{i}" for i in range(words)], [f"c{i}" for i in range(contexts)]
    )


@pytest.fixture(scope="module")
def unsure():
    """A thesaurus of trusted classes and one class of rare words in random contexts."""
    counts, _ = noisy()
    model = roget.SphericalTree(5, random_state=0, set_aside=False, min_contexts=1).fit(counts)
    return Thesaurus.from_clustering(counts, model)


def test_tree_view_has_the_trust_in_classes(unsure):
    data = tree.make(views := ThesaurusSnapshot(unsure, "words"))
    (low,) = unsorted(unsure)
    assert data["unsorted"] == [low]
    assert data["doubts"] == {str(low): unsure.trust(low).reason}
    for node in unsure.nodes():
        assert data["trust"][node] == pytest.approx(unsure.trust(node).trust, rel=1e-4)
    # The trust in an inner class is the mean over its leaf classes.
    expected = np.average(
        [unsure.trust(node).trust for node in unsure.nodes()],
        weights=[unsure.inside(node).size for node in unsure.nodes()],
    )
    assert data["trust"][0] == pytest.approx(expected, rel=1e-4)
    columns, rows = tree.sheet(data, views)
    assert [row[columns.index("unsorted")] for row in rows] == [
        int(node == low) for node in range(unsure.tree.n_nodes)
    ]


def test_classes_without_vectors_have_no_trust():
    data = tree.make(ThesaurusSnapshot(made(FAMILIES), "words"))
    assert set(data["trust"]) == {None}
    assert not data["doubts"]
    assert not data["unsorted"]


def test_word_view_has_files_and_keyness(tmp_path):
    for name, text in (("a", "Dogs bark. Dogs eat food."), ("b", "Dogs eat meat. Cats eat meat.")):
        (tmp_path / f"{name}.txt").write_text(text * 3, encoding="utf-8")
    counts = roget.count(tmp_path, reader="hanta", evidence=5, evidence_size=0)
    background = Counts([[30, 10], [10, 50]], ["dog", "man"], ["subj:eat", "subj:bark"])
    background.write(tmp_path / "general.counts")
    model = roget.SphericalTree(1, random_state=0, min_contexts=1).fit(counts)
    record = open_background(tmp_path / "general.counts").record(counts.words)
    provenance = {"background": record}
    made = Thesaurus.from_clustering(counts, model, provenance=provenance)
    views = ThesaurusSnapshot(made, "words")
    dog, cat = (word.make_by_name(views, name) for name in ("dog", "cat"))
    assert dog["files"] == 2
    share = counts.word_totals[made.row("dog")] / counts.total
    assert dog["keyness"] == pytest.approx(share / 0.4, rel=1e-4)
    assert cat["keyness"] is None
    assert overview.make(views)["part"] == "noun"
    moved = {"background": {**record, "name": str(tmp_path / "lost")}}
    lost = Thesaurus.from_clustering(counts, model, provenance=moved)
    assert word.make_by_name(ThesaurusSnapshot(lost, "words"), "dog")["keyness"] is None
