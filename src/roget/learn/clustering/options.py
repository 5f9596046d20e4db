"""Options shared by all clusterers, and where to find the options of one clusterer."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from typing import Any

from roget import catalogue
from roget.core.options import Option, from_signature, option, options_of
from roget.core.progress import Report

CLUSTERS = ("--clusters", "-k")
"""Command-line names of the option for the number of clusters."""

CALLED = "{name}={value!r}"
"""Format by which estimators name an option and its value in messages."""


def auto_option(help: str) -> Any:
    """Declare a positive number that is determined automatically by default."""
    return option("auto", words=("auto",), metavar="X|auto", positive=True, help=help)


@dataclass(eq=False, repr=False, kw_only=True)
class RunOptions:
    """Options of a run that do not affect its result, apart from the seed."""

    random_state: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    progress: Report | None = None


@cache
def method_options(method: str) -> Mapping[str, Option]:
    """Return the options of a clusterer of the catalogue, by name.

    They are declared as `OPTIONS` in the module `options` of the clusterer's package, so listing
    them does not import the clusterer. A clusterer without such a module is imported and its
    signature inspected.
    """
    # The catalogue holds "module:object" strings; `options` is next to the module.
    module = catalogue.entries("clusterers")[method].partition(":")[0]
    beside = f"{module.rpartition('.')[0]}.options" if "." in module else ""
    if beside and importlib.util.find_spec(beside) is not None:
        return options_of(importlib.import_module(beside).OPTIONS)
    try:
        made = catalogue.load("clusterers", method)
    except ImportError:  # reported when the clusterer is used
        return {}
    return options_of(made) if is_dataclass(made) else from_signature(made)
