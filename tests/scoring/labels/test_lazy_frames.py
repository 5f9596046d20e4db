"""Lazy frames of every library that narwhals supports, in score, compare and agree."""

from __future__ import annotations

import importlib
import shutil
import warnings

import pytest

import roget
from support.errors import refused

ITEMS, GOLD, SYSTEM = [*"abcdefgh"], [*"xxyyzzxx"], [1, 1, 2, 2, 3, 3, 1, 2]
EXPECTED = roget.measure("ari", GOLD, SYSTEM)


def polars(data):
    return pytest.importorskip("polars").DataFrame(data).lazy()


def duckdb(data):
    connection = pytest.importorskip("duckdb").connect()
    rows = ", ".join(f"('{i}', '{x}')" for i, x in zip(*data.values(), strict=True))
    return connection.sql(f"SELECT * FROM (VALUES {rows}) t(item, label)")


def narwhals(data):
    nw = pytest.importorskip("narwhals")
    return nw.from_native(polars(data))


def ibis(data):
    made = pytest.importorskip("ibis")
    with warnings.catch_warnings():
        # Ibis uses an option that pandas 3 deprecates.
        warnings.simplefilter("ignore")
        return made.memtable(data)


def sqlframe(data):
    pytest.importorskip("sqlframe")
    session = importlib.import_module("sqlframe.duckdb").DuckDBSession()
    return session.createDataFrame([*zip(*data.values(), strict=True)], [*data])


def pyspark(data):
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    sql = importlib.import_module("pyspark.sql")
    session = sql.SparkSession.builder.master("local[1]").getOrCreate()
    return session.createDataFrame([*zip(*data.values(), strict=True)], [*data])


MAKERS = {one.__name__: one for one in (polars, duckdb, narwhals, ibis, sqlframe)} | {
    "pyspark": pyspark
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_command_accepts_lazy_frames(name):
    make = MAKERS[name]
    gold = make({"item": ITEMS, "label": GOLD})
    system = make({"item": ITEMS, "label": [str(label) for label in SYSTEM]})
    assert roget.score(gold, system, "ari")["ari"] == pytest.approx(EXPECTED)
    found = roget.compare(gold, {"one": system, "two": system}, "ari", ci=5)
    assert found.rows[0].value == pytest.approx(EXPECTED)
    agreed = roget.agree({"one": system, "two": gold}, "ari")
    assert agreed.matrix("ari")[0, 1] == pytest.approx(EXPECTED)


def test_errors_of_frame_library_are_reported():
    frame = polars({"item": ITEMS, "label": GOLD})
    polars_module = pytest.importorskip("polars")
    broken = frame.with_columns(polars_module.col("label").cast(polars_module.Int64))
    with refused("unsupported-format", "polars"):
        roget.score(broken, dict.fromkeys(ITEMS, 1), "ari")
