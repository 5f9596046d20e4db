"""The result of `roget.agree`: matrices, means, a tree and a map of the clusterings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.types import Floats
from roget.errors import Undefined, UnknownName
from roget.scoring.options import ConsensusOptions
from roget.scoring.results import Result, ScoreRow, none_if_nan

if TYPE_CHECKING:
    from roget.scoring.agreement.consensus import Consensus, Consistency, Together
    from roget.scoring.agreement.matrix import Matrices
    from roget.scoring.agreement.panel import Panel
    from roget.scoring.measures.base import Request

_ORDERED = 300
"""Maximum number of clusterings for which the leaves of the tree are ordered optimally."""


@dataclass(frozen=True)
class PairRow(ScoreRow):
    """One score of a pair of clusterings; for asymmetric measures, a is the gold standard."""

    a: str = ""
    b: str = ""
    items: int = 0
    """The number of items that both have."""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {"a": self.a, "b": self.b, **super().as_dict(), "items": self.items}


@dataclass(frozen=True)
class MeanRow(ScoreRow):
    """The mean of one score of a clustering over all others, both ways."""

    system: str = ""
    clusters: float = 0.0
    """The mean number of clusters per group."""
    rank: int | None = None
    """1 is the most typical clustering; ties share a rank."""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        about = {"system": self.system, "clusters": self.clusters}
        return {**about, **super().as_dict(), "rank": self.rank}


class AgreementTree(NamedTuple):
    """A dendrogram of the clusterings, by average linkage."""

    links: Floats
    """A linkage matrix as in scipy."""
    order: list[int]
    """The order of the leaves."""


class Map(NamedTuple):
    """Points in a plane for the clusterings, by classical scaling of their distances."""

    places: Floats
    """Clusterings × 2."""
    share: float
    """The share of the spread (sum of absolute eigenvalues) that two dimensions show."""


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(Result):
    """How far several clusterings agree.

    `found.matrix("vi", "ml")` is an array, `print(found)` the report, `found.typical` the
    clustering that agrees best with the others and `found.odd` the one that does least.
    """

    kind = "agreement"

    signature: str
    systems: tuple[str, ...]
    items: int
    groups: int
    clusters: tuple[float, ...]
    """The mean number of clusters per group of each clustering."""
    warnings: tuple[str, ...]
    requests: tuple[Request, ...] = field(repr=False)
    matrices: Matrices = field(repr=False)
    panel: Panel = field(repr=False)

    @property
    def scores(self) -> list[tuple[str, str | None]]:
        """The (measure, entropy) pairs in input order."""
        return [(str(wanted), entropy) for wanted, entropy in self.requests]

    def _find(self, measure: str | None, entropy: str | None) -> int:
        for at, (name, estimator) in enumerate(self.scores):
            if measure in (None, name) and entropy in (None, estimator):
                return at
        wanted = f"{measure or ''}{f', {entropy}' if entropy else ''}"
        raise UnknownName("score", wanted, [" ".join(filter(None, s)) for s in self.scores])

    def matrix(self, measure: str | None = None, entropy: str | None = None) -> Floats:
        """Return the values of one score, by default the first; rows are gold, NaN is undefined."""
        values: Floats = self.matrices.values[self._find(measure, entropy)]
        return values.copy()

    @property
    def rows(self) -> Iterator[PairRow]:
        """Every score of every pair, in both directions for asymmetric measures."""
        found = self.matrices
        for i in range(len(self.systems)):
            for j in range(len(self.systems)):
                for r, (wanted, entropy) in enumerate(self.requests):
                    if i == j or (i > j and wanted.symmetric):
                        continue
                    yield PairRow(
                        str(wanted),
                        entropy,
                        none_if_nan(found.values[r, i, j]),
                        found.reasons.get((r, i, j)),
                        none_if_nan(found.low[r, i, j]),
                        none_if_nan(found.high[r, i, j]),
                        wanted.direction,
                        a=self.systems[i],
                        b=self.systems[j],
                        items=int(found.shared[i, j]),
                    )

    @cached_property
    def means(self) -> list[MeanRow]:
        """The mean of each clustering with the others, under each score."""
        found, rows = self.matrices, []
        for i, name in enumerate(self.systems):
            for r, (wanted, entropy) in enumerate(self.requests):
                value = found.means[r, i]
                rows.append(
                    MeanRow(
                        str(wanted),
                        entropy,
                        none_if_nan(value),
                        "undefined for every pair" if np.isnan(value) else None,
                        none_if_nan(found.mean_low[r, i]),
                        none_if_nan(found.mean_high[r, i]),
                        wanted.direction,
                        system=name,
                        clusters=self.clusters[i],
                        rank=_rank(self._goodness(r), i),
                    )
                )
        return rows

    @property
    def typical(self) -> str | None:
        """The clustering that agrees best with the others under the first score."""
        at = self.medoid()
        return None if at is None else self.systems[at]

    @property
    def odd(self) -> str | None:
        """The clustering that agrees least with the others; None if there are only two."""
        at = self.outlier()
        return None if at is None else self.systems[at]

    def medoid(self, measure: str | None = None, entropy: str | None = None) -> int | None:
        """Return the index of the (first) clustering with the best mean."""
        goodness = self._goodness(self._find(measure, entropy))
        return None if np.isnan(goodness).all() else int(np.nanargmax(goodness))

    def outlier(self, measure: str | None = None, entropy: str | None = None) -> int | None:
        """Return the index of the clustering with the worst mean; None if there are only two."""
        goodness = self._goodness(self._find(measure, entropy))
        if len(self.systems) < 3 or np.isnan(goodness).all():
            return None
        return int(np.nanargmin(goodness))

    def _goodness(self, at: int) -> Floats:
        """Return the means of all clusterings under one score, signed so that higher is better."""
        sign = 1.0 if self.requests[at][0].direction == "higher" else -1.0
        return np.asarray(np.round(sign * self.matrices.means[at], 12))

    def spread(self) -> list[dict[str, Any]]:
        """Return mean, standard deviation, minimum, median and maximum over all pairs."""
        size = len(self.systems)
        found = []
        for r, (wanted, entropy) in enumerate(self.requests):
            values = _both_ways(self.matrices.values[r])[np.triu_indices(size, 1)]
            held = values[~np.isnan(values)]
            row: dict[str, Any] = {
                "measure": str(wanted),
                "entropy": entropy,
                "better": wanted.direction,
                "pairs": held.size,
            }
            numbers = [np.nan] * 5
            if held.size:
                deviation = float(held.std(ddof=1)) if held.size > 1 else np.nan
                numbers = [held.mean(), deviation, held.min(), np.median(held), held.max()]
            names = ("mean", "deviation", "least", "median", "most")
            found.append({**row, **dict(zip(names, map(none_if_nan, numbers), strict=True))})
        return found

    def distances(self, measure: str | None = None, entropy: str | None = None) -> Floats:
        """Return the distances of clusterings: a distance measure, or best score − similarity.

        Asymmetric measures are averaged over both directions. Raises `Undefined` if a pair has no
        value, or the best score is not fixed.
        """
        at = self._find(measure, entropy)
        wanted = self.requests[at][0]
        if wanted.best is None or not np.isfinite(wanted.best):
            raise Undefined(f"{wanted}: no distance: the best score depends on the clustering")
        values = _both_ways(self.matrices.values[at])
        np.fill_diagonal(values, wanted.best)
        if np.isnan(values).any():
            raise Undefined(f"{wanted}: undefined for some pairs")
        apart = wanted.best - values if wanted.direction == "higher" else values - wanted.best
        # Corrected entropies may give negative distances.
        return np.maximum(apart, 0.0)

    def tree(self, measure: str | None = None, entropy: str | None = None) -> AgreementTree:
        """Return the dendrogram of the clusterings under one score."""
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        apart = squareform(self.distances(measure, entropy), checks=False)
        links = linkage(apart, "average", optimal_ordering=len(self.systems) <= _ORDERED)
        return AgreementTree(links, leaves_list(links).tolist())

    def map(self, measure: str | None = None, entropy: str | None = None) -> Map:
        """Return the clusterings as points in a plane under one score."""
        squares = self.distances(measure, entropy) ** 2
        centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
        roots, vectors = np.linalg.eigh(-centred / 2)
        roots, vectors = roots[::-1], vectors[:, ::-1]
        # If clusterings lie on a line, the second eigenvalue is rounding error.
        roots = np.where(np.abs(roots) > 1e-12 * np.abs(roots).max(), roots, 0.0)
        places = np.zeros((len(self.systems), 2))
        shown = min(2, roots.size)
        places[:, :shown] = vectors[:, :shown] * np.sqrt(np.maximum(roots[:shown], 0.0))
        # Axes may be mirrored; fix the sign so that the same clusterings give the same map.
        turned = places[np.abs(places).argmax(axis=0), range(2)] < 0
        places[:, turned] *= -1
        spread = np.abs(roots).sum()
        share = float(np.maximum(roots[:shown], 0).sum() / spread) if spread > 0 else 1.0
        return Map(places + 0.0, share)

    def consensus(
        self, by: str = ConsensusOptions.by, clusters: int | None = ConsensusOptions.clusters
    ) -> Consensus:
        """Return a consensus clustering: the "medoid", or "average" linkage of co-occurrence.

        The medoid is the clustering with the best mean under the first score. Average linkage is
        cut into `clusters` clusters per group, by default the median over the clusterings.
        """
        from roget.scoring.agreement.consensus import find_consensus

        return find_consensus(self, by, clusters)

    def consistency(self) -> Consistency:
        """Return how consistently items are placed: their mean element-centric similarity."""
        from roget.scoring.agreement.consensus import find_consistency

        return find_consistency(self.panel)

    def together(
        self,
        at_least: float = ConsensusOptions.at_least,
        most: int = ConsensusOptions.most,
    ) -> Together:
        """Return pairs of items that share a cluster in at least this share of the clusterings."""
        from roget.scoring.agreement.consensus import count_together

        return count_together(self.panel, at_least, most)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        sizes = "items", "groups", "systems", "clusters"
        data = self._plain("signature", *sizes, "warnings", "typical", "odd", "means")
        return data | {"spread": self.spread(), **self._plain("rows")}

    def __repr__(self) -> str:
        return f"<Agreement of {len(self.systems)} clusterings on {self.items:,} items>"


def _both_ways(values: Floats) -> Floats:
    return np.asarray((values + values.T) / 2)


def _rank(goodness: Floats, at: int) -> int | None:
    if np.isnan(goodness[at]):
        return None
    return int(np.count_nonzero(goodness > goodness[at])) + 1
