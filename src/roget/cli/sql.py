"""The command `roget sql [GOLD] [SYSTEM]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import print_notes


def sql(
    gold: Annotated[
        str, typer.Argument(metavar="GOLD", help="Name of the table with gold labels.")
    ] = "gold",
    system: Annotated[
        str, typer.Argument(metavar="SYSTEM", help="Name of the table with system labels.")
    ] = "system",
    *,
    dialect: Annotated[
        str,
        typer.Option(metavar="NAME", help="SQL dialect: duckdb, postgres, spark or bigquery."),
    ] = "duckdb",
    item: Annotated[str, typer.Option(metavar="COLUMN", help="Column of item ids.")] = "item",
    label: Annotated[str, typer.Option(metavar="COLUMN", help="Column with the labels.")] = "label",
    group: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of groups [default: none].")
    ] = None,
) -> None:
    """Print an SQL query that counts classes and clusters in your own database.

    Both tables must have one row per item. Save the result of the query and pass it to `roget score
    --cells FILE`.
    """
    from roget.scoring.labels.sql import make_query

    typer.echo(make_query(dialect, gold, system, item=item, label=label, group=group) + ";")
    print_notes("save the result as cells.csv, then run: roget score --cells cells.csv")
