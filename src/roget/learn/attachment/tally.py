"""How often each part of a quadruple was seen with N and with V: the counts of back-off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from roget.learn.attachment.words import Normal

Floats = npt.NDArray[np.float64]

PARTS = ("vnpm", "vnp", "vpm", "npm", "vp", "np", "pm", "p")
"""The parts that have the preposition, m being the second noun, in the order of their columns."""

LEVELS = (slice(0, 1), slice(1, 4), slice(4, 7), slice(7, 8))
"""Quadruples, triples, pairs, the preposition: what Collins & Brooks (1995) back off through."""

STAGES = ("quadruple", "triples", "pairs", "preposition", "default")

SMOOTHING = 2.0
"""Tokens of the preposition's own odds that are added to those of a part."""


class Tally:
    """Counts of N and V for every part of the quadruples that has the preposition.

    >>> seen = Tally.of([Normal("eat", "pizza", "with", "fork")], [False])
    >>> seen.counts([Normal("eat", "pasta", "with", "fork")])[0].tolist()
    [[0, 0], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0], [0, 1], [0, 1]]
    """

    def __init__(self, keys: Sequence[str], seen: npt.NDArray[np.int64]) -> None:
        self.keys, self.seen = list(keys), seen
        self._rows = {key: row for row, key in enumerate(self.keys)}

    @classmethod
    def of(cls, quads: Iterable[Normal], nouns: Iterable[bool]) -> Self:
        """Counted from quadruples; `nouns` says of each whether it is N."""
        table: dict[str, list[int]] = {}
        for quad, noun in zip(quads, nouns, strict=True):
            for key in _keys(quad):
                table.setdefault(key, [0, 0])[0 if noun else 1] += 1
        return cls(list(table), np.array(list(table.values()), dtype=np.int64).reshape(-1, 2))

    def counts(self, quads: Iterable[Normal]) -> npt.NDArray[np.int64]:
        """Times N and times V of each part of each quadruple: quadruples × parts × 2."""
        rows = np.array([[self._rows.get(key, -1) for key in _keys(quad)] for quad in quads])
        seen = np.vstack([self.seen, np.zeros((1, 2), dtype=np.int64)])
        return seen[rows.reshape(-1, len(PARTS)).astype(np.int64)]

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        return {"keys": self.keys, "seen": self.seen}


def log_odds(counts: Any) -> Floats:
    """log N/V of each part but the preposition, less that of the preposition; and that, last.

    Each part has two tokens more, shared as the preposition's are: a part never seen gives 0.
    """
    counts = np.asarray(counts, dtype=np.float64)
    shares = (counts[:, -1] + 0.5) / (counts[:, -1].sum(axis=1, keepdims=True) + 1)
    usual = np.log(shares[:, 0] / shares[:, 1])
    added = counts[:, :-1] + SMOOTHING * shares[:, None, :]
    return np.column_stack([np.log(added[..., 0] / added[..., 1]) - usual[:, None], usual])


def back_off(counts: Any) -> tuple[Floats, npt.NDArray[np.int64]]:
    """p(N) by the most specific level that was seen, and which level that is (see STAGES).

    All parts of a level are added up, as in Collins & Brooks (1995); where even the preposition
    is new, p(N) is 1.
    """
    counts = np.asarray(counts)
    share = np.ones(len(counts))
    level = np.full(len(counts), len(LEVELS))
    for at in reversed(range(len(LEVELS))):
        both = counts[:, LEVELS[at]].sum(axis=1)
        seen = both.sum(axis=1) > 0
        share[seen] = both[seen, 0] / both[seen].sum(axis=1)
        level[seen] = at
    return share, level


def _keys(quad: Normal) -> list[str]:
    """The parts as texts, in the order of PARTS, blanks where a word is left out."""
    v, n, p, m = quad
    return [
        f"{v}\t{n}\t{p}\t{m}", f"{v}\t{n}\t{p}\t", f"{v}\t\t{p}\t{m}", f"\t{n}\t{p}\t{m}",
        f"{v}\t\t{p}\t", f"\t{n}\t{p}\t", f"\t\t{p}\t{m}", f"\t\t{p}\t",
    ]  # fmt: skip
