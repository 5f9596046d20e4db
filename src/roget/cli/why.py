"""The command `roget why THESAURUS WORD [WORD2]`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import ThesaurusArgument, WordArgument
from roget.learn.options import WhyOptions
from roget.report import Report


def why(
    thesaurus: ThesaurusArgument,
    word: WordArgument,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="WORD2",
            help="Second word. The report then explains why the two words are similar.",
        ),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="X",
            help="Class X (its number, its label, or a word in it). The report explains why the "
            "word is in this class.",
        ),
    ] = None,
    *,
    asked: WhyOptions,
) -> Report:
    """Show the evidence: why two words are similar, or why a word is in a class.

    For two words, prints the contexts they share. For one word, prints its most informative
    contexts or, with --class, the contexts that place it in the class. If the thesaurus was built
    from text, each context has a concordance of example sentences (`roget build --evidence N` keeps
    N per pair; default 3).
    """
    from roget.learn.load import open_counted
    from roget.report.why import report

    return report(open_counted(thesaurus), word, other, into, **vars(asked))
