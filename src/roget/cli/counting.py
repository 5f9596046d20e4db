"""The columns of a table, for commands that read counts."""

from __future__ import annotations

from typing import Annotated

import typer

ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=COLUMN",
        help="Of a table: word=noun,context=verb,count=freq, and perhaps slot=…; or names or "
        "numbers of word, context and count: user,item or 2,1,3.",
    ),
]
