"""How a kept sentence marks its tokens: the text as written, with signs between the tokens.

Tokens stand in a row with a space between them or, where the text has none, GLUE. SAME says that
one more token is written as the one before it: Spanish "del", two words, is "del" and SAME. SKIP
before a token says that it is none (punctuation of plain text), and INNER is a space in a token.
"""

from __future__ import annotations

import re

SPACE, GLUE, SAME, INNER, SKIP = " ", "\x1f", "\x1e", "\x1d", "\x1c"
BETWEEN = GLUE, SKIP
"""What stands before a token that follows another without a space, and before what is none."""

_UNIT = re.compile(f"([{SPACE}{GLUE}])|({SKIP}?)([^{SPACE}{GLUE}{SAME}]+)({SAME}*)")


def read(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """The sentence as it is written, and where each of its tokens stands.

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
