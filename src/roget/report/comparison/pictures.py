"""Data for the figures of a comparison, shared by the HTML page and the image files."""

from __future__ import annotations

from typing import NamedTuple

from roget.scoring.results import Comparison, SystemRow


class RankShift(NamedTuple):
    """A system's ranks under the first entropy estimator and under another estimator."""

    name: str
    before: int
    after: int


class Drop(NamedTuple):
    """A system's score under the first entropy estimator minus its score under another one."""

    name: str
    clusters: float
    difference: float
    rank: int
    """Rank under the first estimator. It is the label of the point in the figure."""


def score_rows(comparison: Comparison, measure: str, entropy: str | None) -> list[SystemRow]:
    """Return the rows of one score: systems by rank, undefined scores last, then baselines."""
    rows = [row for row in comparison.rows if (row.measure, row.entropy) == (measure, entropy)]
    return sorted(rows, key=_order)


def group_rows(comparison: Comparison) -> list[list[SystemRow]]:
    """Group the rows by system, sorted by rank under the main score, with baselines last."""
    place = {score: at for at, score in enumerate(comparison.ordered)}
    lines: dict[tuple[str, bool], list[SystemRow]] = {}
    for row in comparison.rows:
        if (row.measure, row.entropy) in place:
            lines.setdefault((row.system, row.trivial), []).append(row)
    for rows in lines.values():
        rows.sort(key=lambda row: place[row.measure, row.entropy])
    return sorted(lines.values(), key=lambda rows: _order(rows[0]))


def _order(row: SystemRow) -> tuple[bool, bool, int]:
    return row.trivial, row.rank is None, row.rank or 0


def directions(comparison: Comparison) -> dict[tuple[str, str | None], str]:
    """Return the direction in which each score improves ("higher" or "lower"), main score first."""
    known = {(row.measure, row.entropy): row.direction for row in comparison.rows}
    return {score: known[score] for score in comparison.ordered}


def intervals(comparison: Comparison, measure: str, entropy: str | None) -> list[SystemRow]:
    """Return the rows of one score that have a value, best system first, baselines last."""
    return [row for row in score_rows(comparison, measure, entropy) if row.value is not None]


def estimators(comparison: Comparison, measure: str) -> list[str]:
    """Return the entropy estimators requested for a measure, in the order requested."""
    return [entropy for name, entropy in comparison.defined if name == measure and entropy]


def shifts(comparison: Comparison, measure: str) -> dict[str, list[RankShift]]:
    """Return each system's rank under the first entropy estimator and under each of the others."""
    return {
        other: [RankShift(row.system, row.rank or 0, after.rank or 0) for row, after in pairs]
        for other, pairs in _pair(comparison, measure).items()
    }


def drops(comparison: Comparison, measure: str) -> dict[str, list[Drop]]:
    """Return the difference of each system's score between the first and each other estimator."""
    return {
        other: [
            Drop(row.system, row.clusters, row.value - after.value, row.rank or 0)
            for row, after in pairs
            if row.value is not None and after.value is not None and row.clusters is not None
        ]
        for other, pairs in _pair(comparison, measure).items()
    }


def _pair(comparison: Comparison, measure: str) -> dict[str, list[tuple[SystemRow, SystemRow]]]:
    """Pair each system's row under the first entropy estimator with its row under each of the
    others."""
    names = estimators(comparison, measure)
    ranked = {
        name: {
            row.system: row
            for row in score_rows(comparison, measure, name)
            if row.rank is not None and not row.trivial
        }
        for name in names
    }
    return {
        other: [
            (row, ranked[other][system])
            for system, row in ranked[names[0]].items()
            if system in ranked[other]
        ]
        for other in names[1:]
    }
