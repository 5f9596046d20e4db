"""Trees in Newick's format: `((a:1,b:1)ab:2,'c d':3);`.

Names of leaves are items. Names may be quoted, a quote in one being written twice; an underscore
is an underscore. Comments in brackets are passed over. Where branches have lengths, nodes are split
in the order of their distance from the root.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Floats
from roget.errors import FormatError
from roget.scoring.labels.hierarchy import Hierarchy, order_splits
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.table import Columns, number

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile

_COMMENT = re.compile(r"('(?:[^']|'')*')|\[[^\]]*(?:\]|\Z)")
"""A quoted name, or a comment; one that does not end is the rest of the text."""
_PART = re.compile(r"\s*+('(?:[^']|'')*+'|[^\s(),:;'\[\]]*+(?:[ \t]++[^\s(),:;'\[\]]++)*+)\s*+"
                   r"(?::\s*+([^\s(),:;'\[\]]*+)\s*+)?+([(),;])")  # fmt: skip
"""A name, a length and the sign that follows them; what is no such part is gone through once."""


def read(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The items of a file with one tree."""
    return parse(file.text(), file.name).to_labels()


def parse(text: str, source: str) -> Hierarchy:
    """The tree of a text; an error names the line and column where it stops being one."""
    if "[" in text:
        text = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
    tokens, ends = _split(text, source)
    parent: list[int] = []
    names: list[str] = []
    lengths: list[str] = []
    children: list[int] = []
    path: list[int] = []
    expects = True
    """Whether a node may begin here, rather than only end."""
    for at, (name, length, sign) in enumerate(tokens):
        if sign == "(":
            if name or length or not expects or (parent and not path):
                _raise_at(
                    text, source, ends[at] - 1, "an opening bracket where a node has begun already"
                )
            parent.append(path[-1] if path else -1)
            names.append("")
            lengths.append("")
            path.append(len(parent) - 1)
            continue
        if expects:
            if not path and sign != ";":
                _raise_at(text, source, ends[at] - 1, f"{sign!r} outside of all brackets")
            if not name:
                _raise_at(text, source, ends[at] - 1, "a leaf without a name")
            parent.append(path[-1] if path else -1)
            node = len(parent) - 1
            names.append(name)
            lengths.append(length)
        else:
            node = children.pop()
            names[node], lengths[node] = name, length
        if sign == ";":
            if path:
                _raise_at(text, source, ends[at] - 1, f"{len(path)} brackets that were not closed")
            if at + 1 < len(tokens):
                _raise_at(text, source, ends[at + 1] - 1, "a second tree in one file")
            break
        if not path:
            _raise_at(text, source, ends[at] - 1, f"{sign!r} outside of all brackets")
        expects = sign == ","
        if sign == ")":
            children.append(path.pop())
    else:
        end = ends[-1] - 1 if ends else 0
        _raise_at(text, source, end, "the text ends here, without a ';' after the tree")
    return _build(parent, list(map(_unquote, names)), lengths, source)


def _split(text: str, source: str) -> tuple[list[tuple[str, str, str]], list[int]]:
    """The names, lengths and signs of a text, and where each sign ends; refuses what is none.

    Each is looked for where the last one ended, and nowhere else: a file that is no Newick is not
    searched again and again for the next that could be.
    """
    tokens: list[tuple[str, str, str]] = []
    ends: list[int] = []
    end = 0
    while match := _PART.match(text, end):
        name, length, sign = match.groups("")
        tokens.append((name, length, sign))
        end = match.end()
        ends.append(end)
    rest = text[end:].lstrip()
    if rest:
        _raise_at(text, source, len(text) - len(rest), f"found {rest[:20]!r}")
    return tokens, ends


def _build(parent: list[int], names: list[str], lengths: list[str], source: str) -> Hierarchy:
    tree = Tree(parent)
    leaves = tree.cluster_nodes.tolist()
    items = [names[node] for node in leaves]
    distance = _measure(lengths, source) if any(lengths) else None
    order = order_splits(tree, np.ones(len(leaves), dtype=np.int64), distance)
    codes = np.arange(len(leaves))
    return Hierarchy(tree.with_order(order), codes, items, names, kind="newick", source=source)


def _measure(lengths: list[str], source: str) -> Floats:
    """The length of the branch to each node, 0 where none is told."""
    try:
        found = np.array([float(length or 0.0) for length in lengths])
    except ValueError:
        found = np.array([np.nan])
    written = "".join(lengths)
    # Python takes 1_0, and digits of all scripts.
    if not np.isfinite(found).all() or "_" in written or not written.isascii():
        known = ((text, number(text)) for text in lengths if text)
        bad = next(text for text, value in known if value is None or not math.isfinite(value))
        raise FormatError(source, [f"{source}: the length {bad!r} is no finite number"])
    found[0] = 0.0
    return found


def _unquote(name: str) -> str:
    return name[1:-1].replace("''", "'") if name[:1] == "'" else name


def _raise_at(text: str, source: str, place: int, found: str) -> NoReturn:
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    said = f"{source}:{line}: column {column}: {found}; expected Newick, such as ((a,b),'c d');"
    raise FormatError(source, [said])
