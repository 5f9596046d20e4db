"""Similarity of words by their own contexts, and by vectors where these are few."""

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
"""Exponent of context totals in PPMI: rare contexts count as slightly more frequent."""

SURE = 100.0
"""Number of tokens at which own contexts and vectors count equally."""

FEW = 10.0
"""Number of tokens at which a similarity is shrunk by half."""

COMMON = 1000
"""Number of the most frequent words, over whose pairs the mean similarity is measured."""


ROUNDED = 1e-9
"""A standard deviation below this counts as none."""


class StandardisedCosine:
    """Cosines of words, in standard deviations from the mean over pairs of common words.

    The vectors of words are rows of a table. If it is a table of words by classes, the vectors are
    sums of class vectors, of which only the `products` with each other are needed.
    """

    def __init__(self, words: Any, common: Ints, products: Floats | None = None) -> None:
        self.words, self._products = words, products
        some = self.words[common]
        pairs = to_dense(self._multiply(some) @ transpose(some))[~np.eye(common.size, dtype=bool)]
        self._mean = float(pairs.mean()) if pairs.size else 0.0
        spread = float(pairs.std()) if pairs.size else 0.0
        self._spread = spread if spread > ROUNDED else 1.0

    def compare(self, rows: Ints) -> Floats:
        """Return the similarity of some words to all words."""
        found = self._multiply(self.words[rows]) @ self._back
        return np.asarray((to_dense(found) - self._mean) / self._spread)

    def keep(self, rows: Ints) -> StandardisedCosine:
        """Return the same for some rows of a sparse table; −1 stands for an unknown word."""
        made = copy(self)
        made.__dict__.pop("_back", None)
        nothing = sparse.csr_array((1, self.words.shape[1]), dtype=self.words.dtype)
        made.words = sparse.csr_array(sparse.vstack([self.words, nothing], format="csr")[rows])
        return made

    @cached_property
    def _back(self) -> Any:
        return transpose(self.words)

    def _multiply(self, rows: Any) -> Any:
        return rows if self._products is None else rows @ self._products


class Similarity:
    """Similarity of words: the more tokens they have, the more by their own contexts.

    For two words with e tokens (geometric mean), the share e/(e + SURE) is by their own contexts
    and the rest by vectors; the result is shrunk by (e + 1)/(e + 1 + FEW).
    """

    def __init__(self, totals: Any, own: StandardisedCosine, more: StandardisedCosine) -> None:
        self._roots = np.sqrt(np.asarray(totals, dtype=np.float64))
        self._own, self._more = own, more

    def compare(self, rows: Ints) -> Floats:
        """Return the similarity of some words to all words."""
        # e, the geometric mean of the numbers of tokens of each pair.
        seen = self._roots[rows][:, None] * self._roots
        share = seen / (seen + SURE)
        mixed = share * self._own.compare(rows) + (1 - share) * self._more.compare(rows)
        return np.asarray(mixed * (seen + 1) / (seen + 1 + FEW))


def weigh_contexts(counts: Counts) -> Any:
    """Return how informative each context is about a word, as unit rows of a csr_array.

    The weight is w²/(1 + w) of the mutual information w, so that contexts of most words (have, be)
    count next to nothing.
    """
    weights = counts.ppmi(smoothing=SMOOTHING)
    return unit(like(weights, weights.data**2 / (1 + weights.data)))


def transpose(table: Any) -> Any:
    """Return the transpose, in row format if it is sparse."""
    return sparse.csr_array(table.T) if sparse.issparse(table) else table.T


def select_common_rows(totals: Any) -> Ints:
    """Return the rows of the most frequent words."""
    return np.sort(np.argsort(-np.asarray(totals), kind="stable")[:COMMON])
