"""Files of pairs: every format, column choice and kind of damage."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roget.core.io.pairs import SUM, check, explain_errors, kind, scan
from roget.core.io.table import Table, open_table
from roget.errors import MAX_PROBLEMS, FormatError
from support import zstd
from support.errors import refused

Rows = list[tuple[str, str, float]]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def read(connection: duckdb.DuckDBPyConnection, path: Path, *args: Any, **kw: Any) -> Rows:
    with open_table(path, *args) as table, explain_errors(connection, table):
        return connection.execute(scan(connection, table, **kw)).fetchall()


def kind_of(connection: duckdb.DuckDBPyConnection, path: Path) -> str:
    with open_table(path) as table:
        return kind(connection, scan(connection, table))


def problems(connection: duckdb.DuckDBPyConnection, path: Path, *args: Any) -> tuple[str, ...]:
    with pytest.raises(FormatError) as caught:
        read(connection, path, *args)
    return caught.value.problems


def as_tsv(rows: list[list[Any]]) -> bytes:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()


def as_csv(rows: list[list[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def as_jsonl(rows: list[list[Any]]) -> bytes:
    names = ["word", "context", "count"]
    return "".join(json.dumps(dict(zip(names, row, strict=False))) + "\n" for row in rows).encode()


WRITERS: dict[str, Callable[[list[list[Any]]], bytes]] = {
    ".tsv": as_tsv,
    ".csv": as_csv,
    ".jsonl": as_jsonl,
}
PLAIN = [["milk", "drink", 3], ["café", "in, of", 1], ["milk", "drink", 2], ["NULL", "nan", 4]]


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize("suffix", WRITERS)
def test_text_formats_are_read(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, suffix: str, packed: str
) -> None:
    data = WRITERS[suffix](PLAIN)
    pack = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}[packed]
    path = tmp_path / f"odd [name]*{suffix}{packed}"
    path.write_bytes(pack(data))
    assert sorted(read(connection, path)) == sorted(map(tuple, PLAIN))
    assert kind_of(connection, path) == "BIGINT"


def write_parquet(connection: duckdb.DuckDBPyConnection, path: Path, select: str) -> Path:
    connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


def test_parquet_types_are_converted(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    path = write_parquet(
        connection,
        tmp_path / "a.parquet",
        "SELECT 7 AS user, DATE '2020-01-02' AS day, true AS yes, 2.0::FLOAT AS n,"
        " encode('wörd') AS raw, 1.5::DECIMAL(5,2) AS part, 3::UTINYINT AS small",
    )
    assert read(connection, path, ["user", "day"]) == [("7", "2020-01-02", 1)]
    assert read(connection, path, ["yes", "raw", "n"]) == [("true", "wörd", 2)]
    assert read(connection, path, ["1", 2, "part"]) == [("7", "2020-01-02", 1.5)]
    assert read(connection, path, ["1", "2", "small"]) == [("7", "2020-01-02", 3)]
    with refused("ambiguous-columns", "--columns word=user,context=day,count=n"):
        read(connection, path)


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("a\tx\nb\ty\n", None, [("a", "x", 1), ("b", "y", 1)]),
        ("a\tx\t2\nb\ty\t3\n", None, [("a", "x", 2), ("b", "y", 3)]),
        ("a\tx\tno\nb\ty\t3\n", None, [("b", "y", 3)]),
        ("a\tx\tno\nb\ty\tno\n", [1, 2], [("a", "x", 1), ("b", "y", 1)]),
        ("Context\tn\tWord\nx\t2\ta\n", None, [("a", "x", 2)]),
        ("word\tcontext\tscore\na\tx\t2\n", None, [("a", "x", 1)]),
        ("word\tcontext\tfrequency\na\tx\t2\n", None, [("a", "x", 2)]),
        ("user\titem\trating\nu\ti\t5\n", ["user", "item"], [("u", "i", 1)]),
        ("user\titem\trating\nu\ti\t5\n", ["item", "user", "rating"], [("i", "u", 5)]),
        ("user\titem\trating\nu\ti\t5\n", ["2", "1", "3"], [("i", "u", 5)]),
        ("a\tx\tz\t5\n", [2, 3], [("x", "z", 1)]),
        ("2\t1\t9\nb\ty\t3\n", ["2", "1"], [("1", "2", 1), ("y", "b", 1)]),
        ("a\tx\t2\r\nb\ty\t3\r\n", None, [("a", "x", 2), ("b", "y", 3)]),
        ("\ufeffa\tx\t2\n\nb\ty\t0\n", None, [("a", "x", 2)]),
        ('a\t"x\t2', None, [("a", '"x', 2)]),
        ("a b\t x\t2\n", None, [("a b", " x", 2)]),
        ("a\tx\t1e3\nb\ty\t2.0\n", None, [("a", "x", 1000), ("b", "y", 2)]),
        ("a\tx\t0.5\nb\ty\t2\n", None, [("a", "x", 0.5), ("b", "y", 2.0)]),
    ],
)
def test_columns_and_headers_are_recognised(
    tmp_path: Path,
    connection: duckdb.DuckDBPyConnection,
    text: str,
    columns: list[str | int] | None,
    expected: Rows,
) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(text.encode())
    assert sorted(read(connection, path, columns)) == sorted(expected)


def test_csv_with_semicolons_quotes_and_line_endings_is_read(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "a.csv"
    path.write_text('word;context\n"a;b";"x\ny"\n', newline="")
    assert read(connection, path) == [("a;b", "x\ny", 1)]


def test_rows_option_reads_first_rows_only(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(as_tsv([["w", f"c{i}", 1] for i in range(5000)]))
    assert read(connection, path, rows=3) == [("w", f"c{i}", 1) for i in range(3)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b\ty", "2 fields; expected 3"),
        ("b\ty\t1\tz", "4 fields; expected 3"),
        ("\ty\t1", "the word is empty"),
        ("b\t\t1", "the context is empty"),
        ("b\ty\t", "the count is missing"),
        ("b\ty\tmany", "the count is 'many'"),
        ("b\ty\tnan", "the count is 'nan'"),
        ("b\ty\tinf", "the count is 'inf'"),
        ("b\ty\t-1", "the count is '-1'"),
        ("b\ty\t5e18", "the count is '5e18'"),
        ("b\ty\t1,5", "the count is '1,5'"),
    ],
)
def test_broken_tsv_line_is_located(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, line: str, message: str
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"a\tx\t1\n\n{line}\nc\tz\t1\n")
    (problem,) = problems(connection, path)
    assert problem.startswith(f"{path}:3: ")
    assert message in problem


def test_number_of_listed_problems_is_limited(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("a\tx\t1\n" + "b\ty\t-2\n" * 100)
    found = problems(connection, path)
    assert len(found) == MAX_PROBLEMS
    assert found[-1].startswith(f"{path}:{MAX_PROBLEMS + 1}: ")


def test_byte_that_is_not_utf_8_is_located(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"a\tx\t1\n" * 30_000 + b"caf\xe9\ty\t1\n")
    (problem,) = problems(connection, path)
    assert problem.startswith(f"{path}:30001: byte 0xe9 is not UTF-8 text")


def test_unclosed_quote_is_located(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    path = tmp_path / "a.csv"
    path.write_text('a,x,1\nb,"y,1\nc,z,1\n')
    (problem,) = problems(connection, path)
    assert problem.startswith(f"{path}:2: ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"word": "a"', "not JSON"),
        ("[1, 2]", "found '[1, 2]'; expected an object"),
        ('{"word": null, "context": "x", "count": 1}', "the word is empty"),
        ('{"context": "x", "count": 1}', "the word is empty"),
        ('{"word": "", "context": "x", "count": 1}', "the word is empty"),
        ('{"word": {"a": 1}, "context": "x", "count": 1}', "the word is '{\"a\": 1}'"),
        ('{"word": "a", "context": "x"}', "the count is missing"),
        ('{"word": "a", "context": "x", "count": true}', "the count is True"),
        ('{"word": "a", "context": "x", "count": -1}', "the count is -1"),
    ],
)
def test_broken_json_line_is_located(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, line: str, message: str
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"word": 1, "context": true, "count": 2}}\n\n{line}\n')
    (problem,) = problems(connection, path)
    assert problem.startswith(f"{path}:3: ")
    assert message in problem
    path.write_text('{"word": 1, "context": true, "count": 2}\n')
    assert read(connection, path) == [("1", "true", 2)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("('a', NULL, 1)", "the context is empty"),
        ("('', 'x', 1)", "the word is empty"),
        ("('a', 'x', NULL)", "the count is missing"),
        ("('a', 'x', -3)", "the count is -3"),
        ("('a', 'x', 'nan'::DOUBLE)", "the count is nan"),
        ("('a', 'x', 4611686018427387904)", "the count is 4"),
    ],
)
def test_broken_parquet_row_is_located(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, values: str, message: str
) -> None:
    select = f"FROM (VALUES ('a', 'x', 1), {values}) t(word, context, count)"
    path = write_parquet(connection, tmp_path / "a.parquet", select)
    (problem,) = problems(connection, path)
    assert problem.startswith(f"{path}, row 2: {message}")


def test_missing_columns_are_refused(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("user\titem\nu\ti\n")
    with refused("missing-column", "'itme'", "'item'"):
        read(connection, path, ["user", "itme"])
    with refused("missing-column", "'3'"):
        read(connection, path, [1, 3])
    path.write_text("u\ti\n")
    with refused("missing-column", "'3'", "2"):
        read(connection, path, [1, 3])
    with refused("invalid-option"):
        read(connection, path, ["user"])
    parquet = write_parquet(connection, tmp_path / "a.parquet", "SELECT 1 AS item, [1] AS tags")
    with refused("missing-column", "'items'", "'item'"):
        read(connection, parquet, ["items", "tags"])
    with refused("broken-lines", "'tags'"):
        read(connection, parquet, ["tags", "item"])
    with refused("missing-column", "'0'"):
        read(connection, parquet, [0, 1])


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.tsv", b"", "empty-input"),
        ("a.tsv", b"\n\n", "empty-input"),
        ("a.tsv", b"one\n", "broken-lines"),
        ("a.tsv", b"a,x\n", "broken-lines"),
        ("a.csv", b"one\n", "missing-column"),
        ("a.jsonl", b'{"word": 1}\n', "missing-column"),
        ("a.jsonl", b"[\n", "broken-lines"),
        ("a.jsonl", b"[1]\n", "broken-lines"),
        ("a.parquet", b"PAR1 and no more", "broken-archive"),
        ("a.xls", b"x", "unsupported-format"),
        ("a.tsv.gz", gzip.compress(as_tsv(PLAIN * 1000), mtime=0)[:-9], "broken-archive"),
        ("a.tsv.zst", zstd.compress(as_tsv(PLAIN * 1000))[:-9], "broken-archive"),
        ("a.tsv.zst", b"no such thing", "broken-archive"),
    ],
)
def test_unreadable_files_are_refused(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, name: str, data: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with refused(code, path):
        read(connection, path)


def test_truncated_and_damaged_files_are_refused(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "a.parquet"
    write_parquet(connection, path, "SELECT 'w' || i AS word, 'c' AS context FROM range(9999) t(i)")
    whole = path.read_bytes()
    path.write_bytes(whole[:-50])
    with refused("broken-archive"):
        read(connection, path)
    stored = bytearray(gzip.compress(as_tsv([["a", "x", 1]] * 1000), 0))
    stored[500] ^= 1
    damaged = tmp_path / "a.tsv.gz"
    damaged.write_bytes(stored)
    with refused("broken-archive"):
        read(connection, damaged)


def test_zst_with_two_frames_is_read(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    path = tmp_path / "a.tsv.zst"
    path.write_bytes(zstd.compress(b"a\tx\n") + zstd.compress(b"b\ty\n"))
    assert sorted(read(connection, path)) == [("a", "x", 1), ("b", "y", 1)]


def test_full_disk_is_not_reported_as_broken_table(connection: duckdb.DuckDBPyConnection) -> None:
    table = Table("absent.tsv", "absent.tsv", "tsv")
    with pytest.raises(duckdb.IOException), explain_errors(connection, table):
        raise duckdb.IOException("IO Error: Could not write: No space left on device")
    with pytest.raises(duckdb.OutOfMemoryException), explain_errors(connection, table):
        raise duckdb.OutOfMemoryException("Out of Memory Error: no more")


def test_sums_beyond_64_bits_are_refused(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(as_tsv([["a", "x", 2**61]] * 5))
    with (
        refused("broken-lines", "2"),
        open_table(path) as table,
        explain_errors(connection, table),
    ):
        connection.execute(f"SELECT {SUM['BIGINT']} FROM ({scan(connection, table)})")


def test_check_accepts_valid_files(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    for suffix, writer in WRITERS.items():
        path = tmp_path / f"a{suffix}"
        path.write_bytes(writer(PLAIN))
        with open_table(path) as table:
            check(table)


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)
COUNTS = st.integers(0, 2**40) | st.floats(0, 1e6, allow_subnormal=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(TEXTS, TEXTS, COUNTS), min_size=1, max_size=20))
def test_every_format_agrees_with_naive_reader(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection, rows: Rows
) -> None:
    expected = Counter((word, context, float(n)) for word, context, n in rows if n)
    for suffix, writer in WRITERS.items():
        path = tmp_path / f"a{suffix}"
        path.write_bytes(writer([["word", "context", "count"]][: suffix != ".jsonl"] + rows))
        found = read(connection, path)
        assert Counter((word, context, float(n)) for word, context, n in found) == expected
        whole = kind_of(connection, path) == "BIGINT"
        assert whole == all(float(n).is_integer() for _, _, n in rows)
