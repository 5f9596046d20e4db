"""`roget.widget`: the page of a result within a notebook, the same page as in a browser.

The page is static and stands in a frame of its own: no port is opened, and nothing is asked for.
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
"""In pixels: a page with room for what lies below it in the notebook."""


class Page(anywidget.AnyWidget):
    """A page in a notebook; `html` and `height` may be changed."""

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
    """Show a result in a notebook as the page that a browser would show.

    Parameters
    ----------
    result
        A comparison, whose leaderboard can be sorted and opened; a thesaurus, as in `roget
        explore`, but for editing; or any other result, as the page of its report.
    height
        In pixels.
    compare
        Beside a thesaurus: the path of another one, or of a file of words and their classes.
    evidence
        Sentences of each word and context of a thesaurus that the page holds; they stay in the
        notebook when it is saved and passed on.
    sketches
        Whether it holds the sketches of all words.

    Returns
    -------
    Page
        A widget, which the notebook shows if it is the last thing in a cell.
    """
    if isinstance(result, Thesaurus):
        from roget.web.desk import Desk
        from roget.web.static import page

        html = page(Desk(result, compare), evidence=evidence, sketches=sketches)
        return Page(html=html, title="Thesaurus", height=height)
    if compare is not None:
        raise InputError("compare: only a thesaurus can be set beside another")
    if evidence or sketches:
        raise InputError("evidence, sketches: only the page of a thesaurus has them")
    if not isinstance(result, ReportMixin):
        found = type(result).__name__
        raise InputError(f"found a {found}; expected a result, such as a comparison or a thesaurus")
    return Page(html=result.render("html"), title=type(result).__name__, height=height)
