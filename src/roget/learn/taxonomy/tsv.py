"""Child–parent tables: a row for each link, the lower name first."""

from __future__ import annotations

from pathlib import Path

from roget.core.io.source import Source, source_of
from roget.core.io.table import Roles, open_table
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy

LINKS = Roles({"child": ("narrower",), "parent": ("broader",)})


def read(place: Path, language: str | None = None, part: str | None = None) -> Taxonomy:
    """The taxonomy of a table: names with something below are classes, the others are words.

    A name is a word of its own class as well if a line says so: animal, tab, animal. A line
    without a parent names a top class. A header may name the columns.
    """
    source = source_of(str(place))
    links = _links(source) if source.size else []
    names = dict.fromkeys(name for pair in links for name in pair[::-1] if name)
    classes = {parent for _, parent in links if parent}
    taxonomy = Taxonomy(source.stem, {name: name for name in names if name in classes})
    for child, parent in links:
        if child in classes and child != parent:
            if parent:
                taxonomy.parents.setdefault(child, []).append(parent)
        elif parent:
            taxonomy.words.setdefault(child, {})[parent] = 1.0
        else:
            raise InputError(f"{place}: {child!r} has no class, and nothing is below it")
    return taxonomy


def _links(source: Source) -> list[tuple[str, str]]:
    """Each pair of a child and a parent, once."""
    links: dict[tuple[str, str], None] = {}
    with open_table(source, roles=LINKS, guess=True) as table:
        for texts, _, refuse in table.texts():
            child, parent = (texts[role] for role in LINKS.needed)
            if child:
                links[child, parent] = None
            else:
                refuse("no child; expected child, tab, parent")
    return list(links)
