"""Labels are written and read back unchanged, or nothing is written."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roget.errors import InputError
from roget.scoring.labels import as_labels
from roget.scoring.labels.labels import fill
from roget.scoring.labels.write import FORMATS, convert, write_labels
from support.errors import refused

TABLES = ("tsv", "csv", "jsonl", "parquet")

few = settings(max_examples=max(settings.default.max_examples // 2, 10))
"""Every example writes a file, so there are fewer than elsewhere."""

blanks = ("\n", "\r", "\x1f", "\x85", "\xa0", "\u2028", "\u3000")
words = ("!!", "-1", "nan", "inf", "and/or", "label", "item", "null", "(no answer)")
signs = " \t/\"'!,;:{}[]\\%#$aé語😀04\0\ufeff\ud800"
pieces = st.sampled_from((*blanks, *words, *signs))
awkward = st.lists(pieces, min_size=0, max_size=4).map("".join) | st.text(max_size=5)
plain = st.text("ab/é語\"'!:", min_size=1, max_size=5).filter(lambda text: text[:2] != "!!")
"""What every format can hold."""
shares = st.integers(1, 20).map(lambda n: n / 7)


def sides(text):
    """Labels in memory, of every kind: with or without ids, groups, weights and gaps."""
    hard = st.none() | text
    answer = hard | st.dictionaries(text, shares, min_size=1, max_size=3)
    items = st.dictionaries(text, answer, min_size=1, max_size=6)
    groups = st.dictionaries(st.tuples(text, text), answer, min_size=1, max_size=6)
    return (items | groups | st.lists(hard, min_size=1, max_size=6)).map(as_labels)


def spelled(labels):
    """(group, item or position, {label: weight}) of each item, in order."""
    result = []
    for row in range(len(labels)):
        item = row if labels.items is None else labels.items[row]
        group = None if labels.groups is None else labels.group_names[labels.groups[row]]
        if labels.indptr is None:
            code = int(labels.codes[row])
            answer = {} if code < 0 else {labels.label(code): 1.0}
        else:
            at = range(labels.indptr[row], labels.indptr[row + 1])
            answer = {labels.label(int(labels.codes[e])): float(labels.weights[e]) for e in at}
        result.append((group, item, answer))
    return result


def round_trip(labels, form):
    """The labels read back, or None if they were refused; no draft may stay behind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "written"
        try:
            write_labels(labels, path, form)
        except InputError:
            assert not os.listdir(folder)
            return None
        assert os.listdir(folder) == ["written"]
        return as_labels(path, labels=form)


def assert_same(one, other):
    for (group, item, answer), (other_group, other_item, found) in zip(
        spelled(one), spelled(other), strict=True
    ):
        assert (group, item) == (other_group, other_item)
        assert answer == pytest.approx(found)


@pytest.mark.parametrize("form", FORMATS)
@few
@given(labels=sides(awkward))
def test_labels_are_read_back_unchanged_or_not_written(form, labels):
    back = round_trip(labels, form)
    if back is not None:
        assert_same(labels, back)


@pytest.mark.parametrize("form", TABLES)
@few
@given(labels=sides(plain))
def test_tables_preserve_all_labels(form, labels):
    assume(labels.indptr is None or labels.items is not None)
    assert_same(labels, round_trip(labels, form))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@few
@given(labels=sides(st.text(min_size=1, max_size=5)))
def test_jsonl_and_parquet_preserve_any_text(form, labels):
    assert_same(labels, round_trip(labels, form))


@few
@given(st.dictionaries(st.tuples(plain, plain), st.dictionaries(plain, shares), min_size=1))
def test_keys_preserve_items_with_groups(table):
    labels = as_labels(table)
    assert_same(labels, round_trip(labels, "key"))


@few
@given(st.lists(st.none() | plain, min_size=1))
def test_lines_preserve_labels_without_ids(values):
    labels = as_labels(values)
    assert_same(labels, round_trip(labels, "lines"))


@few
@given(sides(plain), st.permutations(TABLES))
def test_chain_of_formats_preserves_labels(labels, forms):
    assume(labels.indptr is None or labels.items is not None)
    last = labels
    for form in forms:
        last = round_trip(last, form)
    assert_same(labels, last)


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("and/or", "and/or/1"),
        ("a/4", "a/4/1"),
        ("a/", "a//1"),
        ("a/nan", "a/nan/1"),
        ("a!!", "a!!"),
    ],
)
def test_slashes_in_keys_are_not_weights(tmp_path, label, written):
    labels = as_labels({("g", "i"): label})
    write_labels(labels, tmp_path / "a.key", "key")
    assert (tmp_path / "a.key").read_text() == f"g i {written}\n"
    assert_same(labels, as_labels(tmp_path / "a.key"))


def test_written_files_have_documented_content(tmp_path):
    labels = as_labels({("g", "1"): {"x": 1, "y": 3}, ("h", "2"): None, ("h", "3"): "a,\tb"})
    with refused("not-writable"):
        write_labels(labels, tmp_path / "a", "tsv")
    write_labels(labels, tmp_path / "a", "csv")
    assert (tmp_path / "a").read_text() == (
        'item,label,weight,group\n1,x,0.25,g\n1,y,0.75,g\n2,,,h\n3,"a,\tb",1,h\n'
    )
    write_labels(labels, tmp_path / "a", "jsonl")
    records = [json.loads(line) for line in (tmp_path / "a").read_text().splitlines()]
    assert records == [
        {"item": "1", "label": {"x": 0.25, "y": 0.75}, "group": "g"},
        {"item": "2", "label": None, "group": "h"},
        {"item": "3", "label": "a,\tb", "group": "h"},
    ]
    labels = as_labels({("g", "1"): {"x": 1, "y": 3}, ("h", "2"): None, ("h", "3"): "a"})
    write_labels(labels, tmp_path / "a", "key")
    assert (tmp_path / "a").read_text() == "g 1 x/0.25 y/0.75\nh 2\nh 3 a\n"
    write_labels(as_labels(["x", None, "y"]), tmp_path / "a", "tsv")
    assert (tmp_path / "a").read_text() == "label\nx\n\ny\n"


@pytest.mark.parametrize(
    ("source", "form", "message"),
    [
        ({("g", "i"): "a b"}, "key", "tsv or csv or lines or jsonl or parquet"),
        ({("g", "i j"): "a"}, "key", "the item 'i j' "),
        ({("g h", "i"): "a"}, "key", "the group 'g h' "),
        ({("g", "i"): "!!a"}, "key", "the label '!!a' "),
        ({("{}", "i"): "a"}, "key", "JSON"),
        ({("\ufeffg", "i"): "a"}, "key", "byte order mark"),
        ({"i": "a"}, "key", "group=NAME"),
        (["a"], "key", "item=NAME"),
        ({"i": "a\tb"}, "tsv", "the label 'a\\tb' "),
        ({"i": "a\nb"}, "tsv", "a line break"),
        ({"i ": "a"}, "tsv", "the item 'i ' "),
        ({"i": " a"}, "csv", "the label ' a' "),
        ({"i": "a\rb"}, "csv", "a carriage return"),
        ({"i": "\ud800"}, "jsonl", "\\ud800"),
        ({"i": ""}, "parquet", "the label '' is empty"),
        ({"": "a"}, "jsonl", "the item '' is empty"),
        ({"i": "a"}, "lines", "item ids"),
        ({("g", "i"): {"a": 1, "b": 1}}, "lines", "item ids, groups, several labels"),
        (["[1, 2]"], "lines", "JSON"),
        (np.ones((2, 2)), "lines", "several labels"),
        (np.ones((2, 2)), "tsv", "jsonl"),
        (np.ones((2, 2)), "parquet", "jsonl"),
        (["1", 1], "csv", "labels '1' and 1"),
    ],
)  # fmt: skip
def test_labels_that_a_format_cannot_represent_are_refused(tmp_path, source, form, message):
    with refused("not-writable", message, tmp_path / "out"):
        write_labels(as_labels(source), tmp_path / "out", form)
    assert not list(tmp_path.iterdir())


def test_weighted_labels_without_ids_are_written_as_jsonl():
    labels = as_labels(np.array([[1.0, 3.0], [0.0, 0.0], [0.0, 1.0]]))
    assert_same(labels, round_trip(labels, "jsonl"))


def test_filled_labels_of_gaps_are_not_written():
    labels = as_labels({"a": "x", "b": None})
    filled = fill(labels, ~labels.answered(), together=True)
    assert_same(labels, round_trip(filled, "tsv"))


def test_unused_label_names_are_not_checked():
    labels = dataclasses.replace(as_labels({("g", "i"): "x"}), names=["x", "a b"], n_labels=2)
    assert_same(labels, round_trip(labels, "key"))


@pytest.mark.parametrize("form", FORMATS)
def test_labels_are_written_completely_or_not_at_all(tmp_path, form):
    source = ["x", "y"] if form == "lines" else {("g", "1"): "x", ("g", "2"): "y"}
    labels = as_labels(source)
    with pytest.raises(InputError):
        write_labels(labels, tmp_path / "none" / "out", form)
    with pytest.raises(InputError):
        write_labels(labels, tmp_path, form)
    link, target = tmp_path / "link", tmp_path / "it's"
    target.write_text("old")
    link.symlink_to(target)
    write_labels(labels, link, form)
    assert link.is_symlink()
    assert_same(labels, as_labels(target, labels=form))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it's", "link"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with refused("not-writable"):
        write_labels(as_labels(["a"]), tmp_path / "pipe", "parquet")
    assert (tmp_path / "pipe").is_fifo()


def test_unknown_format_suggests_nearest(tmp_path):
    with refused("unknown-name"):
        write_labels(as_labels(["a"]), tmp_path / "a", "json1")


def test_convert_infers_formats_from_names(tmp_path):
    source = tmp_path / "in.key"
    source.write_text("g a x/1 y/3\ng b x\nh a y\n")
    for name in ("a.tsv", "b.csv", "c.jsonl", "d.parquet", "e.KEY"):
        written = convert(source, tmp_path / name)
        assert_same(written, as_labels(tmp_path / name))
        source = tmp_path / name
    assert (tmp_path / "e.KEY").read_text() == "g a x/0.25 y/0.75\ng b x\nh a y\n"


def test_convert_accepts_formats_columns_and_labels_in_memory(tmp_path):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("nr,topic,who\n1,x,u\n2,y,v\n")
    columns = {"item": "nr", "label": "topic", "group": "who"}
    convert(source, target, from_="csv", to="key", columns=columns)
    assert target.read_text() == "u 1 x\nv 2 y\n"
    convert(["x", "y"], target, to="lines")
    assert target.read_text() == "x\ny\n"


def test_file_can_be_converted_in_place(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("g a x\n")
    convert(path, path, "key", "jsonl")
    assert json.loads(path.read_text()) == {"item": "a", "label": "x", "group": "g"}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out", "does not tell the format"),
        ("out.txt", "--to with one of key, tsv"),
        ("out.tsv.gz", "expected a name without .gz"),
    ],
)
def test_output_names_without_format_are_refused(tmp_path, name, message):
    with refused("unsupported-format"):
        convert(["a"], tmp_path / name)
    assert not list(tmp_path.iterdir())
    with refused("not-writable", "'-'"):
        convert(["a"], "-", to="lines")
