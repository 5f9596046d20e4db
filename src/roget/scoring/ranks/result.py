"""The result of `roget.rank`: ranks with intervals, tiers and probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.types import Floats
from roget.errors import UnknownName
from roget.scoring.results import Result, none_if_nan

if TYPE_CHECKING:
    from roget.scoring.ranks.rank_sets import PairTests
    from roget.scoring.steps.sets import Columns


@dataclass(frozen=True)
class RankRow:
    """The rank of one system."""

    system: str
    rank: int
    """The rank. Rank 1 is best, and ties share a rank."""
    rank_low: int | None
    """The best rank in the simultaneous 95 % interval, or None if no tests were possible."""
    rank_high: int | None
    """The worst rank in the simultaneous 95 % interval."""
    marginal_low: int | None
    """The best rank in the 95 % interval that holds for this system alone."""
    marginal_high: int | None
    """The worst rank in the 95 % interval that holds for this system alone."""
    tier: int | None
    """The tier. No two systems in a tier differ significantly."""
    mean: float | None
    """The mean score over the tasks, or None if lower scores are better on only some of them."""
    mean_rank: float
    """The mean of the system's ranks on all tasks. Tied systems get the mean of their ranks."""
    borda: float
    """The normalised Borda count: the fraction of other systems beaten, averaged over tasks."""
    first: float | None
    """The probability of being first, estimated by resampling."""
    top: float | None
    """The probability of being among the first k, estimated by resampling."""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class RankPair:
    """The comparison of two systems. The better system is `a`."""

    a: str
    b: str
    difference: float
    """The difference in mean score or mean rank, with the sign chosen so that it is never negative.
    """
    low: float | None
    high: float | None
    p: float | None
    """The p-value, adjusted for the tests of all pairs."""
    wins: float
    """The fraction of tasks on which a is better. Ties count half."""
    ahead: float | None
    """The probability that a ranks above b, estimated by resampling. Ties count half."""

    def as_dict(self) -> dict[str, Any]:
        """Return the pair as a dictionary."""
        return dict(self.__dict__)


@dataclass(frozen=True, eq=False)
class RankArrays:
    """The arrays behind a ranking, with systems in input order."""

    goodness: Floats
    """The scores on each task (higher is better)."""
    means: Floats
    """The values by which systems are ranked (higher is better)."""
    reach: Floats | None
    """Half the width of the 95 % interval of each difference, with shape (systems, systems)."""
    drawn: Floats | None
    """Resampled means, with shape (systems, samples)."""
    tests: PairTests | None


@dataclass(frozen=True, repr=False, eq=False)
class Ranking(Result):
    """The ranks of several systems, with 95 % intervals.

    `ranking["name"]` is the row for a system, and `print(ranking)` prints a report.
    """

    kind = "ranking"

    signature: str
    tasks: tuple[str, ...]
    by: str
    """The criterion: "mean" or "rank"."""
    uncertainty: str
    """The source of uncertainty: "tasks", "tasks+runs", "se", "repeats" or "none"."""
    rows: tuple[RankRow, ...]
    """The systems, best first."""
    top: int
    """The number k for which the rows list the probability of being among the first k."""
    warnings: tuple[str, ...]
    order: tuple[int, ...] = field(repr=False)
    """The input positions of the systems in `rows`."""
    arrays: RankArrays = field(repr=False)
    interval: str = "simultaneous"
    """The kind of rank interval shown in printed tables."""
    show_details: bool = False
    """True if reports and JSON contain all pairs."""
    title: str = ""
    """The title of pages and table captions."""
    groups: int = 1

    @property
    def systems(self) -> list[str]:
        """The names of the systems, best first."""
        return [row.system for row in self.rows]

    @property
    def has_intervals(self) -> bool:
        """True if the differences could be tested."""
        return self.arrays.tests is not None

    def __getitem__(self, system: str) -> RankRow:
        """Return the row for a system, given its name."""
        for row in self.rows:
            if row.system == system:
                return row
        raise UnknownName("system", system, self.systems)

    def bounds(self, row: RankRow) -> tuple[int | None, int | None]:
        """Return the lower and upper bounds of a system's rank, as shown in printed tables."""
        if self.interval == "marginal":
            return row.marginal_low, row.marginal_high
        return row.rank_low, row.rank_high

    def wins(self) -> Floats:
        """Return a matrix with the fraction of tasks on which the row's system beats the column's.

        Systems are in the order of `systems`. Ties count half.
        """
        good = self.arrays.goodness[list(self.order)]
        wins = [(one > good).mean(axis=1) + (one == good).mean(axis=1) / 2 for one in good]
        return np.array(wins)

    def ahead(self) -> Floats | None:
        """Return a matrix with the probability that the row's system ranks above the column's.

        Systems are in the order of `systems`. Ties count half. The result is None if resampling was
        not possible.
        """
        if self.arrays.drawn is None:
            return None
        drawn = self.arrays.drawn[list(self.order)]
        ahead = [(one > drawn).mean(axis=1) + (one == drawn).mean(axis=1) / 2 for one in drawn]
        return np.array(ahead)

    @cached_property
    def pairs(self) -> list[RankPair]:
        """All pairs of systems, in the order of `systems`."""
        wins, ahead, arrays = self.wins(), self.ahead(), self.arrays
        found = []
        for x, i in enumerate(self.order):
            for y, j in enumerate(self.order[x + 1 :], x + 1):
                apart = float(arrays.means[i] - arrays.means[j])
                reach = None if arrays.reach is None else none_if_nan(arrays.reach[i, j])
                found.append(
                    RankPair(
                        self.rows[x].system,
                        self.rows[y].system,
                        apart,
                        None if reach is None else apart - reach,
                        None if reach is None else apart + reach,
                        None if arrays.tests is None else float(arrays.tests.simultaneous[i, j]),
                        float(wins[x, y]),
                        None if ahead is None else float(ahead[x, y]),
                    )
                )
        return found

    def sets(self, kind: str = "pairs") -> Columns:
        """Return the columns of the table that lists all pairs of systems."""
        if kind != "pairs":
            raise UnknownName("kind of table", kind, ["pairs"])
        names = [one.name for one in fields(RankPair)]
        return {name: [getattr(pair, name) for pair in self.pairs] for name in names}

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a JSON-serialisable dictionary."""
        data = self._plain("signature", "by", "uncertainty", "tasks", "top", "warnings", "rows")
        return data | (self._plain("pairs") if self.show_details else {})

    def __repr__(self) -> str:
        return f"<Ranking of {len(self.rows)} systems on {len(self.tasks)} tasks>"
