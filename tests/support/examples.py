"""Number of hypothesis examples of cheap laws."""

from __future__ import annotations

from hypothesis import settings


def few(divisor: int = 3) -> settings:
    """Return settings with a share of the profile's examples, at least five."""
    return settings(max_examples=max(5, settings().max_examples // divisor))
