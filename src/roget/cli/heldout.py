"""`roget heldout COUNTS`."""

from __future__ import annotations

import enum
import sys
from typing import Annotated

import typer

from roget.cli import choices, counting, options
from roget.cli.deliver import Format, Output, deliver


class Backoff(enum.StrEnum):
    """What part a word's own counts play in models with classes."""

    discount = enum.auto()
    interpolate = enum.auto()
    none = enum.auto()


Top = Annotated[int, typer.Option(min=1, metavar="N", help="Take the N most frequent words.")]
Models = Annotated[
    list[str] | None,
    choices.option("models", "--model", "-m", help="A model of `roget list models`; repeatable."),
]


def heldout(
    counts: options.CountsArgument,
    top: Top = 1000,
    splits: Annotated[int, typer.Option(min=1, metavar="N", help="How many splits.")] = 5,
    seed: options.Seed = 0,
    model: Models = None,
    backoff: Annotated[
        Backoff,
        typer.Option(
            help="Models with classes: own counts discounted, interpolated, or classes alone."
        ),
    ] = Backoff.discount,
    columns: counting.ColumnsOption = None,
    format: Format = None,
    figure: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the losses: .svg, .png or .pdf.")
    ] = None,
    output: Output = None,
) -> None:
    """How well models predict text that they were not learnt from, in bits per pair.

    Of every split 8 tokens in 10 are learnt from, 1 is tuned on and 1 is for testing. The new words
    are as many words again, the next by frequency. Relative entropy counts every word alike.
    """
    from roget.cli.progress import bar
    from roget.learn.evaluation.heldout import MODELS, compare
    from roget.report import evaluation as report

    if figure is not None:
        report.drawable(figure)
    table = options.read_counts(counts, columns)
    with bar("fits", "learning") as tell:
        found = compare(
            table, model or MODELS, top=top, splits=splits, random_state=seed,
            backoff=backoff.value, tell=tell,
        )  # fmt: skip
    deliver(report.heldout(found), format, output)
    if figure is not None:
        report.figure(found, figure)
        print(f"wrote {figure}", file=sys.stderr)
