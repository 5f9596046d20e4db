"""`roget.widget`: show the HTML page of a result in a notebook.

The page is static and runs in a sandboxed iframe, without a server or network requests.
"""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from roget.core.notebook import ReportMixin
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.report.render.html import asset

HEIGHT = 640
"""Default height of the page in pixels."""


class Page(anywidget.AnyWidget):
    """An HTML page in a notebook. `html` and `height` can be changed."""

    _esm = asset("roget.web", "js/widget.js")
    html = traitlets.Unicode("").tag(sync=True)
    title = traitlets.Unicode("roget").tag(sync=True)
    height = traitlets.Int(HEIGHT, min=100).tag(sync=True)


def widget(
    result: Any,
    *,
    height: int = HEIGHT,
    compare: Any = None,
    evidence: int = 0,
    sketches: bool = False,
) -> Page:
    """Show the HTML page of a result in a notebook.

    Parameters
    ----------
    result
        A comparison, whose leaderboard can be sorted and expanded; a thesaurus, shown as in `roget
        explore` but without editing; or any other result, shown as the page of its report.
    height
        Height in pixels.
    compare
        For a thesaurus: the path of another thesaurus, or of a file of words and their classes.
    evidence
        For a thesaurus: number of example sentences per word and context. They are stored in the
        notebook file.
    sketches
        For a thesaurus: True to include the sketches of all words.

    Returns
    -------
    Page
        A widget, displayed if it is the last expression of a cell.
    """
    if isinstance(result, Thesaurus):
        from roget.web.session import Session
        from roget.web.static import page

        html = page(Session(result, compare), evidence=evidence, sketches=sketches)
        return Page(html=html, title="Thesaurus", height=height)
    if compare is not None:
        raise InputError("compare requires a thesaurus", code="conflicting-options")
    if evidence or sketches:
        raise InputError("evidence and sketches require a thesaurus", code="conflicting-options")
    if not isinstance(result, ReportMixin):
        raise InputError(
            f"{type(result).__name__} is not a supported result; pass e.g. a comparison or a "
            "thesaurus",
            code="invalid-input",
        )
    return Page(html=result.render("html"), title=type(result).__name__, height=height)
