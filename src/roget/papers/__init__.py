"""Tables and figures of the papers that roget comes from, made again: `roget reproduce`.

A reproduction is a function of a folder for pictures (or None) that gives its text; the first
line of its docstring says what it is.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from roget.errors import UnknownName

Reproduction: TypeAlias = Callable[[Path | None], str]

REPRODUCTIONS: dict[str, str] = {
    "soft/figure-1": "roget.papers.soft:figure_1",
    "soft/figure-3": "roget.papers.soft:figure_3",
    "mdl/figure-3": "roget.papers.mdl:figure_3",
    "mdl/experiment-2": "roget.papers.mdl:experiment_2",
}
"""Name → "module:function", imported when run."""


def load(name: str) -> Reproduction:
    """The reproduction of a name."""
    if name not in REPRODUCTIONS:
        raise UnknownName("reproduction", name, REPRODUCTIONS)
    module, _, function = REPRODUCTIONS[name].partition(":")
    found: Reproduction = getattr(importlib.import_module(module), function)
    return found


def listing() -> list[tuple[str, str]]:
    """Every name, and what it reproduces."""
    return [(name, (load(name).__doc__ or "").partition("\n")[0]) for name in REPRODUCTIONS]


def data_file(*parts: str) -> Path | None:
    """A file of the real data sets, where they are: they do not ship with roget.

    The environment variable ROGET_TEST_DATA names their folder; otherwise it is looked for beside
    the repository.
    """
    default = Path(__file__).resolve().parents[4] / "shared" / "data"
    path = Path(os.environ.get("ROGET_TEST_DATA") or default).joinpath(*parts)
    return path if path.is_file() else None
