"""Search: words and classes by what a person has typed so far."""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt


def folded(text: str) -> str:
    """Text without case and accents, as it is compared.

    >>> folded("Café")
    'cafe'
    """
    plain = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()


class Search:
    """Completion over words in the order of their rows, the most frequent first among equals.

    >>> search = Search(["tea", "teapot", "steam", "Tee"])
    >>> search.find("te")
    [0, 3, 1, 2]
    """

    def __init__(self, words: Iterable[str], weights: Sequence[float] | None = None) -> None:
        self._folded = [folded(word) for word in words]
        size = len(self._folded)
        order = sorted(range(size), key=self._folded.__getitem__)
        self._sorted = [self._folded[row] for row in order]
        self._order = np.array(order, dtype=np.int64)
        lengths = np.array([len(word) for word in self._folded], dtype=np.int64)
        given = np.zeros(size) if weights is None else np.asarray(weights, dtype=np.float64)
        self._rank = np.empty(size, dtype=np.int64)
        self._rank[np.lexsort((lengths, -given))] = np.arange(size)

    def find(self, typed: str, n: int = 10) -> list[int]:
        """Rows of words: the very word, then those that begin so, then those that hold it."""
        wanted = folded(typed.strip())
        if not wanted:
            return []
        begin = bisect.bisect_left(self._sorted, wanted)
        same = bisect.bisect_right(self._sorted, wanted, lo=begin)
        end = bisect.bisect_left(self._sorted, wanted + "\U0010ffff", lo=same)
        rows = self._best(self._order[begin:same]) + self._best(self._order[same:end])
        if len(rows) < n:
            inside = [
                row
                for row, word in enumerate(self._folded)
                if wanted in word and not word.startswith(wanted)
            ]
            rows += self._best(np.array(inside, dtype=np.int64))
        return rows[:n]

    def _best(self, rows: npt.NDArray[np.int64]) -> list[int]:
        found: list[int] = rows[np.argsort(self._rank[rows])].tolist()
        return found
