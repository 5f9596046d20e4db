"""One label per line."""

from __future__ import annotations

import pytest

from roget.errors import FormatError, InputError
from roget.scoring.labels import align, as_labels


def test_labels_by_line(write):
    labels = as_labels(write("a.txt", "noun\nverb\n  noun \nnew york\n"))
    assert labels.codes.tolist() == [0, 1, 0, 2]
    assert labels.names == ["noun", "verb", "new york"]
    assert (labels.items, labels.groups, labels.complete) == (None, None, True)


@pytest.mark.parametrize("end", ["", "\n"])
def test_empty_lines_are_items_but_the_end_is_not(write, end):
    path = write("a.txt", f"a\n\nb\n\t\na{end}")
    labels = as_labels(path)
    assert labels.codes.tolist() == [0, -1, 1, -1, 0]
    assert not labels.complete
    with pytest.raises(FormatError) as caught:
        as_labels(path, gold=True)
    assert [text.removeprefix(str(path)) for text in caught.value.problems] == [
        ":2: no label; every item of the gold standard needs one",
        ":4: no label; every item of the gold standard needs one",
    ]


def test_first_lines_empty(write):
    assert as_labels(write("a.txt", "\n\na\n"), labels="lines").codes.tolist() == [-1, -1, 0]
    assert as_labels(write("a.txt", "\n\na\n")).codes.tolist() == [-1, -1, 0]


def test_words_for_nothing_are_labels(write):
    assert as_labels(write("a.txt", "nan\nNone\nNA\n"), gold=True).names == ["nan", "None", "NA"]


def test_a_blank_line_is_found_by_its_number(write):
    gold, system = write("g.txt", "a\nb\na\n"), write("s.txt", "x\n\ny\n")
    with pytest.raises(InputError, match=r"1 of 3 items .* position 2 of 3$"):
        align(as_labels(gold, gold=True), as_labels(system), missing="error")


def test_columns_make_no_sense(write):
    with pytest.raises(InputError, match="columns cannot be chosen"):
        as_labels(write("a.txt", "a\n"), columns={"label": 1})
