"""Overlapping clusters: one cluster per line, repeated items, lists and sets of labels."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from roget.errors import FormatError
from roget.scoring.labels import as_labels
from roget.scoring.labels.write import convert
from support.errors import notice, refused


def members(labels):
    """The sets of each item by the names of both."""
    items = labels.items or [str(i) for i in range(len(labels))]
    indptr = np.arange(len(labels) + 1) if labels.indptr is None else labels.indptr
    return {
        item: {labels.label(int(code)) for code in labels.codes[indptr[i] : indptr[i + 1]]}
        for i, item in enumerate(items)
    }


EXPECTED = {"a": {"x", "y"}, "b": {"x"}, "c": {"y"}}


def test_cmty_file_has_one_cluster_per_line(tmp_path):
    path = tmp_path / "found.cmty"
    path.write_text("# nodes\na b\n\nb\tc\n")
    labels = as_labels(path)
    assert members(labels) == {"a": {"2"}, "b": {"2", "4"}, "c": {"4"}}
    assert labels.overlapping
    assert not as_labels(path, several="weights").cover


def test_clusters_format_reads_one_cluster_per_line(tmp_path):
    path = tmp_path / "found.txt"
    path.write_text("a b\nc c\n")
    labels = as_labels(path, labels="clusters")
    assert members(labels) == {"a": {"1"}, "b": {"1"}, "c": {"2"}}
    assert (labels.cover, labels.overlapping) == (True, False)
    notice(labels.warnings, "repeated-rows", "1 item", path)


def test_invalid_cluster_files_are_refused(tmp_path):
    path = tmp_path / "found.cmty"
    path.write_text("a\tb\na\t\tc\n")
    with refused("empty-field", ":2:"):
        as_labels(path)
    path.write_text("\n")
    with refused("empty-input"):
        as_labels(path)
    path.write_text("a b\n")
    with refused("conflicting-options"):
        as_labels(path, columns={"item": "1"})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("l.tsv", "item\tlabel\na\tx\nb\tx\na\ty\nc\ty\n"),
        ("l.csv", "item,label,weight\na,x,1\nb,x,2\na,y,1\nc,y,1\n"),
        ("l.jsonl", '{"item": "a", "label": ["x", "y"]}\n{"item": "b", "label": "x"}\n'
                    '{"item": "c", "label": {"y": 1}}\n'),
        ("l.json", '{"a": ["x", "y"], "b": ["x"], "c": ["y"]}'),
        ("l.key", "g a x y\ng b x\ng c y\n"),
    ],
)  # fmt: skip
def test_cover_files_are_read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    labels = as_labels(path, several="cover", labels="jsonl" if name == "l.json" else None)
    assert members(labels) == EXPECTED
    assert labels.overlapping
    assert labels.warnings == ()


@pytest.mark.parametrize(
    "source",
    [
        {"a": {"x", "y"}, "b": {"x"}, "c": {"y"}},
        {"a": ["x", "y"], "b": ["x"], "c": "y"},
        {"a": {"x": 1, "y": 1}, "b": "x", "c": "y"},
        pd.DataFrame({"item": list("aabc"), "label": list("xyxy")}),
    ],
    ids=["sets", "lists", "weights", "frame"],
)
def test_covers_in_memory_are_read(source):
    assert members(as_labels(source, several="cover")) == EXPECTED


def test_sets_are_read_as_covers_by_default():
    assert as_labels({"a": {1, 2}, "b": {1}}).overlapping
    listed = as_labels([{"a", "b"}, frozenset({"a", "c"})])
    assert members(listed) == {"a": {"0", "1"}, "b": {"0"}, "c": {"1"}}
    found = SimpleNamespace(communities=[["a", "b"], ["a", "c"]])
    assert members(as_labels(found)) == members(listed)


def test_matrices_are_covers_only_on_request():
    matrix = np.array([[True, True], [False, True]])
    assert members(as_labels(matrix, several="cover")) == {"0": {"0", "1"}, "1": {"1"}}
    assert not as_labels(matrix).cover


def test_unused_weights_are_warned_about():
    labels = as_labels({"a": {"x": 3, "y": 1}, "b": "x"}, several="cover")
    notice(labels.warnings, "unused-weights", "the system labels")


def test_repeated_item_requires_several_option(tmp_path):
    path = tmp_path / "l.tsv"
    path.write_text("a\tx\na\ty\nb\ty\n")
    with refused("duplicate-item", "--set several=cover"):
        as_labels(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.txt", "# found\na b c d\nb e f\n"),
        ("g.txt", "# label\na b c d\nb e f\n"),
        ("g.tsv", "# found\na b c d\nb e f\n"),
        ("g.txt", "a b c d\nb e f\ng\n"),
    ],
)
def test_error_on_cluster_lines_suggests_clusters_format(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(FormatError, match="labels='clusters'"):
        as_labels(path, gold=True)
    assert as_labels(path, labels="clusters").cover


@pytest.mark.parametrize("comment", ["#found", "# clusters that were found"])
def test_comments_read_as_labels_are_warned_about(tmp_path, comment):
    path = tmp_path / "g.txt"
    path.write_text(f"{comment}\n" + "a b c\nb e f\n" * 3)
    assert "labels='clusters'" in " ".join(as_labels(path, gold=True).warnings)


@pytest.mark.parametrize("name", ["c.tsv", "c.csv", "c.jsonl", "c.parquet"])
def test_covers_are_written_as_covers(tmp_path, name):
    source, target = tmp_path / "c.cmty", tmp_path / name
    source.write_text("a b c d\nb e f\n")
    labels = convert(source, target)
    assert members(as_labels(target, several="cover")) == members(labels)
    # Never as shares of items without a word.
    with pytest.raises(FormatError):
        as_labels(target)
