"""One label per line."""

from __future__ import annotations

import pytest

from roget.scoring.labels import align, as_labels
from support.errors import refused


def test_lines_file_has_one_label_per_line(write):
    labels = as_labels(write("a.txt", "noun\nverb\n  noun \nnew york\n"))
    assert labels.codes.tolist() == [0, 1, 0, 2]
    assert labels.names == ["noun", "verb", "new york"]
    assert (labels.items, labels.groups, labels.complete) == (None, None, True)


@pytest.mark.parametrize("end", ["", "\n"])
def test_empty_lines_are_items_except_last(write, end):
    path = write("a.txt", f"a\n\nb\n\t\na{end}")
    labels = as_labels(path)
    assert labels.codes.tolist() == [0, -1, 1, -1, 0]
    assert not labels.complete
    assert as_labels(path, gold=True).codes.tolist() == [0, -1, 1, -1, 0]


def test_leading_empty_lines_are_items(write):
    assert as_labels(write("a.txt", "\n\na\n"), labels="lines").codes.tolist() == [-1, -1, 0]
    assert as_labels(write("a.txt", "\n\na\n")).codes.tolist() == [-1, -1, 0]


def test_words_for_missing_values_are_labels(write):
    assert as_labels(write("a.txt", "nan\nNone\nNA\n"), gold=True).names == ["nan", "None", "NA"]


def test_blank_line_is_reported_by_number(write):
    gold, system = write("g.txt", "a\nb\na\n"), write("s.txt", "x\n\ny\n")
    with refused("missing-items", "1", "3", "2"):
        align(as_labels(gold, gold=True), as_labels(system), missing="error")


def test_columns_option_is_refused_for_lines(write):
    with refused("conflicting-options"):
        as_labels(write("a.txt", "a\n"), columns={"label": 1})
