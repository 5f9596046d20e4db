"""Broken lines, collected so that a file's owner sees many at once."""

from __future__ import annotations

from roget.errors import MAX_PROBLEMS, FormatError


class Problems:
    """Gathers what is wrong with a file and raises it as one error."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: list[tuple[int, str]] = []

    def add(self, line: int, text: str) -> None:
        """Note a broken line; the last one there is room for is raised at once."""
        self._found.append((int(line), text))
        if len(self._found) >= MAX_PROBLEMS:
            self._raise(more=True)

    def check(self) -> None:
        """Raise what was found, if anything was."""
        if self._found:
            self._raise(more=False)

    def _raise(self, *, more: bool) -> None:
        texts = [f"{self.source}:{line}: {text}" for line, text in sorted(self._found)]
        raise FormatError(self.source, texts, more=more)
