"""A parser for trees in Newick format, e.g. `((a:1,b:1)ab:2,'c d':3);`.

Names may be quoted, and a quote inside a quoted name is doubled. Underscores are kept. Comments in
square brackets are skipped.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple, NoReturn

import numpy as np

from roget.core.io.header import parse_number
from roget.core.types import Floats
from roget.errors import FormatError, Notice

_COMMENT = re.compile(r"('(?:[^']|'')*')|\[[^\]]*(?:\]|\Z)")
"""Pattern that matches a quoted name or a comment.

A comment without a closing bracket extends to the end of the text.
"""
_PART = re.compile(r"\s*+('(?:[^']|'')*+'|[^\s(),:;'\[\]]*+(?:[ \t]++[^\s(),:;'\[\]]++)*+)\s*+"
                   r"(?::\s*+([^\s(),:;'\[\]]*+)\s*+)?+([(),;])")  # fmt: skip
"""Pattern that matches an optional name, an optional branch length and a punctuation mark.

Its quantifiers are possessive, to prevent backtracking.
"""


class ParsedTree(NamedTuple):
    """The nodes of a tree, with parents before their children. Node 0 is the root."""

    parent: list[int]
    names: list[str]
    lengths: Floats | None
    """Length of the branch above each node (default: 0), or None if no branch has a length."""


def parse(text: str, source: str) -> ParsedTree:
    """Parse a tree. Error messages report the line and column of the first problem."""
    if "[" in text:
        text = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
    tokens, ends = _split(text, source)
    parent: list[int] = []
    names: list[str] = []
    lengths: list[str] = []
    children: list[int] = []
    path: list[int] = []
    # `expects` is True if a new node may begin here, and False if the current node must end first.
    expects = True
    for at, (name, length, sign) in enumerate(tokens):
        if sign == "(":
            if name or length or not expects or (parent and not path):
                _raise_at(text, source, ends[at] - 1, "an opening bracket inside a node")
            parent.append(path[-1] if path else -1)
            names.append("")
            lengths.append("")
            path.append(len(parent) - 1)
            continue
        if expects:
            if not path and sign != ";":
                _raise_at(text, source, ends[at] - 1, f"{sign!r} outside the brackets")
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
                _raise_at(text, source, ends[at] - 1, f"{len(path)} brackets are not closed")
            if at + 1 < len(tokens):
                _raise_at(text, source, ends[at + 1] - 1, "a second tree in the same file")
            break
        if not path:
            _raise_at(text, source, ends[at] - 1, f"{sign!r} outside the brackets")
        expects = sign == ","
        if sign == ")":
            children.append(path.pop())
    else:
        end = ends[-1] - 1 if ends else 0
        _raise_at(text, source, end, "no ';' after the tree")
    measured = _measure(lengths, source) if any(lengths) else None
    return ParsedTree(parent, list(map(_unquote, names)), measured)


def _split(text: str, source: str) -> tuple[list[tuple[str, str, str]], list[int]]:
    """Split a string into tokens (name, length, punctuation).

    Return the tokens and the position at which each one ends.

    Each token must begin where the previous token ended. Splitting stops at the first invalid
    character.
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


def _measure(lengths: list[str], source: str) -> Floats:
    """Convert branch lengths to numbers. Unspecified lengths become 0."""
    try:
        found = np.array([float(length or 0.0) for length in lengths])
    except ValueError:
        found = np.array([np.nan])
    written = "".join(lengths)
    # float() also accepts 1_0 and digits of other scripts, which are not allowed here.
    if not np.isfinite(found).all() or "_" in written or not written.isascii():
        known = ((text, parse_number(text)) for text in lengths if text)
        bad = next(text for text, value in known if value is None or not math.isfinite(value))
        raise FormatError(source, [f"{source}: the length {bad!r} is not a finite number"])
    found[0] = 0.0
    return found


def _unquote(name: str) -> str:
    return name[1:-1].replace("''", "'") if name[:1] == "'" else name


def _raise_at(document: str, source: str, place: int, found: str) -> NoReturn:
    line = document.count("\n", 0, place) + 1
    column = place - document.rfind("\n", 0, place)
    text = f"{source}:{line}: column {column}: {found}; expected Newick, e.g. ((a,b),'c d');"
    raise FormatError(source, [Notice(text, code="broken-lines")])
