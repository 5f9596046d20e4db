"""Which column of a table holds the words, where its name or header tells: verb_object.tsv."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

HEADS = frozenset({"verb", "head", "predicate", "governor", "context", "adjective"})
DEPENDENTS = frozenset(
    {"noun", "object", "obj", "subject", "subj", "argument", "dependent", "word", "lemma"}
)


def heads_first(inputs: Sequence[str | os.PathLike[str]]) -> str | None:
    """What the first two columns of all tables are called, if the words are in the second.

    A file's header tells, or else its name.
    """
    found = {_named(Path(given)) for given in inputs}
    names = found.pop() if len(found) == 1 else None
    if names is None:
        return None
    head, dependent = (name.lower().removesuffix("s") for name in names)
    return " and ".join(names) if head in HEADS and dependent in DEPENDENTS else None


def _named(path: Path) -> tuple[str, str] | None:
    if not path.is_file():
        return None
    for names in (_first_line(path), re.findall(r"[^\W\d_]+", path.name.partition(".")[0])):
        if len(names) > 1:
            return names[0], names[1]
    return None


def _first_line(path: Path) -> list[str]:
    """The names in a first line, if it is a header: the third name is that of a count."""
    from roget.core.tables.layout import COUNT_NAMES

    with open(path, "rb") as file:
        line = file.readline(1 << 12).decode("utf-8", "replace").rstrip("\r\n")
    names = [name.strip() for name in re.split(r"[\t,;]", line)]
    return names if len(names) > 2 and names[2].lower() in COUNT_NAMES else []
