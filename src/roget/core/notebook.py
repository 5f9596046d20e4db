"""What shows itself in a notebook: its report, which the catalogue finds under its kind."""

from __future__ import annotations

from typing import Any, ClassVar

from roget import catalogue


class ReportMixin:
    """What has a report; a notebook shows it."""

    kind: ClassVar[str]
    """Its name among the reports of the catalogue."""

    def _report(self) -> Any:
        return catalogue.load("reports", self.kind)(self)

    def render(self, format: str = "text") -> str:
        """The result in one of the formats of the catalogue."""
        text: str = self._report().render(format)
        return text

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        text: str = self._report().render_fragment()
        return text
