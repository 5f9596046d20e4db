"""The views of the explorer, one module each.

To add a view, write a module with a `VIEW`, list it here, run `python -m roget.web.schema`, which
updates the types of the scripts, and write the script that draws it.
"""

from __future__ import annotations

from roget.web.views import (
    alike,
    changes,
    compare,
    cut,
    find,
    history,
    lines,
    overview,
    path,
    sketch,
    tree,
    why,
    word,
    word_class,
)
from roget.web.views.base import View

VIEWS: tuple[View, ...] = (
    overview.VIEW,
    tree.VIEW,
    # The word view must precede the other views with lists of contexts, because contexts are
    # numbered in the order of their first use.
    word.VIEW,
    word.BY_NAME,
    word_class.VIEW,
    find.VIEW,
    lines.VIEW,
    sketch.VIEW,
    alike.VIEW,
    why.VIEW,
    changes.VIEW,
    path.VIEW,
    history.VIEW,
    cut.VIEW,
    compare.VIEW,
)
