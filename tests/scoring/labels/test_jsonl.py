"""JSON lines."""

from __future__ import annotations

import json

import pytest

import roget
from roget.errors import FormatError
from roget.scoring.labels import as_labels
from support.errors import list_problems, refused


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
    return list_problems(caught.value)


def test_jsonl_objects_are_read(lines, answers):
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


def test_jsonl_numbers_are_read_as_text(lines, answers):
    labels = as_labels(
        lines({"id": 1, "label": 1}, {"id": 2, "label": "1"}, {"id": 3, "label": 1.5})
    )
    assert list(labels.names) == ["1", "1.5"]
    labels = as_labels(lines({"id": 1, "label": True}, {"id": 2, "label": 1}))
    assert list(labels.names) == ["true", "1"]


def test_jsonl_weights_inside_label_are_read(lines, answers):
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


def test_jsonl_weight_column_is_read(lines, answers):
    labels = as_labels(
        lines({"id": "d", "label": "x", "weight": 1}, {"id": "d", "label": "y", "weight": 0.5})
    )
    assert answers(labels) == {(None, "d"): {"x": 2 / 3, "y": 1 / 3}}


def test_absent_label_is_missing_in_system_and_gold(lines, answers):
    path = lines(
        {"item": "d1", "label": "x"}, {"item": "d2"}, {"item": "d3", "label": float("nan")}
    )
    assert answers(as_labels(path)) == {
        (None, "d1"): {"x": 1.0},
        (None, "d2"): {},
        (None, "d3"): {},
    }
    assert answers(as_labels(path, gold=True)) == answers(as_labels(path))


def test_empty_label_is_missing_in_system_and_gold(lines, answers):
    path = lines(
        {"item": "d1", "label": "x", "weight": 2},
        {"item": "d2", "label": "", "weight": 1},
        {"item": "d3", "label": None, "weight": None},
    )
    expected = {(None, "d1"): {"x": 1.0}, (None, "d2"): {}, (None, "d3"): {}}
    assert answers(as_labels(path)) == expected
    assert answers(as_labels(path, gold=True)) == answers(as_labels(path))
    path = lines(
        {"item": "d1", "label": {"x": 1}}, {"item": "d2", "label": ""}, {"item": "d3", "label": {}}
    )
    assert answers(as_labels(path)) == expected


def test_arrays_in_jsonl_are_refused(lines, write, answers):
    expected = [(1, "unsupported-format")]
    assert problems(lines('[["d1", "x", 1]]')) == expected
    assert problems(write("a.json", '[\n["d1", ["x"]]\n]')) == expected
    pairs = as_labels(write("a.json", '[["d1", "x"], ["d2", null]]'))
    assert answers(pairs) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {}}
    table = '{"schema": {"fields": []}, "data": [{"item": "d1", "label": "x"}]}'
    assert answers(as_labels(write("a.json", table))) == {(None, "d1"): {"x": 1.0}}
    assert problems(write("a", '\n [{"item": 1, "label": 2}')) == [(2, "unsupported-format")]
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


def test_words_for_missing_values_are_labels(lines):
    words = ["nan", "None", "NA", "null"]
    labels = as_labels(lines(*({"id": at, "label": w} for at, w in enumerate(words))), gold=True)
    assert labels.names == words


def test_jsonl_without_ids_is_read_by_position(lines):
    labels = as_labels(lines({"label": "x"}, {"label": "y"}))
    assert labels.items is None
    assert labels.codes.tolist() == [0, 1]


def test_jsonl_keys_can_be_chosen(lines, answers):
    path = lines({"doc": "d1", "topic": "x", "other": "o"})
    assert answers(as_labels(path, columns={"item": "doc", "label": "other"})) == {
        (None, "d1"): {"o": 1.0}
    }
    with refused("missing-column", "'key'"):
        as_labels(path, columns={"item": "key"})


def test_broken_json_lines_are_refused(lines):
    path = lines({"item": "d1", "label": "x"}, "{", "[1]", '{"item": "d2", "label": "x"} 3', '"x"')
    assert problems(path) == [(line, "broken-lines") for line in (2, 3, 4, 5)]


def test_broken_json_lines_are_not_joined(lines):
    """Two lines that would form one object together are two broken lines."""
    assert len(problems(lines('{"item": "a"', '"label": "b"}'))) == 2
    two = '{"item": "a", "label": "x"}, {"item": "b", "label": "x"}'
    assert len(problems(lines(two))) == 1


def test_invalid_json_values_are_refused(lines):
    path = lines(
        {"item": "d1", "label": ["x"]},
        {"item": {"a": 1}, "label": "x"},
        {"item": None, "label": "x"},
        {"item": "d4", "label": {"": 1}},
    )
    assert problems(path) == [
        (1, "broken-lines"),
        (2, "broken-lines"),
        (2, "empty-field"),
        (3, "empty-field"),
        (4, "empty-field"),
    ]


def test_invalid_json_weights_are_refused(lines):
    path = lines(
        {"item": 1, "label": "x", "weight": -1},
        {"item": 2, "label": "x", "weight": "1"},
        {"item": 3, "label": "x"},
        {"item": 4, "label": "x", "weight": float("nan")},
        {"item": 5, "label": "x", "weight": float("inf")},
        {"item": 6, "label": "x", "weight": True},
        {"item": 7, "label": {"x": 1}, "weight": 1},
    )
    assert problems(path) == [(line, "bad-weight") for line in range(1, 8)]


def test_invalid_json_weights_inside_label_are_refused(lines):
    path = lines(
        {"item": 1, "label": {"x": -1}},
        {"item": 2, "label": {"x": 1, "y": None}},
        {"item": 3, "label": {"x": "1"}},
        {"item": 4, "label": ["x"]},
    )
    assert problems(path) == [
        (1, "bad-weight"),
        (2, "bad-weight"),
        (3, "bad-weight"),
        (4, "broken-lines"),
    ]
    assert problems(lines({"item": 1, "label": {"x": 0, "y": 0}})) == [(1, "bad-weight")]


def test_lists_of_ids_that_share_no_item_are_clusters(write):
    rows = {"a": 1, "b": 1, "c": 1, "d": 2}
    for text in ('[["a", "b", "c"], ["d"]]', '{"x": ["a", "b", "c"], "y": ["d"]}'):
        labels = as_labels(write("a.json", text))
        assert labels.items == list(rows)
        assert labels.codes.tolist() == [0, 0, 0, 1]
        assert not labels.cover
    assert as_labels(write("b.json", "[[1, 2, 3], [4]]")).items == ["1", "2", "3", "4"]
    # These may be pairs (item, label) or the rows of a contingency matrix.
    assert as_labels(write("c.json", '[["a", "x"], ["b", "x"], ["c", "y"]]')).items == [
        "a",
        "b",
        "c",
    ]
    for text in ("[[3, 0, 1], [1, 4, 2]]", '[["a", "b", "c"], ["c"]]'):
        with refused("unsupported-format", "--matrix"):
            as_labels(write("d.json", text))


def test_two_unknown_keys_are_item_and_label_as_in_csv(write):
    lines = [f'{{"record_id": "r{at}", "entity_id": {at // 2}}}' for at in range(4)]
    labels = as_labels(write("a.jsonl", "\n".join(lines)))
    assert labels.items == ["r0", "r1", "r2", "r3"]
    assert labels.codes.tolist() == [0, 0, 1, 1]


ORIENTED = {"C1": "a", "C2": "a", "C3": "b", "C4": "b", "C5": "c"}
RUN = {"C1": 3, "C2": 3, "C3": 1, "C4": 2, "C5": 2}


@pytest.mark.parametrize("layout", ["index", "columns"])
def test_pandas_json_with_one_column_is_labels_and_not_weights(tmp_path, layout):
    path = tmp_path / "run.json"
    index = {item: {"k1": label} for item, label in RUN.items()}
    path.write_text(json.dumps(index if layout == "index" else {"k1": RUN}))
    assert roget.measure("ari", ORIENTED, path) == roget.measure("ari", ORIENTED, RUN)


@pytest.mark.parametrize("layout", ["index", "columns", "numbered"])
def test_columns_of_pandas_json_can_be_specified(tmp_path, layout):
    path = tmp_path / "both.json"
    columns = {"segment": ORIENTED, "k1": RUN}
    if layout == "numbered":
        lists = [[*RUN], [*ORIENTED.values()], [*RUN.values()]]
        names = ["customer", "segment", "k1"]
        columns = {
            name: {str(at): cell for at, cell in enumerate(cells)}
            for name, cells in zip(names, lists, strict=True)
        }
    if layout == "index":
        columns = {item: {"segment": ORIENTED[item], "k1": RUN[item]} for item in RUN}
    path.write_text(json.dumps(columns))
    found = roget.score(path, measures="ari", columns={"gold": "segment", "system": "k1"})
    assert found["ari"] == roget.score(ORIENTED, RUN, "ari")["ari"]
    if layout != "numbered":
        roles = {"system.label": "k1"}
        assert roget.measure("ari", ORIENTED, path, columns=roles) == found["ari"]


def test_json_that_may_be_weights_or_columns_is_refused(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({item: {"k1": label, "k2": 1} for item, label in RUN.items()}))
    with refused("ambiguous-columns", "run.json", "k1, k2"):
        roget.measure("ari", ORIENTED, path)
    weights = {item: {"x": label / 4, "y": 1 - label / 4} for item, label in RUN.items()}
    path.write_text(json.dumps(weights))
    expected = roget.measure("ari", ORIENTED, weights)
    assert roget.measure("ari", ORIENTED, path) == expected
