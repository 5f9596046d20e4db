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


def draw_near(representation: Representation, common: Ints) -> Any:
    """Vectors with their neighbours' in them, which are looked for among common words.

    Common words are themselves drawn nearer, once for each time.
    """
    vectors = representation.vectors
    for _ in range(SPREADS):
        vectors = spread(vectors, vectors[common], common)
    return vectors


def draw_new(representation: Representation, common: Ints, matrix: Any) -> Any:
    """The same of new words: neither threads nor the words beside them change a bit.

    (Learning is on one thread.)
    """
    vectors = representation.embed(matrix)
    for among in _draw_common(representation, common.astype(np.int64).tobytes()):
        vectors = spread(vectors, among, multiply=multiply_exactly)
    return vectors


@dataclass(frozen=True, eq=False)
class NearestCentroids(Rule):
    """∝ exp(sharpness · cosine with the class's centre), the word's vector drawn near as others."""

    clusterer = "spherical"

    sharpness: float
    centres: Floats = field(metadata=array("k", "d", least=-np.inf))
    """The directions of the classes."""
    common: Ints = field(metadata=array("t", whole=True))
    """Rows of the words that neighbours are looked for among."""

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """p(c|word); a word without telling contexts gets p(c)."""
        vectors = draw_new(self._known(leaves), self.common, matrix)
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


@lru_cache(maxsize=1)
def _draw_common(known: Representation, common: bytes) -> list[Any]:
    """The vectors of common words before each time; every block of new words asks for them."""
    found = [known.vectors[np.frombuffer(common, dtype=np.int64)]]
    while len(found) < SPREADS:
        among = found[-1]
        found.append(spread(among, among, np.arange(len(among)), multiply=multiply_exactly))
    return found
