"""What comparing returns: a row per system and score, a line per pair of systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from roget.scoring.result import ScoreRow, Shown

if TYPE_CHECKING:
    from roget.scoring.score import Answered


@dataclass(frozen=True)
class SystemRow(ScoreRow):
    """One score of one system, or of a trivial answer."""

    system: str = ""
    trivial: bool = False
    clusters: float | None = None
    """Clusters, on average per group."""
    rank: int | None = None
    """1 is best among the systems; ties share a rank."""
    letters: str | None = None
    """Systems that share a letter do not differ significantly."""
    first: float | None = None
    """How often the system came first over the bootstrap draws."""

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        about = {"system": self.system, "trivial": self.trivial, "clusters": self.clusters}
        ranked = {"rank": self.rank, "letters": self.letters, "first": self.first}
        return {**about, **super().as_dict(), **ranked}


@dataclass(frozen=True)
class Pair:
    """The difference a − b of two systems under one score."""

    a: str
    b: str
    measure: str
    entropy: str | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None

    def as_dict(self) -> dict[str, Any]:
        """The pair as plain data."""
        return dict(self.__dict__)


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """Several systems on one gold standard."""

    kind = "comparison"

    signature: str
    items: int | float
    groups: int
    classes: float
    warnings: tuple[str, ...]
    rows: tuple[SystemRow, ...]
    pairs: tuple[Pair, ...] = ()
    answered: tuple[Answered, ...] = field(default=(), repr=False, compare=False)
    """Each system's tables and scores by group, for pages that go into detail."""

    @property
    def systems(self) -> list[str]:
        """The names of the systems, as given."""
        return list(dict.fromkeys(row.system for row in self.rows if not row.trivial))

    @property
    def scores(self) -> list[tuple[str, str | None]]:
        """The (measure, entropy) pairs that were asked for."""
        return list(dict.fromkeys((row.measure, row.entropy) for row in self.rows))

    def stability(self) -> list[dict[str, Any]]:
        """Kendall's τ between the rankings of each measure under two estimators."""
        from scipy.stats import kendalltau

        found = []
        for measure in dict.fromkeys(measure for measure, entropy in self.scores if entropy):
            entropies = [entropy for name, entropy in self.scores if name == measure]
            for a, b in combinations(entropies, 2):
                ranks = [self._ranks(measure, entropy) for entropy in (a, b)]
                shared = [name for name in ranks[0] if name in ranks[1]]
                if len(shared) < 2:
                    continue
                tau = kendalltau(*[[side[name] for name in shared] for side in ranks]).statistic
                moved = max(shared, key=lambda name: abs(ranks[0][name] - ranks[1][name]))
                found.append(
                    {
                        "measure": measure,
                        "a": a,
                        "b": b,
                        "tau": None if tau != tau else float(tau),
                        "moved": moved,
                        "from": ranks[0][moved],
                        "to": ranks[1][moved],
                    }
                )
        return found

    def _ranks(self, measure: str, entropy: str | None) -> dict[str, int]:
        return {
            row.system: row.rank
            for row in self.rows
            if (row.measure, row.entropy) == (measure, entropy) and row.rank is not None
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "signature": self.signature,
            "items": self.items,
            "groups": self.groups,
            "classes": self.classes,
            "warnings": list(self.warnings),
            "rows": [row.as_dict() for row in self.rows],
            "pairs": [pair.as_dict() for pair in self.pairs],
            "stability": self.stability(),
        }

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems on {self.items:,} items>"
