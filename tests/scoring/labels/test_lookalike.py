"""Files read in the wrong format are refused: they would be given a perfect score."""

from __future__ import annotations

import pytest

from roget.errors import FormatError
from roget.scoring.labels import as_labels, read_pair

OR_LINES = "or say --labels lines if each line is one label"
CSV, TSV = "say --labels csv (in Python labels='csv')", "say --labels tsv (in Python labels='tsv')"
JSONL = "say --labels jsonl (in Python labels='jsonl')"
NAMES = "begin the file with the names of its columns, such as item;label"


def problem(path, read=as_labels, **options):
    with pytest.raises(FormatError) as caught:
        read(path, **options)
    (found,) = caught.value.problems
    return found.removeprefix(f"{path}:")


@pytest.mark.parametrize(
    ("name", "first", "holds", "cure"),
    [
        ("a.tsv", "item,label", "commas", f"{CSV}, {OR_LINES}"),
        ("a.tsv", "d1,x", "commas", f"{CSV}, {OR_LINES}"),
        ("a.tsv", "d1, x", "commas", f"{CSV}, {OR_LINES}"),
        ("a.tsv", "item;label", "semicolons", f"{CSV}, {OR_LINES}"),
        ("a.tsv", "d1;x", "semicolons", f"{CSV} and {NAMES}, {OR_LINES}"),
        ("a.csv", "item\tlabel", "tabs", f"{TSV}, {OR_LINES}"),
        ("a.csv", "d1\tx", "tabs", f"{TSV}, {OR_LINES}"),
        ("a.csv", "d1;x", "semicolons", f"{NAMES}, {OR_LINES}"),
    ],
)
def test_other_marks(write, name, first, holds, cure):
    path = write(name, f"\n{first}\n{first}2\n")
    form = "tab" if name == "a.tsv" else "comma"
    expected = f"2: expected {form}-separated columns, found {first!r}, with {holds}: {cure}"
    assert problem(path) == expected
    assert problem(path, columns={"label": "label"}) == expected
    assert problem(path, read_pair) == expected
    renamed = write("b.txt", path.read_text())
    assert problem(renamed, labels=name[2:]) == expected


@pytest.mark.parametrize("form", ["tsv", "csv", "key", "lines"])
def test_json_in_another_format(write, form):
    expected = {
        "tsv": "tab-separated columns",
        "csv": "comma-separated columns",
        "key": "group item label[/weight] ...",
        "lines": "one label per line",
    }[form]
    for first in ('{"item": "d1", "label": "x"}', '{"item":"d1","label":"x"}', "{"):
        path = write("a.txt", f"{first}\n{first}\n")
        said = f"1: expected {expected}, found {first!r}, which looks like JSON lines: {JSONL}"
        assert problem(path, labels=form) == said
    path = write("a.txt", '[["d1", "x"], ["d2", "x"], ["d3", "x"], ["d4", "x"]]')
    found = problem(path, labels=form)
    assert found.startswith(f'1: expected {expected}, found \'[["d1", "x"], ["d2",')
    assert found.endswith(
        f"…', which looks like a JSON array: write one object per line and {JSONL}"
    )


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
def test_what_only_seems_to_be_another_format(write, name, text, names):
    assert list(as_labels(write(name, text)).names) == names


def test_advice_that_is_given_works(write, answers):
    expected = {(None, "d1"): {"x": 1.0}}
    assert answers(as_labels(write("a.tsv", "item;label\nd1;x\n"), labels="csv")) == expected
    assert answers(as_labels(write("a.csv", "d1\tx\n"), labels="tsv")) == expected
    text = '{"item": "d1", "label": "x"}'
    assert answers(as_labels(write("a.tsv", text), labels="jsonl")) == expected
    assert answers(as_labels(write("a.json", text))) == expected
    assert as_labels(write("b.tsv", "d1,x\n"), labels="lines").names == ["d1,x"]
