"""`roget why THESAURUS WORD [WORD2]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import ThesaurusArgument, WordArgument
from roget.learn.command_options import WhyOptions
from roget.report import Report


def why(
    thesaurus: ThesaurusArgument,
    word: WordArgument,
    other: Annotated[
        str | None, typer.Argument(metavar="WORD2", help="A word that is like it.")
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="X",
            help="Why in this class: its number, its label, or a word in it.",
        ),
    ] = None,
    *,
    asked: WhyOptions,
) -> Report:
    """The sentences behind a thesaurus: why two words are alike, or why a word is in a class.

    Of two words, the contexts that they share; of one, those that tell most about it; with
    --class, those that put it there. To each, sentences in which it was seen, the word in the
    middle, if it was built of text: `roget build` keeps 3 of each pair, or as --evidence asks.
    """
    from roget.learn.load import open_counted
    from roget.report.why import report

    return report(open_counted(thesaurus), word, other, into, **vars(asked))
