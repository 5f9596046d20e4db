"""The page itself: one template, one script, one style sheet."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from roget.report.page import bundle, digest
from roget.report.render.html import asset, environment

PACKAGE = "roget.web"

POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; connect-src {connect}; "
    "img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def render(**values: Any) -> str:
    """The page; scripts and styles are linked unless they are given."""
    given = dict.fromkeys(("token", "script", "styles", "policy")) | {"blocks": {}} | values
    return environment().from_string(asset(PACKAGE, "assets/page.html")).render(**given)


def alone(title: str, blocks: dict[str, str]) -> str:
    """The page with its script, styles and data inside it."""
    script, styles = bundle("explore"), asset(PACKAGE, "assets/explore.css")
    return render(
        title=title,
        policy=Markup(POLICY.format(script=digest(script), style=digest(styles), connect="'none'")),
        script=Markup(script),
        styles=Markup(styles),
        blocks={name: Markup(text) for name, text in blocks.items()},
    )
