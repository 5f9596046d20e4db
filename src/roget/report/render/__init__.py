"""The formats of a report, one function each: what they show stands in the report, nothing else."""

from __future__ import annotations

import os
from pathlib import PurePath

from roget import catalogue
from roget.errors import InputError


def choose_format(path: str | os.PathLike[str]) -> str:
    """The format that a file's name asks for; plain text if it has no suffix.

    >>> choose_format("scores.md"), choose_format("scores")
    ('markdown', 'text')
    """
    suffix = PurePath(path).suffix.lower()
    known = catalogue.suffixes("renderers")
    if suffix and suffix not in known:
        raise InputError(
            f"{path}: no format has the suffix {suffix}; expected one of "
            f"{', '.join(sorted(known))}, or --format"
        )
    return known[suffix] if suffix else "text"
