"""Export words and classes as a table (TSV or Parquet)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from roget.core.io import duck
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import (
    PLAIN,
    Target,
    check_one_line,
    entries,
    exporter,
    new_bytes,
    number,
)
from roget.report.options import ReportOptions

COLUMNS = ("word", "class_path", "label", "probability", "count")
"""Column names. class_path lists the nodes from the root to the class, e.g. 0/2/5."""

Row: TypeAlias = tuple[str, str, str, float, int | float]


def rows(thesaurus: Thesaurus) -> Iterator[Row]:
    """Yield the rows of the table, one for each class and word listed in it."""
    totals = thesaurus.counts.word_totals
    for one in entries(thesaurus):
        path = "/".join(map(str, one.path))
        for member in one.members:
            yield member.word, path, one.label, member.probability, number(totals[member.row])


@exporter
def write_tsv(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write tab-separated values without quoting: a header, and one line per class and word."""
    check_one_line(map(str, thesaurus.words), "TSV")
    yield "\t".join(COLUMNS) + "\n"
    for row in rows(thesaurus):
        check_one_line([row[2]], "TSV")
        yield "\t".join(map(str, row)) + "\n"


def write_parquet(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write a Parquet file with one row per class and word."""
    with new_bytes(target, "Parquet") as draft, duck.database() as connection:
        listed = list(rows(thesaurus))
        whole = all(isinstance(row[-1], int) for row in listed)
        types = ["VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE", "BIGINT" if whole else "DOUBLE"]
        kinds = {"VARCHAR": object, "BIGINT": np.int64, "DOUBLE": np.float64}
        columns = {
            name: np.fromiter((row[place] for row in listed), dtype=kinds[type], count=len(listed))
            for place, (name, type) in enumerate(zip(COLUMNS, types, strict=True))
        }
        duck.write_parquet(connection, columns, dict(zip(COLUMNS, types, strict=True)), draft)
