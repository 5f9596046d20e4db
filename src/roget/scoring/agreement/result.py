"""The result of `roget.agree`: pairwise scores, means, and a tree and a map of the clusterings."""

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
"""Maximum number of clusterings for optimal leaf ordering in the dendrogram."""


@dataclass(frozen=True)
class PairRow(ScoreRow):
    """One score of a pair of clusterings. For asymmetric measures, `a` is the gold standard."""

    a: str = ""
    b: str = ""
    items: int = 0
    """The number of items that both clusterings contain."""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary."""
        return {"a": self.a, "b": self.b, **super().as_dict(), "items": self.items}


@dataclass(frozen=True)
class MeanRow(ScoreRow):
    """The mean of one score between a clustering and all other clusterings, in both directions."""

    system: str = ""
    clusters: float = 0.0
    """The mean number of clusters per group."""
    rank: int | None = None
    """The rank of the clustering. Rank 1 is the most typical clustering, and ties share a rank."""

    def as_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary."""
        about = {"system": self.system, "clusters": self.clusters}
        return {**about, **super().as_dict(), "rank": self.rank}


class AgreementTree(NamedTuple):
    """A dendrogram of the clusterings, built by average linkage."""

    links: Floats
    """A linkage matrix in scipy's format."""
    order: list[int]
    """The order of the leaves."""


class Map(NamedTuple):
    """The clusterings as points in a plane, placed by classical multidimensional scaling."""

    places: Floats
    """The coordinates, with shape (clusterings, 2)."""
    share: float
    """The goodness of fit: the sum of the two largest eigenvalues divided by the sum of all
    absolute eigenvalues.
    """


@dataclass(frozen=True, repr=False, eq=False)
class Agreement(Result):
    """The agreement between several clusterings.

    `agreement.matrix("vi", "ml")` is an array and `print(agreement)` prints a report.
    `agreement.typical` is the clustering that agrees best with the other clusterings, and
    `agreement.odd` is the clustering that agrees least.
    """

    kind = "agreement"

    signature: str
    systems: tuple[str, ...]
    items: int
    groups: int
    clusters: tuple[float, ...]
    """The mean number of clusters per group for each clustering."""
    warnings: tuple[str, ...]
    requests: tuple[Request, ...] = field(repr=False)
    matrices: Matrices = field(repr=False)
    panel: Panel = field(repr=False)

    @property
    def scores(self) -> list[tuple[str, str | None]]:
        """The (measure, entropy) pairs in input order."""
        return [(str(measure), entropy) for measure, entropy in self.requests]

    def _find(self, measure: str | None, entropy: str | None) -> int:
        """Return the index of a score (by default the first), or raise UnknownName."""
        for at, (name, estimator) in enumerate(self.scores):
            if measure in (None, name) and entropy in (None, estimator):
                return at
        requested = f"{measure or ''}{f', {entropy}' if entropy else ''}"
        raise UnknownName("score", requested, [" ".join(filter(None, s)) for s in self.scores])

    def matrix(self, measure: str | None = None, entropy: str | None = None) -> Floats:
        """Return the matrix of one score (default: the first).

        For asymmetric measures, the row's clustering is the gold standard. Undefined values are
        NaN.
        """
        values: Floats = self.matrices.values[self._find(measure, entropy)]
        return values.copy()

    @property
    def rows(self) -> Iterator[PairRow]:
        """The scores of all pairs, in both directions for asymmetric measures."""
        matrices = self.matrices
        for i in range(len(self.systems)):
            for j in range(len(self.systems)):
                for r, (measure, entropy) in enumerate(self.requests):
                    if i == j or (i > j and measure.symmetric):
                        continue
                    yield PairRow(
                        str(measure),
                        entropy,
                        none_if_nan(matrices.values[r, i, j]),
                        matrices.reasons.get((r, i, j)),
                        none_if_nan(matrices.low[r, i, j]),
                        none_if_nan(matrices.high[r, i, j]),
                        measure.direction,
                        a=self.systems[i],
                        b=self.systems[j],
                        items=int(matrices.shared[i, j]),
                    )

    @cached_property
    def means(self) -> list[MeanRow]:
        """The mean scores of each clustering against all other clusterings."""
        matrices, rows = self.matrices, []
        for i, name in enumerate(self.systems):
            for r, (measure, entropy) in enumerate(self.requests):
                value = matrices.means[r, i]
                rows.append(
                    MeanRow(
                        str(measure),
                        entropy,
                        none_if_nan(value),
                        "undefined for every pair" if np.isnan(value) else None,
                        none_if_nan(matrices.mean_low[r, i]),
                        none_if_nan(matrices.mean_high[r, i]),
                        measure.direction,
                        system=name,
                        clusters=self.clusters[i],
                        rank=_rank(self._goodness(r), i),
                    )
                )
        return rows

    @property
    def typical(self) -> str | None:
        """The clustering that agrees best with the other clusterings, by the first score."""
        at = self.medoid()
        return None if at is None else self.systems[at]

    @property
    def odd(self) -> str | None:
        """The clustering that agrees least with the others, or None if there are only two."""
        at = self.outlier()
        return None if at is None else self.systems[at]

    def medoid(self, measure: str | None = None, entropy: str | None = None) -> int | None:
        """Return the index of the clustering with the best mean, or None if all are undefined."""
        goodness = self._goodness(self._find(measure, entropy))
        return None if np.isnan(goodness).all() else int(np.nanargmax(goodness))

    def outlier(self, measure: str | None = None, entropy: str | None = None) -> int | None:
        """Return the index of the clustering with the worst mean, or None if there are only two."""
        goodness = self._goodness(self._find(measure, entropy))
        if len(self.systems) < 3 or np.isnan(goodness).all():
            return None
        return int(np.nanargmin(goodness))

    def _goodness(self, at: int) -> Floats:
        """Return the means of one score, negated for distances so that higher is better."""
        sign = 1.0 if self.requests[at][0].direction == "higher" else -1.0
        return np.asarray(np.round(sign * self.matrices.means[at], 12))

    def spread(self) -> list[dict[str, Any]]:
        """Return the mean, standard deviation, minimum, median and maximum over all pairs."""
        size = len(self.systems)
        rows = []
        for r, (measure, entropy) in enumerate(self.requests):
            values = _average_directions(self.matrices.values[r])[np.triu_indices(size, 1)]
            known = values[~np.isnan(values)]
            row: dict[str, Any] = {
                "measure": str(measure),
                "entropy": entropy,
                "better": measure.direction,
                "pairs": known.size,
            }
            numbers = [np.nan] * 5
            if known.size:
                deviation = float(known.std(ddof=1)) if known.size > 1 else np.nan
                numbers = [known.mean(), deviation, known.min(), np.median(known), known.max()]
            names = ("mean", "deviation", "least", "median", "most")
            rows.append({**row, **dict(zip(names, map(none_if_nan, numbers), strict=True))})
        return rows

    def distances(self, measure: str | None = None, entropy: str | None = None) -> Floats:
        """Return the distances between clusterings, |best possible score − score|.

        Asymmetric measures are averaged over both directions. Raise `Undefined` if the score of a
        pair is undefined, or if the best score depends on the clusterings.
        """
        at = self._find(measure, entropy)
        chosen = self.requests[at][0]
        if chosen.best is None or not np.isfinite(chosen.best):
            raise Undefined(
                f"{chosen} cannot be converted to a distance, because its best score depends on "
                "the clusterings"
            )
        values = _average_directions(self.matrices.values[at])
        np.fill_diagonal(values, chosen.best)
        if np.isnan(values).any():
            raise Undefined(f"{chosen} is undefined for some pairs")
        apart = chosen.best - values if chosen.direction == "higher" else values - chosen.best
        # Bias-corrected entropies may give negative distances.
        return np.maximum(apart, 0.0)

    def tree(self, measure: str | None = None, entropy: str | None = None) -> AgreementTree:
        """Return the dendrogram of the clusterings, based on one score."""
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        apart = squareform(self.distances(measure, entropy), checks=False)
        links = linkage(apart, "average", optimal_ordering=len(self.systems) <= _ORDERED)
        return AgreementTree(links, leaves_list(links).tolist())

    def map(self, measure: str | None = None, entropy: str | None = None) -> Map:
        """Return the clusterings as points in a plane, based on the distances of one score."""
        # Classical scaling: the eigenvectors of the doubly centred matrix of squared distances.
        squares = self.distances(measure, entropy) ** 2
        centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
        roots, vectors = np.linalg.eigh(-centred / 2)
        roots, vectors = roots[::-1], vectors[:, ::-1]
        # If all points lie on a line, the second eigenvalue is 0 except for rounding errors.
        roots = np.where(np.abs(roots) > 1e-12 * np.abs(roots).max(), roots, 0.0)
        places = np.zeros((len(self.systems), 2))
        shown = min(2, roots.size)
        places[:, :shown] = vectors[:, :shown] * np.sqrt(np.maximum(roots[:shown], 0.0))
        # The signs of eigenvectors are arbitrary, so make the largest coordinate of each axis
        # positive.
        turned = places[np.abs(places).argmax(axis=0), range(2)] < 0
        places[:, turned] *= -1
        spread = np.abs(roots).sum()
        share = float(np.maximum(roots[:shown], 0).sum() / spread) if spread > 0 else 1.0
        return Map(places + 0.0, share)

    def consensus(
        self, by: str = ConsensusOptions.by, clusters: int | None = ConsensusOptions.clusters
    ) -> Consensus:
        """Return a consensus clustering.

        Parameters
        ----------
        by
            "medoid" selects the input clustering with the best mean of the first score. "average"
            clusters the items by average linkage, where the similarity of two items is the fraction
            of clusterings in which they share a cluster.
        clusters
            Number of clusters per group for "average". Defaults to the median over the clusterings.

        Returns
        -------
        Consensus
            The consensus clustering, with its support.
        """
        from roget.scoring.agreement.consensus import find_consensus

        return find_consensus(self, by, clusters)

    def consistency(self) -> Consistency:
        """Return the consistency of each item: its mean similarity over pairs of clusterings."""
        from roget.scoring.agreement.consensus import find_consistency

        return find_consistency(self.panel)

    def together(
        self,
        at_least: float = ConsensusOptions.at_least,
        most: int = ConsensusOptions.most,
    ) -> Together:
        """Return the pairs of items that often share a cluster.

        Parameters
        ----------
        at_least
            Minimum fraction of clusterings that put the two items in one cluster, among the
            clusterings that contain both.
        most
            Maximum number of pairs.

        Returns
        -------
        Together
            The pairs, with the number of clusterings in which the two items share a cluster.
        """
        from roget.scoring.agreement.consensus import count_together

        return count_together(self.panel, at_least, most)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a JSON-serialisable dictionary."""
        sizes = "items", "groups", "systems", "clusters"
        data = self._plain("signature", *sizes, "warnings", "typical", "odd", "means")
        return data | {"spread": self.spread(), **self._plain("rows")}

    def __repr__(self) -> str:
        return f"<Agreement of {len(self.systems)} clusterings on {self.items:,} items>"


def _average_directions(values: Floats) -> Floats:
    """Return the scores of each pair of clusterings, averaged over both directions."""
    return np.asarray((values + values.T) / 2)


def _rank(goodness: Floats, at: int) -> int | None:
    """Return the rank of one clustering, or None if its mean score is undefined."""
    if np.isnan(goodness[at]):
        return None
    return int(np.count_nonzero(goodness > goodness[at])) + 1
