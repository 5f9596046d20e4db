"""Detect JSON by the first line of a file."""

from __future__ import annotations

import re

_JSON = re.compile(r"""\s*[\[{]\s*(?:["'\[{}\]]|$|-?[\d.]+\s*,)""")


def looks_like_json(line: str) -> bool:
    """Return True if a line looks like a JSON object or array rather than a label in brackets.

    >>> [looks_like_json(line) for line in ('{"item": 1}', '[{"item": 1}', "[1, 2]", "[CLS]")]
    [True, True, True, False]
    """
    return _JSON.match(line) is not None
