"""Read TSV and CSV files with one row per item and label, using `core.io.table`.

White space around a cell is removed. An empty label means no label. Empty lines are skipped, except
in a table with one column, where an empty line is an item without a label.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from roget.core.io.problems import Problems
from roget.core.io.table import HEAD, Table, inspect_text
from roget.errors import Notice
from roget.scoring.labels.columns import LABEL_NAMES, LABEL_ROLES, SINGLE, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.labels import FirstRow
from roget.scoring.labels.readers.base import CLUSTERS_HINT, LabelReader, refuse_json
from roget.scoring.labels.table import LabelTable, fill_table


def inspect_delimited(
    format: str, file: LabelFile, columns: Columns | None, roles: LabelRoles
) -> Table | None:
    """Return the layout of a TSV or CSV file, or None if the file is blank."""
    refuse_json(file, f"{'tab' if format == 'tsv' else 'comma'}-separated columns")
    table = Table(file.name, file.plain.path, format, source=file.plain)
    if not any(text.strip() for _, text in file.lines(size=HEAD)):
        return None
    table, numeric = inspect_text(table, roles, columns, file.header)
    return roles.place(table, columns, numeric)


def read_delimited(
    format: str,
    file: LabelFile,
    columns: Columns | None,
    roles: LabelRoles,
    problems: Problems,
) -> LabelTable:
    """Read the required columns, and report rows that differ in width from the first row."""
    table = inspect_delimited(format, file, columns, roles)
    if table is None:
        return LabelTable(problems, np.empty(0, dtype=np.int64))
    if table.delimiter != "," and (not table.header or table.first[0].startswith("#")):
        problems.hint = CLUSTERS_HINT
    lines: list[int] = []
    values: dict[str, list[str]] = {role: [] for role in table.places}
    columns_read = [(values[role], at) for role, at in table.places.items()]
    for line, cells in table.whole_rows(problems):
        lines.append(line)
        for column, at in columns_read:
            column.append(cells[at].strip())
    rows = LabelTable(problems, np.array(lines, dtype=np.int64))
    if lines:
        problems.hint = problems.hint if problems.found else ""
        fill_table(rows, values)
        if table.header:
            named = [role for role in LABEL_ROLES if role in values]
            names = {role: tuple(rows.columns[role].names or ()) for role in named}
            rows.warnings += warn_of_header(table, names)
        # If the user passes --header or --no-header, no notice about the first row is needed.
        if file.header is None:
            rows.first_row = describe_first_row(table, lines[0])
    return rows


def describe_first_row(table: Table, line: int) -> FirstRow:
    """Describe the first row, and add a notice if it was read as data but may be a header."""
    field = table.first[table.places.get("item", 0)]
    if table.header:
        return FirstRow(field, is_header=True)
    content = "an item and its label" if "item" in table.places else "a label"
    if "gold" in table.places:
        content = "a gold and a system label"
    text = (
        f"{table.name}:{line}: {', '.join(table.first)!r} is read as {content}; if it is a header, "
        "pass --header"
    )
    return FirstRow(field, is_header=False, doubt=Notice(text, code="ambiguous-header"))


def warn_of_header(table: Table, labels: dict[str, tuple[str, ...]]) -> list[Notice]:
    """Return notices if the first row was read as a header but contains a label."""
    text = table.header and table.format in ("tsv", "csv")
    heads = {role: table.names[table.places[role]] for role in labels} if text else {}
    return [
        Notice(
            f"the first line of {table.name} is read as a header, but {name!r} is also a label; "
            "pass --no-header if it is a row of data",
            code="ambiguous-header",
        )
        for role, name in heads.items()
        if name in labels[role]
    ]


def sniff_tsv(lines: Sequence[str]) -> bool:
    """Return True if the first line has two cells or contains known column names."""
    cells = lines[0].split("\t")
    if len(cells) == 2 or (len(cells) > 1 and SINGLE.is_header(cells, LABEL_NAMES)):
        return True
    fields = lines[0].split()
    if len(fields) != 2 or sniff_csv(lines):
        return False
    # A key file may begin with items that have no label, but its other lines have more fields.
    return SINGLE.is_header(fields, LABEL_NAMES) or max(len(line.split()) for line in lines) == 2


def sniff_csv(lines: Sequence[str]) -> bool:
    """Return True if the header has known names, or all lines have distinct ids and equal width."""
    if "," not in lines[0]:
        return False
    if SINGLE.is_header(lines[0].split(","), LABEL_NAMES):
        return True
    ids = {line.partition(",")[0].strip() for line in lines}
    same = len({line.count(",") for line in lines}) == 1
    return same and len(ids) == len(lines) > 1 and not any(len(name.split()) > 1 for name in ids)


TSV = LabelReader(
    "Tab-separated columns: item, label[, weight][, group], with or without a header.",
    (".tsv", ".tab"),
    sniff_tsv,
    table=partial(read_delimited, "tsv"),
    is_table=True,
    is_general=True,
)
CSV = LabelReader(
    "Comma-separated columns: item, label[, weight][, group], with or without a header.",
    (".csv",),
    sniff_csv,
    table=partial(read_delimited, "csv"),
    is_table=True,
    is_general=True,
)
