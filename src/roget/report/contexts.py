"""Show contexts as readable phrases in text and HTML. JSON, CSV and TSV keep the context codes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from roget.core.counts import Counts
from roget.learn.usage.sketch import Sketches

NOTE = "… stands for the word; the output in JSON and CSV contains context codes such as obj:open"


class ContextPhrases:
    """A callable that maps context codes to phrases. Unknown codes are returned unchanged.

    >>> counts = Counts([[4, 1]], ["tea"], ["obj:drink", "nmod:of:cup"], slots=["obj", "nmod:of"])
    >>> phrase = ContextPhrases(counts)
    >>> phrase("obj:drink"), phrase("nmod:of:cup"), phrase("unknown")
    ('drink …', 'cup of …', 'unknown')
    """

    def __init__(self, counts: Counts) -> None:
        self.sketches = Sketches(counts)
        self.columns = {str(name): column for column, name in enumerate(counts.contexts)}
        self._phrases: dict[str, str] = {}

    @classmethod
    def from_names(cls, contexts: Iterable[str]) -> Self:
        """Create the callable from context codes alone, without counts.

        >>> ContextPhrases.from_names(["obj:drink", "~amod:hot"])("~amod:hot")
        'hot …'
        """
        names = list(contexts)
        return cls(Counts([[1] * len(names)], ["…"], names))

    def __call__(self, context: str) -> str:
        if context not in self._phrases:
            column = self.columns.get(context)
            self._phrases[context] = context if column is None else self.sketches.phrase(column)
        return self._phrases[context]

    def distinct(self, contexts: Iterable[str]) -> list[str]:
        """Return the phrases of contexts in order, without repetitions.

        Contexts that differ only in their relation can have the same phrase.

        >>> ContextPhrases.from_names(["obj:use", "~compound:use"]).distinct(
        ...     ["obj:use", "~compound:use"]
        ... )
        ['use …']
        """
        return list(dict.fromkeys(map(self, contexts)))

    @property
    def notes(self) -> list[str]:
        """A line that explains the phrases, or nothing if no context was converted to a phrase."""
        return [NOTE] if any(name != phrase for name, phrase in self._phrases.items()) else []
