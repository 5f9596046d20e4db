"""Words and their classes as a table of tabs and lines."""

from __future__ import annotations

from collections.abc import Iterator

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Options, Target, one_line, write_lines
from roget.report.exports.rows import COLUMNS, rows


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write a head and a line for each word and class in which it is listed; nothing is quoted."""
    one_line(map(str, thesaurus.words), "TSV")
    write_lines(target, _lines(thesaurus))


def _lines(thesaurus: Thesaurus) -> Iterator[str]:
    yield "\t".join(COLUMNS) + "\n"
    for row in rows(thesaurus):
        one_line([row[2]], "TSV")
        yield "\t".join(map(str, row)) + "\n"
