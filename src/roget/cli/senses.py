"""The command `roget senses THESAURUS WORD`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import ThesaurusArgument, WordArgument
from roget.report import Report


def senses(
    thesaurus: ThesaurusArgument,
    word: WordArgument,
    n: Annotated[
        int,
        typer.Option(
            "--number",
            "-n",
            min=1,
            metavar="N",
            help="Number of similar words and contexts to list per sense.",
        ),
    ] = 8,
) -> Report:
    """List the senses of a word: its classes, with typical contexts and similar words.

    A class is a sense if its other words share many contexts with the word. Most words have only
    one sense, their class in the thesaurus.
    """
    from roget.learn.load import open_thesaurus
    from roget.report import words

    return words.senses(open_thesaurus(thesaurus), word, n)
