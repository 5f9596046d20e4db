"""Token marks in example sentences: the text as written, with control characters between tokens.

Tokens are separated by a space or, if the text has no space there, GLUE. SAME marks a further token
that is written as part of the previous one: Spanish "del", two words, is "del" and SAME. SKIP
precedes text that is not a token (punctuation of plain text), and INNER is a space inside a token.
"""

from __future__ import annotations

import re

SPACE, GLUE, SAME, INNER, SKIP = " ", "\x1f", "\x1e", "\x1d", "\x1c"
BETWEEN = GLUE, SKIP
"""Marks before a token that follows without a space, and before text that is not a token."""

_UNIT = re.compile(f"([{SPACE}{GLUE}])|({SKIP}?)([^{SPACE}{GLUE}{SAME}]+)({SAME}*)")


def read(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the sentence as written, and the start and end of each token.

    >>> read("del\\x1e mar\\x1f\\x1c, sí")
    ('del mar, sí', [(0, 3), (0, 3), (4, 7), (9, 11)])
    """
    parts: list[str] = []
    spans: list[tuple[int, int]] = []
    at = 0
    for between, skipped, text, again in _UNIT.findall(marked):
        if between:
            text = "" if between == GLUE else SPACE
        elif not skipped:
            spans += [(at, at + len(text))] * (1 + len(again))
        parts.append(text.replace(INNER, SPACE))
        at += len(text)
    return "".join(parts), spans
