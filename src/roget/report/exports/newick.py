"""The tree in Newick format, which programs for phylogenies read."""

from __future__ import annotations

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Entry, Options, Target, entries, write_lines


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write one tree: words are its leaves, at their places, and classes its inner nodes.

    Branches have no lengths. A class in which no word has its place is left out.
    """
    write_lines(target, [_tree(thesaurus)])


def quoted(label: str) -> str:
    """A label as Newick writes it.

    >>> quoted("cat's cradle")
    "'cat''s cradle'"
    """
    return "'" + label.replace("'", "''") + "'"


def _tree(thesaurus: Thesaurus) -> str:
    # Parts come after their wholes, so that from behind they are written before them.
    written: dict[int, str] = {}
    shown: list[Entry] = list(entries(thesaurus))
    for one in reversed(shown):
        parts = [written.pop(child) for child in one.children if child in written]
        parts += [quoted(member.word) for member in one.members if member.placed]
        if parts:
            written[one.node] = f"({','.join(parts)}){quoted(one.label)}"
    return written[0] + ";\n"
