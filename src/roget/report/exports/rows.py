"""Words and their classes as the rows of a table, for every format of tables alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import entries, number

COLUMNS = ("word", "class_path", "label", "probability", "count")
"""A word and a class: the nodes from the root to it, such as 0/2/5, and what it is called."""

Row: TypeAlias = tuple[str, str, str, float, int | float]


def rows(thesaurus: Thesaurus) -> Iterator[Row]:
    """Class by class, the words that are listed in it."""
    for one in entries(thesaurus):
        path = "/".join(map(str, one.path))
        for member in one.members:
            count = number(float(thesaurus.counts.word_totals[member.row]))
            yield member.word, path, one.label, member.probability, count
