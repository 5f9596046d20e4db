"""The command `roget heldout COUNTS`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import (
    CountsArgument,
    Format,
    Output,
    bar,
    deliver,
    print_written,
    read_counts,
)
from roget.learn.counting.options import TableOptions
from roget.learn.evaluation.options import HeldoutOptions


def heldout(
    counts: CountsArgument,
    *,
    given: TableOptions,
    asked: HeldoutOptions,
    format: Format = None,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Also write a plot of the losses to FILE (.svg, .png or .pdf)."
        ),
    ] = None,
    output: Output = None,
) -> None:
    """Measure how well class models predict held-out text, in bits per word–context pair.

    Each split uses 80 % of the tokens for training, 10 % for tuning and 10 % for testing. The
    models are also tested on new words, which are the next N words by frequency after the N words
    of --top. Relative entropy weights all words equally.
    """
    from roget.learn.evaluation.heldout import compare
    from roget.report import evaluation as report
    from roget.report.figures import check_format, save_picture

    if figure is not None:
        check_format(figure)
    table = read_counts(counts, given.columns, sample="verb_object")
    with bar("learning", "fits") as progress:
        found = compare(table, **vars(asked), progress=progress)
    deliver(report.heldout(found), format, output)
    if figure is not None:
        save_picture(report.draw(found), figure)
        print_written([figure])
