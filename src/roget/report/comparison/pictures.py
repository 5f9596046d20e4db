"""What the pictures of a comparison show, worked out once for the page and for the files."""

from __future__ import annotations

from typing import NamedTuple

from roget.scoring.comparison import Comparison, SystemRow


class Dot(NamedTuple):
    """A score with its interval."""

    name: str
    trivial: bool
    value: float
    low: float | None
    high: float | None
    rank: int | None


class Shift(NamedTuple):
    """A system's rank under the first estimator and under another."""

    name: str
    before: int
    after: int


class Drop(NamedTuple):
    """How much lower a system scores under another estimator than under the first."""

    name: str
    clusters: float
    difference: float
    rank: int
    """Under the first estimator, to name the point where its name is too long."""


def title(measure: str, entropy: str | None) -> str:
    """A score's name in captions.

    >>> title("v", "jk"), title("ari", None)
    ('v (jk)', 'ari')
    """
    return measure if entropy is None else f"{measure} ({entropy})"


def score_rows(comparison: Comparison, measure: str, entropy: str | None) -> list[SystemRow]:
    """The rows of one score: systems by rank, undefined ones last, then trivial answers."""
    rows = [row for row in comparison.rows if (row.measure, row.entropy) == (measure, entropy)]
    return sorted(rows, key=lambda row: (row.trivial, row.rank is None, row.rank or 0))


def intervals(comparison: Comparison, measure: str, entropy: str | None) -> list[Dot]:
    """Every defined value of one score, best system first, trivial answers at the end."""
    return [
        Dot(row.system, row.trivial, row.value, row.low, row.high, row.rank)
        for row in score_rows(comparison, measure, entropy)
        if row.value is not None
    ]


def estimators(comparison: Comparison, measure: str) -> list[str]:
    """The entropy estimators a measure was asked under, in the order given."""
    return [entropy for name, entropy in comparison.scores if name == measure and entropy]


def shifts(comparison: Comparison, measure: str) -> dict[str, list[Shift]]:
    """Ranks under the first estimator against those under each other one."""
    ranked = _by_estimator(comparison, measure)
    if not ranked:
        return {}
    first, *others = ranked
    found = {}
    for other in others:
        found[other] = [
            Shift(name, row.rank, ranked[other][name].rank or 0)
            for name, row in ranked[first].items()
            if row.rank is not None and name in ranked[other]
        ]
    return found


def drops(comparison: Comparison, measure: str) -> dict[str, list[Drop]]:
    """The score under the first estimator minus the score under each other one."""
    ranked = _by_estimator(comparison, measure)
    if not ranked:
        return {}
    first, *others = ranked
    found: dict[str, list[Drop]] = {}
    for other in others:
        found[other] = []
        for name, row in ranked[first].items():
            after = ranked[other].get(name)
            if after is None or row.value is None or after.value is None or row.clusters is None:
                continue
            drop = Drop(name, row.clusters, row.value - after.value, row.rank or 0)
            found[other].append(drop)
    return found


def _by_estimator(comparison: Comparison, measure: str) -> dict[str, dict[str, SystemRow]]:
    """The ranked rows of the systems under each estimator, best first."""
    return {
        entropy: {
            row.system: row
            for row in score_rows(comparison, measure, entropy)
            if row.rank is not None and not row.trivial
        }
        for entropy in estimators(comparison, measure)
    }
