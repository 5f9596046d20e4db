"""Which column of a table holds the words, where header or name tell: verb_object.tsv."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from roget.core.io.duck import database
from roget.core.io.table import layout
from roget.errors import InputError

HEADS = frozenset({"verb", "head", "predicate", "governor", "adjective"})
DEPENDENTS = frozenset(
    {"noun", "object", "obj", "subject", "subj", "argument", "dependent", "word", "lemma"}
)


def heads_first(inputs: Sequence[str | os.PathLike[str]]) -> str | None:
    """What the first two columns of all tables are called, if the words are in the second.

    A file's header tells, or else its name. Columns called word and context speak for themselves.
    """
    found = {_named(Path(given)) for given in inputs}
    names = found.pop() if len(found) == 1 else None
    if names is None:
        return None
    head, dependent = (name.lower().removesuffix("s") for name in names)
    return " and ".join(names) if head in HEADS and dependent in DEPENDENTS else None


def _named(path: Path) -> tuple[str, str] | None:
    """The names of the first two columns."""
    if not path.is_file():
        return None
    try:
        with database() as connection:
            found = layout(connection, path)
    except InputError:  # no table, or a broken one, which whoever reads it will tell
        return None
    in_name = re.findall(r"[^\W\d_]+", path.name.partition(".")[0])
    names = found.names if found.header else in_name
    return (names[0], names[1]) if len(names) > 1 else None
