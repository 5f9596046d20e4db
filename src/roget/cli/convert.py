"""`roget convert INPUT -o OUTPUT`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from roget.cli import choices, options


def convert(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="File of labels to read. '-' is stdin.")
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUTPUT",
            help="File to write; its name may tell the format: .key, .tsv, .csv, .jsonl, .parquet.",
        ),
    ],
    from_: Annotated[
        str | None,
        # Messages about label files speak of --labels.
        choices.option(
            "label formats", "--from", "--labels", help="Format of INPUT, if the name misleads."
        ),
    ] = None,
    to: Annotated[
        str | None,
        choices.option(
            "label formats", "--to", help="Format of OUTPUT, if the name does not tell."
        ),
    ] = None,
    columns: options.Columns = None,
) -> None:
    """Write a label file in another format.

    Items, groups, labels and weights stay as they are. What the other format cannot hold is an
    error that names it, and nothing is written.
    """
    from roget.core.io.problems import plural
    from roget.scoring.labels.write import convert as convert_labels

    labels = convert_labels(source, output, from_, to, options.parse_columns(columns))
    for warning in labels.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"wrote {output}: {plural(len(labels), 'item')}", file=sys.stderr)
