"""How a kept sentence marks its tokens: the text as written, with signs between the tokens.

Tokens stand in a row with a space between them or, where the text has none, GLUE. SAME says that
one more token is written as the one before it: Spanish "del", two words, is "del" and SAME. SKIP
before a token says that it is none (punctuation of plain text), and INNER is a space in a token.
"""

from __future__ import annotations

import re

SPACE, GLUE, SAME, INNER, SKIP = " ", "\x1f", "\x1e", "\x1d", "\x1c"

_UNIT = re.compile(f"([{SPACE}{GLUE}])|({SKIP}?)([^{SPACE}{GLUE}{SAME}]+)({SAME}*)")
_SIGNS = re.compile(f"[\\s{GLUE}{SAME}{INNER}{SKIP}]")


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


def write(sentence: str, spans: list[tuple[int, int]]) -> str:
    """The sentence with tokens at these places marked; blanks at its ends and in a row are lost.

    >>> write("So, yes.", [(0, 2), (4, 7)])
    'So\\x1f\\x1c, yes\\x1f\\x1c.'
    """
    units: list[str] = []
    at = 0
    for begin, end in [*spans, (len(sentence), len(sentence))]:
        if begin > at:
            units += _skip(sentence[at:begin], bool(units))
        if end > begin:
            if units and units[-1] != SPACE:
                units.append(GLUE)
            units.append(_SIGNS.sub(INNER, sentence[begin:end]))
        at = end
    return "".join(units).rstrip(SPACE)


def _skip(between: str, inside: bool) -> list[str]:
    """What stands between two tokens, as units that are none."""
    words = between.split()
    if not words:
        return [SPACE] if inside else []
    units = [SPACE] if inside and between[0].isspace() else [GLUE] if inside else []
    for word in words:
        units += [SKIP + _SIGNS.sub("", word), SPACE]
    if not between[-1].isspace():
        units.pop()
    return units
