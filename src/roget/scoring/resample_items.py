"""Drawing items, for comparisons without groups: all systems meet the same draw.

Items that agree in gold and in every system's answer are one kind; a draw says how often each
kind occurs, and each system's table follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from roget.errors import InputError
from roget.scoring.contingency import Contingency
from roget.scoring.labels import Aligned
from roget.scoring.requests import Request, answers
from roget.scoring.resample import Jackknife, item_draws, item_jackknife

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


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

    def bootstrap(
        self, draws: int, seed: int, estimates: FloatArray, step: Callable[[int], None]
    ) -> FloatArray:
        """Draws × systems × requests, about the estimates (systems × requests).

        In the world of the draws the truth is the observed table, whose scores are plug-in ones.
        What a draw says is its distance from that truth: without the shift, corrected scores
        would be centred on the uncorrected ones.
        """
        plain: list[Request] = [(m, None if e is None else "ml") for m, e in self.asked]
        truth = self._scores(self.counts, plain)
        drawn = np.empty((draws, *estimates.shape))
        for done, times in enumerate(item_draws(self.counts, draws, seed)):
            drawn[done] = self._scores(times, self.asked) - truth + estimates
            step(done + 1)
        return drawn

    def jackknife(self, seed: int) -> Jackknife:
        """Scores with an item, or a block of items, left out in turn."""
        parts = list(item_jackknife(self.counts, seed))
        without = np.array([self._scores(left, self.asked) for left, _ in parts])
        return Jackknife(without, np.array([weight for _, weight in parts], dtype=float))

    def _scores(self, times: IntArray, asked: Sequence[Request]) -> FloatArray:
        tables = [self._table(s, times) for s in range(len(self.cells))]
        return np.array([answers(table, asked) for table in tables])

    def _table(self, system: int, times: IntArray) -> Contingency:
        keys, cell = self.cells[system]
        counts = np.bincount(cell, times, minlength=keys.size).astype(np.int64)
        held = np.flatnonzero(counts)
        rows, columns = np.divmod(keys[held], self.widths[system])
        return Contingency.from_cells(rows, columns, counts[held])
