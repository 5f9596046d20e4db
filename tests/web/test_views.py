"""Views say what the thesaurus says."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from roget.core.counts import Counts
from roget.core.information import bits
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.report.exports import export
from roget.report.exports.base import Options
from roget.scoring.score import score
from roget.web import sheets
from roget.web.compare import Gold, Other, comparison, offered, opened
from roget.web.views import Search, Views
from web.helpers import FAMILIES, hostile, made


@pytest.mark.parametrize("soft", [True, False])
def test_classes_are_those_of_the_thesaurus(soft):
    thesaurus = made(FAMILIES, soft)
    views = Views(thesaurus, "words")
    for node in range(thesaurus.tree.n_nodes):
        known = thesaurus.word_class(node, 30)
        found = views.word_class(node, 30)
        assert found["label"] == views.labels[node] == known.label
        assert found["words"] == thesaurus.sizes[node] == known.size
        assert found["share"] == pytest.approx(known.mass, rel=1e-4)
        assert thesaurus.shares[node] == pytest.approx(known.mass)
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
    views = Views(made(FAMILIES), "words")
    whole = views.word_class(0, 100)["typical"]
    assert whole == (
        views.word_class(0, 5)["typical"] + views.word_class(0, 100, offset=5)["typical"]
    )
    assert len(whole) == sum(map(len, FAMILIES.values()))


def test_labels_given_by_people_are_kept():
    thesaurus = made(FAMILIES).rename(3, "beasts")
    assert Views(thesaurus, "words").labels[3] == "beasts"


def test_memberships_and_evidence():
    thesaurus = made(FAMILIES)
    row = thesaurus.row("owl")
    found = Views(thesaurus, "words").word(row)
    belongs = {one["node"]: one["probability"] for one in found["memberships"]}
    assert belongs == pytest.approx(thesaurus.membership("owl"), rel=1e-4)
    assert list(belongs) == list(thesaurus.membership("owl"))
    assert found["among"] == 4
    counts = dict(zip(thesaurus.contexts, thesaurus.counts.matrix.toarray()[row], strict=True))
    assert len(found["contexts"]) > 5
    for one in found["contexts"]:
        assert one["amount"] == counts[one["context"]]


def test_senses_are_those_of_the_thesaurus(ambiguous):
    views = Views(ambiguous, "words")
    word = views.word(ambiguous.row("m0"))
    right = ambiguous.senses("m0", 8)
    assert len(right) == 2
    for one, sense in zip(word["senses"], right, strict=True):
        assert one["node"] == sense.node
        assert one["weight"] == pytest.approx(sense.share, rel=1e-4)
        assert [like["word"] for like in one["like"]] == list(sense.words)
        assert all(ambiguous.words[like["id"]] == like["word"] for like in one["like"])
        assert [c["context"] for c in one["contexts"]] == [c.context for c in sense.contexts]
    assert views.word(ambiguous.row("w0"))["senses"] == []


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_cut_is_that_of_the_thesaurus(k):
    thesaurus = made(FAMILIES)
    shown = Views(thesaurus, "words").cut(k)["classes"]
    assert [one["node"] for one in shown] == thesaurus.nodes(k)
    assert [one["words"] for one in shown] == [thesaurus.cut(k).tolist().count(n) for n in range(k)]


def naive_find(words, typed):
    def rank(row):
        word = words[row].casefold()
        return (word != typed, not word.startswith(typed), len(word), row)

    return sorted((row for row, word in enumerate(words) if typed in word.casefold()), key=rank)


@pytest.mark.parametrize("typed", ["a", "ca", "car", "r", "zebra"])
def test_search_finds_what_a_scan_finds(typed):
    words = [word for family in FAMILIES.values() for word in family] + ["Carpet", "scar"]
    assert Search(words).find(typed, 100) == naive_find(words, typed)


def test_search_forgives_case_and_accents():
    search = Search(["café", "CAFE", "tea", ""], [1, 2, 3, 4])
    assert search.find("Cafe") == [1, 0]
    assert search.find("  ") == []


def test_views_are_plain_json():
    views = Views(hostile(), "hostile")
    for view in (views.overview(), views.tree(), views.path(), views.cut(3), views.find("x")):
        json.dumps(view, allow_nan=False)
    for row in range(len(views.thesaurus)):
        json.dumps(views.word(row), allow_nan=False)


def test_words_without_counts_have_no_distance():
    thesaurus = made(FAMILIES)
    empty = thesaurus.counts.matrix.toarray()
    empty[0] = 0
    counts = Counts(empty, thesaurus.words, thesaurus.contexts)
    parts = thesaurus.tree, thesaurus.memberships, thesaurus.centroids, thesaurus.mass
    views = Views(Thesaurus(counts, *parts), "gaps")
    listed = views.word_class(0)["typical"]
    assert listed[-1]["word"] == "dog"
    assert listed[-1]["distance_bits"] is None
    assert views.word(0)["neighbours"]
    assert views.kind == "none"
    assert [step["value"] for step in views.path()["steps"]] == [1.5, 2.0, 2.5]


def test_path_in_bits():
    given = made(FAMILIES)
    total = {"total_before": 40 * math.log(2), "total_after": 30 * math.log(2)}
    parts = given.counts, given.tree, given.memberships, given.centroids, given.mass
    steps, known = [{"n_clusters": 2, **total}], {"description_length": 30.0}
    views = Views(Thesaurus(*parts, steps=steps, provenance=known), "mdl")
    assert views.path()["steps"] == [{"classes": 1, "value": 40}, {"classes": 2, "value": 30}]
    assert views.value(0) == pytest.approx(1.5 / math.log(2), rel=1e-4)


def test_unknown_places_are_told():
    views = Views(made(FAMILIES), "words")
    for ask in (lambda: views.word_class(7), lambda: views.word(-1), lambda: views.cut(5)):
        with pytest.raises(InputError, match="expected"):
            ask()


def test_comparison_with_gold_is_scored(gold):
    views = Views(made(FAMILIES), "words")
    side = opened(gold)
    assert isinstance(side, Gold)
    view = comparison(views, side, 4)
    known = {word: name for name, family in FAMILIES.items() for word in family[:4]}
    labels = dict(zip(views.thesaurus.words, views.thesaurus.cut(4), strict=True))
    expected = score(list(known.values()), [labels[word] for word in known], ["v"], ("jk",))
    rows = {row["measure"]: row["value"] for row in view["scores"]["rows"]}
    assert rows["v"] == pytest.approx(expected["v"], rel=1e-4)
    assert view["shared"] == 16
    assert sum(words for _, _, words in view["cells"]) == 16
    assert offered(views, side) == ([2, 3, 4], 4)


def test_comparison_with_itself_is_perfect(folder):
    views = Views(made(FAMILIES), "words")
    side = opened(folder)
    assert isinstance(side, Other)
    view = comparison(views, side, 3)
    rows = {row["measure"]: row["value"] for row in view["scores"]["rows"]}
    assert rows["v"] == rows["ari"] == rows["b3-f"] == 1
    assert len(view["cells"]) == 3


def test_nothing_in_common(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("item\tlabel\nunicorn\tbeast\n")
    with pytest.raises(InputError, match="no word in common"):
        comparison(Views(made(FAMILIES), "words"), opened(path), 2)


def test_sheets_hold_what_views_hold():
    views = Views(hostile(), "hostile")
    text = sheets.as_csv(sheets.cut(views, views.cut(2)))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["item"] for row in rows] == list(views.thesaurus.words)
    tree = list(csv.DictReader(io.StringIO(sheets.as_csv(sheets.tree(views.tree())))))
    assert [int(row["parent"]) for row in tree] == views.thesaurus.tree.parent.tolist()
    word = views.word(0)
    kinds = [row["kind"] for row in csv.DictReader(io.StringIO(sheets.as_csv(sheets.word(word))))]
    assert kinds.count("neighbour") == len(word["neighbours"])


def test_distances_are_told_in_bits():
    thesaurus = made(FAMILIES)
    views = Views(thesaurus, "words")
    near = thesaurus.neighbours("owl", 3)
    found = [one["similarity"] for one in views.word(thesaurus.row("owl"), 3)["neighbours"]]
    assert found == pytest.approx([one.similarity for one in near], rel=1e-4)
    (first, *_) = views.word_class(3)["typical"]
    nats = thesaurus.word_class(3).words[0].distance
    assert first["distance_bits"] == pytest.approx(nats / math.log(2), rel=1e-4)


def test_comparison_counts_what_is_left_out(tmp_path):
    views = Views(made(FAMILIES), "words")
    found = comparison(views, Gold("gold", {"dog": "a", "cat": "a", "gnu": "a", "yak": "b"}), 4)
    assert (found["k"], len(found["ours"])) == (4, 1)
    assert (found["shared"], found["their_words"]) == (2, 4)
    assert (len(found["theirs"]), found["their_classes"]) == (1, 2)


def test_a_taxonomy_can_stand_beside(tmp_path):
    pytest.importorskip("rdflib", reason="needs roget[skos]")
    export(made(FAMILIES), tmp_path / "other.ttl", options=Options("other", "en"))
    side = opened(tmp_path / "other.ttl")
    assert side.kind == "thesaurus"
    assert len(side.thesaurus) >= sum(map(len, FAMILIES.values()))
    found = comparison(Views(made(FAMILIES), "words"), side, 4)
    assert found["shared"] == sum(map(len, FAMILIES.values()))
