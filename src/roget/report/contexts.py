"""Contexts in words, for people; programs get their codes."""

from __future__ import annotations

from roget.core.counts import Counts
from roget.learn.sketch import Sketches

NOTE = "… stands for the word; --format json and csv have the codes of contexts, such as obj:open"


class ContextPhrases:
    """A function from the code of a context to its phrase.

    >>> counts = Counts([[4, 1]], ["tea"], ["obj:drink", "nmod:of:cup"], slots=["obj", "nmod:of"])
    >>> phrase = ContextPhrases(counts)
    >>> phrase("obj:drink"), phrase("nmod:of:cup"), phrase("unknown")
    ('drink …', 'cup of …', 'unknown')
    """

    def __init__(self, counts: Counts) -> None:
        self._sketches = Sketches(counts)
        self._columns = {str(name): column for column, name in enumerate(counts.contexts)}
        self._has_phrases = False

    def __call__(self, context: str) -> str:
        column = self._columns.get(context)
        phrase = context if column is None else self._sketches.phrase(column)
        self._has_phrases |= phrase != context
        return phrase

    @property
    def notes(self) -> list[str]:
        """The line that explains the phrases, if there were any."""
        return [NOTE] if self._has_phrases else []
