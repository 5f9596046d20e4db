"""Texts of others in a terminal: whatever they hold, a cell stays a cell."""

from __future__ import annotations

import unicodedata

CONTROLS = ("Cc", "Cs", "Zl", "Zp")
"""Control characters, halves of pairs, and breaks of lines and paragraphs."""

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""What turns the writing around, for all that follows."""


def printable(text: str, most: int | None = None) -> str:
    """A text whose control characters are spelt out, cut to so many columns of a terminal.

    >>> print(printable("a\\x1b[31m\\tb"), printable("thesaurus", 5))
    a\\x1b[31m\\tb thes…
    """
    if most is None:
        return "".join(map(_spelt, text))
    from rich.cells import cell_len, set_cell_size

    # Marks take no room of their own: more than so many to a column are no word.
    shown = "".join(map(_spelt, text[: 8 * most]))
    if len(text) <= 8 * most and cell_len(shown) <= most:
        return shown
    return set_cell_size(shown, min(most - 1, cell_len(shown))).rstrip() + "…"


def _spelt(sign: str) -> str:
    if sign in TURNS or unicodedata.category(sign) in CONTROLS:
        return sign.encode("unicode_escape", "backslashreplace").decode("ascii")
    return sign
