"""Cutting blocks of text into cells, without a Python object for every line where possible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat

BATCH = 512
"""Rows cut into lists at a time: few enough never to wake the garbage collector."""

_OTHER_BLANKS = (*"\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", *map(chr, range(0x2000, 0x200B)))
"""What `str.split` parts at besides ASCII blanks: in a label file these are part of a cell."""

_BLANKS = re.compile(r"[ \t]+")


def uniform_columns(text: str, lines: list[str], *, tabs: bool) -> list[list[str]] | None:
    """The columns of a block whose lines all have the same number of cells, else None.

    >>> uniform_columns("a 1\\nb 2", ["a 1", "b 2"], tabs=False)
    [['a', 'b'], ['1', '2']]
    >>> uniform_columns("a 1\\nb", ["a 1", "b"], tabs=False)
    """
    separator = "\t" if tabs else " "
    if not tabs and "\t" in text:
        text = text.replace("\t", " ")
        lines = text.split("\n")
    counts = set(map(str.count, lines, repeat(separator)))
    if len(counts) > 1 or (not tabs and _has_other_blanks(text)):
        return None
    width = counts.pop() + 1
    cells = text.replace("\n", "\t").split("\t") if tabs else text.split()
    # As many cells as separators allow in every line, so each line has exactly its share.
    if len(cells) != width * len(lines):
        return None
    return [cells[at::width] for at in range(width)]


def batches(lines: list[str], *, tabs: bool) -> Iterator[tuple[int, list[list[str]]]]:
    """The cells of each line, some lines at a time, with the index of the first."""
    for start in range(0, len(lines), BATCH):
        batch = lines[start : start + BATCH]
        if tabs:
            yield start, [line.split("\t") for line in batch]
        elif _has_other_blanks("".join(batch)):
            yield start, [[cell for cell in _BLANKS.split(line) if cell] for line in batch]
        else:
            yield start, [line.split() for line in batch]


def _has_other_blanks(text: str) -> bool:
    return not text.isascii() and any(blank in text for blank in _OTHER_BLANKS)
