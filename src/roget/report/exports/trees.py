"""The tree as other programs read trees: Newick, Brown's paths, Graphviz, nested JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from roget._version import __version__
from roget.learn.thesaurus import Thesaurus
from roget.report.exports import base
from roget.report.exports.base import Entry, entries, exporter, number, one_line, quote_lines
from roget.report.options import Options

SHOWN = 12
"""Words drawn in a class."""

_ESCAPES = {
    # Graphviz ends a text at a zero, and knows the entities of HTML.
    0: "\N{REPLACEMENT CHARACTER}",
    **str.maketrans(
        {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\n", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
    ),
}


def quote_newick(label: str) -> str:
    """A label as Newick writes it.

    >>> quote_newick("cat's cradle")
    "'cat''s cradle'"
    """
    return "'" + label.replace("'", "''") + "'"


@exporter
def write_newick(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    """Write one tree: words are its leaves, at their places, and classes its inner nodes.

    Branches have no lengths. A class in which no word has its place is left out.
    """
    # Parts come after their wholes, so that from behind they are written before them.
    written: dict[int, str] = {}
    for one in reversed(list(entries(thesaurus))):
        parts = [written.pop(child) for child in one.children if child in written]
        parts += [quote_newick(member.word) for member in one.members if member.placed]
        if parts:
            written[one.node] = f"({','.join(parts)}){quote_newick(one.label)}"
    yield written[0] + ";\n"


def codes(thesaurus: Thesaurus) -> dict[int, str]:
    """The bits that lead to each class; none begins with those of a class beside it."""
    found = {0: ""}
    for node in thesaurus.tree.walk():
        children = thesaurus.tree.children(node)
        width = (len(children) - 1).bit_length()
        for place, child in enumerate(children):
            found[child] = found[node] + (f"{place:0{width}b}" if width else "")
    return found


@exporter
def write_brown(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    """Write a line for each word: bits, tab, word, tab, count; ordered by bits, then by count.

    The bits lead from the root to the word's place: one for each split into two; as many as tell
    the parts apart for a split into more.
    """
    one_line(map(str, thesaurus.words), "a Brown paths file")
    bits = codes(thesaurus)
    rows = zip(
        (bits[int(place)] for place in thesaurus.places),
        (-float(total) for total in thesaurus.counts.word_totals),
        map(str, thesaurus.words),
        strict=True,
    )
    for path, negative, word in sorted(rows):
        yield f"{path}\t{word}\t{number(-negative)}\n"


def quote_graphviz(text: str) -> str:
    """A text as Graphviz writes it.

    >>> print(quote_graphviz('say "no"'))
    "say \\"no\\""
    """
    return f'"{text.translate(_ESCAPES)}"'


@exporter
def write_graphviz(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    """Write a digraph: classes from left to right, those without parts with their first words."""
    yield f"digraph {quote_graphviz(options.called)} {{\n"
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


@exporter
def write_json(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    """Write the tree: `children` of a class are classes, and a leaf has `words` instead.

    Where contexts have classes too, `context_classes` are all of them, by number, and those of a
    class the ones that set it apart.
    """
    head: dict[str, Any] = {
        "title": options.called,
        "language": options.language,
        "made_by": f"roget {__version__}",
        "words": len(thesaurus),
        "classes": thesaurus.tree.n_clusters,
    }
    if alike := thesaurus.context_classes():
        head["context_classes"] = [
            {"number": one.number, "share": one.probability, "contexts": one.contexts}
            for one in alike
        ]
    yield _object(head) + ',\n"tree": '
    # Written as it is walked: a deep tree nests deeper than a recursive writer can go.
    nested, previous = 0, None
    for one in entries(thesaurus):
        level = len(one.path) - 1
        yield "]}" * (nested - level) + ("\n" if previous == one.parent else ",\n")
        yield _object(_class(one, options)) + (', "children": [' if one.children else "}")
        nested, previous = level + bool(one.children), one.node
    yield "]}" * nested + "}\n"


def _class(one: Entry, options: Options) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: getattr(one.about, name) for name in ("node", "label", "size", "mass", "value")
    }
    found["id"] = int(one.thesaurus.ids[one.node])
    if one.node in one.thesaurus.notes:
        found.update(one.thesaurus.notes[one.node]._asdict())
    found["contexts"] = [context._asdict() for context in one.about.contexts[: base.TYPICAL]]
    if alike := one.thesaurus.context_classes(one.node, base.TYPICAL):
        found["context_classes"] = [
            {"number": each.number, "probability": each.probability, "lift": each.lift}
            for each in alike
        ]
    if not one.children:
        totals = one.thesaurus.counts.word_totals
        found["words"] = [
            {
                "word": member.word,
                "probability": member.probability,
                "placed": member.placed,
                "count": number(totals[member.row]),
                **_quoted(one.thesaurus, member.word, options.evidence),
            }
            for member in one.members
        ]
    return found


def _quoted(thesaurus: Thesaurus, word: str, n: int) -> dict[str, list[str]]:
    return {"examples": quote_lines(thesaurus, word, n)} if n else {}


def _object(fields: dict[str, Any]) -> str:
    """A JSON object that is left open for one more field."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)[:-1]
