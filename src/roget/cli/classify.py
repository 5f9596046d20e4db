"""The command `roget classify THESAURUS COUNTS`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import ThesaurusArgument, read_counts
from roget.engines.options import EngineOptions
from roget.learn.counting.options import TableOptions
from roget.report import Report


def classify(
    thesaurus: ThesaurusArgument,
    counts: Annotated[
        str,
        typer.Argument(
            metavar="COUNTS",
            help="Counts of the new words: a folder written by `roget count`, or a table with "
            "the columns word, context and count.",
        ),
    ],
    n: Annotated[
        int,
        typer.Option(
            "--number", "-n", min=1, metavar="N", help="Number of classes to list per word."
        ),
    ] = 3,
    *,
    given: TableOptions,
    where: EngineOptions,
) -> Report:
    """Classify new words by the contexts they occur in.

    Contexts are matched by name, so count the new words with the same options as the text of the
    thesaurus. Words without any known context are not classified.
    """
    from roget.engines.base import working_on
    from roget.learn.load import open_thesaurus
    from roget.report import words

    table = read_counts(counts, given.columns)
    with working_on(where.engine, where.scheduler):
        return words.classify(open_thesaurus(thesaurus), table, n)
