"""Senseval and SemEval keys."""

from __future__ import annotations

import pytest

from roget.errors import MAX_PROBLEMS, FormatError
from roget.scoring.labels import as_labels
from support.errors import list_problems, notice, refused


def problems(path, **options):
    with pytest.raises(FormatError) as caught:
        as_labels(path, **options)
    return list_problems(caught.value)


def test_key_file_is_read(write, answers):
    labels = as_labels(write("a.key", "add.v add.v.1 s1/4 s2/1\nadd.v add.v.2\ts1\n"))
    assert answers(labels) == {
        ("add.v", "add.v.1"): {"s1": 0.8, "s2": 0.2},
        ("add.v", "add.v.2"): {"s1": 1.0},
    }
    assert labels.weighted
    assert labels.complete
    assert labels.warnings == ()


def test_key_with_one_label_per_item_is_hard_whatever_its_weights(write, answers):
    labels = as_labels(write("a.key", "w i1 a/4\nw i2 b/0.5\nw i3 a\n"))
    assert not labels.weighted
    assert labels.n_labels == 2
    assert answers(labels)["w", "i2"] == {"b": 1.0}


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("common%3:00:01::/4", "common%3:00:01::"),
        ("a/1e-3", "a"),
        ("a/.5", "a"),
        ("a/+2.", "a"),
        ("a/b/3", "a/b"),
        ("a/b", "a/b"),
        ("a/x", "a/x"),
        ("a/x7", "a/x7"),
        ("nan", "nan"),
        ("None", "None"),
        ("NA", "NA"),
        ("a/١", "a/١"),
        ("1/2/x", "1/2/x"),
        ("wow!!", "wow!!"),
        ("a\u00a0b", "a\u00a0b"),
        ("数\u3000学/2", "数\u3000学"),
    ],
)
def test_key_weight_follows_last_slash(write, token, label, answers):
    labels = as_labels(write("a.key", f"w i1 {token} other/1e-9\n"))
    assert label in answers(labels)["w", "i1"]


@pytest.mark.parametrize("weight", ["0,7", "0.7x", "", "1_0", "-", "+a", ".", "1/", "7%"])
def test_key_weight_with_invalid_number_is_refused(write, weight):
    path = write("a.key", f"w i1 b\nw i2 a/{weight} b\n")
    assert problems(path) == [(2, "bad-weight")]


def test_key_comments_and_blank_lines_are_ignored(write, answers):
    text = (
        "!! all of it\n\n  w \t i1   a  !! b c\n\t\nw i2 b !!\n   !! x\nw i3 c!!d\nw i4 e !!f g\n"
    )
    assert answers(as_labels(write("a.key", text))) == {
        ("w", "i1"): {"a": 1.0},
        ("w", "i2"): {"b": 1.0},
        ("w", "i3"): {"c!!d": 1.0},
        ("w", "i4"): {"e": 1.0},
    }


def test_key_line_without_label_is_missing_answer(write, answers):
    path = write("a.key", "w i1 a\nw i2\nw i3 b/1 c/1\n")
    labels = as_labels(path)
    assert answers(labels)["w", "i2"] == {}
    assert not labels.complete
    assert problems(path, gold=True) == [(2, "missing-label")]


def test_hard_key_line_without_label_is_missing_answer(write, answers):
    labels = as_labels(write("a.key", "w i1 a\nw i2\n"))
    assert not labels.weighted
    assert labels.codes.tolist() == [0, -1]
    assert not labels.complete


def test_same_item_in_two_key_groups_is_two_items(write, answers):
    labels = as_labels(write("a.key", "w 1 a\nv 1 b\nw 2 a\n"))
    assert answers(labels) == {
        ("w", "1"): {"a": 1.0},
        ("v", "1"): {"b": 1.0},
        ("w", "2"): {"a": 1.0},
    }


def test_key_label_of_zero_weight_is_ignored(write, answers):
    labels = as_labels(write("a.key", "w i1 a/0 b/2\nw i2 a/1 b/1\n"))
    assert answers(labels)["w", "i1"] == {"b": 1.0}


def test_weights_of_label_named_twice_are_summed(write, answers):
    labels = as_labels(write("a.key", "w i1 a/4 a/2 b/2\nw i2 c\n"))
    assert answers(labels)["w", "i1"] == {"a": 0.75, "b": 0.25}
    notice(labels.warnings, "repeated-rows", "1 item")


def test_huge_and_tiny_key_weights_are_normalised(write, answers):
    labels = as_labels(write("a.key", "w i1 a/1e308 b/1e308\nw i2 a/4e-324 b/4e-324\n"))
    assert set(answers(labels)["w", "i1"].values()) == {0.5}
    assert set(answers(labels)["w", "i2"].values()) == {0.5}


def test_repeated_key_lines_are_merged_with_notice(write, answers):
    labels = as_labels(write("a.key", "w i1 a\nw i2 b\nw  i1\ta\nw i1 a/3\n"))
    assert len(labels) == 2
    assert labels.items == ["i1", "i2"]
    notice(labels.warnings, "repeated-rows", "2 lines")
    labels = as_labels(write("b.key", "w i1 a/1 b/2\nw i2\nw i1 b/2 a/1\nw i2\n"))
    assert answers(labels) == {("w", "i1"): {"a": 1 / 3, "b": 2 / 3}, ("w", "i2"): {}}
    notice(labels.warnings, "repeated-rows", "2 lines")


def test_contradicting_key_lines_are_refused(write):
    path = write("a.key", "w i1 a\nv i1 b\nw i1 b\n\nv i1\n")
    assert problems(path) == [(3, "duplicate-item"), (5, "duplicate-item")]
    path = write("b.key", "w i1 a/1 b/2\nw i1 a/1\n")
    assert problems(path) == [(2, "duplicate-item")]
    with refused("duplicate-item", "b.key:2", "group item label/weight"):
        as_labels(path)


def test_invalid_key_weights_and_fields_are_refused(write):
    path = write(
        "a.key",
        "w i1 a/-1\nw\nw i2 b/nan c\nw i3 a/inf\nw i4 /3\nw i5 a/-1\nw i6 a/0 b/0\n",
    )
    assert problems(path) == [
        (line, "broken-lines" if line == 2 else "bad-weight") for line in range(1, 7)
    ]
    assert problems(write("b.key", "w i6 a/0 b/0\nw i7 a b\n")) == [(1, "bad-weight")]
    assert problems(write("c.key", "w i6 a/0\nw i7 a\n")) == [(1, "bad-weight")]


def test_reading_stops_after_many_problems(write):
    path = write("a.key", "x\n" * 1000)
    with refused("broken-lines") as caught:
        as_labels(path)
    assert len(caught.value.problems) == MAX_PROBLEMS


def test_line_numbers_are_correct_beyond_one_batch(write):
    path = write("a.key", "".join(f"w i{n} a\n\n" for n in range(1000)) + "w\n")
    assert problems(path) == [(2001, "broken-lines")]


def test_columns_option_is_refused_for_keys(write):
    with refused("conflicting-options"):
        as_labels(write("a.key", "w i a\n"), columns={"item": "x"})
