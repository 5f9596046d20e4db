"""What comparing returns: a row per system and score, a line per pair of systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from roget.errors import InputError
from roget.scoring.results import Score, ScoreRow, Shown, is_earned, is_plug_in, list_kind

if TYPE_CHECKING:
    from roget.scoring.score import ScoredSystem
    from roget.scoring.steps.components import ScoreComponents
    from roget.scoring.steps.diagnostics import GroupRow
    from roget.scoring.steps.sets import Columns


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
    """Systems that share a letter are not shown to differ: they may, all the same."""
    first: float | None = None
    """How often the system came first over the bootstrap draws."""
    annotator: bool = False
    """Whether it is a gold standard, scored on the others: what systems may hope to reach."""

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        about = {"system": self.system, "trivial": self.trivial, "clusters": self.clusters}
        ranked = {"rank": self.rank, "letters": self.letters, "first": self.first}
        more = {"annotator": self.annotator} if self.golds else {}
        return {**about, **super().as_dict(), **ranked, **more}


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


@dataclass(frozen=True)
class GoldStandard:
    """One of several gold standards."""

    name: str
    items: int | float
    groups: int
    classes: float
    """On average per group."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return dict(vars(self))


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
    answered: tuple[ScoredSystem, ...] = field(default=(), repr=False, compare=False)
    """Each system's tables and scores by group, for pages that go into detail."""
    chosen: Score | None = None
    """The score that was asked for as the main one."""
    title: str = ""
    """What pages and captions call it."""
    golds: tuple[GoldStandard, ...] = ()
    """The gold standards, where there are several."""
    show_intervals: bool = True
    """Whether tables for people have them; data always has."""
    show_details: bool = False
    """Whether reports show entropies, pairs of items and sizes; data always has them."""
    outlines: tuple[ScoreComponents, ...] = field(default=(), repr=False)
    """Entropies, pairs of items and sizes of each system."""
    by_group: tuple[GroupRow, ...] = ()
    """The scores of each system in each group, where asked for."""

    @property
    def systems(self) -> list[str]:
        """The names of the systems, as given."""
        return list(dict.fromkeys(row.system for row in self.rows if not row.trivial))

    @property
    def scores(self) -> list[Score]:
        """The (measure, entropy) pairs that were asked for."""
        return list(dict.fromkeys((row.measure, row.entropy) for row in self.rows))

    @cached_property
    def main(self) -> Score:
        """The score by which systems are sorted: as chosen, or the first that no trivial answer
        wins, such as one cluster per item, corrected scores before plug-in ones; or the first.
        """
        scores = sorted(self.scores, key=is_plug_in)
        return self.chosen or next(filter(self._is_earned, scores), self.scores[0])

    @property
    def reason(self) -> str:
        """Why the main score is the main one, in words."""
        if self.chosen is not None:
            return "as chosen"
        if self._is_earned(self.main):
            return (
                "the first score, corrected ones before plug-in ones, under which no trivial "
                "answer does as well as the best system"
            )
        return "the first score: trivial answers do as well under every one, or were not scored"

    def _is_earned(self, score: Score) -> bool:
        """Whether the best system does better than every trivial answer, and these have values."""
        rows = [row for row in self.rows if (row.measure, row.entropy) == score]
        rows = [row for row in rows if not row.annotator]
        ours, trivial = ([r.value for r in rows if r.trivial == side] for side in (False, True))
        return is_earned(ours, trivial, rows[0].direction)

    @property
    def ordered(self) -> list[Score]:
        """The scores, the main one first."""
        return [self.main, *(score for score in self.scores if score != self.main)]

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
        data: dict[str, Any] = {
            **self._plain("signature", "items", "groups", "classes"),
            "main": {"measure": self.main[0], "entropy": self.main[1], "reason": self.reason},
            **self._plain("warnings", "rows", "pairs"),
            "stability": self.stability(),
            "systems": [
                {"system": name, **one.as_dict()}
                for name, one in zip(self.systems, self.outlines, strict=False)
            ],
        }
        return data | self._plain(*(name for name in ("golds", "by_group") if getattr(self, name)))

    def sets(self, kind: str = "clusters") -> Columns:
        """Columns of a table of all "classes", "clusters" or the "mapping" of clusters to classes,
        of all systems.
        """
        if not self.answered:
            raise InputError(f"a table of {kind} goes with one gold standard: compare on each")
        return list_kind(self.answered, kind)

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.systems)} systems on {self.items:,} items>"
