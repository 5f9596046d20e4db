"""`roget why THESAURUS WORD [WORD2]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import Format, Output, ThesaurusArgument, WordArgument, deliver
from roget.learn.uses import WhyOptions


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
    format: Format = None,
    output: Output = None,
) -> None:
    """The sentences behind a thesaurus: why two words are alike, or why a word is in a class.

    Of two words, the contexts that they share; of one, those that tell most about it; with
    --class, those that put it there. To each, sentences in which it was seen, the word in the
    middle, if it was built of text: `roget build` keeps 3 of each pair, or as --evidence asks.
    """
    from roget.learn.opening import open_counted
    from roget.report.why import report

    deliver(report(open_counted(thesaurus), word, other, into, **vars(asked)), format, output)
