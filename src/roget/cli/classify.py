"""`roget classify THESAURUS COUNTS`."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from roget.cli import counting, options


class Format(enum.StrEnum):
    """How the answer is written."""

    text = enum.auto()
    json = enum.auto()
    tsv = enum.auto()


def classify(
    thesaurus: options.ThesaurusArgument,
    counts: Annotated[
        str,
        typer.Argument(
            metavar="COUNTS",
            help="Counts of new words: a folder of roget count, or a table of word, context, "
            "count (.tsv, .csv, .parquet, .npz, …).",
        ),
    ],
    n: Annotated[
        int, typer.Option("--number", "-n", min=1, metavar="N", help="Classes of each word.")
    ] = 3,
    columns: counting.ColumnsOption = None,
    format: Annotated[
        Format | None, typer.Option("--format", help="Default: text, or what FILE's name tells.")
    ] = None,
    output: options.Output = None,
) -> None:
    """Find the classes that new words belong to, from the contexts they stand in.

    Contexts are matched by name, so count them as those of the thesaurus were counted. A word of
    which no context is known gets no class.
    """
    from roget.learn.opening import open_thesaurus
    from roget.report import words

    given = options.read_counts(counts, columns)
    placed = words.place(open_thesaurus(thesaurus), given, n)
    told = _told(format, output)
    made = {
        "text": words.render_places,
        "json": words.places_as_json,
        "tsv": words.places_as_tsv,
    }[told]
    for warning in words.unplaced(placed):
        print(f"warning: {warning}", file=sys.stderr)
    options.deliver(made(placed), (), told, output)


def _told(format: Format | None, output: str | None) -> str:
    if format is None and output is not None and Path(output).suffix.lower() == ".tsv":
        return "tsv"
    return options.told_format(output, dict.fromkeys(Format, ""), format)
