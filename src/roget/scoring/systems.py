"""Scored systems, with their tables and the value of every measure in every group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from roget.core.types import Array, Floats, Ints
from roget.scoring.labels import AlignedLabels
from roget.scoring.measures.base import Measurable, Request, average_groups
from roget.scoring.options import RULES, Rules
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.statistics import Separate, Statistics


@dataclass(frozen=True, eq=False)
class ScoredSystem:
    """A system: its labels, aligned with the gold labels, and its scores."""

    name: str
    sides: AlignedLabels
    tables: Statistics | Separate
    values: Floats
    """The value of each score in each group, with shape (scores, groups). Undefined scores are NaN.
    """
    average: str
    """The rule for averages over groups."""
    reasons: dict[int, str] = field(default_factory=dict)
    """The reasons for undefined scores, keyed by score index."""
    trivial: dict[str, Floats] = field(default_factory=dict)
    """The values for each baseline, if requested."""

    parts: Sequence[Statistics] = field(init=False, repr=False)
    """The statistics of all groups, in one object or in one object per group."""
    sizes: list[Array] = field(init=False, repr=False)
    """The numbers of items, classes and clusters in each group."""
    weights: Floats = field(init=False, repr=False)
    """The weight of each group in an average."""
    groups: int = field(init=False, repr=False)
    """The number of groups."""
    items: int | float = field(init=False, repr=False)
    """The number of items, or their total weight. For coreference, the number of gold mentions."""
    classes: float = field(init=False, repr=False)
    """The mean number of gold classes per group."""
    clusters: float = field(init=False, repr=False)
    """The mean number of clusters per group."""

    def __post_init__(self) -> None:
        tables = self.tables
        parts = [tables] if isinstance(tables, Statistics) else tables.tables
        each = [(part.n, part.sizes.classes, part.sizes.clusters) for part in parts]
        items, classes, clusters = (np.hstack(column) for column in zip(*each, strict=True))
        own = items.astype(np.float64)
        vars(self).update(
            parts=parts,
            sizes=[items, classes, clusters],
            weights=own if self.average == "weighted" else np.ones_like(own),
            groups=self.values.shape[1],
        )
        gold = self.sides.gold
        if (gold.mentions or gold.absent) and all(isinstance(part, Contingency) for part in parts):
            # Do not count the placeholders for mentions that occur only in gold or only in the
            # system.
            detected = [part for part in parts if isinstance(part, Contingency)]
            items = np.hstack([table.mentions[0] for table in detected])
            classes, clusters = (
                np.hstack(column) for column in zip(*(t.entities for t in detected), strict=True)
            )
        vars(self).update(
            items=items.sum().item(),
            classes=float(np.mean(classes)),
            clusters=float(np.mean(clusters)),
        )

    @property
    def group_names(self) -> list[str]:
        """The names of the groups, or "all items" if there is only one table."""
        names = self.sides.group_names
        if names is None or len(names) != self.groups:
            return ["all items"]
        return [str(name) for name in names]

    def means(self) -> Floats:
        """Return the mean of each score over the groups. Undefined means are NaN."""
        return average_groups(self.values, self.weights)


@dataclass(frozen=True, eq=False)
class SystemScores:
    """The scores of one or more systems, and of the baselines, on one gold standard."""

    requests: Sequence[Request]
    systems: Sequence[ScoredSystem]
    weights: Floats
    """The weight of each group."""
    rules: Rules = RULES
    own: Floats | None = None
    """Additional group weights, with shape (scores, groups). They may differ between scores."""
    baselines: Mapping[str, Measurable] = field(default_factory=dict)
    """The tables of the baselines, which are scored together with the first system."""
    references: Sequence[ScoredSystem] = ()
    """The baselines of the caller. Their values are also among the baselines of the first system.
    """

    @property
    def names(self) -> list[str]:
        """The names of the systems, followed by the names of the baselines."""
        return [*(system.name for system in self.systems), *self.systems[0].trivial]

    @cached_property
    def values(self) -> Floats:
        """Scores per group, with shape (systems and baselines, scores, groups)."""
        baselines = self.systems[0].trivial.values()
        return np.stack([*(system.values for system in self.systems), *baselines])

    @cached_property
    def means(self) -> Floats:
        """Mean scores over groups, with shape (systems and baselines, scores)."""
        return average_groups(self.values, self.weights, self.own)

    @cached_property
    def better(self) -> Floats:
        """The sign of each score: 1 if higher is better, −1 if lower is better."""
        return np.array([1.0 if m.direction == "higher" else -1.0 for m, _ in self.requests])

    @cached_property
    def ranks(self) -> Ints:
        """The ranks, with shape (systems, scores).

        Rank 1 is best, ties share a rank, and 0 means undefined.
        """
        means = self.means[: len(self.systems)]
        # Round the scores, so that scores that differ only by rounding errors are ties.
        goodness = np.where(np.isnan(means), np.nan, np.round(means * self.better, 12))
        above = (goodness[None, :, :] > goodness[:, None, :]).sum(axis=1)
        return np.where(np.isnan(goodness), 0, above + 1)
