"""Options shared by all clusterers, and a function that finds the options of one clusterer."""

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
"""Command-line flags for the number of clusters."""

OPTION_FORMAT = "{name}={value!r}"
"""Format of an option and its value in error messages of estimators."""


def auto_option(help: str) -> Any:
    """Declare an option for a positive number that is "auto" by default."""
    return option("auto", words=("auto",), metavar="X|auto", positive=True, help=help)


@dataclass(eq=False, repr=False, kw_only=True)
class RunOptions:
    """Options for running a clusterer. Only the seed affects the result."""

    random_state: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    progress: Report | None = None


@cache
def method_options(method: str) -> Mapping[str, Option]:
    """Return the options of the clusterer with this catalogue name.

    A clusterer's package declares them as `OPTIONS` in its module `options`, so they can be listed
    without importing the clusterer. If there is no such module, the clusterer is imported and its
    signature inspected.
    """
    # The catalogue contains "module:object" strings. The module `options` is in the same package.
    module = catalogue.entries("clusterers")[method].partition(":")[0]
    sibling = f"{module.rpartition('.')[0]}.options" if "." in module else ""
    if sibling and importlib.util.find_spec(sibling) is not None:
        return options_of(importlib.import_module(sibling).OPTIONS)
    try:
        clusterer = catalogue.load("clusterers", method)
    except ImportError:  # The same error will be reported when the clusterer is used.
        return {}
    return options_of(clusterer) if is_dataclass(clusterer) else from_signature(clusterer)
