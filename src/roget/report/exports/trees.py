"""The tree as other programs read trees: Newick, Brown's paths, Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import (
    PLAIN,
    Entry,
    Options,
    Target,
    entries,
    number,
    one_line,
    ways,
    write_lines,
)

SHOWN = 12
"""Words drawn in a class."""

_ESCAPES = {
    # Graphviz ends a text at a zero, and knows the entities of HTML.
    0: "\N{REPLACEMENT CHARACTER}",
    **str.maketrans(
        {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\n", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
    ),
}


def write_newick(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write one tree: words are its leaves, at their places, and classes its inner nodes.

    Branches have no lengths. A class in which no word has its place is left out.
    """
    write_lines(target, [_newick(thesaurus)])


def quote_newick(label: str) -> str:
    """A label as Newick writes it.

    >>> quote_newick("cat's cradle")
    "'cat''s cradle'"
    """
    return "'" + label.replace("'", "''") + "'"


def _newick(thesaurus: Thesaurus) -> str:
    # Parts come after their wholes, so that from behind they are written before them.
    written: dict[int, str] = {}
    shown: list[Entry] = list(entries(thesaurus))
    for one in reversed(shown):
        parts = [written.pop(child) for child in one.children if child in written]
        parts += [quote_newick(member.word) for member in one.members if member.placed]
        if parts:
            written[one.node] = f"({','.join(parts)}){quote_newick(one.label)}"
    return written[0] + ";\n"


def write_brown(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write a line for each word: bits, tab, word, tab, count; ordered by bits, then by count.

    The bits lead from the root to the word's place: one for each split into two; as many as tell
    the parts apart for a split into more.
    """
    one_line(map(str, thesaurus.words), "a Brown paths file")
    write_lines(target, _brown_lines(thesaurus))


def codes(thesaurus: Thesaurus) -> dict[int, str]:
    """The bits that lead to each class; none begins with those of a class beside it."""
    found = {0: ""}
    for *_, node in ways(thesaurus):
        children = thesaurus.tree.children(node)
        width = (len(children) - 1).bit_length()
        for place, child in enumerate(children):
            found[child] = found[node] + (f"{place:0{width}b}" if width else "")
    return found


def _brown_lines(thesaurus: Thesaurus) -> Iterator[str]:
    bits = codes(thesaurus)
    rows = zip(
        (bits[int(place)] for place in thesaurus.places),
        (-float(total) for total in thesaurus.counts.word_totals),
        map(str, thesaurus.words),
        strict=True,
    )
    for path, negative, word in sorted(rows):
        yield f"{path}\t{word}\t{number(-negative)}\n"


def write_graphviz(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write a digraph: classes from left to right, those without parts with their first words."""
    write_lines(target, _graphviz_lines(thesaurus, options))


def quote_graphviz(text: str) -> str:
    """A text as Graphviz writes it.

    >>> print(quote_graphviz('say "no"'))
    "say \\"no\\""
    """
    return f'"{text.translate(_ESCAPES)}"'


def _graphviz_lines(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    yield f"digraph {quote_graphviz(options.title)} {{\n"
    yield "  rankdir=LR;\n"
    yield '  node [shape=box, style=rounded, fontname="sans-serif"];\n'
    for one in entries(thesaurus):
        yield f"  c{one.node} [label={quote_graphviz(_label(one))}];\n"
        if one.parent is not None:
            yield f"  c{one.parent} -> c{one.node};\n"
    yield "}\n"


def _label(one: Entry) -> str:
    if one.children:
        return one.label
    words = [member.word for member in one.members if member.placed]
    more = [f"… {len(words) - SHOWN:,} more"] if len(words) > SHOWN else []
    return "\n".join([one.label, "", *words[:SHOWN], *more])
