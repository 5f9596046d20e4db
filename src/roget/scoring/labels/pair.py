"""Gold and system labels side by side in one file."""

from __future__ import annotations

import os

from roget import catalogue
from roget.errors import UnknownName
from roget.scoring.labels import delimited, jsonl, parquet
from roget.scoring.labels.base import Labels
from roget.scoring.labels.columns import PAIR, Columns
from roget.scoring.labels.files import Source, detect
from roget.scoring.labels.gather import gather
from roget.scoring.labels.problems import Problems
from roget.scoring.labels.table import Table, to_labels


def read_pair(
    path: str | os.PathLike[str], *, labels: str | None = None, columns: Columns | None = None
) -> tuple[Labels, Labels]:
    """Gold and system labels of a file with a column for each, in this order or by header.

    With a header there may also be columns for item and group. An empty system cell is an item
    without an answer.
    """
    known = catalogue.names("label formats")
    if labels is not None and labels not in known:
        raise UnknownName("label format", labels, known)
    with Source(path) as source:
        problems = Problems(source.name)
        table = _table(source, labels or detect(source), columns, problems)
        # The system first: its contradictions are found while gold gaps are still collected.
        system = to_labels(table, problems, role="system", gold=False)
        table.warnings.clear()
        gold = to_labels(table, problems, role="gold", gold=True)
        return gold, system


def _table(source: Source, form: str, columns: Columns | None, problems: Problems) -> Table:
    if form == "jsonl":
        return jsonl.read_table(source, columns, PAIR, problems)
    if form == "parquet":
        return parquet.read_table(source, columns, PAIR, problems)
    chunks = delimited.csv_rows(source) if form == "csv" else delimited.tsv_rows(source)
    return gather(source.name, chunks, columns, PAIR, problems)
