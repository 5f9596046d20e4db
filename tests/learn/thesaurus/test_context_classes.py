"""Classes of contexts: saved with the thesaurus and shown."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import roget
from roget import CoMDL, Counts, MDLTree
from roget.learn.thesaurus import Thesaurus, lookup
from roget.report.exports.trees import write_json
from roget.report.thesaurus import report
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views import word_class

WORDS = ("tea", "ale", "wine", "book", "novel", "letter")
CONTEXTS = ("drink", "pour", "read", "write", "buy")
TABLE = np.array(
    [[30, 20, 0, 0, 9], [25, 22, 1, 0, 8], [33, 19, 0, 0, 11],
     [0, 0, 31, 20, 10], [0, 1, 28, 24, 9], [0, 0, 26, 27, 7]]
)  # fmt: skip


@pytest.fixture(scope="module")
def model() -> CoMDL:
    return CoMDL(random_state=0).fit(Counts(TABLE, WORDS, CONTEXTS))


@pytest.fixture(scope="module")
def thesaurus(model: CoMDL) -> Thesaurus:
    return Thesaurus.from_clustering(Counts(TABLE, WORDS, CONTEXTS), model)


def test_context_classes_equal_those_of_the_clusterer(thesaurus: Thesaurus, model: CoMDL) -> None:
    found = {one.number: set(one.contexts) for one in lookup.context_classes(thesaurus)}
    labels = model.column_labels_
    names = np.array(CONTEXTS)
    assert found == {c: set(names[labels == c]) for c in set(labels.tolist())}
    assert any(one >= {"drink", "pour"} for one in found.values())


def test_shares_of_context_classes_equal_explicit_computation(
    thesaurus: Thesaurus, model: CoMDL
) -> None:
    node = thesaurus.path("tea")[-1]
    centroid, average = lookup.centroid(thesaurus, node), lookup.centroid(thesaurus, 0)
    for one in lookup.context_classes(thesaurus, node):
        inside = [CONTEXTS.index(name) for name in one.contexts]
        p, usual = centroid[inside].sum(), average[inside].sum()
        assert one.probability == pytest.approx(p)
        assert one.lift == pytest.approx(math.log(p / usual))
    first = lookup.context_classes(thesaurus, node, 1)
    assert "drink" in first[0].contexts
    shares = [one.probability for one in lookup.context_classes(thesaurus)]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


def test_saved_thesaurus_keeps_context_classes(thesaurus: Thesaurus, tmp_path: Path) -> None:
    thesaurus.save(tmp_path / "kept")
    again = roget.load(tmp_path / "kept")
    assert lookup.context_classes(again) == lookup.context_classes(thesaurus)
    merged = (
        again.editor.merge(*again.tree.children(0)) if len(again.tree.children(0)) > 1 else again
    )
    assert [one.contexts for one in lookup.context_classes(merged)] == [
        one.contexts for one in lookup.context_classes(thesaurus)
    ]


def test_context_classes_are_shown_in_report_and_page(thesaurus: Thesaurus) -> None:
    result = report(thesaurus)
    assert "context class" in str(result)
    listed = {name for one in result.data["context_classes"] for name in one["contexts"]}
    assert listed == set(CONTEXTS)
    view = word_class.make(ThesaurusSnapshot(thesaurus, "t"), thesaurus.path("tea")[-1])
    assert "drink" in view["context_classes"][0]["context"]
    target = io.StringIO()
    write_json(thesaurus, target)
    written = json.loads(target.getvalue())
    assert {one["number"] for one in written["context_classes"]} >= {
        one["number"] for one in written["tree"]["context_classes"]
    }


def test_thesaurus_without_context_classes_shows_none() -> None:
    counts = Counts(TABLE, WORDS, CONTEXTS)
    plain = Thesaurus.from_clustering(counts, MDLTree(random_state=0).fit(counts))
    assert lookup.context_classes(plain) == []
    assert "context_classes" not in report(plain).data
    assert "context class" not in str(report(plain))
    target = io.StringIO()
    write_json(plain, target)
    assert "context_classes" not in target.getvalue()
