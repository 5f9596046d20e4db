"""JSON lines."""

from __future__ import annotations

import json

import pytest

from roget.errors import FormatError, InputError
from roget.scoring.labels import as_labels


@pytest.fixture
def lines(write):
    """A function that writes objects, or text as it stands, one per line."""

    def writer(*rows):
        texts = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        return write("a.jsonl", "\n".join(texts) + "\n")

    return writer


def problems(path, **options):
    with pytest.raises(FormatError) as caught:
        as_labels(path, **options)
    return [problem.removeprefix(f"{path}:") for problem in caught.value.problems]


def test_objects(lines, answers):
    labels = as_labels(
        lines(
            {"item": "d1", "label": "x"}, "", {"label": 7, "item": 2}, {"item": "é", "label": "x"}
        )
    )
    assert answers(labels) == {
        (None, "d1"): {"x": 1.0},
        (None, "2"): {"7": 1.0},
        (None, "é"): {"x": 1.0},
    }
    assert not labels.weighted


def test_numbers_are_text(lines, answers):
    labels = as_labels(
        lines({"id": 1, "label": 1}, {"id": 2, "label": "1"}, {"id": 3, "label": 1.5})
    )
    assert list(labels.names) == ["1", "1.5"]
    labels = as_labels(lines({"id": 1, "label": True}, {"id": 2, "label": 1}))
    assert list(labels.names) == ["true", "1"]


def test_weights_inside_the_label(lines, answers):
    labels = as_labels(
        lines(
            {"group": "w", "id": "d1", "label": {"x": 1, "y": 3}},
            {"group": "w", "id": "d2", "label": "x"},
            {"group": "w", "id": "d3", "label": None},
            {"group": "w", "id": "d4", "label": {}},
        )
    )
    assert answers(labels) == {
        ("w", "d1"): {"x": 0.25, "y": 0.75},
        ("w", "d2"): {"x": 1.0},
        ("w", "d3"): {},
        ("w", "d4"): {},
    }
    assert not labels.complete


def test_weights_beside_the_label(lines, answers):
    labels = as_labels(
        lines({"id": "d", "label": "x", "weight": 1}, {"id": "d", "label": "y", "weight": 0.5})
    )
    assert answers(labels) == {(None, "d"): {"x": 2 / 3, "y": 1 / 3}}


def test_absent_label_is_no_answer_but_not_in_gold(lines, answers):
    path = lines(
        {"item": "d1", "label": "x"}, {"item": "d2"}, {"item": "d3", "label": float("nan")}
    )
    assert answers(as_labels(path)) == {
        (None, "d1"): {"x": 1.0},
        (None, "d2"): {},
        (None, "d3"): {},
    }
    needs = "no label; every item of the gold standard needs one"
    assert problems(path, gold=True) == [f"2: {needs}", f"3: {needs}"]


def test_empty_label_is_no_answer_but_not_in_gold(lines, answers):
    path = lines(
        {"item": "d1", "label": "x", "weight": 2},
        {"item": "d2", "label": "", "weight": 1},
        {"item": "d3", "label": None, "weight": None},
    )
    expected = {(None, "d1"): {"x": 1.0}, (None, "d2"): {}, (None, "d3"): {}}
    assert answers(as_labels(path)) == expected
    needs = "no label; every item of the gold standard needs one"
    assert problems(path, gold=True) == [f"2: {needs}", f"3: {needs}"]
    path = lines(
        {"item": "d1", "label": {"x": 1}}, {"item": "d2", "label": ""}, {"item": "d3", "label": {}}
    )
    assert answers(as_labels(path)) == expected


def test_arrays(lines, write, answers):
    expected = ["1: expected one JSON object per line, found an array"]
    assert problems(lines('[["d1", "x"]]')) == expected
    assert problems(write("a.json", '[\n["d1", "x"]\n]')) == expected
    assert problems(write("a", '\n [{"item": 1, "label": 2}')) == ["2" + expected[0][1:]]
    for text in (
        '[{"item": "d1", "label": "x"}, {"item": "d2", "label": {"x": 1, "y": 3}}]',
        '[\n  {"item": "d1", "label": "x"},\n  {"item": "d2", "label": {"x": 1, "y": 3}}\n]',
        '{"d1": "x", "d2": {"x": 1, "y": 3}}',
        '{\n  "d1": "x",\n  "d2": {"x": 1, "y": 3}\n}',
    ):
        assert answers(as_labels(write("a.json", text))) == {
            (None, "d1"): {"x": 1.0},
            (None, "d2"): {"x": 0.25, "y": 0.75},
        }


def test_words_for_nothing_are_labels(lines):
    words = ["nan", "None", "NA", "null"]
    labels = as_labels(lines(*({"id": at, "label": w} for at, w in enumerate(words))), gold=True)
    assert labels.names == words


def test_labels_by_position(lines):
    labels = as_labels(lines({"label": "x"}, {"label": "y"}))
    assert labels.items is None
    assert labels.codes.tolist() == [0, 1]


def test_chosen_keys(lines, answers):
    path = lines({"doc": "d1", "topic": "x", "other": "o"})
    assert answers(as_labels(path, columns={"item": "doc", "label": "other"})) == {
        (None, "d1"): {"o": 1.0}
    }
    with pytest.raises(InputError, match="no column 'key' for the item; there are: doc, topic"):
        as_labels(path, columns={"item": "key"})


def test_broken_lines(lines):
    path = lines({"item": "d1", "label": "x"}, "{", "[1]", '{"item": "d2", "label": "x"} 3', '"x"')
    assert [text[:22] for text in problems(path)] == [
        "2: not JSON (Expecting",
        "3: found '[1]'; expect",
        "4: not JSON (Extra dat",
        "5: found '\"x\"'; expect",
    ]


def test_lines_are_not_glued(lines):
    """Two lines that would make one object together are still two broken lines."""
    assert len(problems(lines('{"item": "a"', '"label": "b"}'))) == 2
    two = '{"item": "a", "label": "x"}, {"item": "b", "label": "x"}'
    assert len(problems(lines(two))) == 1


def test_bad_values(lines):
    path = lines(
        {"item": "d1", "label": ["x"]},
        {"item": {"a": 1}, "label": "x"},
        {"item": None, "label": "x"},
        {"item": "d4", "label": {"": 1}},
    )
    assert problems(path) == [
        "1: the label is '[\"x\"]'; expected text or a number",
        "2: the item is '{\"a\": 1}'; expected text or a number",
        "2: the item is empty; expected an id",
        "3: the item is empty; expected an id",
        "4: the label is empty; expected a label",
    ]


def test_bad_weights(lines):
    path = lines(
        {"item": 1, "label": "x", "weight": -1},
        {"item": 2, "label": "x", "weight": "1"},
        {"item": 3, "label": "x"},
        {"item": 4, "label": "x", "weight": float("nan")},
        {"item": 5, "label": "x", "weight": float("inf")},
        {"item": 6, "label": "x", "weight": True},
        {"item": 7, "label": {"x": 1}, "weight": 1},
    )
    found = problems(path)
    assert [text[0] for text in found] == ["1", "2", "3", "4", "5", "6", "7"]
    assert found[0] == "1: the weight -1 is negative; expected 0 or more"
    assert found[2] == "3: the weight is missing; expected 0 or more"
    assert found[6] == "7: a label with weights of its own, and a weight beside it"


def test_bad_weights_inside_the_label(lines):
    path = lines(
        {"item": 1, "label": {"x": -1}},
        {"item": 2, "label": {"x": 1, "y": None}},
        {"item": 3, "label": {"x": "1"}},
        {"item": 4, "label": ["x"]},
    )
    assert problems(path) == [
        "1: the weight -1 of 'x' is negative; expected 0 or more",
        "2: the weight None of 'y' is not a number; expected 0 or more",
        "3: the weight '1' of 'x' is not a number; expected 0 or more",
        "4: the label is '[\"x\"]'; expected text or a number",
    ]
    zero = "the weights of this item sum to 0; expected at least one above 0"
    assert problems(lines({"item": 1, "label": {"x": 0, "y": 0}})) == [f"1: {zero}"]
