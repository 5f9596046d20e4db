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
)
from roget.report.options import ReportOptions

COLUMNS = ("word", "class_path", "label", "probability", "count", "trust")
"""First columns of all tables. class_path lists the class ids from the root to the class, e.g.
0/2/5. The labels of all levels follow, and the typical contexts of the class."""

CONTEXTS = "contexts of the class"

DIGITS = 6
"""Number of significant digits of probabilities."""

LISTED = 8
"""Number of contexts of a class in a table."""

HIGHEST = 1_048_576
"""Maximum number of rows of an Excel sheet."""

Row: TypeAlias = list[str | int | float | None]


def tabulate(thesaurus: Thesaurus) -> tuple[list[str], list[Row]]:
    """Return the columns and rows of all tables: one row per class and word listed in it.

    Counts are rounded to whole numbers. The trust of a class without vectors is None.
    """
    listed = list(entries(thesaurus))
    leaves = [one for one in listed if one.members]
    depth = max((len(one.path) - 1 for one in leaves), default=0)
    labels = {one.node: one.label for one in listed}
    totals = thesaurus.counts.word_totals
    found: list[Row] = []
    for one in leaves:
        path = "/".join(map(str, thesaurus.ids[list(one.path)].tolist()))
        levels = [labels[node] for node in one.path[1:]]
        levels += [""] * (depth - len(levels))
        trust = None if one.trust is None else round(one.trust.trust, 2)
        contexts = "; ".join(one.contexts[:LISTED])
        for each in one.members:
            probability = float(f"{each.probability:.{DIGITS}g}")
            count = round(float(totals[each.row]))
            found.append([each.word, path, one.label, probability, count, trust, *levels, contexts])
    return [*COLUMNS, *(f"level {at}" for at in range(1, depth + 1)), CONTEXTS], found


@exporter
def write_tsv(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write tab-separated values without quoting: a header, and one line per class and word."""
    titles, found = tabulate(thesaurus)
    check_one_line(map(str, thesaurus.words), "TSV")
    yield "\t".join(titles) + "\n"
    for row in found:
        # If the trust, a level or the contexts are missing, the field is empty.
        check_one_line([one for one in row if isinstance(one, str) and one], "TSV")
        yield "\t".join("" if one is None else str(one) for one in row) + "\n"


@exporter
def write_csv(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write comma-separated values (RFC 4180): a header, and one line per class and word."""
    titles, found = tabulate(thesaurus)
    rows: list[Sequence[object]] = [titles, *found]
    for row in rows:
        out = io.StringIO()
        csv.writer(out).writerow(row)
        yield out.getvalue()


def write_xlsx(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write an Excel workbook with one sheet."""
    titles, found = tabulate(thesaurus)
    if len(found) >= HIGHEST:
        raise InputError(
            f"{len(found):,} rows do not fit into an Excel sheet ({HIGHEST:,} rows); export as csv",
            code="unsupported-format",
        )
    with new_bytes(target, "Excel") as draft:
        cells = (["" if one is None else one for one in row] for row in found)
        write_workbook(draft, [titles, *cells])


def write_parquet(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write a Parquet file with one row per class and word."""
    titles, found = tabulate(thesaurus)
    with new_bytes(target, "Parquet") as draft, duck.database() as connection:
        types = dict.fromkeys(titles, "VARCHAR")
        types |= {"probability": "DOUBLE", "count": "BIGINT", "trust": "DOUBLE"}
        # A column of objects can contain None, which becomes null. A column of numbers cannot.
        kinds = {"probability": np.float64, "count": np.int64}
        columns = {
            name: np.fromiter(
                (row[at] for row in found), dtype=kinds.get(name, object), count=len(found)
            )
            for at, name in enumerate(titles)
        }
        duck.write_parquet(connection, columns, types, draft)
