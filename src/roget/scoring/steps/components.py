"""Compute the components of scores: entropies, pair counts, and class and cluster sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.types import Floats
from roget.errors import Undefined
from roget.scoring.entropy.base import Histogram
from roget.scoring.measures.base import average_groups

if TYPE_CHECKING:
    from roget.scoring.tables.statistics import Statistics

BANDS = {"1": 1.0, "< 10": 10.0, "< 100": 100.0, "more": np.inf}
"""Upper bounds of the size bins of classes and clusters. The first bin is for size 1."""


@dataclass(frozen=True)
class EntropyRow:
    """The entropies H(gold), H(system) and H(gold, system) in nats, computed by one estimator.

    They are averaged over groups in the same way as scores. Undefined entropies are None, with a
    reason.
    """

    entropy: str
    gold: float | None = None
    system: float | None = None
    joint: float | None = None
    gold_given_system: float | None = None
    system_given_gold: float | None = None
    mutual: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class PairTable:
    """The numbers of item pairs that gold and the system put together or separate."""

    n11: int | float
    """Number of pairs in the same class and in the same cluster."""
    n10: int | float
    """Number of pairs in the same class but in different clusters."""
    n01: int | float
    """Number of pairs in the same cluster but in different classes."""
    n00: int | float
    """Number of pairs in different classes and in different clusters."""


@dataclass(frozen=True)
class SizeBin:
    """The number of classes or clusters in a size range, and the total number of their items."""

    size: str
    sets: int | float
    items: int | float
    share: float


@dataclass(frozen=True)
class ScoreComponents:
    """The components of a system's scores, over all groups."""

    entropies: tuple[EntropyRow, ...]
    pairs: PairTable | None
    """The pair counts, or None if they are undefined."""
    gold: tuple[SizeBin, ...]
    system: tuple[SizeBin, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary, including the reasons for undefined values."""
        return {
            "entropies": [
                {name: value for name, value in asdict(row).items() if name != "reason" or value}
                for row in self.entropies
            ],
            "pair_counts": None if self.pairs is None else asdict(self.pairs),
            "sizes": {
                "gold": [asdict(band) for band in self.gold],
                "system": [asdict(band) for band in self.system],
            },
        }


def compute_components(
    parts: Sequence[Statistics], estimators: Iterable[str], weights: Floats
) -> ScoreComponents:
    """Return the components, averaged or summed over groups."""
    gold, system = (_bin_sizes(parts, side) for side in ("gold", "system"))
    rows = (_estimate(parts, name, weights) for name in estimators)
    return ScoreComponents(tuple(rows), _sum_pairs(parts), gold, system)


def _estimate(parts: Sequence[Statistics], name: str, weights: Floats) -> EntropyRow:
    """Return the entropies according to one estimator, averaged over groups."""
    try:
        entropies = [part.entropies(name) for part in parts]
    except Undefined as undefined:
        return EntropyRow(name, reason=str(undefined))
    columns = (
        np.hstack([getattr(one, field) for one in entropies])
        for field in ("gold", "system", "joint")
    )
    c, k, ck = (average_groups(column, weights).item() for column in columns)
    # Conditional entropies are differences, and the mean of a difference is the difference of the
    # means.
    return EntropyRow(name, c, k, ck, ck - k, ck - c, c + k - ck)


def _sum_pairs(parts: Sequence[Statistics]) -> PairTable | None:
    """Return the pair counts summed over groups, or None if they are undefined."""
    try:
        pairs = [part.pairs for part in parts]
    except Undefined:
        return None
    total, gold, system, both = (
        sum(np.ravel(np.asarray(getattr(one, field), dtype=object)).sum() for one in pairs)
        for field in ("total", "gold", "system", "both")
    )
    return PairTable(*map(_plain, (both, gold - both, system - both, total - gold - system + both)))


def _bin_sizes(parts: Sequence[Statistics], side: str) -> tuple[SizeBin, ...]:
    """Count the classes or clusters, and their items, in each size bin.

    Return () if the sizes are undefined.
    """
    try:
        sizes: list[Histogram] = [getattr(part.sizes, side) for part in parts]
    except Undefined:
        return ()
    counts = np.concatenate([one.counts for one in sizes])
    cells = np.concatenate([one.cells for one in sizes])
    tops = np.array(list(BANDS.values()))
    band = np.where(counts <= 1, 0, np.searchsorted(tops[1:], counts, side="right") + 1)
    sets, items = (np.bincount(band, n, len(BANDS)) for n in (cells, counts * cells))
    return tuple(
        SizeBin(name, _plain(sets[at]), _plain(items[at]), float(items[at] / items.sum()))
        for at, name in enumerate(BANDS)
    )


def _plain(value: Any) -> int | float:
    """Return a Python number, as an int if it is whole."""
    return int(value) if value == int(value) else float(value)
