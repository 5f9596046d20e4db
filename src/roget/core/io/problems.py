"""Broken lines, collected so that a file's owner sees many at once."""

from __future__ import annotations

from roget.errors import MAX_PROBLEMS, FormatError


class Problems:
    """Gathers what is wrong with a file and raises it as one error."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._found: list[str] = []

    def add(self, place: int | str, text: str) -> None:
        """Note a broken line, by its number or its place; what fills the list is raised at once."""
        self._found.append(
            f"{self.name}:{place}: {text}" if isinstance(place, int) else f"{place}: {text}"
        )
        if len(self._found) == MAX_PROBLEMS:
            raise FormatError(self.name, self._found, more=True)

    def check(self) -> None:
        """Raise what was found, if anything was."""
        if self._found:
            raise FormatError(self.name, self._found)
