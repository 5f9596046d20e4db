"""Parse and format JSON, and parse whole numbers."""

from __future__ import annotations

import json
from typing import Any

DIGITS = 18
"""Maximum number of digits in a whole number. Any number with 18 digits fits into 64 bits."""


class RepeatedKey(ValueError):
    """Raised for JSON with an object in which a key occurs twice."""


class TooDeep(ValueError):
    """Raised for JSON that is nested too deeply for Python's recursion limit."""


def parse_json(text: str | bytes) -> Any:
    """Parse JSON. Raise ValueError if it is invalid or an object has the same key twice.

    >>> parse_json('{"a": 1, "b": 2, "a": 3}')
    Traceback (most recent call last):
        ...
    roget.core.io.values.RepeatedKey: the key 'a' is repeated
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
        ...
    roget.core.io.values.TooDeep: nested too deeply
    """
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text), "surrogatepass")
        if text.startswith("\ufeff"):
            raise ValueError("unexpected byte order mark")
        return _DECODER.decode(text)
    except RecursionError:
        raise TooDeep("nested too deeply") from None


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict. Raise an error if a key is repeated."""
    made = dict(pairs)
    if len(made) < len(pairs):
        again = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise RepeatedKey(f"the key {again!r:.60} is repeated")
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_make_object)


def format_json(value: Any, **settings: Any) -> str:
    """Return a value as indented JSON. `settings` are passed to `json.dumps`.

    >>> print(format_json({"word": "café"}))
    {
     "word": "café"
    }
    """
    return json.dumps(value, ensure_ascii=False, indent=1, **settings)


def whole_number(text: str) -> int | None:
    """Parse a whole number of at most 18 ASCII digits. Return None for any other string.

    >>> [whole_number(text) for text in ("042", "-1", "²", "9" * 5000)]
    [42, None, None, None]
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None
