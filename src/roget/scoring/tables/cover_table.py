"""Statistics that compare overlapping classes and clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from roget.errors import Undefined
from roget.scoring.entropy.base import Histogram
from roget.scoring.labels.labels import Labels
from roget.scoring.tables.cover import Cover, CoverElements, Degrees, Overlap, Sets
from roget.scoring.tables.records import Sizes
from roget.scoring.tables.statistics import Statistics

OVERLAPPING = (
    "undefined for overlapping clusters; use xb3-precision, xb3-recall, xb3-f, omega, onmi, "
    "mean-best-f1 or element-centric"
)

WHOLE_TREE = (
    "the element-centric similarity of a tree is computed over all its nodes and needs one gold "
    "class per item; to score the cut into K clusters instead, use `roget score --set cuts=K`"
)


@dataclass(frozen=True, eq=False)
class CoverTable(Statistics):
    """The statistics of a comparison in which items may belong to several classes or clusters."""

    sets: Cover
    cut: bool = False
    """True if the clusters were made by cutting a tree."""

    @classmethod
    def from_labels(cls, gold: Labels, system: Labels, *, cut: bool = False) -> CoverTable:
        """Compute the statistics for two labellings of the same items, in the same order."""
        return cls(Cover.from_sides(Sets.from_labels(gold), Sets.from_labels(system)), cut)

    @property
    def cover(self) -> Cover:
        return self.sets

    @property
    def degrees(self) -> Degrees:
        return Degrees(self.sets)

    @cached_property
    def n(self) -> Any:
        return self.cover.n

    @cached_property
    def sizes(self) -> Sizes:
        overlap = self.cover.overlap
        gold, system = map(Histogram.from_counts, (overlap.gold, overlap.system))
        return Sizes(gold, system, self.n)

    @property
    def outline(self) -> Overlap:
        return self.cover.overlap

    @cached_property
    def perfect(self) -> bool:
        return self.cover.overlap.perfect

    @property
    def elements(self) -> CoverElements:
        if self.cut:
            raise Undefined(WHOLE_TREE)
        cover = self.cover
        return CoverElements(cover.gold, cover.system, cover.times, self.perfect)

    @property
    def table(self) -> NoReturn:
        """Raise Undefined, because overlapping clusters have no contingency table."""
        raise Undefined(OVERLAPPING)
