"""Similarity of words, computed from their contexts and vectors. Rare words rely on vectors."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.views import like, to_dense, unit
from roget.core.types import Floats, Ints

SMOOTHING = 0.75
"""Exponent applied to context totals in PPMI.

Values below 1 slightly raise the totals of rare contexts.
"""

SURE = 100.0
"""Number of tokens at which the similarity of contexts and that of vectors have equal weights."""

FEW = 10.0
"""Number of tokens at which a similarity is shrunk to half its value."""

PRIOR_SURE, PRIOR_FEW = 80.0, 2.0
"""The same two numbers of tokens with prior vectors, which are reliable for rare words."""

RARE = 25.0
"""Number of tokens at which prior vectors alone have half of the weight. They are also part of the
combined vectors.
"""

COMMON = 1000
"""Number of frequent words used to compute the mean and standard deviation for standardising."""


_FEW_ROWS = 4
"""Maximum number of words that are compared without making a transposed copy of the table."""

ROUNDED = 1e-9
"""Standard deviations up to this value are treated as 0."""


class StandardisedCosine:
    """Standardised cosine similarity of words.

    The mean and standard deviation are computed over pairs of common words.

    words: vectors of words, one per row, or memberships of words in classes.

    products: inner products of class vectors, if `words` holds memberships. A word's vector is then
    the weighted sum of the vectors of its classes.
    """

    def __init__(self, words: Any, common: Ints, products: Floats | None = None) -> None:
        self.words, self._products = words, products
        some = self.words[common]
        pairs = to_dense(self._multiply(some) @ transpose(some))[~np.eye(common.size, dtype=bool)]
        self._mean = float(pairs.mean()) if pairs.size else 0.0
        spread = float(pairs.std()) if pairs.size else 0.0
        self._spread = spread if spread > ROUNDED else 1.0

    def compare(self, rows: Ints) -> Floats:
        """Return the similarity of the given words to all words."""
        some = self._multiply(self.words[rows])
        if sparse.issparse(self.words) and rows.size <= _FEW_ROWS:
            # Use a dense product for a few words, because it does not need a transposed table.
            found = (self.words @ to_dense(some).T).T
        else:
            found = some @ self._back
        return np.asarray((to_dense(found) - self._mean) / self._spread)

    def keep(self, rows: Ints) -> StandardisedCosine:
        """Return a copy for the given rows of a sparse table. Row −1 stands for an unknown word."""
        kept = copy(self)
        kept.__dict__.pop("_back", None)
        nothing = sparse.csr_array((1, self.words.shape[1]), dtype=self.words.dtype)
        kept.words = sparse.csr_array(sparse.vstack([self.words, nothing], format="csr")[rows])
        return kept

    @cached_property
    def _back(self) -> Any:
        return transpose(self.words)

    def _multiply(self, rows: Any) -> Any:
        return rows if self._products is None else rows @ self._products


class Similarity:
    """Similarity of words as a mixture of context similarity and vector similarity.

    Let e be the geometric mean of two words' numbers of tokens. The similarity of contexts has the
    weight e/(e + SURE), and that of vectors the rest. With prior vectors, the similarity of these
    alone gets the weight RARE/(RARE + e), and the mixture so far the rest. The result is multiplied
    by (e + 1)/(e + 1 + FEW).
    """

    def __init__(
        self,
        totals: Any,
        own: StandardisedCosine,
        more: StandardisedCosine,
        prior: StandardisedCosine | None = None,
    ) -> None:
        self._roots = np.sqrt(np.asarray(totals, dtype=np.float64))
        self._own, self._more, self._prior = own, more, prior

    def compare(self, rows: Ints) -> Floats:
        """Return the similarity of the given words to all words."""
        seen = self._roots[rows][:, None] * self._roots
        sure, few = (SURE, FEW) if self._prior is None else (PRIOR_SURE, PRIOR_FEW)
        share = seen / (seen + sure)
        mixed = share * self._own.compare(rows) + (1 - share) * self._more.compare(rows)
        if self._prior is not None:
            alone = RARE / (RARE + seen)
            mixed = (1 - alone) * mixed + alone * self._prior.compare(rows)
        return np.asarray(mixed * (seen + 1) / (seen + 1 + few))


def share_of_prior(within: Floats, totals: Any, others: Any) -> Floats:
    """Return the fraction of similarities that comes from prior vectors, by their weights.

    `within` is this fraction of the similarity of combined vectors. If it is 0, the result is 0.
    """
    seen = np.sqrt(np.asarray(totals, dtype=np.float64) * others)
    alone, combined = RARE / (RARE + seen), PRIOR_SURE / (PRIOR_SURE + seen)
    return np.where(within > 0, alone + (1 - alone) * combined * within, 0.0)


def weigh_contexts(counts: Counts) -> Any:
    """Return context weights as a csr_array whose rows have unit length.

    The weight of a context with pointwise mutual information w is w²/(1 + w), so contexts shared by
    most words (have, be) have almost no weight.
    """
    weights = counts.ppmi(smoothing=SMOOTHING)
    return unit(like(weights, weights.data**2 / (1 + weights.data)))


def transpose(table: Any) -> Any:
    """Return the transpose, as a csr_array if the table is sparse."""
    return sparse.csr_array(table.T) if sparse.issparse(table) else table.T


def select_common_rows(totals: Any) -> Ints:
    """Return the row indices of the most frequent words."""
    return np.sort(np.argsort(-np.asarray(totals), kind="stable")[:COMMON])
