"""Which language of the catalogue a text is in, told by its most frequent words."""

from __future__ import annotations

from collections import Counter
from typing import Any

from roget import catalogue
from roget.learn.corpus.text import words

LEAST = 100
"""Words below which no language is told."""

_SHARE = 0.2
"""How much of a text its language's frequent words must be at least; they are about a third."""
_FIRST, _PRESENT, _OFTEN = 6, 5, 0.003
"""So many of the first words must be there so often: related languages lack some of them."""


def detect(text: str) -> str | None:
    """The language whose frequent words a text is made of; None if there is none such.

    >>> detect("Of all the cats in the house, one is mine; and to see it is a joy. " * 7)
    'english'
    """
    found = Counter(words(text.replace("\n", " ")))
    size = found.total()
    if size < LEAST:
        return None
    shares = {name: _share(found, size, catalogue.load("languages", name)) for name in _names()}
    best = max(shares, key=lambda name: shares[name], default=None)
    return best if best is not None and shares[best] >= _SHARE else None


def _names() -> tuple[str, ...]:
    return tuple(catalogue.names("languages"))


def _share(found: Counter[str], size: int, language: Any) -> float:
    """The share of a language's frequent words; 0 if some of the first are missing."""
    frequent = getattr(language, "frequent", "").split()
    often = sum(found[word] >= _OFTEN * size for word in frequent[:_FIRST])
    return sum(found[word] for word in frequent) / size if often >= _PRESENT else 0.0
