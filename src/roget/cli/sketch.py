"""The command `roget sketch COUNTS WORD`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from roget.cli.shared import CountsArgument, WordArgument, read_counts
from roget.learn.counting.options import TableOptions
from roget.learn.options import SketchOptions
from roget.report import Report


def sketch(
    counts: CountsArgument,
    word: WordArgument,
    lines: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Number of example sentences to show per collocate."),
    ] = 0,
    *,
    asked: SketchOptions,
    given: TableOptions,
) -> Report:
    """Show a word sketch: the typical collocates of a word in each grammatical relation.

    Each collocate is shown with its frequency and its logDice score, which does not depend on
    corpus size. With a second word, collocates are grouped: first word only, both words, second
    word only.
    """
    from roget.errors import InputError
    from roget.learn.thesaurus.files import is_thesaurus
    from roget.learn.usage.sketch import find_lines
    from roget.learn.usage.sketch import sketch as make
    from roget.report.sketch import report

    table = read_counts(counts, given.columns)
    if lines and table.evidence is None:
        raise InputError(
            f"--lines {lines}: {counts} has no example sentences; count or build it with "
            "--evidence N",
            code="conflicting-options",
        )
    find = partial(find_lines, table, n=lines) if lines else None
    asks = table.evidence is not None and is_thesaurus(Path(counts))
    return report(make(table, word, **vars(asked)), counts if asks else "", find)
