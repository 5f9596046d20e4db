"""Parquet files, read by DuckDB: columns item, label[, weight][, group] by name."""

from __future__ import annotations

from collections.abc import Sequence

from roget.errors import InputError
from roget.scoring.labels.base import Labels
from roget.scoring.labels.columns import SINGLE, Columns, by_name
from roget.scoring.labels.files import Source
from roget.scoring.labels.frames import table_of
from roget.scoring.labels.problems import Problems
from roget.scoring.labels.table import Table, to_labels

_AS_THEY_ARE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR")
"""Types numpy has too; all others are taken by their text."""


def read(source: Source, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """Read a Parquet file; null is no answer, and not allowed in a gold file."""
    problems = Problems(source.name)
    return to_labels(read_table(source, columns, SINGLE, problems), problems, gold=gold)


def read_table(
    source: Source, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> Table:
    """The rows of a Parquet file, only the columns that matter."""
    import duckdb

    if source.standard_input or source.compressed:
        raise InputError(f"{source.name}: Parquet is read from a plain file only")
    source.head()  # says so if there is no such file
    path = str(source.path)
    try:
        with duckdb.connect() as database:
            rows = database.execute("DESCRIBE SELECT * FROM read_parquet(?)", [path]).fetchall()
            kinds = {str(row[0]): str(row[1]) for row in rows}
            names = list(kinds)
            places = by_name(names, roles, columns, source.name)
            wanted = [names[at] for at in places.values()]
            _refuse_nested({role: names[at] for role, at in places.items()}, kinds, source.name)
            picked = ", ".join(_picked(name, kinds[name]) for name in wanted)
            query = f"SELECT {picked} FROM read_parquet(?)"
            arrays = database.execute(query, [path]).fetchnumpy()
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0]
        raise InputError(f"{source.name}: cannot be read as Parquet: {reason}") from None
    chosen = dict(zip(places, wanted, strict=True))
    return table_of({name: arrays[name] for name in wanted}, chosen, roles, source.name, problems)


def _refuse_nested(chosen: Columns, kinds: dict[str, str], source: str) -> None:
    for role, name in chosen.items():
        kind = kinds[str(name)]
        if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")):
            raise InputError(
                f"{source}: the {role} column {name!r} is of type {kind}; "
                "expected one text or number per row"
            )


def _picked(name: str, kind: str) -> str:
    quoted = '"' + name.replace('"', '""') + '"'
    return quoted if kind in _AS_THEY_ARE else f"CAST({quoted} AS VARCHAR) AS {quoted}"
