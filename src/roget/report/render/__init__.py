"""The formats of a report, one function each: what they show stands in the report, nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import PurePath

from roget import catalogue
from roget.errors import InputError
from roget.report import Report


def suffixes(*names: str) -> Callable[[Callable[[Report], str]], Callable[[Report], str]]:
    """Say how files of a format end, such as ".md": `-o report.md` then asks for it."""

    def mark(render: Callable[[Report], str]) -> Callable[[Report], str]:
        render.suffixes = names  # type: ignore[attr-defined]
        return render

    return mark


def choose_format(path: str | os.PathLike[str]) -> str:
    """The format that a file's name asks for; plain text if it has no suffix.

    >>> choose_format("scores.md"), choose_format("scores")
    ('markdown', 'text')
    """
    suffix = PurePath(path).suffix.lower()
    known = {
        one: name
        for name in reversed(catalogue.names("renderers"))
        for one in getattr(catalogue.load("renderers", name), "suffixes", ())
    }
    if suffix and suffix not in known:
        raise InputError(
            f"{path}: no format has the suffix {suffix}; expected one of "
            f"{', '.join(sorted(known))}, or --format"
        )
    return known[suffix] if suffix else "text"
