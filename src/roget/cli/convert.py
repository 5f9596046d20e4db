"""The command `roget convert INPUT -o OUTPUT`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import FailOn, fail_on_codes, print_notes, target
from roget.scoring.options import ConvertOptions


def convert(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="Label file to read, or - for stdin.")
    ],
    output: Annotated[
        str,
        target(
            "OUTPUT",
            "File to write. The format is inferred from the suffix: .key, .tsv, .csv, .jsonl or "
            ".parquet.",
        ),
    ],
    *,
    asked: ConvertOptions,
    fail_on: FailOn = None,
) -> None:
    """Convert a label file to another format.

    Items, groups, labels and weights are kept. If the other format cannot represent them, an error
    is reported and nothing is written.
    """
    from roget.core.io.problems import plural
    from roget.scoring.labels.write import convert as convert_labels

    labels = convert_labels(source, output, **vars(asked))
    print_notes(*labels.warnings, kind="warning")
    cover = "; clusters overlap: score with --set several=cover" if labels.overlapping else ""
    print_notes(f"wrote {output}: {plural(len(labels), 'item')}{cover}")
    fail_on_codes(labels.warnings, fail_on)
