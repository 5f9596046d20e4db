"""Results that display their report in a notebook; the catalogue finds the report by kind."""

from __future__ import annotations

from typing import Any, ClassVar

from roget import catalogue


class ReportMixin:
    """A result with a report, which notebooks display as a table."""

    kind: ClassVar[str]
    """Name of the report in the catalogue."""

    def _report(self) -> Any:
        return catalogue.load("reports", self.kind)(self)

    def render(self, format: str = "text") -> str:
        """Return the result in one of the formats of the catalogue: text, json, html and so on."""
        text: str = self._report().render(format)
        return text

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook displays."""
        text: str = self._report().render_fragment()
        return text
