"""Tree formats of other programs: Newick, linkage, Brown paths, Graphviz, nested JSON."""

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
    check_one_line,
    entries,
    exporter,
    new_bytes,
    number,
    quote_lines,
)
from roget.report.options import ReportOptions

SHOWN = 12
"""Maximum number of words shown in a class."""

_ESCAPES = {
    # Graphviz ends strings at NUL characters and interprets HTML entities.
    0: "\N{REPLACEMENT CHARACTER}",
    **str.maketrans(
        {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\n", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
    ),
}


def quote_newick(label: str) -> str:
    """Quote a label for Newick.

    >>> quote_newick("cat's cradle")
    "'cat''s cradle'"
    """
    return "'" + label.replace("'", "''") + "'"


def heights(thesaurus: Thesaurus) -> dict[int, int]:
    """Return the height of each class: the number of splits between the class and its words.

    A leaf class has height 1, the class that was split last has height 2, and the root has the
    number of splits plus 1. All words therefore have the same distance from the root, and cutting
    the tree after the first k splits gives the same classes as cutting the thesaurus there.
    """
    splits = [node for node, _ in thesaurus.tree.splits]
    found = dict.fromkeys(range(thesaurus.tree.n_nodes), 1)
    return {**found, **{node: len(splits) + 1 - at for at, node in enumerate(splits)}}


@exporter
def write_newick(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write one tree, in which words are leaves below their main class and classes inner nodes.

    Branch lengths are differences of `heights`. Classes that are not the main class of any word
    are omitted.
    """
    high = heights(thesaurus)
    # Entries list classes before their subclasses, so the reverse order processes subclasses first.
    written: dict[int, str] = {}
    for one in reversed(list(entries(thesaurus))):
        parts = [written.pop(child) for child in one.children if child in written]
        parts += [f"{quote_newick(member.word)}:1" for member in one.members if member.placed]
        if parts:
            length = "" if one.parent is None else f":{high[one.parent] - high[one.node]}"
            written[one.node] = f"({','.join(parts)}){quote_newick(one.label)}{length}"
    yield written[0] + ";\n"


def write_linkage(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write an .npz file with a SciPy linkage matrix `Z`, the `words`, and `labels` of merges.

    Linkage merges are binary, so a class with more than two words or subclasses takes several
    merges at the same height (see `heights`). `labels` has the class label for the last of these
    merges and "" for the others.
    """
    if isinstance(target, str | os.PathLike) and Path(target).suffix.lower() == ".npy":
        raise InputError(
            f"{os.fspath(target)}: a linkage consists of several arrays; use the suffix .npz",
            code="unsupported-format",
        )
    with new_bytes(target, "a linkage") as draft:
        merges, labels = _merges(thesaurus)
        arrays = {"Z": merges, "words": np.array(thesaurus.words, dtype=np.str_), "labels": labels}
        write_npz(draft, arrays, packed=True)


def _merges(thesaurus: Thesaurus) -> tuple[Floats, Array]:
    """Return the rows of a linkage matrix and, for each row, the label of the class that it
    completes."""
    if len(thesaurus) < 2:
        raise InputError("a linkage requires at least two words", code="too-little-text")
    tree, high = thesaurus.tree, heights(thesaurus)
    held: dict[int, list[int]] = {}
    for row, place in enumerate(thesaurus.places.tolist()):
        held.setdefault(place, []).append(row)
    rows: list[tuple[int, int, int, int]] = []
    labels: list[str] = []
    # For each class that is already merged, store its cluster number in the linkage and its size.
    whole: dict[int, tuple[int, int]] = {}
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
    """Return the bit string that encodes the path to each class. The codes of siblings are
    prefix-free."""
    found = {0: ""}
    for node in thesaurus.tree.walk():
        children = thesaurus.tree.children(node)
        width = (len(children) - 1).bit_length()
        for place, child in enumerate(children):
            found[child] = found[node] + (f"{place:0{width}b}" if width else "")
    return found


@exporter
def write_brown(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write one line per word (bit string, word and count), sorted by bit string, then count.

    The bits encode the path from the root to the word's main class: one bit for a split into two
    classes, and ⌈log2 n⌉ bits for a split into n classes.
    """
    check_one_line(map(str, thesaurus.words), "a Brown paths file")
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
    """Quote a string for Graphviz.

    >>> print(quote_graphviz('say "no"'))
    "say \\"no\\""
    """
    return f'"{text.translate(_ESCAPES)}"'


@exporter
def write_graphviz(thesaurus: Thesaurus, options: ReportOptions) -> Iterator[str]:
    """Write a left-to-right digraph of the classes. Leaf classes show their first words."""
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
    """Write the tree as nested JSON: inner classes have `children`, leaf classes have `words`.

    If contexts are clustered too, `context_classes` lists all context classes at the top level, and
    the typical context classes of a word class in the word class.
    """
    head: dict[str, Any] = {
        "title": options.called,
        "language": options.language,
        "made_by": f"roget {__version__}",
        "words": len(thesaurus),
        "classes": thesaurus.tree.n_clusters,
    }
    if context_classes := lookup.context_classes(thesaurus):
        head["context_classes"] = [
            {"number": one.number, "share": one.probability, "contexts": one.contexts}
            for one in context_classes
        ]
    yield _object(head) + ',\n"tree": '
    # Write piece by piece, because a deep tree would exceed the recursion limit of the json module.
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
    if typical := lookup.context_classes(one.thesaurus, one.node, base.TYPICAL):
        found["context_classes"] = [
            {"number": each.number, "probability": each.probability, "lift": each.lift}
            for each in typical
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
    """Serialise a JSON object without its closing brace, so that a field can be appended."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False)[:-1]
