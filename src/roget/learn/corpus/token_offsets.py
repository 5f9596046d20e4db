"""Insert token marks (see `marks`) into sentences, and find the line numbers of sentences.

A text is an array of code points, so marks are inserted into a whole batch at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from roget.core.counts import marks
from roget.core.types import BoolArray, Ints
from roget.learn.corpus.base import Written

_SPACES = np.array([chr(point).isspace() for point in range(0x3001)] + [False])
"""Lookup table: True for white-space code points, all of which are at most U+3000."""
_NEWLINE = ord("\n")
_LIKE = str.maketrans(
    {
        **dict.fromkeys("’‘‚‛′", "'"), **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("–—‐‑", "-"), "…": "...", "\xad": "",
    }
)  # fmt: skip
"""Character replacements applied to a text before it is compared with the output of a tagger."""


def _get_points(text: str) -> npt.NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le"), "<u4")


def _is_visible(points: npt.NDArray[np.uint32]) -> BoolArray:
    """Return a mask of code points that are not white space."""
    return ~_SPACES[np.minimum(points, 0x3001)]


def find_lines(text: str, sentences: str, first: int, before: int = 0) -> Ints:
    """Return the line number on which each sentence begins.

    `sentences` are separated by newlines and differ from `text` only in white space. The text
    begins on line `first`. The first `before` visible characters of the text precede the first
    sentence.
    """
    points, divided = _get_points(text), _get_points(sentences)
    visible = np.flatnonzero(_is_visible(points))
    starts = np.append(0, np.flatnonzero(divided == _NEWLINE) + 1)
    # Match the k-th visible character of the sentences with the k-th of the text.
    nth = before + np.append(0, np.cumsum(_is_visible(divided)))[starts]
    if not visible.size:
        return np.full(starts.size, first)
    places = visible[np.minimum(nth, visible.size - 1)]
    lines: Ints = first + np.searchsorted(np.flatnonzero(points == _NEWLINE), places)
    return lines


def mark(sentences: str, begins: Ints, ends: Ints) -> list[bytes]:
    """Insert marks around the tokens at offsets `begins` to `ends`. Return the sentences as bytes.

    The sentences are separated by newlines.

    >>> mark("So, yes.", np.array([0, 4]), np.array([2, 7]))
    [b'So\\x1f\\x1c, yes\\x1f\\x1c.']
    """
    points = _get_points(sentences).copy()
    visible, newline = _is_visible(points), points == _NEWLINE
    # 1. Find the characters inside tokens, and the offsets at which tokens begin or end.
    edge = np.zeros(points.size + 1, np.int8)
    edge[begins] += 1
    edge[ends] -= 1
    inside = np.cumsum(edge[:-1]) > 0
    border = np.zeros(points.size + 1, np.bool_)
    border[begins] = border[ends] = True
    # 2. Insert a mark where a token touches the next visible character (`glued`), and another one
    # before characters outside tokens, such as punctuation (`skipped`).
    before = np.append(False, visible[:-1])[: points.size]
    glued = border[:-1] & visible & before
    skipped = visible & ~inside & (glued | ~before)
    # 3. Replace spaces inside tokens by a mark, and drop repeated spaces between tokens.
    space = ~visible & ~newline
    points[space] = ord(marks.SPACE)
    points[space & inside] = ord(marks.INNER)
    kept = visible | newline | (space & (inside | before))
    # 4. Insert the marks.
    place = np.cumsum(kept) - 1
    at = [place[np.flatnonzero(which)] for which in (glued, skipped)]
    signs = [np.full(one.size, ord(sign)) for one, sign in zip(at, marks.BETWEEN, strict=True)]
    made = np.insert(points[kept], np.concatenate(at), np.concatenate(signs))
    text = made.astype("<u4").tobytes().decode("utf-32-le")
    return [line.strip(b" ") for line in text.encode().split(b"\n")]


def find_tokens(sentence: str, tokens: Sequence[str]) -> tuple[str, list[int], list[int]]:
    """Return a sentence with the start and end offsets of its tokens.

    If a token is not found, return the tokens joined by spaces instead of the sentence.
    """
    begins, ends, at = [], [], 0
    like = sentence.translate(_LIKE)
    for token in (one.translate(_LIKE) for one in tokens):
        found = like.find(token, at)
        if found < 0:
            bounds = np.cumsum([0, *(len(one) + 1 for one in tokens)]).tolist()
            return " ".join(tokens), bounds[:-1], [end - 1 for end in bounds[1:]]
        begins.append(found)
        at = found + len(token)
        ends.append(at)
    if len(like) != len(sentence):
        places = [i for i, sign in enumerate(sentence) for _ in sign.translate(_LIKE)]
        begins = [places[one] for one in begins]
        ends = [places[one - 1] + 1 for one in ends]
    return sentence, begins, ends


def write(texts: Sequence[str], tokens: Sequence[Sequence[str]], lines: Ints) -> Written:
    """Mark the tokens in the sentences of a batch."""
    made: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    before = 0
    for text, parts in zip(texts, tokens, strict=True):
        sentence, first, last = find_tokens(text.replace("\n", " "), parts)
        made.append(sentence)
        begins += [before + one for one in first]
        ends += [before + one for one in last]
        before += len(sentence) + 1
    marked = mark("\n".join(made), np.array(begins, np.int64), np.array(ends, np.int64))
    return join(marked, lines)


def join(marked: Sequence[bytes], lines: Ints) -> Written:
    ends = np.cumsum([0, *map(len, marked)])
    return Written(np.frombuffer(b"".join(marked), np.uint8), ends, lines)


def cut(text: str, tokens: Sequence[str], longest: int) -> list[tuple[str, Sequence[str]]]:
    """Split a sentence and its tokens into parts of at most `longest` tokens."""
    if len(tokens) <= longest:
        return [(text, tokens)]
    sentence, begins, _ = find_tokens(text, tokens)
    bounds = [0, *begins[longest::longest], len(sentence)]
    return [
        (sentence[a:b], tokens[i * longest : (i + 1) * longest])
        for i, (a, b) in enumerate(pairwise(bounds))
    ]
