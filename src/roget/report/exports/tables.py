"""Export words and classes as a table (TSV, CSV, Excel or Parquet)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from roget.core.io import duck
from roget.core.io.workbook import write_workbook
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.quality import cap
from roget.report.exports.base import (
    PLAIN,
    ExportEntry,
    Target,
    check_one_line,
    entries,
    exporter,
    is_mere_root,
    list_other_uses,
    new_bytes,
)
from roget.report.options import ReportOptions

SHARE = "probability"
"""Column with p(class|word). Tables have it only if a word belongs to several classes."""

OTHER = "other uses"
"""Column with the labels of the classes of a word's further senses, separated by semicolons."""

DIGITS = 6
"""Number of significant digits of probabilities."""

LISTED = 8
"""Number of contexts of a class in a table."""

HIGHEST = 1_048_576
"""Maximum number of rows of an Excel sheet."""

Row: TypeAlias = list[str | int | float | None]


def tabulate(
    thesaurus: Thesaurus, listed: Sequence[ExportEntry] | None = None
) -> tuple[list[str], list[Row]]:
    """Return the column names and the rows that all table formats share.

    There is one row for each word listed in each class.
    `class_path` has the class ids from the root to the class, e.g. 0/2/5. The labels of all levels
    are in the last columns. Counts are rounded to whole numbers. The trust of a class without
    vectors is None.
    """
    listed = list(entries(thesaurus)) if listed is None else listed
    leaves = [one for one in listed if one.members]
    depth = max((len(one.path) - 1 for one in leaves), default=0)
    labels = {one.node: one.label for one in listed}
    totals, uses = thesaurus.counts.word_totals, list_other_uses(thesaurus)
    graded = any(each.probability < 1 for one in leaves for each in one.members)
    found: list[Row] = []
    for one in leaves:
        path = "/".join(map(str, thesaurus.ids[list(one.path)].tolist()))
        levels = [labels[node] for node in one.path[1:]]
        levels += [""] * (depth - len(levels))
        trust = None if one.trust is None else round(cap(one.trust.trust), 2)
        for each in one.members:
            share = [float(f"{each.probability:.{DIGITS}g}")] if graded else []
            count = round(float(totals[each.row]))
            others = "; ".join(labels[node] for node in uses.get(each.row, ()) if node != one.node)
            found.append([each.word, path, one.label, *share, count, trust, others, *levels])
    titles = ["word", "class_path", "label", *([SHARE] if graded else []), "count", "trust", OTHER]
    return [*titles, *(f"level {at}" for at in range(1, depth + 1))], found


def tabulate_classes(listed: Iterable[ExportEntry]) -> tuple[list[str], list[Row]]:
    """Return the columns and rows of a table with one row per class, except an unnamed root."""
    found: list[Row] = []
    for one in listed:
        if is_mere_root(one):
            continue
        path = "/".join(map(str, one.thesaurus.ids[list(one.path)].tolist()))
        trust = None if one.trust is None else round(cap(one.trust.trust), 2)
        written = one.thesaurus.notes.get(one.node)
        texts = [written.definition, written.note] if written else ["", ""]
        contexts = "; ".join(one.contexts[:LISTED])
        found.append([path, one.label, one.about.size, trust, *texts, contexts])
    titles = ["class_path", "label", "words", "trust", "definition", "note"]
    return [*titles, "contexts of the class"], found


@exporter
def write_tsv(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write tab-separated values without quoting: a header, and one line per class and word."""
    titles, found = tabulate(thesaurus)
    check_one_line(map(str, thesaurus.words), "TSV")
    yield "\t".join(titles) + "\n"
    for row in found:
        # If the trust, a level or another use is missing, the field is empty.
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
    """Write an Excel workbook with a sheet of words and a sheet of classes."""
    listed = list(entries(thesaurus))
    tables = {"words": tabulate(thesaurus, listed), "classes": tabulate_classes(listed)}
    if (most := max(len(found) for _, found in tables.values())) >= HIGHEST:
        raise InputError(
            f"{most:,} rows do not fit into an Excel sheet ({HIGHEST:,} rows); export as csv",
            code="unsupported-format",
        )
    with new_bytes(target, "Excel") as draft:
        write_workbook(
            draft,
            {
                name: [titles, *(["" if one is None else one for one in row] for row in found)]
                for name, (titles, found) in tables.items()
            },
        )


def write_parquet(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write a Parquet file with one row per class and word."""
    titles, found = tabulate(thesaurus)
    with new_bytes(target, "Parquet") as draft, duck.database() as connection:
        types = dict.fromkeys(titles, "VARCHAR")
        numbers = {SHARE: "DOUBLE", "count": "BIGINT", "trust": "DOUBLE"}
        types |= {name: kind for name, kind in numbers.items() if name in types}
        # A column of objects can contain None, which becomes null. A column of numbers cannot.
        kinds = {SHARE: np.float64, "count": np.int64}
        columns = {
            name: np.fromiter(
                (row[at] for row in found), dtype=kinds.get(name, object), count=len(found)
            )
            for at, name in enumerate(titles)
        }
        duck.write_parquet(connection, columns, types, draft)
