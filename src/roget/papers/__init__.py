"""Tables and figures of the papers that roget comes from, made again: `roget reproduce`.

A reproduction is a function of a folder for pictures (or None) that gives a report; the first
line of its docstring says what it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from roget import catalogue
from roget.report import Report
from roget.report.listing import listed

Reproduction: TypeAlias = Callable[[Path | None], Report]


def load(name: str) -> Reproduction:
    """The reproduction of a name."""
    found: Reproduction = catalogue.load("reproductions", name)
    return found


def report_names() -> Report:
    """Every reproduction, and what it reproduces."""
    names = catalogue.names("reproductions")
    rows = [(name, (load(name).__doc__ or "").partition("\n")[0]) for name in names]
    data = [{"name": name, "about": about} for name, about in rows]
    return listed("Reproductions", rows, data)


def compose(
    title: str, figures: Path | None, picture: str, draw: Callable[[Path], None], **parts: Any
) -> Report:
    """A report that begins with its title; the picture is drawn if there is a folder for it."""
    if figures is not None:
        figures.mkdir(parents=True, exist_ok=True)
        draw(figures / picture)
        parts["notes"] = [*parts["notes"], f"picture: {figures / picture}"]
    return Report(title=title, lead=[title], **parts)


def data_file(*parts: str) -> Path | None:
    """A file of the real data sets, which do not ship: ROGET_TEST_DATA names their folder."""
    folder = os.environ.get("ROGET_TEST_DATA")
    path = Path(folder or "").joinpath(*parts)
    return path if folder and path.is_file() else None
