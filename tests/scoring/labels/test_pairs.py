"""Pairs of ids: clusters are connected components, unlisted items are singletons."""

from __future__ import annotations

import pytest

import roget
from roget.scoring.labels import as_labels
from support.errors import codes, notice, refused


def clusters(labels):
    found = {}
    for item, code in zip(labels.items, labels.codes.tolist(), strict=True):
        found.setdefault(code, set()).add(item)
    return sorted(map(sorted, found.values()))


@pytest.mark.parametrize(
    "head",
    ["id1,id2", "id_l,id_r", "unique_id_l,unique_id_r", "ltable_id,rtable_id", "rec_a,rec_b"],
)
def test_pair_headers_are_recognised(tmp_path, head):
    path = tmp_path / "pairs.csv"
    path.write_text(f"{head}\na,b\nc,d\nb,e\n")
    assert clusters(as_labels(path)) == [["a", "b", "e"], ["c", "d"]]


def test_pairs_below_match_threshold_are_separate(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("id1\tid2\tmatch\na\tb\t1\nc\td\t0\ne\tf\t0.5\ng\th\t0.49\n")
    assert clusters(as_labels(path)) == [["a", "b"], ["c"], ["d"], ["e", "f"], ["g"], ["h"]]
    path.write_text("id1\tid2\tmatch\na\tb\tmaybe\n")
    with refused("broken-lines", "pairs.tsv:2", "maybe"):
        as_labels(path)


@pytest.mark.parametrize("name", ["probability", "match_score", "similarity", "p"])
def test_probabilities_of_pairs_are_not_ignored(tmp_path, name):
    path = tmp_path / "pairs.csv"
    path.write_text(f"left_id,right_id,{name}\na,b,.97\nc,d,.02\n")
    assert clusters(as_labels(path)) == [["a", "b"], ["c"], ["d"]]
    path.write_text(f"left_id,right_id,{name}\na,b,97\n")
    with refused("broken-lines", "pairs.csv:2", "97"):
        as_labels(path)


def test_pairs_without_a_header_are_suggested(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("a,b\na,c\nb,c\nd,e\n")
    with refused("duplicate-item", "pairs.csv:2", "--labels pairs"):
        as_labels(path)
    assert clusters(as_labels(path, labels="pairs")) == [["a", "b", "c"], ["d", "e"]]


def test_other_tables_are_not_read_as_pairs(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("id,label\na,1\nb,1\nc,2\n")
    assert not as_labels(path).pairs
    path.write_text("id1,id2\na,x\nb,x\nc,y\n")
    chosen = as_labels(path, columns={"item": "id1", "label": "id2"})
    assert not chosen.pairs
    assert chosen.n_labels == 2


def test_unlisted_items_are_singletons_on_either_side(tmp_path):
    gold, system = tmp_path / "gold.csv", tmp_path / "system.csv"
    gold.write_text("id1,id2\na,b\nc,d\n")
    system.write_text("id1,id2\na,b\nd,e\n")
    table = roget.score(gold, system, ["paired-precision", "paired-recall", "cluster-precision"])
    assert table.items == 5
    assert table["paired-precision"] == table["paired-recall"] == 0.5
    # ab is exact; c and de are not clusters of gold.
    assert table["cluster-precision"] == pytest.approx(1 / 3)
    listed = tmp_path / "labels.csv"
    listed.write_text("record_id,entity_id\na,1\nb,1\nc,2\nd,2\ne,3\n")
    assert roget.score(listed, system, "paired-f")["paired-f"] == table["paired-precision"]
    assert "missing:singletons" in table.signature
    assert "extra:count" in table.signature


def test_implied_pairs_are_reported(tmp_path):
    gold, system = tmp_path / "gold.csv", tmp_path / "system.csv"
    gold.write_text("id1,id2,match\na,b,1\nb,c,1\na,c,0\n")
    system.write_text("id1,id2\na,b\na,c\nb,c\n")
    table = roget.score(gold, system, "paired-f")
    assert codes(table.warnings).count("implied-pairs") == 2
    assert table["paired-f"] == 1


def test_threshold_of_match_probabilities_is_reported(write):
    path = write("a.csv", "id1,id2,score\na,b,0.9\nc,d,0.4\ne,f,0.5\n")
    labels = as_labels(path)
    assert clusters(labels) == [["a", "b"], ["c"], ["d"], ["e", "f"]]
    notice(labels.warnings, "match-threshold", "2 of 3", "score", "0.5")
    certain = as_labels(write("b.csv", "id1,id2,score\na,b,1\nc,d,0\n"))
    assert "match-threshold" not in codes(certain.warnings)
