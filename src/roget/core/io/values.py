"""Values from anywhere: JSON, whose faults are all ValueErrors, and whole numbers."""

from __future__ import annotations

import json
from typing import Any

DIGITS = 18
"""Of a whole number, at most: it fits into 64 bits."""


class TooDeep(ValueError):
    """Values within values, more than Python can follow."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
        ...
    roget.core.io.values.TooDeep: nested too deeply
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise TooDeep("nested too deeply") from None


def format_json(value: Any, **settings: Any) -> str:
    """The JSON text of a value for a file that people may look into; settings are `json.dumps`'s.

    >>> print(format_json({"word": "café"}))
    {
     "word": "café"
    }
    """
    return json.dumps(value, ensure_ascii=False, indent=1, **settings)


def whole_number(text: str) -> int | None:
    """The whole number that a text is: ASCII digits, and not too many of them; else None.

    >>> [whole_number(text) for text in ("042", "-1", "²", "9" * 5000)]
    [42, None, None, None]
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None
