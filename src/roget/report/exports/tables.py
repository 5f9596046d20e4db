"""Words and their classes as tables: tabs and lines, or Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from roget.core.io import duck
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Target, entries, exporter, new_bytes, number, one_line
from roget.report.options import ReportOptions

COLUMNS = ("word", "class_path", "label", "probability", "count")
"""A word and a class: the nodes from the root to it, such as 0/2/5, and what it is called."""

Row: TypeAlias = tuple[str, str, str, float, int | float]


def rows(thesaurus: Thesaurus) -> Iterator[Row]:
    """Class by class, the words that are listed in it."""
    totals = thesaurus.counts.word_totals
    for one in entries(thesaurus):
        path = "/".join(map(str, one.path))
        for member in one.members:
            yield member.word, path, one.label, member.probability, number(totals[member.row])


@exporter
def write_tsv(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write a head and a line for each word and class in which it is listed; nothing is quoted."""
    one_line(map(str, thesaurus.words), "TSV")
    yield "\t".join(COLUMNS) + "\n"
    for row in rows(thesaurus):
        one_line([row[2]], "TSV")
        yield "\t".join(map(str, row)) + "\n"


def write_parquet(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write a row for each word and class in which it is listed."""
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
