"""Read Parquet files with DuckDB, which reads only the required columns."""

from __future__ import annotations

from roget.core.io.problems import Problems
from roget.core.io.source import STANDARD_INPUT
from roget.core.io.table import Table, inspect_table
from roget.errors import InputError
from roget.scoring.labels.columns import Columns, LabelRoles
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.frames import table_from_columns
from roget.scoring.labels.readers.base import LabelReader
from roget.scoring.labels.table import LabelTable

_NUMPY_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR")
"""SQL types that NumPy supports. Columns with other types are read as strings."""


def inspect_parquet_file(
    file: LabelFile, columns: Columns | None, roles: LabelRoles, *, held: bool = False
) -> Table:
    """Return the layout of a Parquet file.

    `held` means that all rows will be loaded into memory.
    """
    # Accessing `plain` raises an error if the file does not exist.
    if file.path == STANDARD_INPUT or (file.plain and file.compression):
        raise InputError(
            f"{file.name}: Parquet input must be a plain file, neither compressed nor standard "
            "input",
            code="unsupported-format",
        )
    table = Table(file.name, file.plain.path, "parquet")
    return inspect_table(table, roles, columns, held=held)


def read_parquet(
    file: LabelFile, columns: Columns | None, roles: LabelRoles, problems: Problems
) -> LabelTable:
    """Read the rows of a Parquet file."""
    from roget.core.io.duck import convert_errors, database

    table = inspect_parquet_file(file, columns, roles, held=True)
    # Role names are quoted, because GROUP is an SQL keyword.
    selected = ", ".join(
        f'{table.cell(role, text=table.types[at] not in _NUMPY_TYPES)} AS "{role}"'
        for role, at in table.places.items()
    )
    with database() as connection, convert_errors(file.name):
        arrays = connection.execute(f"SELECT {selected} FROM {table.sql}").fetchnumpy()
    return table_from_columns(arrays, problems)


READER = LabelReader(
    "Parquet columns item, label[, weight][, group].",
    (".parquet", ".pq"),
    table=read_parquet,
    is_table=True,
)
