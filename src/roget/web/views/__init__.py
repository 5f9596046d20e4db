"""The views of the explorer, one module each.

To add a view, write a module with a `VIEW` in this package and a script that draws it, and run
`python -m roget.web.schema`, which updates the types, routes and pages of the scripts.
"""

from __future__ import annotations

import importlib
import pkgutil

from roget.web.views.base import View

_ORDER = (
    # The word view must precede the other views with lists of contexts, because contexts are
    # numbered in the order of their first use.
    "overview", "tree", "word", "word_class", "find", "lines", "sketch", "shared", "why", "changes",
    "path", "history", "cut", "compare",
)  # fmt: skip
"""Modules in the order of the API. Modules that are not listed follow in alphabetical order."""


def _find_views() -> tuple[View, ...]:
    """Return the views of all modules of this package."""
    modules = {module.name for module in pkgutil.iter_modules(__path__)}
    names = [*_ORDER, *sorted(modules.difference(_ORDER))]
    found = [importlib.import_module(f"{__name__}.{name}") for name in names]
    views = (one for module in found for one in vars(module).values() if isinstance(one, View))
    return tuple({id(view): view for view in views}.values())


VIEWS = _find_views()
