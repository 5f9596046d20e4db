"""Renderers: one function per output format, which converts a report to a string."""

from __future__ import annotations

import os
from pathlib import PurePath

from roget import catalogue
from roget.errors import InputError


def choose_format(path: str | os.PathLike[str]) -> str:
    """Return the format inferred from a file name, or plain text if it has no suffix.

    >>> choose_format("scores.md"), choose_format("scores")
    ('markdown', 'text')
    """
    suffix = PurePath(path).suffix.lower()
    known = catalogue.suffixes("renderers")
    if suffix and suffix not in known:
        raise InputError(
            f"{path}: unknown file extension {suffix}; use one of {', '.join(sorted(known))}, or "
            "pass --format",
            code="unsupported-format",
        )
    return known[suffix] if suffix else "text"
