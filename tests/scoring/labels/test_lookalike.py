"""Files read in the wrong format are refused: they would get a perfect score."""

from __future__ import annotations

import pytest

from roget.scoring.labels import as_labels, read_pair
from support.errors import refused


def refuse(path, option, read=as_labels, **options):
    """Expect an error at the first line that names the option to pass."""
    line = 1 if path.read_text().splitlines()[0] else 2
    with refused("unsupported-format", f"{path}:{line}", f"--labels {option}"):
        read(path, **options)


@pytest.mark.parametrize(
    ("name", "first", "option"),
    [
        ("a.tsv", "item,label", "csv"),
        ("a.tsv", "d1,x", "csv"),
        ("a.tsv", "d1, x", "csv"),
        ("a.tsv", "item;label", "csv"),
        ("a.tsv", "d1;x", "csv"),
    ],
)
def test_other_delimiters_are_refused(write, name, first, option):
    path = write(name, f"\n{first}\n{first}2\n")
    refuse(path, option)
    refuse(path, option, columns={"label": "label"})
    refuse(path, option, read_pair)
    renamed = write("b.txt", path.read_text())
    refuse(renamed, option, labels=name[2:])


def test_tabs_and_semicolons_separate_the_columns_of_csv_files(write):
    for mark in "\t;":
        found = as_labels(write("a.csv", f"item{mark}label\nd1{mark}x, y\nd2{mark}z\n"))
        assert (list(found.items), list(found.names)) == (["d1", "d2"], ["x, y", "z"])


@pytest.mark.parametrize("form", ["tsv", "csv", "key", "lines"])
def test_json_in_another_format_is_refused(write, form):
    for first in ('{"item": "d1", "label": "x"}', '{"item":"d1","label":"x"}', "{"):
        refuse(write("a.txt", f"{first}\n{first}\n"), "jsonl", labels=form)
    path = write("a.txt", '[["d1", "x"], ["d2", "x"], ["d3", "x"], ["d4", "x"]]')
    refuse(path, "jsonl", labels=form)


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.txt", "[CLS]\n{noun}\n", ["[CLS]", "{noun}"]),
        ("a.txt", "x;y\nz\n", ["x;y", "z"]),
        ("a.csv", '"x;y"\nz\n', ["x;y", "z"]),
        ("a.csv", '"x,y"\nz\n', ["x,y", "z"]),
        ("a.csv", "label\nx;y\n", ["x;y"]),
        ("a.tsv", "label\nx,y\n", ["x,y"]),
        ("a.tsv", ", x,y\nd2 z\n", ["x,y", "z"]),
        ("a.tsv", "[1, 2]\tx\nd2\tz\n", ["x", "z"]),
        ("a.csv", "[0],x\nd2,z\n", ["x", "z"]),
        ("a.key", "[w] i1 x\n{w} i2 z\n", ["x", "z"]),
    ],
)
def test_text_that_resembles_another_format_is_accepted(write, name, text, names):
    assert list(as_labels(write(name, text)).names) == names


def test_format_suggested_by_error_works(write, answers):
    expected = {(None, "d1"): {"x": 1.0}}
    assert answers(as_labels(write("a.tsv", "item;label\nd1;x\n"), labels="csv")) == expected
    assert answers(as_labels(write("a.csv", "d1\tx\n"), labels="tsv")) == expected
    assert answers(as_labels(write("c.csv", "d1;x\n"))) == expected
    text = '{"item": "d1", "label": "x"}'
    assert answers(as_labels(write("a.tsv", text), labels="jsonl")) == expected
    assert answers(as_labels(write("a.json", text))) == expected
    assert as_labels(write("b.tsv", "d1,x\n"), labels="lines").names == ["d1,x"]
