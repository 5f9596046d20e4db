"""The tree as other programs read trees: Newick, Brown's paths, Graphviz, nested JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from roget._version import __version__
from roget.core.folder import write_npz
from roget.core.types import Array, Floats
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus, lookup
from roget.report.exports import base
from roget.report.exports.base import (
    PLAIN,
    ExportEntry,
    Target,
    entries,
    exporter,
    new_bytes,
    number,
    one_line,
    quote_lines,
)
from roget.report.options import ReportOptions

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


def heights(thesaurus: Thesaurus) -> dict[int, int]:
    """How high each class is above the words, in splits: the first one is the highest.

    A class without parts is 1 above its words, the class that was split last 2, the root one more
    than there are splits. So every word is as far from the root as any other, and a cut below the
    first k splits has the classes of the thesaurus's own cut.
    """
    splits = [node for node, _ in thesaurus.tree.splits]
    found = dict.fromkeys(range(thesaurus.tree.n_nodes), 1)
    return {**found, **{node: len(splits) + 1 - at for at, node in enumerate(splits)}}


@exporter
def write_newick(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write one tree: words are its leaves, at their places, and classes its inner nodes.

    Lengths of branches are in splits: see `heights`. A class in which no word has its place is
    left out.
    """
    high = heights(thesaurus)
    # Parts come after their wholes, so that from behind they are written before them.
    written: dict[int, str] = {}
    for one in reversed(list(entries(thesaurus))):
        parts = [written.pop(child) for child in one.children if child in written]
        parts += [f"{quote_newick(member.word)}:1" for member in one.members if member.placed]
        if parts:
            length = "" if one.parent is None else f":{high[one.parent] - high[one.node]}"
            written[one.node] = f"({','.join(parts)}){quote_newick(one.label)}{length}"
    yield written[0] + ";\n"


def write_linkage(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write an .npz of arrays: Z as scipy's linkage has it, the words, and labels of merges.

    Words of a class, and classes of a split in more than two, are merged one after the other at
    one height: see `heights`. `labels` name a class at its last merge, and are "" at others.
    """
    if isinstance(target, str | os.PathLike) and Path(target).suffix.lower() == ".npy":
        raise InputError(f"{os.fspath(target)}: a linkage is several arrays: expected .npz")
    with new_bytes(target, "a linkage") as draft:
        merges, labels = _merges(thesaurus)
        arrays = {"Z": merges, "words": np.array(thesaurus.words, dtype=np.str_), "labels": labels}
        write_npz(draft, arrays, packed=True)


def _merges(thesaurus: Thesaurus) -> tuple[Floats, Array]:
    """The rows of a linkage, and what is complete after each."""
    if len(thesaurus) < 2:
        raise InputError("a linkage merges words: expected two or more")
    tree, high = thesaurus.tree, heights(thesaurus)
    held: dict[int, list[int]] = {}
    for row, place in enumerate(thesaurus.places.tolist()):
        held.setdefault(place, []).append(row)
    rows: list[tuple[int, int, int, int]] = []
    labels: list[str] = []
    whole: dict[int, tuple[int, int]] = {}
    """Of each class that has words: the number of its cluster, and its size."""
    for node in sorted(high, key=lambda one: (high[one], one)):
        parts = [whole[child] for child in tree.children(node) if child in whole]
        parts += [(row, 1) for row in held.get(node, ())]
        if not parts:
            continue
        one = parts[0]
        for other in parts[1:]:
            rows.append((one[0], other[0], high[node], one[1] + other[1]))
            labels.append("")
            one = len(thesaurus) + len(rows) - 1, one[1] + other[1]
        if len(parts) > 1:
            labels[-1] = thesaurus.label(node)
        whole[node] = one
    return np.array(rows, dtype=np.float64), np.array(labels, dtype=np.str_)


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
def write_brown(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
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
def write_graphviz(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write a digraph: classes from left to right, those without parts with their first words."""
    yield f"digraph {quote_graphviz(options.called)} {{\n"
    yield "  rankdir=LR;\n"
    yield '  node [shape=box, style=rounded, fontname="sans-serif"];\n'
    for one in entries(thesaurus):
        yield f"  c{one.node} [label={quote_graphviz(_label(one))}];\n"
        if one.parent is not None:
            yield f"  c{one.parent} -> c{one.node};\n"
    yield "}\n"


def _label(one: ExportEntry) -> str:
    if one.children:
        return one.label
    words = [member.word for member in one.members if member.placed]
    more = [f"… {len(words) - SHOWN:,} more"] if len(words) > SHOWN else []
    return "\n".join([one.label, "", *words[:SHOWN], *more])


@exporter
def write_json(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
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
    if alike := lookup.context_classes(thesaurus):
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


def _class(one: ExportEntry, options: ReportOptions) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: getattr(one.about, name) for name in ("node", "label", "size", "mass", "value")
    }
    found["id"] = int(one.thesaurus.ids[one.node])
    if one.node in one.thesaurus.notes:
        found.update(one.thesaurus.notes[one.node]._asdict())
    found["contexts"] = [context._asdict() for context in one.about.contexts[: base.TYPICAL]]
    if alike := lookup.context_classes(one.thesaurus, one.node, base.TYPICAL):
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
            }
            for member in one.members
        ]
        for word in found["words"] if options.evidence else ():
            word["examples"] = quote_lines(one.thesaurus, word["word"], options.evidence)
    return found


def _object(fields: dict[str, Any]) -> str:
    """A JSON object that is left open for one more field."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)[:-1]
