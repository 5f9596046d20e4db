"""The tree of classes as a Graphviz drawing."""

from __future__ import annotations

from collections.abc import Iterator

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Entry, Options, Target, entries, write_lines

SHOWN = 12
"""Words drawn in a class."""

_ESCAPES = {
    # Graphviz ends a text at a zero, and knows the entities of HTML.
    0: "\N{REPLACEMENT CHARACTER}",
    **str.maketrans(
        {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\n", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
    ),
}


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write a digraph: classes from left to right, those without parts with their first words."""
    write_lines(target, _lines(thesaurus, options))


def quoted(text: str) -> str:
    """A text as Graphviz writes it.

    >>> print(quoted('say "no"'))
    "say \\"no\\""
    """
    return f'"{text.translate(_ESCAPES)}"'


def _lines(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    yield f"digraph {quoted(options.title)} {{\n"
    yield "  rankdir=LR;\n"
    yield '  node [shape=box, style=rounded, fontname="sans-serif"];\n'
    for one in entries(thesaurus):
        yield f"  c{one.node} [label={quoted(_label(one))}];\n"
        if one.parent is not None:
            yield f"  c{one.parent} -> c{one.node};\n"
    yield "}\n"


def _label(one: Entry) -> str:
    if one.children:
        return one.label
    words = [member.word for member in one.members if member.placed]
    more = [f"… {len(words) - SHOWN:,} more"] if len(words) > SHOWN else []
    return "\n".join([one.label, "", *words[:SHOWN], *more])
