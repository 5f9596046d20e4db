"""`roget neighbours THESAURUS WORD`."""

from __future__ import annotations

from roget.cli.shared import Format, Output, ThesaurusArgument, WordArgument, deliver
from roget.learn.uses import NeighbourOptions


def neighbours(
    thesaurus: ThesaurusArgument,
    word: WordArgument,
    *,
    asked: NeighbourOptions,
    format: Format = None,
    output: Output = None,
) -> None:
    """The words of a thesaurus that are most like a word, and why.

    How much alike they are is told in standard deviations above the mean of common words.
    """
    from roget.learn.opening import open_thesaurus
    from roget.report import words

    deliver(words.neighbours(open_thesaurus(thesaurus), word, **vars(asked)), format, output)
