"""The explorer's HTML page, either served or written as one self-contained file."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from markupsafe import Markup

from roget.core.progress import Report
from roget.errors import InputError
from roget.report.render.data import embed
from roget.report.render.html import asset, bundle, digest, fill
from roget.web.session import Session
from roget.web.snapshot import ThesaurusSnapshot
from roget.web.views import VIEWS
from roget.web.views.base import StaticPage

PACKAGE = "roget.web"

POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; connect-src {connect}; "
    "img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def render(**values: Any) -> str:
    """Fill the page template. Scripts and styles are linked unless they are passed."""
    defaults = dict.fromkeys(("title", "script", "styles", "policy")) | {"blocks": {}}
    return fill(PACKAGE, "assets/page.html", **defaults | values)


def page(
    session: Session, progress: Report | None = None, *, evidence: int = 0, sketches: bool = False
) -> str:
    """Render the static page. The output is deterministic.

    `evidence` is the number of sentences to include for each word and context. Sketches make the
    page several times larger.
    """
    snapshot = session.snapshot
    if evidence and snapshot.thesaurus.counts.evidence is None:
        raise InputError(
            f"{session.path} has no example sentences; build it again with --evidence N",
            code="missing-option",
        )
    made = StaticPage(snapshot, evidence, sketches, progress)
    blocks: dict[str, str] = {}
    with _use_one_thread():
        for view in VIEWS:
            if view.static is not None:
                blocks |= {name: embed(data) for name, data in view.static(made).items()}
    blocks["contexts"] = embed([_spell(snapshot, context) for context in made.contexts])
    blocks["notes"] = embed(_collect_notes(snapshot))
    script, styles = bundle("explore"), asset(PACKAGE, "assets/explore.css")
    policy = POLICY.format(script=digest(script), style=digest(styles), connect="'none'")
    return render(
        title=snapshot.name,
        policy=Markup(policy),
        script=Markup(script),
        styles=Markup(styles),
        blocks={name: Markup(text) for name, text in blocks.items()},
    )


def _use_one_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread, because several are slower on the small blocks compared here."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:  # This library is installed only with the extra `learn`.
        return nullcontext()
    return cast(AbstractContextManager[Any], threadpool_limits(1))


def _spell(snapshot: ThesaurusSnapshot, context: str) -> list[str]:
    """Return a context, followed by its readable phrase if the phrase is different."""
    phrase = snapshot.phrase(context)
    return [context] if phrase == context else [context, phrase]


def _collect_notes(snapshot: ThesaurusSnapshot) -> dict[str, Any]:
    """Return all notes on classes (keyed by node) and on words."""
    notes = {about: note._asdict() for about, note in snapshot.thesaurus.notes.items()}
    return {
        "classes": {str(about): note for about, note in notes.items() if isinstance(about, int)},
        "words": {about: note for about, note in notes.items() if isinstance(about, str)},
    }
