"""`roget convert INPUT -o OUTPUT`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import target, tell
from roget.scoring.options import ConvertOptions


def convert(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="File of labels to read. '-' is stdin.")
    ],
    output: Annotated[
        str,
        target(
            "OUTPUT",
            "File to write; its name may tell the format: .key, .tsv, .csv, .jsonl, .parquet.",
        ),
    ],
    *,
    asked: ConvertOptions,
) -> None:
    """Write a label file in another format.

    Items, groups, labels and weights stay as they are. What the other format cannot hold is an
    error that names it, and nothing is written.
    """
    from roget.core.io.problems import plural
    from roget.scoring.labels.write import convert as convert_labels

    labels = convert_labels(source, output, **vars(asked))
    tell(*labels.warnings, kind="warning")
    cover = "; a cover: score with --several cover" if labels.overlapping else ""
    tell(f"wrote {output}: {plural(len(labels), 'item')}{cover}")
