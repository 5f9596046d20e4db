"""`roget senses THESAURUS WORD`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import ThesaurusArgument, WordArgument
from roget.report import Report


def senses(
    thesaurus: ThesaurusArgument,
    word: WordArgument,
    n: Annotated[
        int, typer.Option("--number", "-n", min=1, metavar="N", help="Words and contexts of each.")
    ] = 8,
) -> Report:
    """The senses of a word: its classes, the contexts that vote for each, and words like it there.

    The word itself has no vote. Most words have one sense, which is their place in the thesaurus.
    """
    from roget.learn.load import open_thesaurus
    from roget.report import words

    return words.senses(open_thesaurus(thesaurus), word, n)
