"""`roget decide COUNTS`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli import options
from roget.cli.heldout import Columns, CountsArgument, FormatOption, Models, Top, read, writable


def decide(
    counts: CountsArgument,
    top: Top = 1000,
    draws: Annotated[int, typer.Option(min=1, metavar="N", help="How many draws.")] = 5,
    pairs: Annotated[
        int, typer.Option(min=1, metavar="N", help="How many pairs are deleted in each.")
    ] = 104,
    seed: options.Seed = 0,
    model: Models = None,
    columns: Columns = None,
    format: FormatOption = None,
    output: options.Output = None,
) -> None:
    """Which of two verbs takes a noun, when all that was seen of one of them is deleted?

    The task of Pereira, Tishby & Lee (1993). Exceptional triples are those in which how often the
    verbs are seen at all suggests the wrong one.
    """
    from roget.cli.progress import bar
    from roget.learn.decision import MODELS
    from roget.learn.decision import decide as run
    from roget.report import decision as report

    writable(output)
    table = read(counts, columns)
    with bar("fits") as tell:
        found = run(
            table, model or MODELS, top=top, draws=draws, pairs=pairs, random_state=seed, tell=tell
        )
    renderers = {"text": report.render, "json": report.as_json, "csv": report.as_csv}
    told = options.told_format(output, dict.fromkeys(renderers, ""), format)
    options.deliver(renderers[told](found), (), told, output)
