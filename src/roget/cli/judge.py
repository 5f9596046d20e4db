"""`roget judge ratings`, `roget judge sheet` and `roget judge answers`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.command import command, group
from roget.cli.shared import (
    Format,
    ThesaurusArgument,
    deliver,
    target,
    tell,
    tell_written,
)
from roget.learn.evaluation.options import AnswerOptions, RatingOptions, SheetOptions
from roget.report import Report

app = group("judge", "Hold a thesaurus against what people say of its words and classes.")


@command(app, "ratings")
def ratings(
    thesaurus: ThesaurusArgument,
    file: Annotated[
        str,
        typer.Argument(
            metavar="RATINGS",
            help="A table of word, word and rating, such as SimLex-999 or WordSim-353.",
        ),
    ],
    *,
    asked: RatingOptions,
) -> Report:
    """How far words that are alike in a thesaurus are alike to people: Spearman's ρ.

    Similarities are those of `roget neighbours`. Beside them stand the smallest class of both words
    in the tree, and the cosine of PPMI in the counts, which needs no thesaurus.
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
    output: Annotated[str, target("SHEET.csv", "The sheet to write; a page to print beside it.")],
    key: Annotated[
        str | None,
        typer.Option(metavar="FILE.csv", help="Where the key goes. Default: SHEET.key.csv."),
    ] = None,
    *,
    asked: SheetOptions,
    format: Format = None,
) -> None:
    """Write a sheet for people to fill in: which word does not belong?

    They write the word, or its number, into the last column, and ? if they cannot tell. The key
    says which it is: keep it from them.
    """
    from roget.learn.evaluation.sheets import draw_sheet
    from roget.learn.load import open_thesaurus
    from roget.report import judging

    judging.name_files(output, key)
    drawn = draw_sheet(open_thesaurus(thesaurus), **vars(asked))
    tell(*drawn.notes, kind="note")
    paths = judging.write_sheet(drawn, output, key)
    tell_written(paths)
    if format is not None:
        deliver(judging.report_sheet(drawn, paths), format)


@command(app, "answers")
def answers(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="SHEET... KEY",
            help="Filled sheets, named by file or NAME=FILE, and their key, in any order.",
        ),
    ],
    *,
    asked: AnswerOptions,
) -> Report:
    """How many intruders people found, class by class, and how far the people agree.

    Blank answers are left out; ? is an answer that is not right.
    """
    from roget.core.io.paths import name_sources
    from roget.learn.evaluation.answers import judge_answers, split_files
    from roget.report.judging import report_answers

    key, filled = split_files(name_sources(files, "files"))
    return report_answers(judge_answers(key, filled, **vars(asked)))
