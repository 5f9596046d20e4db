"""`roget neighbours THESAURUS WORD`."""

from __future__ import annotations

import enum
from typing import Annotated

import typer

from roget.cli import options


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
    format: options.FormatOption = None,
    output: options.Output = None,
) -> None:
    """The words of a thesaurus that are most like a word, and why.

    Distances are Jensen–Shannon divergences in bits, from 0 to 1.
    """
    from roget.learn.opening import open_thesaurus
    from roget.report.words import as_json, look_around, render_neighbours

    found = look_around(open_thesaurus(thesaurus), word, n, by.value)
    told = options.told_format(output, {"text": "", "json": ""}, format)
    options.deliver(
        as_json(found) if told == "json" else render_neighbours(found), (), told, output
    )
