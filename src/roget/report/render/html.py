"""HTML renderer: one self-contained page, which needs no server, network or other file."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import partial
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from roget.report.render.data import embed

if TYPE_CHECKING:
    from jinja2 import Environment

    from roget.report import Report

STYLES = "roget.report.comparison", "page/page.css"
"""The style sheet shared by all pages."""

_MINUS = re.compile(r"(?<![\w.])-(?=\.?\d)")
"""Pattern that matches a minus sign: a hyphen before a number, but not inside a name."""
_TYPES = re.compile(r"[ \t]*/\*\* @.*?\*/\n?")
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)


def render(report: Report) -> str:
    """Render the report's custom page if it has one.

    Otherwise render its title, tables and notes.
    """
    if report.page is not None:
        return report.page()
    return fill_plain(report)


def fill_plain(report: Report, script: str = "", data: Any = None) -> str:
    """Render a page with tables, figure and notes, and optionally a script with data."""
    return fill_frame(
        "roget.report.render",
        "page.html",
        script,
        data,
        report=report,
        lead=[*report.lead, report.about] if report.about else report.lead,
        notes=report.notes,
        warnings=[*report.warnings, *report.talk],
        signature=report.signature,
        picture=_draw(report),
    )


def _draw(report: Report) -> str:
    """Return the report's figure as a data URL, or "" if there is no figure or no matplotlib."""
    if report.picture is None or find_spec("matplotlib") is None:
        return ""
    from roget.report.figures import write_svg

    drawn = base64.b64encode(write_svg(report.picture())).decode("ascii")
    return f"data:image/svg+xml;base64,{drawn}"


def fragment(report: Report) -> str:
    """Return the tables as HTML for embedding in another page, such as a notebook."""
    page = environment().from_string(asset("roget.report.render", "fragment.html"))
    return page.render(report=report, warnings=[*report.warnings, *report.talk])


def fill_frame(
    package: str, template: str, script: str = "", data: Any = None, **values: Any
) -> str:
    """Fill a template that extends the common frame, optionally with a script and data."""
    from markupsafe import Markup

    drawn = {"script": script, "hash": digest(script), "data": embed(data)}
    marked = {name: Markup(text) for name, text in drawn.items()}
    usual = {"lead": (), "notes": (), "signature": ""}
    return fill(package, template, **usual | marked | values)


def fill(package: str, template: str, **values: Any) -> str:
    """Fill a template, with the common style sheet unless `styles` is passed."""
    from markupsafe import Markup

    page = environment().from_string(asset(package, template))
    text = page.render({"styles": Markup(asset(*STYLES))} | values)
    # A name may contain a lone surrogate, which cannot be encoded as UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")


def asset(package: str, name: str) -> str:
    """Return the content of a text file in a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def environment() -> Environment:
    """Return a template environment that escapes all values."""
    import jinja2

    from roget.report.format import number, part_line, with_code

    made = jinja2.Environment(
        # This folder contains the shared templates "frame.html" and "parts.html".
        loader=jinja2.FunctionLoader(partial(asset, __package__)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["code"] = with_code
    made.filters["number"] = number
    made.filters["spans"] = part_line
    made.filters["signs"] = lambda text: _MINUS.sub("\N{MINUS SIGN}", str(text))
    return made


def bundle(entry: str) -> str:
    """Return a page's script: the required modules from web/js, dependencies first.

    The modules share one scope, so import and export statements are removed, and so are type
    comments. A test checks that no two modules declare the same name.
    """
    folder, found = resources.files("roget") / "web" / "js", dict[str, str]()

    def add(name: str) -> None:
        if name not in found:
            found[name] = ""  # End the recursion if imports are circular.
            text = (folder / f"{name}.js").read_text(encoding="utf-8")
            for other in _IMPORT.findall(text):
                add(other)
            del found[name]
            text = _TYPES.sub("", _IMPORT.sub("", text))
            found[name] = re.sub(r"^export ", "", text, flags=re.MULTILINE)

    add(entry)
    return '(() => {\n"use strict";\n' + "\n".join(found.values()) + "})();\n"


def digest(text: str) -> str:
    """Return the hash that allows a script in a content security policy."""
    hashed = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(hashed).decode('ascii')}'"
