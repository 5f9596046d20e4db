"""The report as one page that needs nothing else: no server, no network, no other file."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import partial
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from roget.report import Report
from roget.report.render.data import embed

if TYPE_CHECKING:
    from jinja2 import Environment

STYLES = "roget.report.comparison", "page/page.css"
"""One look for all pages."""

_MINUS = re.compile(r"(?<![\w.])-(?=\.?\d)")
"""Before a number, not within a name."""
_TYPES = re.compile(r"[ \t]*/\*\* @.*?\*/\n?")
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)


def render(report: Report) -> str:
    """A page: the report's own if it brings one, or its title, tables and notes."""
    if report.page is not None:
        return report.page()
    return fill_plain(report)


def fill_plain(report: Report, script: str = "", data: Any = None) -> str:
    """The page of a report's tables, picture and notes; a script may draw what data holds."""
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
    """The report's picture as an address that holds it; none without what draws it."""
    if report.picture is None or find_spec("matplotlib") is None:
        return ""
    from roget.report.figures import write_svg

    drawn = base64.b64encode(write_svg(report.picture())).decode("ascii")
    return f"data:image/svg+xml;base64,{drawn}"


def fragment(report: Report) -> str:
    """The tables for a page that is not ours, such as a notebook's."""
    page = environment().from_string(asset("roget.report.render", "fragment.html"))
    return page.render(report=report, warnings=[*report.warnings, *report.talk])


def fill_frame(
    package: str, template: str, script: str = "", data: Any = None, **values: Any
) -> str:
    """A page of a template that extends the frame of all; a script may draw what data holds."""
    from markupsafe import Markup

    drawn = {"script": script, "hash": digest(script), "data": embed(data)}
    marked = {name: Markup(text) for name, text in drawn.items()}
    usual = {"lead": (), "notes": (), "signature": ""}
    return fill(package, template, **usual | marked | values)


def fill(package: str, template: str, **values: Any) -> str:
    """A page of a template, in the style of all unless another is given."""
    from markupsafe import Markup

    page = environment().from_string(asset(package, template))
    text = page.render({"styles": Markup(asset(*STYLES))} | values)
    # A name may hold half of a surrogate pair, which no file can.
    return text.encode("utf-8", "replace").decode("utf-8")


def asset(package: str, name: str) -> str:
    """A text file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def environment() -> Environment:
    """Templates in which all that is not ours is escaped."""
    import jinja2

    from roget.report.format import number, part_line, with_code

    made = jinja2.Environment(
        # What pages share lies beside this module: "frame.html", "parts.html".
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
    """The script of a page: the modules of web/js that it needs, each after those it imports.

    They share one scope, so that lines which import and export can go, and so can notes on types;
    a test sees that no two of them declare the same name. The folder is read, not imported: pages
    are drawn without the explorer's server.
    """
    folder, found = resources.files("roget") / "web" / "js", dict[str, str]()

    def add(name: str) -> None:
        if name not in found:
            found[name] = ""  # so that a circle of imports ends
            text = (folder / f"{name}.js").read_text(encoding="utf-8")
            for other in _IMPORT.findall(text):
                add(other)
            del found[name]
            text = _TYPES.sub("", _IMPORT.sub("", text))
            found[name] = re.sub(r"^export ", "", text, flags=re.MULTILINE)

    add(entry)
    return '(() => {\n"use strict";\n' + "\n".join(found.values()) + "})();\n"


def digest(text: str) -> str:
    """The hash by which a policy admits a text and nothing else."""
    hashed = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(hashed).decode('ascii')}'"
