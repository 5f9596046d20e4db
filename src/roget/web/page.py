"""The page itself: one template, one script, one style sheet."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; connect-src {connect}; "
    "img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def asset(name: str) -> str:
    """The text of a file of this package."""
    return (resources.files("roget.web") / "assets" / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """The hash by which a policy admits a text and nothing else."""
    hashed = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(hashed).decode('ascii')}'"


def render(**values: Any) -> str:
    """The page; scripts and styles are linked unless they are given."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    given: dict[str, Any] = {
        "token": None,
        "script": None,
        "styles": None,
        "policy": None,
        "blocks": {},
    }
    return environment.from_string(asset("page.html")).render(**given | values)


def alone(title: str, blocks: dict[str, str]) -> str:
    """The page with its script, styles and data inside it."""
    script, styles = asset("explore.js"), asset("explore.css")
    return render(
        title=title,
        policy=Markup(POLICY.format(script=digest(script), style=digest(styles), connect="'none'")),
        script=Markup(script),
        styles=Markup(styles),
        blocks={name: Markup(text) for name, text in blocks.items()},
    )
