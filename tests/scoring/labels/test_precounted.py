"""Precounted cells, lazy frames, and Series with an index."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roget
from roget.errors import FormatError, InputError
from roget.scoring.labels import precounted as labels_given
from support.errors import list_problems, notice, refused

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

GOLD = ["a", "a", "b", "b", "b", "c", "c", "a"]
SYSTEM = [1, 1, 2, 2, 1, 3, 2, 3]
GROUP = ["g", "g", "g", "h", "h", "h", "h", "g"]


@pytest.fixture
def cells(tmp_path):
    """A function that writes the cells of the labels above as a table."""

    def writer(name, *, grouped):
        frame = pandas.DataFrame({"gold": GOLD, "system": SYSTEM, "group": GROUP})
        by = ["gold", "system", *(["group"] if grouped else [])]
        counted = frame.groupby(by).size().rename("count").reset_index()
        path = tmp_path / name
        if path.suffix == ".csv":
            counted.to_csv(path, index=False)
        elif path.suffix == ".jsonl":
            path.write_text(counted.to_json(orient="records", lines=True))
        else:
            counted.to_parquet(path)
        return path

    return writer


@pytest.mark.parametrize("name", ["cells.csv", "cells.jsonl", "cells.parquet"])
def test_cells_of_a_file_are_scored_like_labels(cells, name):
    table = roget.score(cells=cells(name, grouped=False))
    expected = roget.score(GOLD, SYSTEM)
    assert [row.value for row in table.rows] == pytest.approx([r.value for r in expected.rows])
    assert (table.items, table.classes, table.clusters) == (8, 3, 3)
    grouped = roget.score(cells=cells(name, grouped=True))
    items = {(group, n): label for n, (group, label) in enumerate(zip(GROUP, GOLD, strict=True))}
    system = {(group, n): label for n, (group, label) in enumerate(zip(GROUP, SYSTEM, strict=True))}
    assert [row.value for row in grouped.rows] == pytest.approx(
        [row.value for row in roget.score(items, system).rows]
    )
    assert grouped.groups == 2


def test_score_command_reads_cells(cells):
    from typer.testing import CliRunner

    from roget.cli import app

    path = str(cells("cells.parquet", grouped=False))
    done = CliRunner().invoke(app, ["score", "--cells", path, "--format", "json"])
    assert json.loads(done.stdout)["items"] == 8
    with pytest.raises(InputError):
        roget.score()


def test_invalid_cells_are_refused(write):
    path = write("a.csv", "gold,system,count\na,x,-1\nb,y,many\n,y,1\n")
    with pytest.raises(FormatError) as caught:
        roget.score(cells=path)
    assert list_problems(caught.value) == [
        (2, "bad-count"),
        (3, "bad-count"),
    ]
    table = roget.score(cells=write("d.csv", "gold,system,count\na,x,2\nb,y,3\n,y,4\n"))
    assert table.items == 5
    notice(table.warnings, "missing-label", "4 items", "d.csv")
    with refused("missing-column", "count"):
        roget.score(cells=write("b.csv", "gold,system\na,x\n"))
    with pytest.raises(InputError):
        roget.score([1], [1], cells=path)
    with refused("empty-input", "c.csv"):
        roget.score(cells=write("c.csv", "gold,system,count\na,x,0\n"))


def test_cells_without_header_and_with_missing_labels_are_read(write):
    path = write("a.tsv", "a\tx\t3\na\t\t2\nb\ty\t2\n")
    table = roget.score(cells=path, missing="singletons")
    notice(table.warnings, "missing-items", "2 of 7")
    assert table["v", "ml"] == pytest.approx(roget.measure("v", list("aaaaabb"), list("xxx12yy")))
    with refused("missing-items", "2 items"):
        roget.score(cells=path, missing="error")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=30))
def test_from_cells_accepts_any_labels_in_any_order(pairs):
    gold, system = zip(*pairs, strict=True)
    table = roget.Contingency.from_cells(gold, system, np.ones(len(pairs), dtype=int))
    whole = roget.contingency(list(gold), list(system))
    assert sorted(table.counts) == sorted(whole.counts)
    for name in ("v", "ari", "b3-f"):
        assert table.measure(name) == pytest.approx(whole.measure(name), abs=1e-12)
    assert {table.class_name(row) for row in range(table.shape[0])} == set(gold)


def test_from_cells_refuses_invalid_counts():
    with pytest.raises(InputError):
        roget.Contingency.from_cells(["a"], ["x"], [-1])
    with pytest.raises(InputError):
        roget.Contingency.from_cells(["a"], ["x"], [1, 2])
    with pytest.raises(InputError):
        roget.Contingency.from_cells(["a"], ["x"], [0])


def relation(columns):
    arrays = {name: np.array(values) for name, values in columns.items()}
    names = ", ".join(f"unnest(${name}) AS {name}" for name in columns)
    return duckdb.sql(f"SELECT {names}", params={k: v.tolist() for k, v in arrays.items()})


FRAMES = {
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "arrow": pyarrow.table,
    "lazy": polars.LazyFrame,
    "duckdb": relation,
    "dask": lambda columns: dask_frame(columns),
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def dask_frame(columns):
    dask = pytest.importorskip("dask.dataframe")
    return dask.from_pandas(pandas.DataFrame(columns), npartitions=2)


@frames
def test_score_reads_both_sides_of_one_frame(frame):
    expected = [row.value for row in roget.score(GOLD, SYSTEM).rows]
    table = roget.score(frame({"class": GOLD, "cluster": SYSTEM}))
    assert [row.value for row in table.rows] == pytest.approx(expected)
    table = roget.score(frame({"a": GOLD, "b": SYSTEM}), columns={"gold": "a", "system": "b"})
    assert [row.value for row in table.rows] == pytest.approx(expected)
    named = frame({"id": list(range(8)), "gold": GOLD, "system": SYSTEM, "group": GROUP})
    assert roget.score(named).groups == 2
    with refused("duplicate-item"):
        roget.score(frame({"id": [1] * 8, "gold": GOLD, "system": SYSTEM}))


@frames
def test_score_joins_a_frame_for_each_side(frame):
    gold = frame({"id": list(range(8)), "label": GOLD, "text": ["t"] * 8})
    system = frame({"id": list(range(7, -1, -1)), "cluster": SYSTEM[::-1]})
    expected = [row.value for row in roget.score(GOLD, SYSTEM).rows]
    assert [row.value for row in roget.score(gold, system).rows] == pytest.approx(expected)


@frames
def test_cells_of_a_frame_are_scored(frame):
    table = frame({"gold": ["a", "a", "b"], "system": ["x", "y", "y"], "n": [2, 1, 3]})
    assert roget.score(cells=table)["v", "ml"] == pytest.approx(
        roget.measure("v", list("aaabbb"), list("xxyyyy"))
    )


def test_series_are_joined_by_index():
    gold = pandas.Series(GOLD, index=list("stuvwxyz"))
    system = pandas.Series(SYSTEM, index=list("stuvwxyz"))
    expected = roget.measure("v", GOLD, SYSTEM)
    assert roget.measure("v", gold, system.sample(frac=1, random_state=1)) == expected
    assert roget.measure("v", gold, system) == expected
    with refused("index-mismatch", "2"):
        roget.measure("v", gold, system.rename({"s": "other"}))
    with refused("index-mismatch", "'s'"):
        roget.measure("v", gold, system.rename({"t": "s"}))
    assert roget.measure("v", gold, system.reset_index(drop=True).to_numpy()) == expected


def test_fractional_number_of_bootstrap_samples_is_refused():
    with pytest.raises(InputError):
        roget.score(GOLD, SYSTEM, ci=0.95)


def lazily(kind, frame):
    """A frame as another library has it."""
    if kind == "dask":
        frames = pytest.importorskip("dask.dataframe")
        return frames.from_pandas(frame, npartitions=2)
    if kind == "duckdb":
        return duckdb.from_df(frame)
    if kind == "pandas":
        return frame
    return polars.from_pandas(frame).lazy()


@pytest.mark.parametrize("kind", ["polars", "duckdb", "dask", "pandas"])
@pytest.mark.parametrize("columns", [["item", "label"], ["item", "label", "group"]])
def test_lazy_frames_are_joined_in_their_own_engine(kind, columns, monkeypatch):
    """Only cells are fetched; the scores equal those of mappings."""
    gold = pandas.DataFrame({"item": [*"abcdefgh"], "label": GOLD, "group": GROUP})[columns]
    order = [7, 2, 5, 0, 3, 6, 1]
    labels = [SYSTEM[row] for row in order]
    system = gold.iloc[order].assign(label=labels).reset_index(drop=True)
    if "group" not in columns:
        system = pandas.concat([system, pandas.DataFrame({"item": ["z"], "label": [1]})])
    expected = roget.score(gold, system)
    monkeypatch.setattr(labels_given, "LARGE", 0)
    for name in ("collect_side", "match_index"):
        monkeypatch.delattr(labels_given, name)
    table = roget.score(lazily(kind, gold), lazily(kind, system))
    assert [row.value for row in table.rows] == pytest.approx([r.value for r in expected.rows])
    assert table.warnings[:2] == expected.warnings[:2]
    assert table.items == 8


@pytest.mark.parametrize("rows", [[("a", 1), ("a", 2)], [("a", 1), (None, 2)], [("z", 1)]])
def test_lazy_frames_report_same_errors_as_eager_ones(rows):
    gold = polars.DataFrame({"item": ["a", "b"], "label": ["x", "y"]}).lazy()
    system = polars.DataFrame(rows, schema={"item": polars.String, "label": int}, orient="row")
    with pytest.raises(InputError) as lazy:
        roget.score(gold, system.lazy())
    with pytest.raises(InputError) as eager:
        roget.score(gold.collect(), system)
    assert str(lazy.value) == str(eager.value)


@pytest.mark.parametrize("item", ["", None])
def test_lazy_items_without_id_are_refused(item):
    frame = polars.DataFrame({"item": ["a", item, "b"], "gold": [*"xxy"], "system": [1, 1, 2]})
    with refused("duplicate-item", "1"):
        roget.score(frame.lazy())
    gold = frame.rename({"gold": "label"}).drop("system")
    with refused("empty-field"):
        roget.score(gold.lazy(), gold.lazy())


def test_zero_weight_items_of_lazy_frames_are_not_scored():
    frame = polars.DataFrame({"gold": [*"xxy"], "system": [2, 1, 2], "weight": [0, 1, 2]})
    assert roget.score(frame.lazy())["v"] == 1
    with refused("bad-weight", "0"):
        roget.score(frame.with_columns(weight=0).lazy())


def test_duplicate_role_columns_of_frames_are_refused():
    frame = pandas.DataFrame([["a", "x", "y"]], columns=["item", "label", "label"])
    for table in (frame, pyarrow.Table.from_arrays([[*"a"], [*"x"], [*"y"]], [*frame.columns])):
        with refused("duplicate-name"):
            roget.score(table, table)


def test_duplicate_unused_columns_of_frames_are_ignored():
    parts = ["ab", "xy", "no", "pq"]
    table = pyarrow.Table.from_arrays([[*one] for one in parts], ["item", "label", "z", "z"])
    assert roget.score(table, table)["v"] == 1


def test_singleton_noise_of_lazy_frames_shares_no_cluster():
    gold = polars.DataFrame({"item": [*"abcd"], "label": [*"xxyy"]}).lazy()
    system = polars.DataFrame({"item": [*"abcdef"], "label": [1, 1, 2, -1, -1, 2]}).lazy()
    result = roget.score(gold, system, "v", noise=-1).warnings
    assert any(text.startswith("1 dropped item shares a cluster") for text in result)
