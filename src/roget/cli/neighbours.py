"""The command `roget neighbours THESAURUS WORD`."""

from __future__ import annotations

from roget.cli.shared import ThesaurusArgument, WordArgument
from roget.learn.options import NeighbourOptions
from roget.report import Report


def neighbours(
    thesaurus: ThesaurusArgument,
    word: WordArgument,
    *,
    asked: NeighbourOptions,
) -> Report:
    """List the words most similar to a word, with the contexts they share.

    Similarity is measured in standard deviations above the mean over frequent words.
    """
    from roget.learn.load import open_thesaurus
    from roget.report import words

    return words.neighbours(open_thesaurus(thesaurus), word, **vars(asked))
