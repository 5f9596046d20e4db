"""Token marks: control characters that store the token boundaries of example sentences.

Tokens are separated by a space or, if the text has no space there, by GLUE. SAME marks an
additional token with the same text as the previous one: Spanish "del" consists of two tokens and is
stored as "del" and SAME. SKIP precedes text that is not a token, e.g. punctuation in plain text.
INNER marks a space inside a token.
"""

from __future__ import annotations

import re

SPACE, GLUE, SAME, INNER, SKIP = " ", "\x1f", "\x1e", "\x1d", "\x1c"
BETWEEN = GLUE, SKIP
"""Marks that may replace the space before a token or other text."""

_UNIT = re.compile(f"([{SPACE}{GLUE}])|({SKIP}?)([^{SPACE}{GLUE}{SAME}]+)({SAME}*)")


def read(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Decode a marked sentence and return the original text and the offsets of each token.

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
