"""The command `roget explain [CODE]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.report import Report


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            help="Code of an error or warning, e.g. noise-label [default: list all codes].",
        ),
    ] = None,
) -> Report:
    """Explain an error or warning: what it means, why it matters and what to do."""
    from roget.report.codes import report

    return report(code)
