"""Read accepted candidates from a spreadsheet written by `roget place`."""

from __future__ import annotations

import os
from typing import NamedTuple

from roget.core.io.source import source_of
from roget.core.io.table import Roles, open_table
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy

COLUMNS = Roles({"accept": (), "word": (), "id": ()}, by_option=False)

NO = ("", "-", "0", "false", "n", "no")
"""Marks that reject a candidate. Any other mark accepts it."""


class Accepted(NamedTuple):
    """A word, and a class that a user has accepted for it."""

    word: str
    id: str
    label: str


def read_accepted(path: PathLike, taxonomy: Taxonomy) -> list[Accepted]:
    """Read the accepted candidates from a table with the columns accept, word and id.

    Raises
    ------
    InputError
        If no candidate is accepted.
    FormatError
        If a class is not in the taxonomy, or a word is missing. The message lists the lines.
    """
    source, known = source_of(os.fspath(path)), taxonomy.acyclic()
    found = []
    with open_table(source, roles=COLUMNS, guess=True) as table:
        for texts, _, refuse in table.texts(pad=True):
            mark, word, id = (texts[role] for role in COLUMNS.needed)
            if mark.casefold() in NO:
                continue
            if not word or id not in known:
                refuse(f"{taxonomy.title} has no class {id!r}" if word else "the word is missing")
                continue
            found.append(Accepted(word, id, taxonomy.labels.get(id, id)))
    if not found:
        raise InputError(
            f"{source.name}: no candidate is accepted; write x in the column 'accept'",
            code="empty-input",
        )
    return found
