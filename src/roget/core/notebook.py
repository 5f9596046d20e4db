"""Display results in notebooks. The catalogue maps each kind of result to its report."""

from __future__ import annotations

from typing import Any, ClassVar

from roget import catalogue


class ReportMixin:
    """Mixin for results that have a report, which notebooks display as a table."""

    kind: ClassVar[str]
    """Name of the report in the catalogue."""

    def _report(self) -> Any:
        return catalogue.load("reports", self.kind)(self)

    def render(self, format: str = "text") -> str:
        """Return the report in a registered format, such as text, json or html."""
        text: str = self._report().render(format)
        return text

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook displays."""
        text: str = self._report().render_fragment()
        return text
