"""Export words and classes as a table (TSV, CSV, Excel or Parquet)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from roget.core.io import duck
from roget.core.io.workbook import write_workbook
from roget.errors import InputError
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
"""Column names. class_path lists the class ids from the root to the class, e.g. 0/2/5."""

Row: TypeAlias = tuple[str, str, str, float, int | float]

LISTED = 8
"""Number of contexts listed for a class in tables for readers."""

HIGHEST = 1_048_576
"""Maximum number of rows of an Excel sheet."""


def rows(thesaurus: Thesaurus) -> Iterator[Row]:
    """Yield the rows of the table, one for each class and word listed in it."""
    totals = thesaurus.counts.word_totals
    for one in entries(thesaurus):
        path = "/".join(map(str, thesaurus.ids[list(one.path)].tolist()))
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


def sheet(thesaurus: Thesaurus) -> tuple[list[str], list[list[str | int | float]]]:
    """Return the columns and rows of a table for readers: one row per class and word.

    It has the labels of all levels, the typical contexts in words, and rounded numbers.
    """
    listed = list(entries(thesaurus))
    leaves = [one for one in listed if one.members]
    depth = max((len(one.path) - 1 for one in leaves), default=0)
    labels = {one.node: one.label for one in listed}
    totals = thesaurus.counts.word_totals
    titles = ["word", *(f"level {at}" for at in range(1, depth + 1)), "probability", "count"]
    found: list[list[str | int | float]] = []
    for one in leaves:
        path = [labels[node] for node in one.path[1:]]
        path += [""] * (depth - len(path))
        trust = "" if one.trust is None else round(one.trust.trust, 2)
        contexts = "; ".join(one.contexts[:LISTED])
        found += [
            [
                each.word, *path, round(each.probability, 3), round(float(totals[each.row])),
                trust, contexts,
            ]
            for each in one.members
        ]  # fmt: skip
    return [*titles, "trust", "contexts of the class"], found


@exporter
def write_csv(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write a table for readers as CSV (RFC 4180)."""
    titles, found = sheet(thesaurus)
    rows: list[Sequence[object]] = [titles, *found]
    for row in rows:
        out = io.StringIO()
        csv.writer(out).writerow(row)
        yield out.getvalue()


def write_xlsx(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write a table for readers as an Excel workbook with one sheet."""
    titles, found = sheet(thesaurus)
    if len(found) >= HIGHEST:
        raise InputError(
            f"{len(found):,} rows do not fit into an Excel sheet ({HIGHEST:,} rows); export as csv",
            code="unsupported-format",
        )
    with new_bytes(target, "Excel") as draft:
        write_workbook(draft, [titles, *found])


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
