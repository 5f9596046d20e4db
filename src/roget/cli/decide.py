"""`roget decide COUNTS`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli import counting, options
from roget.cli.deliver import Format, Output, deliver
from roget.cli.heldout import Models, Top


def decide(
    counts: options.CountsArgument,
    top: Top = 1000,
    draws: Annotated[int, typer.Option(min=1, metavar="N", help="How many draws.")] = 5,
    pairs: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many pairs are deleted in each.")
    ] = 104,
    seed: options.Seed = 0,
    model: Models = None,
    columns: counting.ColumnsOption = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Which of two verbs takes a noun, when all that was seen of one of them is deleted?

    The task of Pereira, Tishby & Lee (1993). Exceptional triples are those in which how often the
    verbs are seen at all suggests the wrong one.
    """
    from roget.cli.progress import bar
    from roget.learn.evaluation.decision import MODELS
    from roget.learn.evaluation.decision import decide as run
    from roget.report.evaluation import decisions

    table = options.read_counts(counts, columns)
    with bar("fits", "learning") as tell:
        found = run(
            table, model or MODELS, top=top, draws=draws, pairs=pairs, random_state=seed, tell=tell
        )
    deliver(decisions(found), format, output)
