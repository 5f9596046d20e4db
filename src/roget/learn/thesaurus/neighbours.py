"""Nearest neighbours of words, based on contexts, on classes, or on both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.views import to_dense, unit
from roget.core.types import Floats, Ints
from roget.errors import InputError, UnknownName
from roget.learn.clustering.memberships import grouping_matrix
from roget.learn.clustering.result import Clustering
from roget.learn.options import WAYS, NeighbourOptions
from roget.learn.representation import background
from roget.learn.representation.similarity import (
    Similarity,
    StandardisedCosine,
    select_common_rows,
    share_of_prior,
    transpose,
    weigh_contexts,
)

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

MANY = 4096
"""Maximum number of classes for which all pairs are compared. Some taxonomies have more."""

CELLS = 1 << 22
"""Batch size: number of cells of a dense array computed at once."""


class Neighbour(NamedTuple):
    """A word that is similar to another word."""

    word: str
    similarity: float
    """Similarity, in standard deviations above the mean similarity of common words."""

    @property
    def distance(self) -> float:
        """The similarity converted to a distance, exp(−similarity)."""
        return math.exp(-self.similarity)


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Divide the rows of a table into slices of at most `CELLS` cells, and yield the slices."""
    step = max(1, CELLS // max(columns, 1))
    for begin in range(0, rows, step):
        yield slice(begin, min(begin + step, rows))


class Neighbours:
    """An index for comparing the words of a thesaurus.

    In addition to their own contexts, words are compared by the vectors from which the classes were
    made, or, if there are no vectors, by their classes: Σ p(c|word)·(direction of c).
    """

    def __init__(self, counts: Counts, clustering: Clustering) -> None:
        self._counts, self._clustering = counts, clustering
        self._ways = cache(self._way)
        self._before: tuple[Neighbours, Any] | None = None
        """The index before classes were merged, and a matrix from old classes to new classes."""

    def after(
        self,
        counts: Counts,
        clustering: Clustering,
        rows: Ints | None = None,
        parts: Ints | None = None,
    ) -> Neighbours:
        """Return the index after edits, reusing unchanged parts.

        Parameters
        ----------
        counts, clustering
            The counts and the clustering after the edits.
        rows
            The row of each word before the edits, or −1 for new words. By default, rows are
            unchanged.
        parts
            The new class of each old class, if classes were only merged.
        """
        made = Neighbours(counts, clustering)
        made._own = self._own if rows is None else self._own.keep(rows)
        if parts is not None and self._clustering.n_clusters <= MANY:
            made._before = self, grouping_matrix(parts, clustering.n_clusters)
        if rows is None:
            made._common = self._common
            if (
                clustering.representation is self._clustering.representation
                and (counts.word_totals > 0).all()
            ):
                made._vectors, made._prior = self._vectors, self._prior
        return made

    def nearest(self, rows: Ints, n: int, by: str = "both") -> Iterator[tuple[Ints, Floats]]:
        """Yield the n nearest rows and their similarities for each row.

        Ties are broken by row number.
        """
        if n < 1:
            raise InputError(
                f"the number of neighbours is {n}; expected 1 or more", code="invalid-option"
            )
        measure, size = self._measure(rows, by), len(self._counts)
        seen = self._counts.word_totals > 0
        for part in parts(rows.size, size):
            # Round the similarities, because their last digits depend on the batch.
            for row, found in zip(rows[part], measure.compare(rows[part]).round(9), strict=True):
                others = np.flatnonzero(seen) if by == "counts" else np.arange(size)
                others = others[others != row]
                if n < others.size:
                    least = np.partition(found[others], -n)[-n]
                    others = others[found[others] >= least]
                best = others[np.argsort(-found[others], kind="stable")][:n]
                yield best, found[best]

    def compare(self, rows: Ints, others: Ints, by: str = "both") -> Floats:
        """Return the similarities of pairs of words, on the same scale as `nearest`."""
        measure = self._measure(np.concatenate([rows, others]), by)
        distinct, at = np.unique(rows, return_inverse=True)
        found = np.empty(rows.size)
        for part in parts(distinct.size, len(self._counts)):
            here = np.flatnonzero((at >= part.start) & (at < part.stop))
            table = measure.compare(distinct[part]).round(9)
            found[here] = table[at[here] - part.start, others[here]]
        return found

    def _measure(self, rows: Ints, by: str) -> StandardisedCosine | Similarity:
        """Return the requested similarity measure. Raise an error if it cannot compare the rows."""
        if by not in WAYS:
            raise UnknownName("way to compare words", by, WAYS)
        if by == "counts" and not (self._counts.word_totals[rows] > 0).all():
            raise InputError(
                "a word without occurrences cannot be compared by its counts",
                code="too-little-text",
            )
        return self._ways(by)

    def _way(self, by: str) -> StandardisedCosine | Similarity:
        """Return the similarity measure named "both", "counts" or "classes"."""
        if by == "both":
            totals = self._counts.word_totals
            return Similarity(totals, self._own, self._vectors or self._classes, self._prior)
        return self._own if by == "counts" else self._classes

    @cached_property
    def _common(self) -> Ints:
        return select_common_rows(self._counts.word_totals)

    @cached_property
    def _own(self) -> StandardisedCosine:
        return StandardisedCosine(weigh_contexts(self._counts), self._common)

    @cached_property
    def _classes(self) -> StandardisedCosine:
        if self._clustering.n_clusters > MANY:
            belongs = sparse.csr_array(self._clustering.memberships)
            return StandardisedCosine(belongs @ unit(self._sum_classes()), self._common)
        lengths = np.sqrt(np.diag(self._products))
        lengths = np.where(lengths > 0, lengths, 1.0)
        directions = self._products / lengths / lengths[:, None]
        return StandardisedCosine(self._clustering.memberships, self._common, directions)

    @cached_property
    def _products(self) -> Floats:
        """Dot products between the summed context weights of classes, for all pairs of classes."""
        if self._before is not None:
            before, joined = self._before
            return np.asarray(joined.T @ before._products @ joined)
        sums = self._sum_classes()
        return to_dense(sums @ transpose(sums))

    def _sum_classes(self) -> Any:
        """Return the context weights of each class, which are summed over its words."""
        return transpose(self._clustering.memberships) @ self._own.words

    @cached_property
    def _vectors(self) -> StandardisedCosine | None:
        known = self._clustering.representation
        if known is None:
            return None
        vectors = known.vectors if known.rows is None else known.vectors[known.rows]
        vectors = vectors.astype(np.float64)
        if known.rows is not None:
            rest = known.rows < 0
            vectors[rest] = known.embed(self._counts.matrix[rest])
            # Use the mean vector of its classes for a word without occurrences.
            unseen = rest & (self._counts.word_totals == 0)
            belongs = self._clustering.memberships
            vectors[unseen] = unit(belongs[unseen] @ (transpose(belongs) @ vectors))
        return StandardisedCosine(vectors, self._common)

    @cached_property
    def _prior(self) -> StandardisedCosine | None:
        """The prior vectors alone, or None without prior vectors."""
        known = self._clustering.representation
        if known is None or not known.prior or self._vectors is None:
            return None
        return StandardisedCosine(unit(self._vectors.words[:, -known.prior :]), self._common)


def list_neighbours(
    thesaurus: Thesaurus, rows: Ints, n: int = 10, by: str = "both"
) -> list[list[Neighbour]]:
    """Return the neighbours of several words in one batch."""
    words = thesaurus.words
    return [
        [Neighbour(str(words[at]), float(s)) for at, s in zip(*found, strict=True)]
        for found in thesaurus.index.neighbours.nearest(rows, n, by)
    ]


def neighbour_sources(thesaurus: Thesaurus, word: str, others: Sequence[str]) -> list[str]:
    """Return the source of the similarity of a word to each other word.

    The source is "text", "background", "both", or "prior" for prior vectors. The first three may be
    combined with the last, as in "text + prior".

    The list is empty if the thesaurus was built without background counts and prior vectors.
    """
    known, made = thesaurus.clustering.representation, thesaurus.provenance
    if known is None or not (background.KEY in made or known.prior):
        return []
    rows = np.array([thesaurus.row(one) for one in (word, *others)])
    at = rows if known.rows is None else known.rows[rows]
    # Words without learnt vectors are compared only by their contexts in the text.
    nothing = sparse.csr_array((1, known.weights.shape[1]), dtype=known.weights.dtype)
    weights = sparse.vstack([known.weights, nothing], format="csr")[at]
    own = sparse.csr_array(thesaurus.counts.matrix[rows])
    compared = np.arange(1, rows.size)
    if background.KEY in made:
        names = background.name_sources(own, weights, 0, compared)
    else:
        names = [background.TEXT] * compared.size
    shares = known.prior_shares(int(at[0]), at[1:])
    if known.prior:
        totals = thesaurus.counts.word_totals[rows]
        shares = share_of_prior(shares, totals[0], totals[1:])
    return background.add_prior_source(names, shares)


def compare_words(
    thesaurus: Thesaurus, rows: Ints, others: Ints, by: str = NeighbourOptions.by
) -> Floats:
    """Return the similarities of word pairs, on the scale of `Thesaurus.neighbours`.

    Parameters
    ----------
    thesaurus
        The thesaurus.
    rows, others
        The rows of the first words, and of the second words, of the pairs.
    by
        How words are compared: "both", "classes" or "counts".
    """
    return thesaurus.index.neighbours.compare(rows, others, by)
