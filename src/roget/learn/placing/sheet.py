"""Sheet: candidates that people have accepted, in a spreadsheet of `roget grow TAXONOMY`."""

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
"""What does not accept a candidate; anything else does."""


class Accepted(NamedTuple):
    """A word that belongs below a class, as somebody decided."""

    word: str
    id: str
    label: str


def read_accepted(path: PathLike, taxonomy: Taxonomy) -> list[Accepted]:
    """The candidates that are accepted in a table with the columns accept, word and id.

    Raises
    ------
    InputError
        If none is.
    FormatError
        If a class is not in the taxonomy, or no word is there; it names the lines.
    """
    source, known = source_of(os.fspath(path)), taxonomy.acyclic()
    found = []
    with open_table(source, roles=COLUMNS, guess=True) as table:
        for texts, _, refuse in table.texts(pad=True):
            mark, word, id = (texts[role] for role in COLUMNS.needed)
            if mark.casefold() in NO:
                continue
            if not word or id not in known:
                refuse(f"no class of {taxonomy.title} has the id {id!r}" if word else "no word")
                continue
            found.append(Accepted(word, id, taxonomy.labels.get(id, id)))
    if not found:
        raise InputError(
            f"{source.name}: nothing is accepted; write x into the column accept of what is"
        )
    return found
