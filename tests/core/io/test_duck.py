"""DuckDB connections: limits, spilling, and error messages."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from roget.core.io import duck
from roget.errors import RogetError
from support.errors import refused


def setting(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    return str(connection.execute(f"SELECT current_setting('{name}')").fetchall()[0][0])


def test_connect_applies_settings(tmp_path: Path) -> None:
    with duck.connect("1GiB", 1, tmp_path / "spill") as connection:
        assert setting(connection, "memory_limit") == "1.0 GiB"
        assert setting(connection, "threads") == "1"
        assert setting(connection, "temp_directory") == str(tmp_path / "spill")
        for name in ("autoinstall_known_extensions", "autoload_known_extensions"):
            assert setting(connection, name) in ("False", "false")
        with pytest.raises(duckdb.Error, match="httpfs"):
            connection.execute("FROM read_csv('https://example.com/a.csv')")


@pytest.mark.parametrize(
    ("memory", "shown"),
    [("500mb", "476.8 MiB"), ("2 g", "1.8 GiB"), ("1.5GiB", "1.5 GiB"), ("1048576", "1.0 MiB")],
)
def test_memory_accepts_the_sizes_of_max_size(memory: str, shown: str) -> None:
    """The sizes accepted are those of --max-size, such as 2g and 1048576."""
    with duck.connect(memory) as connection:
        assert setting(connection, "memory_limit") == shown
    with duck.connect("50 %") as connection:
        assert setting(connection, "memory_limit")


def test_invalid_memory_is_refused() -> None:
    for memory in ("lots", "-1GB", "2 apples", "0", "0GB", "0 %"):
        with refused("invalid-option"):
            duck.connect(memory)


def test_connection_spills_to_folder_and_cleans_up(tmp_path: Path) -> None:
    spill = tmp_path / "it's here"
    query = (
        "SELECT count(*) FROM (SELECT hash(range) AS h, count(*) FROM range(3000000) GROUP BY 1)"
    )
    with duck.connect("60MB", 1, spill) as connection:
        assert connection.execute(query).fetchall() == [(3_000_000,)]
    assert not spill.exists() or not any(spill.iterdir())
    with (
        duck.clear_errors("trying"),
        duck.connect("60MB", 1) as connection,
        pytest.raises(duckdb.OutOfMemoryException),
    ):
        connection.execute(query)


def test_duckdb_errors_are_translated(tmp_path: Path) -> None:
    with (
        pytest.raises(RogetError),
        duck.clear_errors("counting"),
    ):
        raise duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate")
    with (
        pytest.raises(OSError, match=r"writing x: .*No space left"),
        duck.clear_errors("writing x"),
    ):
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")
    with pytest.raises(OSError, match="writing x: "), duck.clear_errors("writing x"):
        raise duckdb.OutOfMemoryException(
            "failed to offload data block: temp_directory is full; raise max_temp_directory_size"
        )
    with (
        pytest.raises(OSError, match="a folder"),
        duck.clear_errors("writing to a folder"),
        duck.connect() as connection,
    ):
        duck.copy(connection, "SELECT 1", tmp_path / "none" / "a.parquet")


def test_parquet_paths_are_not_patterns(tmp_path: Path) -> None:
    file = tmp_path / "year=1" / "a[1]*'?.parquet"
    file.parent.mkdir()
    with duck.connect() as connection:
        duck.copy(connection, "SELECT 7 AS n", file)
        assert connection.execute(f"FROM {duck.parquet(file)}").fetchall() == [(7,)]


def test_memory_error_on_small_file_is_reported_as_damage(tmp_path: Path) -> None:
    small, large = tmp_path / "small.parquet", tmp_path / "large.parquet"
    for path, size in ((small, 1000), (large, 10_000_000)):
        with path.open("wb") as file:
            file.truncate(size)
    error = duckdb.OutOfMemoryException("Out of Memory Error: Allocation failure")
    with refused("broken-archive", "small.parquet"), duck.convert_errors(small):
        raise error
    for other in (large, "standard input"):
        with pytest.raises(duckdb.OutOfMemoryException), duck.convert_errors(other):
            raise error


def test_ctrl_c_stops_a_query_immediately() -> None:
    script = """if True:
        import time
        from roget.core.io import duck
        connection = duck.connect()
        print("begun", flush=True)
        try:
            numbers = "range(10000000) a, range(1000000) b"
            duck.execute(connection, f"SELECT sum(hash(a.range * b.range) % 7) FROM {numbers}")
        except KeyboardInterrupt:
            print("stopped")
    """
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begun\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            # The query would take hours.
            assert process.communicate(timeout=30)[0] == "stopped\n"
        finally:
            process.kill()


def test_undecodable_names_are_quoted_as_utf_8(monkeypatch):
    """Under LANG=C, all non-ASCII letters are undecodable."""
    undecoded = "Größe.txt".encode().decode("ascii", "surrogateescape")
    monkeypatch.setattr(os, "fsencode", lambda name: name.encode("ascii", "surrogateescape"))
    assert duck.quoted(undecoded) == "'Größe.txt'"
    with refused("not-text", "8"):
        duck.quoted(b"\xff".decode("ascii", "surrogateescape"))
