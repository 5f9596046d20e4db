"""The printed SQL counts cells whose scores equal those of the labels."""

from __future__ import annotations

import duckdb
import pytest

import roget
from commands import run
from roget.errors import UnknownName
from roget.scoring.labels.sql import DIALECTS, make_query
from support.errors import refused

GOLD = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z", "f": "z"}
SYSTEM = {"a": "1", "b": "1", "c": "1", "d": "2", "e": "2", "g": "2"}


def make_tables(connection, group=False):
    for name, labels in (("gold", GOLD), ("system", SYSTEM)):
        connection.execute(f"CREATE TABLE {name} (item TEXT, label TEXT, word TEXT)")
        rows = [[item, label, "uv"[i % 2]] for i, (item, label) in enumerate(labels.items())]
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_sql_cells_score_like_labels(tmp_path, dialect):
    with duckdb.connect() as connection:
        make_tables(connection)
        path = tmp_path / "cells.csv"
        connection.execute(f"COPY ({make_query(dialect)}) TO '{path}' (HEADER)")
        found = roget.score(cells=path, measures=["v", "ari"])
        expected = roget.score(GOLD, SYSTEM, ["v", "ari"])
        assert [row.value for row in found.rows] == [row.value for row in expected.rows]
        grouped = connection.sql(make_query(dialect, group="word"))
        assert grouped.columns == ["gold", "system", "count", "group"]


def test_every_sql_dialect_quotes_names():
    for dialect, mark in DIALECTS.items():
        query = make_query(dialect, "runs.gold", "runs.k-means", item="doc id")
        assert f"{mark}runs{mark}.{mark}k-means{mark}" in query
        assert f"s.{mark}doc id{mark} = g.{mark}doc id{mark}" in query
    with pytest.raises(UnknownName):
        make_query("sybase")
    with refused("invalid-option", 'a"b'):
        make_query("duckdb", 'a"b')


def test_sql_command_prints_query():
    done = run("sql", "--dialect", "spark")
    assert done.stdout == make_query("spark") + ";\n"
    assert "--cells" in done.stderr
    assert run("sql", "--dialect", "sybase").returncode == 1
