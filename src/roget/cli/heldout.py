"""`roget heldout COUNTS`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import CountsArgument, Format, Output, bar, deliver, read_counts, tell_written
from roget.learn.counting.options import TableOptions
from roget.learn.evaluation.options import HeldoutOptions


def heldout(
    counts: CountsArgument,
    *,
    given: TableOptions,
    asked: HeldoutOptions,
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
        tell_written([figure])
