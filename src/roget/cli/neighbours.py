"""`roget neighbours THESAURUS WORD`."""

from __future__ import annotations

from roget.cli.shared import ThesaurusArgument, WordArgument
from roget.learn.command_options import NeighbourOptions
from roget.report import Report


def neighbours(
    thesaurus: ThesaurusArgument,
    word: WordArgument,
    *,
    asked: NeighbourOptions,
) -> Report:
    """The words of a thesaurus that are most like a word, and why.

    How much alike they are is told in standard deviations above the mean of common words.
    """
    from roget.learn.load import open_thesaurus
    from roget.report import words

    return words.neighbours(open_thesaurus(thesaurus), word, **vars(asked))
