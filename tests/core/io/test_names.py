"""File names are literal: DuckDB expands no pattern and no partition in them."""

from __future__ import annotations

import pytest

from roget.core.io.duck import connect, parquet, quoted


@pytest.mark.parametrize(
    "name", ["s[1].parquet", "label=zzz/s.parquet", "a*.parquet", "it's.parquet"]
)
def test_parquet_file_name_is_not_a_pattern(tmp_path, name):
    """DuckDB must not read s1 for s[1], or take zzz for the labels."""
    with connect() as connection:
        for file, label in ((name, "own"), ("s1.parquet", "other"), ("ab.parquet", "other")):
            (tmp_path / file).parent.mkdir(exist_ok=True)
            to = quoted(str(tmp_path / file))
            connection.execute(f"COPY (SELECT '{label}' AS label) TO {to} (FORMAT parquet)")
        found = connection.execute(f"SELECT label FROM {parquet(tmp_path / name)}").fetchall()
    assert found == [("own",)]
