"""What all clusterers can be asked for, and where those of one clusterer are declared."""

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
"""What a command calls the option that says how many clusters there are to be."""

CALLED = "{name}={value!r}"
"""How messages of estimators name an option and its value."""


def auto_option(help: str) -> Any:
    """A positive number that is found unless it is given."""
    return option("auto", words=("auto",), metavar="X|auto", positive=True, help=help)


@dataclass(eq=False, repr=False, kw_only=True)
class RunOptions:
    """How a clusterer runs; no matter to what it finds."""

    random_state: Any = None
    checkpoint: str | os.PathLike[str] | None = None
    progress: Report | None = None


@cache
def method_options(method: str) -> Mapping[str, Option]:
    """The options of a clusterer of the catalogue, by name.

    `OPTIONS` in the module `options` of the same package declares them, so listing options does
    not import the clusterer; one without such a module is imported and inspected.
    """
    module = catalogue.entries("clusterers")[method].partition(":")[0]
    beside = f"{module.rpartition('.')[0]}.options" if "." in module else ""
    if beside and importlib.util.find_spec(beside) is not None:
        return options_of(importlib.import_module(beside).OPTIONS)
    try:
        made = catalogue.load("clusterers", method)
    except ImportError:  # whoever chooses it is told
        return {}
    return options_of(made) if is_dataclass(made) else from_signature(made)
