"""The command `roget judge ratings`, `roget judge sheet` and `roget judge answers`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.command import command, group
from roget.cli.shared import (
    Format,
    ThesaurusArgument,
    deliver,
    print_notes,
    print_written,
    target,
)
from roget.learn.evaluation.options import AnswerOptions, RatingOptions, SheetOptions
from roget.report import Report

app = group("judge", "Evaluate a thesaurus with human ratings and word-intrusion tests.")


@command(app, "ratings")
def ratings(
    thesaurus: ThesaurusArgument,
    file: Annotated[
        str,
        typer.Argument(
            metavar="RATINGS",
            help="A table with two words and a rating per row, such as SimLex-999 or WordSim-353.",
        ),
    ],
    *,
    asked: RatingOptions,
) -> Report:
    """Correlate word similarities with human ratings (Spearman's ρ).

    Similarities are computed as in `roget neighbours`. Two other similarities are shown for
    comparison: one based on the smallest common class in the tree, and the cosine of the words'
    PPMI vectors, which does not use the thesaurus.
    """
    from roget.learn.evaluation.ratings import judge_ratings, read_ratings
    from roget.learn.load import open_thesaurus
    from roget.report.judging import report_ratings

    pairs = read_ratings(file, asked.columns)
    found = judge_ratings(open_thesaurus(thesaurus), pairs, **vars(asked))
    return report_ratings(found)


@command(app, "sheet")
def sheet(
    thesaurus: ThesaurusArgument,
    output: Annotated[
        str, target("SHEET.csv", "Sheet to write. A printable page is written next to it.")
    ],
    key: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="File for the answer key [default: SHEET.key.csv]."),
    ] = None,
    *,
    asked: SheetOptions,
    format: Format = None,
) -> None:
    """Write a word-intrusion sheet for annotators.

    Annotators write the intruding word or its number into the last column, or ? if they do not
    know. The answer key contains the solutions, so do not give it to the annotators.
    """
    from roget.learn.evaluation.sheets import draw_sheet
    from roget.learn.load import open_thesaurus
    from roget.report import judging

    judging.name_files(output, key)
    drawn = draw_sheet(open_thesaurus(thesaurus), **vars(asked))
    print_notes(*drawn.notes, kind="note")
    paths = judging.write_sheet(drawn, output, key)
    print_written(paths)
    if format is not None:
        deliver(judging.report_sheet(drawn, paths), format)


@command(app, "answers")
def answers(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="SHEET... KEY",
            help="Filled-in sheets, as FILE or NAME=FILE, and their answer key, in any order.",
        ),
    ],
    *,
    asked: AnswerOptions,
) -> Report:
    """Evaluate filled-in sheets: the intruders found, and the agreement of the annotators.

    Blank answers are ignored. The answer ? counts as wrong.
    """
    from roget.core.io.paths import name_sources
    from roget.learn.evaluation.answers import judge_answers, split_files
    from roget.report.judging import report_answers

    key, filled = split_files(name_sources(files, "files"))
    return report_answers(judge_answers(key, filled, **vars(asked)))
