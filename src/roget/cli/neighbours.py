"""`roget neighbours THESAURUS WORD`."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from roget.cli import options
from roget.cli.deliver import Format, Output, deliver


class By(enum.StrEnum):
    """What words are compared by."""

    both = enum.auto()
    classes = enum.auto()
    counts = enum.auto()


def neighbours(
    thesaurus: options.ThesaurusArgument,
    word: Annotated[str, typer.Argument(metavar="WORD", help="The word to look up.")],
    n: Annotated[
        int, typer.Option("--number", "-n", min=1, metavar="N", help="How many neighbours.")
    ] = 10,
    by: Annotated[
        By,
        typer.Option(
            help="Compare what the classes of words do, what the words did themselves, or half "
            "and half."
        ),
    ] = By.both,
    format: Format = None,
    output: Output = None,
) -> None:
    """The words of a thesaurus that are most like a word, and why.

    Distances are Jensen–Shannon divergences in bits, from 0 to 1.
    """
    from roget.learn.opening import open_thesaurus
    from roget.report import words

    deliver(words.neighbours(open_thesaurus(thesaurus), word, n, by.value), format, output)
