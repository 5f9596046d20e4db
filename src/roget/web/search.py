"""Search index for completing the words of a thesaurus."""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from roget.core.types import Ints


def fold(text: str) -> str:
    """Remove case and accents from a string.

    >>> fold("Café")
    'cafe'
    """
    if text.isascii():
        return text.casefold()
    plain = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()


class Search:
    """An index for completing words. Within each kind of match, frequent words come first.

    >>> search = Search(["tea", "teapot", "steam", "Tee"])
    >>> search.find("te")
    [0, 3, 1, 2]
    """

    def __init__(self, words: Iterable[str], weights: Sequence[float] | None = None) -> None:
        self._folded = [fold(word) for word in words]
        size = len(self._folded)
        order = sorted(range(size), key=self._folded.__getitem__)
        self._sorted = [self._folded[row] for row in order]
        self._order = np.array(order, dtype=np.int64)
        lengths = np.array([len(word) for word in self._folded], dtype=np.int64)
        weight = np.zeros(size) if weights is None else np.asarray(weights, dtype=np.float64)
        # Rank the rows by decreasing weight, then by increasing length.
        self._rank = np.empty(size, dtype=np.int64)
        self._rank[np.lexsort((lengths, -weight))] = np.arange(size)

    def find(self, typed: str, n: int = 10) -> list[int]:
        """Return the rows of matching words: exact matches, then prefix, then substring matches."""
        query = fold(typed.strip())
        if not query:
            return []
        # Exact and prefix matches are two adjacent ranges of the sorted words.
        begin = bisect.bisect_left(self._sorted, query)
        equal_end = bisect.bisect_right(self._sorted, query, lo=begin)
        prefix_end = bisect.bisect_left(self._sorted, query + "\U0010ffff", lo=equal_end)
        rows = self._sort(self._order[begin:equal_end])
        rows += self._sort(self._order[equal_end:prefix_end])
        if len(rows) < n:
            inside = [
                row
                for row, word in enumerate(self._folded)
                if query in word and not word.startswith(query)
            ]
            rows += self._sort(np.array(inside, dtype=np.int64))
        return rows[:n]

    def _sort(self, rows: Ints) -> list[int]:
        ranked: list[int] = rows[np.argsort(self._rank[rows])].tolist()
        return ranked
