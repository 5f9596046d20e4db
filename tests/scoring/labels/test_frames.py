"""Columns of pandas, polars and pyarrow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roget
from roget.errors import InputError
from roget.scoring.labels import as_labels
from roget.scoring.labels.frames import factorize_column
from support.errors import refused

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

MAKERS = {
    "pandas": pandas.Series,
    "pandas object": lambda values: pandas.Series(values, dtype=object),
    "pandas category": lambda values: pandas.Series(values, dtype="category"),
    "pandas index": pandas.Index,
    "polars": polars.Series,
    "arrow": pyarrow.array,
    "arrow chunks": lambda values: pyarrow.chunked_array([values[:2], values[2:]]),
    "arrow dictionary": lambda values: pyarrow.array(values).dictionary_encode(),
}
columns = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def spelled(factors):
    names = factors.names
    if names is None:
        names = range(factors.offset, factors.offset + factors.n_labels)
    return [None if code < 0 else names[code] for code in factors.codes.tolist()]


@columns
@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "b", "c"],
        ["b", None, "b", "a"],
        [3, 1, 3, 1],
        [2**60, 5, -7, 5],
        [1.5, 2.5, 1.5, 0.0],
        [True, False, True, True],
    ],
)
def test_columns_of_frames_are_coded(make, values):
    factors = factorize_column(make(values))
    assert spelled(factors) == values
    assert factors.complete == (None not in values)


@columns
def test_column_without_any_label_is_incomplete(make):
    factors = factorize_column(make([None, None, None]))
    assert spelled(factors) == [None] * 3
    assert not factors.complete


@settings(max_examples=25)
@given(st.lists(st.text(max_size=2) | st.none(), min_size=1, max_size=12))
def test_text_columns_are_coded_like_lists(values):
    for make in (polars.Series, pyarrow.array):
        factors = factorize_column(make(values))
        assert spelled(factors) == values


@pytest.mark.parametrize(
    "column",
    [
        pandas.Series([1, 2, None], dtype="Int64"),
        polars.Series([1, 2, None]),
        pyarrow.array([1, 2, None]),
    ],
)
def test_integer_columns_with_gaps_stay_integers(column):
    assert spelled(factorize_column(column)) == [1, 2, None]


def test_integer_columns_with_gaps_keep_all_digits():
    big = 2**60 + 1
    for column in (polars.Series([big, None]), pyarrow.array([big, None])):
        assert spelled(factorize_column(column)) == [big, None]


def test_numeric_columns_are_not_copied():
    series = pandas.Series([3, 1, 2])
    assert np.shares_memory(factorize_column(series).codes, series.to_numpy())


def test_pandas_index_does_not_reorder_labels():
    series = pandas.Series(["a", "b"], index=[1, 0])
    labels = as_labels(series)
    assert labels.items is None
    assert [labels.label(code) for code in labels.codes] == ["a", "b"]


def test_polars_categories_are_coded():
    for kind in (polars.Categorical, polars.Enum(["z", "a", "b"])):
        column = polars.Series(["a", None, "b", "a"], dtype=kind)
        assert spelled(factorize_column(column)) == ["a", None, "b", "a"]


def test_arrow_dictionary_with_gaps_and_repeats_is_coded():
    indices = pyarrow.array([0, 1, 2, None, 3], type=pyarrow.uint8())
    column = pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(["a", None, "b", "a"]))
    factors = factorize_column(column)
    assert spelled(factors) == ["a", None, "b", None, "a"]
    assert factors.n_labels == 2


def test_arrow_chunks_with_different_dictionaries_are_coded():
    one = pyarrow.array(["a", "b"]).dictionary_encode()
    two = pyarrow.array(["c", "a"]).dictionary_encode()
    assert spelled(factorize_column(pyarrow.chunked_array([one, two]))) == ["a", "b", "c", "a"]


def test_date_columns_are_coded():
    stamps = pandas.Series(pandas.to_datetime(["2020-01-01", None, "2020-01-01"]))
    assert factorize_column(stamps).codes.tolist() == [0, -1, 0]


def test_missing_values_in_object_columns_are_recognised():
    values = ["a", pandas.NA, pandas.NaT, None, 1]
    assert as_labels(values).codes.tolist() == [0, -1, -1, -1, 1]
    assert as_labels(pandas.Series(values, dtype=object)).codes.tolist() == [0, -1, -1, -1, 1]


def test_tuple_columns_are_coded_and_list_columns_refused():
    assert factorize_column(pandas.Series([(1, 2), (1, 3), (1, 2)])).codes.tolist() == [0, 1, 0]
    for column in (polars.Series([[1], [2]]), pyarrow.array([[1], [2]]), pandas.Series([[1], [2]])):
        with refused("broken-lines", "0"):
            factorize_column(column)


FRAMES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "arrow": pyarrow.table,
    "arrow batch": pyarrow.RecordBatch.from_pydict,
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@pytest.mark.parametrize(
    "value", [polars.LazyFrame({"label": ["a"]}), polars.col("label"), pyarrow.scalar("a")]
)
def test_lazy_expressions_and_scalars_are_refused_as_labels(value):
    with refused("unsupported-format"):
        as_labels(value)


@frames
def test_frames_are_read_as_labels(frame, answers):
    table = frame({"id": ["d1", "d2"], "topic": ["x", None]})
    assert answers(as_labels(table)) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {}}
    assert as_labels(table, gold=True).codes.tolist() == [0, -1]


@frames
def test_weighted_frames_are_read(frame, answers):
    table = frame(
        {
            "item": [1, 1, 2],
            "label": ["x", "y", "x"],
            "weight": [1.0, 3.0, 2.5],
            "group": ["w", "w", "v"],
        }
    )
    assert answers(as_labels(table)) == {
        ("w", "1"): {"x": 0.25, "y": 0.75},
        ("v", "2"): {"x": 1.0},
    }


@frames
def test_columns_of_frames_can_be_chosen(frame, answers):
    table = frame({"a": [5, 6], "b": [7, 7], "c": ["k", "l"]})
    labels = as_labels(table, columns={"item": "c", "label": "b"})
    assert answers(labels) == {(None, "k"): {"7": 1.0}, (None, "l"): {"7": 1.0}}
    with refused("missing-column", "'d'"):
        as_labels(table, columns={"item": "d", "label": "b"})


@frames
def test_invalid_rows_of_frames_are_listed(frame):
    table = frame({"item": ["a", None], "label": ["x", "y"], "weight": [-1.5, None]})
    with pytest.raises(InputError) as caught:
        as_labels(table, name="table")
    assert caught.value.problems == (
        "table:1: the weight -1.5 is negative; expected 0 or more",
        "table:2: the item is empty; expected an id",
        "table:2: the weight is missing; expected 0 or more",
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_two_columns_with_unknown_names_are_items_and_labels_as_in_files(library, tmp_path):
    make = pytest.importorskip(library).DataFrame
    keys = ["r1", "r2", "r3", "r4"]
    gold = make({"record_key": keys, "entity_key": [10, 10, 20, 20]})
    system = make({"record_key": keys[::-1], "found": [9, 9, 9, 7]})
    table = roget.score(gold, system)
    paths = [str(tmp_path / name) for name in ("gold.csv", "system.csv")]
    for frame, path in zip((gold, system), paths, strict=True):
        if library == "pandas":
            frame.to_csv(path, index=False)
        else:
            frame.write_csv(path)
    assert table.flat() == roget.score(*paths).flat()
    with refused("ambiguous-columns", "a, b, c"):
        roget.score(make({"a": [1, 2], "b": [1, 2], "c": [1, 2]}), system)
    with refused("ambiguous-columns", "kmeans", "leiden"):
        roget.score(gold, make({"kmeans": [1, 1, 2, 2], "leiden": [1, 2, 3, 4]}))


def test_index_column_that_pandas_writes_is_not_the_item_if_another_column_is(tmp_path):
    pandas = pytest.importorskip("pandas")
    documents = ["d3", "d1", "d2", "d4"]
    gold = pandas.DataFrame({"doc": documents, "topic": list("aabb")})
    system = gold.assign(kmeans=[1, 1, 1, 2])[["doc", "kmeans"]].sample(frac=1, random_state=0)
    paths = [str(tmp_path / name) for name in ("gold.csv", "system.csv")]
    for frame, path in zip((gold, system.reset_index(drop=True)), paths, strict=True):
        frame.to_csv(path)
    assert roget.score(*paths).flat() == roget.score(gold, system).flat()
    other = tmp_path / "other.csv"
    gold.rename(columns={"doc": "name", "topic": "species"}).to_csv(other)
    with refused("ambiguous-columns", f"{other}: ", "--columns gold.item=name,gold.label=species"):
        roget.score(other, paths[1])
    columns = {"gold.item": "name", "gold.label": "species"}
    assert roget.score(other, paths[1], columns=columns).flat() == roget.score(*paths).flat()


INDEXED = pandas.DataFrame(
    {"class": list("aabbcc"), "km": [0, 0, 1, 1, 2, 1], "other": [0, 1, 0, 1, 0, 1]},
    index=pandas.Index(["d1", "d2", "d3", "d4", "d5", "d6"], name="customer"),
)
MIXED = INDEXED.iloc[[3, 0, 5, 1, 4, 2]]
EXPECTED = roget.measure("ari", INDEXED["class"].to_numpy(), INDEXED["km"].to_numpy())


@pytest.mark.parametrize(
    "system",
    [
        MIXED[["km"]],
        MIXED["km"],
        MIXED["km"].to_dict(),
        MIXED[["km"]].rename_axis("item").reset_index(),
        INDEXED["km"].to_numpy(),
    ],
    ids=["frame", "series", "mapping", "id column", "array"],
)
def test_frames_without_an_item_column_are_joined_by_index(system):
    assert roget.measure("ari", INDEXED[["class"]], system) == EXPECTED


def test_requested_columns_of_frames_are_joined_by_index():
    columns = {"gold.label": "class", "system.label": "km"}
    assert roget.measure("ari", INDEXED, MIXED, columns=columns) == EXPECTED


@pytest.mark.parametrize("system", [["km"], "km"], ids=["frame", "series"])
def test_frames_whose_index_differs_are_refused(system):
    with pytest.raises(InputError) as caught:
        roget.measure("ari", INDEXED[["class"]], MIXED.reset_index(drop=True)[system])
    assert caught.value.code == "index-mismatch"


@pytest.mark.parametrize("gold", [INDEXED[["class"]], INDEXED["class"].to_dict()])
def test_comparisons_join_the_columns_of_a_frame_by_index(gold):
    rows = roget.compare(gold, MIXED[["km", "other"]], "ari").rows
    assert {row.system: row.value for row in rows}["km"] == EXPECTED


def test_agreement_joins_frames_by_index():
    matrix = roget.agree({"a": INDEXED[["km"]], "b": MIXED[["km"]]}, "ari").matrix()
    assert matrix[0, 1] == 1


def test_pandas_indices_are_labels():
    gold, system = pandas.Index(["x", "x", "y", "y"]), pandas.Index([1, 1, 2, 1])
    expected = roget.measure("ari", gold.tolist(), system.tolist())
    assert roget.measure("ari", gold, system) == expected
    assert roget.measure("ari", gold, system.to_series()) == expected


def test_tables_from_series_are_joined_by_index():
    gold = pandas.Series(["x", "x", "y"], index=["a", "b", "c"])
    system = pandas.Series([1, 2, 1], index=["c", "a", "b"])
    table = roget.Contingency.from_labels(gold, system)
    assert table.counts.tolist() == [1, 1, 1]
    assert table.measure("ari") == roget.measure("ari", gold, system)


def test_errors_suggest_only_a_first_column_as_the_item():
    frame = INDEXED.reset_index(drop=True)
    with pytest.raises(InputError) as caught:
        roget.measure("ari", frame, frame, columns={"label": "class"})
    assert caught.value.code == "ambiguous-columns"
    assert "km'" not in str(caught.value).partition("e.g.")[2]
