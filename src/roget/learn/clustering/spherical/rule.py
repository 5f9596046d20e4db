"""How new words are placed: by the cosines of their vectors with the classes' centres."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import softmax

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.types import Array, Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.result import Clustering, Rule, array
from roget.learn.representation.vectors import Representation, multiply_exactly, spread

COMMON = 5000
"""The most frequent words, among which neighbours are looked for."""

SPREADS = 2
"""How often vectors take in their neighbours'."""


def draw_near(representation: Representation, common: Ints, matrix: Any = None) -> Any:
    """Vectors with their neighbours' in them: of the words learnt, or of new ones.

    Neighbours are looked for among common words, which are themselves drawn nearer, once for each
    time. Those of new words do not depend on threads, nor on the words beside them; learning is
    on one thread.
    """
    multiply = np.matmul if matrix is None else multiply_exactly
    known = representation.vectors
    vectors, own = (known, common) if matrix is None else (representation.embed(matrix), None)
    for _ in range(SPREADS):
        among = known[common]
        vectors = spread(vectors, among, own, multiply=multiply)
        if matrix is None:
            known = vectors
        else:
            known = known.copy()
            known[common] = spread(among, among, np.arange(common.size), multiply=multiply)
    return vectors


@dataclass(frozen=True, eq=False)
class Nearest(Rule):
    """∝ exp(sharpness · cosine with the class's centre), the word's vector drawn near as others."""

    clusterer = "spherical"

    sharpness: float
    centres: Floats = field(metadata=array("k", "d", least=-np.inf))
    """The directions of the classes."""
    common: Ints = field(metadata=array("t", whole=True))
    """Rows of the words that neighbours are looked for among."""

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """p(c|word); a word without telling contexts gets p(c)."""
        vectors = draw_near(self._known(leaves), self.common, matrix)
        cosines = multiply_exactly(vectors, self.centres.T)
        placed = softmax(self.sharpness * cosines, axis=1)
        nothing = ~vectors.any(axis=1)
        placed[nothing] = leaves.mass / max(float(leaves.mass.sum()), 1e-300)
        return np.asarray(placed, dtype=np.float64)

    def learn_on(self, made: Clustering, before: Clustering, counts: Counts) -> Clustering:
        """The vectors of all words, found from where those before stood."""
        known = Representation.learn(
            counts.matrix.astype(np.float64), words=counts.words, contexts=counts.contexts,
            start=before.representation,
        )  # fmt: skip
        common = np.sort(np.argsort(-counts.word_totals, kind="stable")[:COMMON])
        return replace(made, representation=known, rule=replace(self, common=common))

    def regroup(self, made: Clustering, counts: Counts) -> Clustering:
        """The directions of the classes as they are now."""
        vectors = _draw_all(self._known(made), self.common.astype(np.int64).tobytes())
        members = sparse.csr_array(made.memberships.T, dtype=np.float32)
        centres = unit(np.asarray(members @ vectors))
        return replace(made, rule=replace(self, centres=centres.astype(np.float32)))

    def _known(self, leaves: Clustering) -> Representation:
        """The vectors of the words, once they are those of this rule."""
        known = leaves.representation
        if known is None:
            raise InputError("the vectors of the words are missing")
        words, d = known.vectors.shape
        if self.common.max(initial=0) >= words or self.centres.shape[1] != d:
            raise InputError(f"the rule of spherical is not one of {words} words with {d} numbers")
        return known

    def check(self, k: int, m: int) -> None:
        """Refuse a sharpness that makes no sense, too."""
        super().check(k, m)
        if self.sharpness <= 0:
            raise ValueError(f"sharpness {self.sharpness}: expected a positive number")


@lru_cache(maxsize=1)
def _draw_all(known: Representation, common: bytes) -> Any:
    """The vectors of all words; growing asks for them twice."""
    return draw_near(known, np.frombuffer(common, dtype=np.int64))
