"""JSON from anywhere: whatever is wrong with it is a ValueError."""

from __future__ import annotations

import json
from typing import Any


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
