"""Collect all invalid lines of a file in one error, and format messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from roget.errors import MAX_PROBLEMS, FormatError, Notice


@dataclass(eq=False)
class Problems:
    """The invalid lines of a file, which are raised together as one `FormatError`."""

    name: str
    hint: str = ""
    """Advice printed once, after all problems."""
    found: list[tuple[int, Notice]] = field(default_factory=list)
    """The number and the message of each invalid line."""

    def add(
        self, line: int, text: str, place: str | None = None, *, code: str = "broken-lines"
    ) -> None:
        """Add an invalid line. Raise the error when the maximum number of lines is reached.

        `place` replaces "file:line" in the message, e.g. for rows of a binary table.
        """
        message = f"{place or f'{self.name}:{line}'}: {text}"
        self.found.append((int(line), Notice(message, code=code)))
        if len(self.found) == MAX_PROBLEMS:
            self._raise(more=True)

    def check(self) -> None:
        """Raise a `FormatError` if there are problems."""
        if self.found:
            self._raise(more=False)

    def _raise(self, *, more: bool) -> None:
        texts = [text for _, text in sorted(self.found)]
        raise FormatError(self.name, texts, more=more, hint=self.hint)


def plural(number: float, noun: str, form: str = "") -> str:
    """Return a number followed by a noun, which is in the plural unless the number is 1.

    >>> plural(1, "word"), plural(2, "class"), plural(2.25, "cluster", ".1f"), plural(2, "entity")
    ('1 word', '2 classes', '2.2 clusters', '2 entities')
    """
    if number != 1 and noun[-1:] == "y" and noun[-2:-1] not in "aeiou":
        return f"{number:{form}} {noun[:-1]}ies"
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:{form}} {noun}{ending}"


def join_names(names: Sequence[str], most: int = 6) -> str:
    """Join names with commas and "and".

    If there are more than `most` names, the text ends with the number of remaining names.

    >>> join_names(["a"]), join_names(["a", "b", "c"]), join_names(list("abcde"), most=3)
    ('a', 'a, b and c', 'a, b and 3 more')
    """
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} more"]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
