"""The report as one page that needs nothing else: no server, no network, no other file."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from roget.report import Report
from roget.report.render import suffixes

if TYPE_CHECKING:
    from jinja2 import Environment

STYLES = "roget.report.comparison", "page/page.css"
"""One look for all pages."""


@suffixes(".html", ".htm")
def render(report: Report) -> str:
    """A page: the report's own if it brings one, or its title, tables and notes."""
    if report.page is not None:
        return report.page()
    return fill(
        "roget.report.render", "page.html", report=report, warnings=[*report.warnings, *report.talk]
    )


def fill(package: str, template: str, **values: Any) -> str:
    """A page of a template, in the style of all."""
    from markupsafe import Markup

    page = environment().from_string(asset(package, template))
    text = page.render(styles=Markup(asset(*STYLES)), **values)
    # A name may hold half of a surrogate pair, which no file can.
    return text.encode("utf-8", "replace").decode("utf-8")


def asset(package: str, name: str) -> str:
    """A text file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def environment() -> Environment:
    """Templates in which all that is not ours is escaped."""
    import jinja2

    from roget.report.format import number

    made = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters["number"] = number
    made.filters["signs"] = lambda text: str(text).replace("-", "\N{MINUS SIGN}")
    return made
