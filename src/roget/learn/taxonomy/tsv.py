"""Read child–parent tables with one link per row."""

from __future__ import annotations

from pathlib import Path

from roget.core.io.source import Source, source_of
from roget.core.io.table import Roles, open_table
from roget.errors import InputError
from roget.learn.taxonomy.taxonomy import Taxonomy

LINKS = Roles({"child": ("narrower",), "parent": ("broader",)})


def read(place: Path, language: str | None = None, part: str | None = None) -> Taxonomy:
    """Read a table as a taxonomy. Names with children are classes, and all others are words.

    If a row links a name to itself ("animal" in both columns), the class contains its own name as a
    word. A row without a parent defines a top class. The header is optional.
    """
    source = source_of(str(place))
    links = _read_links(source) if source.size else []
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
            raise InputError(f"{place}: {child!r} has no parent and no children", code="not-a-tree")
    return taxonomy


def _read_links(source: Source) -> list[tuple[str, str]]:
    links: dict[tuple[str, str], None] = {}
    with open_table(source, roles=LINKS, guess=True) as table:
        for texts, _, refuse in table.texts():
            child, parent = (texts[role] for role in LINKS.needed)
            if child:
                links[child, parent] = None
            else:
                refuse("the child is missing; expected child, tab, parent on each line")
    return list(links)
