"""Place new words by a softmax over the cosines of their vectors with the class centres."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import softmax

from roget.core.contents import array
from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.types import Array, Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.result import Clustering, Rule
from roget.learn.representation.background import add_background
from roget.learn.representation.prior import Prior, supplement
from roget.learn.representation.vectors import Representation, multiply_exactly, spread

COMMON = 5000
"""Number of frequent words used as neighbours for smoothing."""

SPREADS = 2
"""Number of rounds in which vectors are smoothed with the vectors of their neighbours."""


def smooth_vectors(representation: Representation, common: Ints) -> Any:
    """Smooth every vector with the vectors of its nearest common words.

    The vectors of the common words are smoothed as well, and used in the next round.
    """
    vectors = representation.vectors
    for _ in range(SPREADS):
        vectors = spread(vectors, vectors[common], common)
    return vectors


def smooth_new_vectors(representation: Representation, common: Ints, matrix: Any) -> Any:
    """Return the smoothed vectors of new words.

    The result for a word does not depend on the number of threads, or on other new words.
    """
    vectors = representation.embed(matrix)
    for among in _smooth_common(representation, common.astype(np.int64).tobytes()):
        vectors = spread(vectors, among, multiply=multiply_exactly)
    return vectors


@dataclass(frozen=True, eq=False)
class NearestCentroids(Rule):
    """Rule that places words by p(c|word) ∝ exp(sharpness · cosine(smoothed vector, centre))."""

    clusterer = "spherical"

    sharpness: float
    centres: Floats = array("iuf", "k", "d")
    """Centres of the classes, as unit vectors."""
    common: Ints = array("iu", "t", low=0)
    """Rows of the common words, which are the neighbours used for smoothing."""

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """Return p(c|word). For a word without informative contexts, this is p(c)."""
        known = self._require_vectors(leaves)
        if self.centres.shape[1] != known.vectors.shape[1]:
            raise InputError(
                f"the class centres have {self.centres.shape[1]} dimensions, but the word vectors "
                f"have {known.vectors.shape[1]}",
                code="damaged-folder",
            )
        return self._compare(smooth_new_vectors(known, self.common, matrix), leaves)

    def place_rows(self, rows: Ints, matrix: Any, leaves: Clustering) -> Array:
        """Return p(c|word) for words of the clustering, by their own vectors.

        Unlike vectors inferred from contexts, the stored vectors include the prior vectors of the
        words.
        """
        known = self._require_vectors(leaves)
        vectors = _smooth_all(known, self.common.astype(np.int64).tobytes())[rows]
        return self._compare(vectors, leaves)

    def _compare(self, vectors: Any, leaves: Clustering) -> Array:
        """Return p(c|word) for words with the given vectors."""
        cosines = multiply_exactly(vectors, self.centres.T)
        placed = softmax(self.sharpness * cosines, axis=1)
        nothing = ~vectors.any(axis=1)
        placed[nothing] = leaves.mass / max(float(leaves.mass.sum()), 1e-300)
        return np.asarray(placed, dtype=np.float64)

    def extend(
        self,
        made: Clustering,
        before: Clustering,
        counts: Counts,
        background: Counts | None = None,
        prior: Prior | None = None,
    ) -> Clustering:
        """Learn the vectors of all words, starting from the old vectors."""
        matrix, contexts, totals = counts.matrix.astype(np.float64), counts.contexts, None
        if background is not None:
            matrix, contexts = add_background(matrix, counts.words, contexts, background)
            totals = np.asarray(matrix.sum(axis=1)).ravel()
        known = Representation.learn(
            matrix,
            words=counts.words,
            contexts=contexts,
            start=before.representation,
            exact=background is not None,
        )
        if prior is not None:
            borrowed = background is not None
            words = counts.words.tolist()
            known = supplement(known, prior, words, counts.matrix, background=borrowed)
        often = counts.word_totals if totals is None else totals
        common = np.sort(np.argsort(-often, kind="stable")[:COMMON])
        return replace(made, representation=known, rule=replace(self, common=common))

    def regroup(self, made: Clustering, counts: Counts) -> Clustering:
        """Recompute the centres of the classes from the vectors of their words."""
        # The new vectors may have more dimensions, so recompute all centres.
        vectors = _smooth_all(self._require_vectors(made), self.common.astype(np.int64).tobytes())
        members = sparse.csr_array(made.memberships.T, dtype=np.float32)
        centres = unit(np.asarray(members @ vectors))
        return replace(made, rule=replace(self, centres=centres.astype(np.float32)))

    def _require_vectors(self, leaves: Clustering) -> Representation:
        """Return the representation. Raise an error if it is missing or lacks common words."""
        known = leaves.representation
        if known is None:
            raise InputError("the word vectors are missing", code="damaged-folder")
        words = known.vectors.shape[0]
        if self.common.max(initial=0) >= words:
            raise InputError(
                f"row {self.common.max()} of the common words is not among the vectors of "
                f"{words:,} words",
                code="damaged-folder",
            )
        return known

    def check(self, k: int, m: int) -> None:
        """Raise ValueError if arrays are inconsistent or the sharpness is not positive."""
        super().check(k, m)
        if self.sharpness <= 0:
            raise ValueError(f"sharpness {self.sharpness}: expected a positive number")


@lru_cache(maxsize=1)
def _smooth_all(known: Representation, common: bytes) -> Any:
    """Return the smoothed vectors of all words.

    The result is cached, because an update needs it twice.
    """
    return smooth_vectors(known, np.frombuffer(common, dtype=np.int64))


@lru_cache(maxsize=1)
def _smooth_common(known: Representation, common: bytes) -> list[Any]:
    """Return the vectors of the common words at the start of each smoothing round.

    They are cached, because every block of new words needs them.
    """
    found = [known.vectors[np.frombuffer(common, dtype=np.int64)]]
    while len(found) < SPREADS:
        among = found[-1]
        found.append(spread(among, among, np.arange(len(among)), multiply=multiply_exactly))
    return found
