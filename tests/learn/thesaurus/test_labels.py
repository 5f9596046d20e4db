"""Labels of classes: words that distinguish a class from its surroundings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from roget import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import LABEL, Thesaurus
from roget.learn.thesaurus.lookup import REPEATED
from roget.web.snapshot import ThesaurusSnapshot
from thesauri import THESAURI, planted
from web.helpers import FAMILIES as HOMES
from web.helpers import made


def naive_worth(t, row, rows, above):
    """How much better a word is foretold by the others of its class than by those above."""
    table = t.counts.matrix.toarray().tolist()
    total = 0.0
    for context, n in enumerate(table[row]):
        if not n:
            continue
        here, there = (
            (sum(table[o][context] for o in others), sum(sum(table[o]) for o in others))
            for others in ([o for o in some if o != row] for some in (rows, above))
        )
        if there[0]:
            ratio = (here[0] / here[1] if here[1] else 0.0) / (there[0] / there[1])
            total += n * math.log((1 + ratio) / 2)
    return total


def naive_labels(t):
    inside = [
        [r for r, place in enumerate(t.places.tolist()) if node in t.tree.path(place)]
        for node in range(t.tree.n_nodes)
    ]
    seen = t.counts.word_totals.tolist()
    found = {0: sorted(inside[0], key=lambda row: (-seen[row], row))[:LABEL]}
    worths = {}
    for node in range(1, t.tree.n_nodes):
        *above, parent = t.tree.path(int(t.tree.parent[node]))
        used = {row for one in above if one for row in found[one]}
        for row in inside[node]:
            worth = sum(naive_worth(t, row, inside[node], inside[up]) for up in (0, parent))
            worths[node, row] = worth * REPEATED if row in used and worth > 0 else worth
        last = set(found[parent]) if parent else set()
        key = {row: (row in last, -worths[node, row], -seen[row], row) for row in inside[node]}
        found[node] = sorted(inside[node], key=key.__getitem__)[:LABEL]
    return found, worths


@settings(max_examples=15)
@given(THESAURI)
def test_labels_equal_their_definition(t):
    found, worths = naive_labels(t)
    for node in range(t.tree.n_nodes):
        rows = t.index.places.labels.rows(node)
        if rows != found[node]:  # two words may be equal but for the last digits
            assert [worths[node, row] for row in rows] == pytest.approx(
                [worths[node, row] for row in found[node]], abs=1e-9
            )
        elif rows:
            assert t.label(node) == ", ".join(str(t.words[row]) for row in rows)


@given(THESAURI)
def test_label_does_not_repeat_that_of_the_parent(t):
    for node in range(1, t.tree.n_nodes):
        parent = int(t.tree.parent[node])
        rows, above = set(t.index.places.labels.rows(node)), set(t.index.places.labels.rows(parent))
        if parent and t.inside(node).size >= 2 * LABEL:
            assert not rows & above
        assert len(rows) == min(LABEL, t.inside(node).size)


@settings(max_examples=15)
@given(THESAURI)
def test_explorer_shows_the_same_labels(t):
    assert ThesaurusSnapshot(t, "t").labels == [t.label(node) for node in range(t.tree.n_nodes)]
    assert ThesaurusSnapshot(t, "t").labels == [
        t.word_class(node).label for node in range(t.tree.n_nodes)
    ]


def test_nested_classes_have_distinct_labels():
    t = made(HOMES)
    labels = [t.label(node) for node in range(t.tree.n_nodes)]
    assert len(set(labels)) == len(labels)
    for node, family in zip((3, 4, 5, 6), HOMES.values(), strict=True):
        assert set(t.label(node).split(", ")) <= set(family)


def test_distinctive_word_comes_first_in_label():
    # Both are seen alike often; only the second stands where the rest of its class does.
    matrix = [[5, 5, 0], [5, 0, 5], [4, 0, 4], [6, 6, 0], [6, 6, 0]]
    counts = Counts(matrix, ["common", "own", "mate", "other", "others"])
    belongs = [[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 2
    t = Thesaurus.from_parts(
        counts, Tree().split(0, 1.0), belongs, [[0.5, 0.2, 0.3]] * 2, [0.5, 0.5]
    )
    assert t.label(1).startswith("own")
    assert t.label(1).endswith("common")


def test_assigned_names_do_not_change_other_labels():
    t = planted()
    before = [t.label(node) for node in range(t.tree.n_nodes)]
    new = planted().editor.rename(1, "things")
    assert [new.label(node) for node in range(2, t.tree.n_nodes)] == before[2:]
    assert new.label(1) == "things"
