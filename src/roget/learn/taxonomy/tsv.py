"""Child–parent tables: a line for each link, the lower name first."""

from __future__ import annotations

from pathlib import Path

from roget.errors import MAX_PROBLEMS, FormatError, InputError
from roget.learn.taxonomy.taxonomy import Taxonomy


def read(place: Path, language: str | None = None, part: str | None = None) -> Taxonomy:
    """The taxonomy of a table: names with something below are classes, the others are words.

    A name is a word of its own class as well if a line says so: animal, tab, animal. A line
    without a parent names a top class. A head "child, parent" is passed over.
    """
    links = _links(place)
    names = dict.fromkeys(name for pair in links for name in pair[::-1] if name)
    classes = {parent for _, parent in links if parent}
    taxonomy = Taxonomy(place.stem, {name: name for name in names if name in classes})
    for child, parent in links:
        if child in classes and child != parent:
            if parent:
                taxonomy.parents.setdefault(child, []).append(parent)
        elif parent:
            taxonomy.words.setdefault(child, {})[parent] = 1.0
        else:
            raise InputError(f"{place}: {child!r} has no class, and nothing is below it")
    return taxonomy


def _links(place: Path) -> list[tuple[str, str]]:
    """Each pair of a child and a parent, once."""
    links: dict[tuple[str, str], None] = {}
    problems: list[str] = []
    try:
        # Only these end a line: a name may hold what Unicode calls a line separator.
        lines = place.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: byte {error.start} is not UTF-8") from None
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or (number == 1 and [c.lower() for c in cells] == ["child", "parent"]):
            continue
        if len(cells) != 2 or not cells[0]:
            problems.append(f"{place}:{number}: {line[:80]!r}; expected child, tab, parent")
            if len(problems) == MAX_PROBLEMS:
                break
        else:
            links[cells[0], cells[1]] = None
    if problems:
        raise FormatError(str(place), problems, more=len(problems) == MAX_PROBLEMS)
    return list(links)
