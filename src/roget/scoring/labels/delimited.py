"""Tables as text: TSV and CSV, with or without a header.

TSV cells are parted by tabs and have no quotes; a file without a tab in its first line is parted
by blanks. CSV cells are parted by commas (by semicolons where only they give known column names)
and quoted as the csv module has it. Blanks around a cell are not part of it, and an empty label
is an item without an answer. So is an empty line in a table of one column; elsewhere empty lines
are passed over.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from roget.errors import FormatError
from roget.scoring.labels.base import Labels
from roget.scoring.labels.columns import SINGLE, Columns, is_header
from roget.scoring.labels.files import Source
from roget.scoring.labels.gather import Chunk, gather
from roget.scoring.labels.lookalike import refuse_json, refuse_other_marks
from roget.scoring.labels.problems import Problems
from roget.scoring.labels.split import BATCH, batches, uniform_columns
from roget.scoring.labels.table import to_labels


def read_tsv(source: Source, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """Read tab- or blank-separated columns item, label[, weight][, group]."""
    return _read(source, tsv_rows(source), columns, gold)


def read_csv(source: Source, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """Read comma-separated columns item, label[, weight][, group]."""
    return _read(source, csv_rows(source), columns, gold)


def tsv_rows(source: Source) -> Iterator[Chunk]:
    """The cells of a TSV, a block at a time."""
    _, first = source.first_line()
    cells = first.split()
    blanks = "\t" not in first and len(cells) > 1
    if "\t" not in first:
        refuse_json(source, "tab-separated columns")
        # "d1, x" is parted by commas, the blank is for the eye; a cell may still be a comma.
        if not blanks or any(len(cell) > 1 and cell[-1] in ",;" for cell in cells[:-1]):
            refuse_other_marks(source, "tsv")
    for start, text in source.blocks():
        lines = text.split("\n")
        numbers = np.arange(start, start + len(lines))
        columns = uniform_columns(text, lines, tabs=not blanks)
        if columns is not None:
            yield Chunk(numbers, columns=columns)
        else:
            for at, rows in batches(lines, tabs=not blanks):
                yield Chunk(numbers[at : at + len(rows)], rows)


def csv_rows(source: Source) -> Iterator[Chunk]:
    """The cells of a CSV, some rows at a time."""
    _, first = source.first_line()
    semicolons = is_header(first.split(";")) and not is_header(first.split(","))
    refuse_json(source, "comma-separated columns")
    if "," not in first and not semicolons:
        refuse_other_marks(source, "csv")
    blocks = (io.StringIO(f"{text}\n", newline="\n") for _, text in source.blocks())
    lines = chain.from_iterable(blocks)
    reader = csv.reader(lines, delimiter=";" if semicolons else ",", strict=True)
    start = 1
    while True:
        try:
            rows = list(islice(reader, BATCH))
        except csv.Error as error:
            text = f"{source.name}:{reader.line_num}: {error}; expected comma-separated cells"
            raise FormatError(source.name, [text]) from None
        if not rows:
            return
        numbers = np.arange(start, start + len(rows))
        if reader.line_num - start + 1 != len(rows):
            # A quoted cell may run over several lines; a row is known by its first.
            extra = [sum(cell.count("\n") for cell in row) for row in rows]
            numbers[1:] += np.cumsum(extra[:-1])
        start = reader.line_num + 1
        yield Chunk(numbers, rows)


def _read(source: Source, chunks: Iterator[Chunk], columns: Columns | None, gold: bool) -> Labels:
    problems = Problems(source.name)
    table = gather(source.name, chunks, columns, SINGLE, problems)
    return to_labels(table, problems, gold=gold)
