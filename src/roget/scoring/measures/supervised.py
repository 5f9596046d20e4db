"""Supervised recall: learn which class each cluster means on one part, test on the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from roget.errors import InputError, Undefined
from roget.scoring.contingency import Contingency
from roget.scoring.measures.base import Measure

_MOST_ITEMS = 10**9
"""The sampler of numpy takes no larger population."""


@dataclass(frozen=True)
class SupervisedRecall(Measure):
    """1 is best: each cluster takes the class it met most in `train` of the items, tested on the
    rest, averaged over seeded random splits. A cluster met only in the test part is wrong.

    The splits are drawn from the table itself: which items carry a cell's count does not matter.
    """

    train: float = 0.8
    splits: int = 5
    seed: int = 0

    name = "supervised-recall"
    ties = True
    needs = ("table",)
    reference = "Agirre et al. 2006; Manandhar et al. 2010"

    def __post_init__(self) -> None:
        if not 0 < self.train < 1:
            raise InputError(f"supervised-recall: train is {self.train}, expected between 0 and 1")
        if self.seed < 0:
            raise InputError(f"supervised-recall: seed is {self.seed}, expected 0 or more")
        if self.splits < 1:
            raise InputError(f"supervised-recall: splits is {self.splits}, expected 1 or more")

    def compute(self, table: Contingency) -> float:
        if table.perfect:
            return 1.0
        if table.counts.dtype.kind == "f":
            raise Undefined("splitting items into two parts needs whole counts")
        if table.n > _MOST_ITEMS:
            raise Undefined(f"more than {_MOST_ITEMS} items cannot be split at random")
        mapped = round(self.train * table.n)
        if not 0 < mapped < table.n:
            raise Undefined(f"{table.n} items are too few to split {self.train:g} to the rest")
        random = np.random.default_rng(self.seed)
        counts = table.counts.astype(np.int64)
        recalls = []
        for _ in range(self.splits):
            learn = random.multivariate_hypergeometric(counts, mapped, method="marginals")
            recalls.append(_right(table, learn, counts - learn) / (table.n - mapped))
        return float(np.mean(recalls))


def _right(table: Contingency, learn: npt.NDArray[np.int64], test: npt.NDArray[np.int64]) -> int:
    """Test items whose cluster was mapped to their class."""
    seen = np.flatnonzero(learn)
    classes = np.bincount(table.rows, learn, minlength=table.shape[0])
    # Within each cluster: most items first, then the class most frequent overall.
    order = seen[np.lexsort((-classes[table.rows[seen]], -learn[seen], table.columns[seen]))]
    first = np.flatnonzero(np.diff(table.columns[order], prepend=-1))
    return int(test[order[first]].sum())
