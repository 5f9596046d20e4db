"""Drawing items, for comparisons without groups: all systems meet the same draw.

Items that agree in gold and in every system's answer are one kind; a draw says how often each
kind occurs, and each system's table follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from roget.errors import InputError
from roget.scoring.contingency import Contingency
from roget.scoring.labels import Aligned
from roget.scoring.requests import Request, answers
from roget.scoring.resample import item_blocks, item_draws

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_BLOCKS = 50
"""Parts the jackknife leaves out in turn; the skewness needs no more."""


class ItemDraws:
    """Scores of several systems on items drawn with replacement."""

    def __init__(self, sides: Sequence[Aligned], asked: Sequence[Request]) -> None:
        if any(side.gold.weighted or side.system.weighted for side in sides):
            raise InputError("intervals for weighted answers need groups to draw from")
        self.asked = asked
        gold = sides[0].gold.codes.astype(np.int64)
        kind = gold
        for side in sides:
            _, kind = np.unique(
                kind * side.system.n_labels + side.system.codes, return_inverse=True
            )
        _, first, counts = np.unique(kind, return_index=True, return_counts=True)
        self.counts = counts.astype(np.int64)
        self.cells = [
            np.unique(
                gold[first] * side.system.n_labels + side.system.codes[first], return_inverse=True
            )
            for side in sides
        ]
        self.widths = [side.system.n_labels for side in sides]

    def bootstrap(self, draws: int, seed: int) -> FloatArray:
        """Draws × systems × requests."""
        return self._scores(item_draws(self.counts, draws, seed))

    def jackknife(self, seed: int) -> FloatArray:
        """The same with one block of items left out each time."""
        return self._scores(item_blocks(self.counts, _BLOCKS, seed))

    def _scores(self, drawn: Iterable[IntArray]) -> FloatArray:
        return np.array(
            [
                [answers(self._table(s, times), self.asked) for s in range(len(self.cells))]
                for times in drawn
            ]
        )

    def _table(self, system: int, times: IntArray) -> Contingency:
        keys, cell = self.cells[system]
        counts = np.bincount(cell, times, minlength=keys.size).astype(np.int64)
        held = np.flatnonzero(counts)
        rows, columns = np.divmod(keys[held], self.widths[system])
        return Contingency.from_cells(rows, columns, counts[held])
