"""Parquet files, through DuckDB."""

from __future__ import annotations

import gzip
import sys

import duckdb
import pytest

from roget.scoring.labels import as_labels
from support.errors import refused


@pytest.fixture
def parquet(tmp_path):
    """A function that writes the rows of a query to a Parquet file."""

    def writer(query):
        path = tmp_path / "a.parquet"
        duckdb.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        return path

    return writer


def test_parquet_columns_are_read(parquet, answers):
    path = parquet("SELECT * FROM (VALUES ('d1', 'x', 't'), ('d2', NULL, 't')) v(id, topic, text)")
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}, (None, "d2"): {}}
    assert answers(as_labels(path, gold=True)) == answers(as_labels(path))


def test_parquet_weights_and_groups_are_read(parquet, answers):
    path = parquet(
        "SELECT * FROM (VALUES (1, 'x', 1, 'w'), (1, 'y', 3, 'w'), (1, 'x', 1, 'v')) "
        'v(item, label, weight, "group")'
    )
    assert answers(as_labels(path)) == {
        ("w", "1"): {"x": 0.25, "y": 0.75},
        ("v", "1"): {"x": 1.0},
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("7", "7"),
        ("7::UTINYINT", "7"),
        ("7::HUGEINT", "7"),
        ("0.5::DOUBLE", "0.5"),
        ("0.50::DECIMAL(4, 2)", "0.50"),
        ("true", "true"),
        ("DATE '2020-01-02'", "2020-01-02"),
        ("'x'::ENUM ('x', 'y')", "x"),
    ],
)
def test_parquet_labels_of_other_types_are_read_as_text(parquet, answers, value, text):
    path = parquet(f"SELECT 1 AS item, {value} AS label")
    assert answers(as_labels(path)) == {(None, "1"): {text: 1.0}}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("['x', 'y']", r"VARCHAR\[\]"),
        ("{'a': 1}", r"STRUCT\(.*"),
        ("MAP {'a': 1}", r"MAP\(VARCHAR, INTEGER\)"),
    ],
)
def test_nested_parquet_labels_are_refused(parquet, value, kind):
    path = parquet(f"SELECT 1 AS item, {value} AS topic")
    with refused("broken-lines"):
        as_labels(path)


def test_empty_parquet_label_is_missing_answer(parquet, answers):
    path = parquet("SELECT * FROM (VALUES (1, 'x'), (2, ''), (3, NULL), (4, 'y')) v(item, label)")
    assert [*answers(as_labels(path)).values()] == [{"x": 1.0}, {}, {}, {"y": 1.0}]
    assert answers(as_labels(path, gold=True)) == answers(as_labels(path))


def test_parquet_columns_can_be_chosen(parquet, answers):
    path = parquet("""SELECT 'a' AS "my ""id", 'b' AS x, 'c' AS y""")
    labels = as_labels(path, columns={"item": 'my "id', "label": "y"})
    assert answers(labels) == {(None, "a"): {"c": 1.0}}
    with refused("missing-column"):
        as_labels(path, columns={"item": "z", "label": "y"})


def test_negative_parquet_weight_is_refused(parquet):
    path = parquet("SELECT 'd' AS item, 'x' AS label, -1.5 AS weight")
    with refused("bad-weight", "a.parquet:1"):
        as_labels(path)


def test_parquet_without_rows_is_refused(parquet):
    with refused("empty-input"):
        as_labels(parquet("SELECT 'd' AS item, 'x' AS label LIMIT 0"))


def test_invalid_parquet_files_are_refused(write, tmp_path):
    with refused("broken-archive", "b.parquet"):
        as_labels(write("b.parquet", "item,label\n"))
    with refused("broken-archive", "b.parquet"):
        as_labels(write("b.parquet", ""))
    with refused("file-not-found", "c.parquet"):
        as_labels(tmp_path / "c.parquet")
    with refused("unsupported-format"):
        as_labels(write("d.parquet.gz", gzip.compress(b"x")))


def test_parquet_is_not_read_from_standard_input(monkeypatch):
    with refused("unsupported-format"):
        as_labels("-", labels="parquet")


def test_duckdb_is_loaded_only_for_parquet(tmp_path):
    import subprocess

    code = "import sys, roget.scoring.labels; sys.exit('duckdb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
