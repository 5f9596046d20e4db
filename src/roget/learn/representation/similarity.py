"""Similarity: how much alike words are, by their own contexts and by what more is known of them."""

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
"""Contexts by this power of their totals: rare ones count as a little commoner than they were."""

SURE = 100.0
"""Tokens with which words are known by their own contexts as well as by anything else."""

FEW = 10.0
"""Tokens with which half of a similarity is believed."""

COMMON = 1000
"""The most frequent words, among which it is seen how much alike words are on the average."""


ROUNDED = 1e-9
"""What is spread less than this is all the same."""


class StandardisedCosine:
    """Cosines of words, in standard deviations from the mean over pairs of common words.

    The vectors of words are rows of a table; or, if it is of words by classes, sums of the vectors
    of these, of which only the products with each other are needed.
    """

    def __init__(self, words: Any, common: Ints, products: Floats | None = None) -> None:
        self.words, self._products = words, products
        some = self.words[common]
        pairs = to_dense(self._turned(some) @ transpose(some))[~np.eye(common.size, dtype=bool)]
        self._mean = float(pairs.mean()) if pairs.size else 0.0
        spread = float(pairs.std()) if pairs.size else 0.0
        self._spread = spread if spread > ROUNDED else 1.0

    def of(self, rows: Ints) -> Floats:
        """How much some words are like each of all words."""
        found = self._turned(self.words[rows]) @ self._back
        return np.asarray((to_dense(found) - self._mean) / self._spread)

    def keep(self, rows: Ints) -> StandardisedCosine:
        """The same of some of the words of a sparse table; -1 for one of which nothing is known."""
        made = copy(self)
        made.__dict__.pop("_back", None)
        nothing = sparse.csr_array((1, self.words.shape[1]), dtype=self.words.dtype)
        made.words = sparse.csr_array(sparse.vstack([self.words, nothing], format="csr")[rows])
        return made

    @cached_property
    def _back(self) -> Any:
        return transpose(self.words)

    def _turned(self, rows: Any) -> Any:
        return rows if self._products is None else rows @ self._products


class Similarity:
    """How much alike words are: by their own contexts the more, the more they were seen.

    Of two words with e tokens (the geometric mean), e/(e + SURE) is by their own contexts, the rest
    by vectors; all of it counts the less, the fewer tokens there are to believe it by.
    """

    def __init__(self, totals: Any, own: StandardisedCosine, more: StandardisedCosine) -> None:
        self._roots = np.sqrt(np.asarray(totals, dtype=np.float64))
        self._own, self._more = own, more

    def of(self, rows: Ints) -> Floats:
        """How much some words are like each of all words."""
        seen = self._roots[rows][:, None] * self._roots
        share = seen / (seen + SURE)
        mixed = share * self._own.of(rows) + (1 - share) * self._more.of(rows)
        return np.asarray(mixed * (seen + 1) / (seen + 1 + FEW))


def weigh_contexts(counts: Counts) -> Any:
    """How much each context tells about a word, in rows of length 1: a csr_array.

    By w²/(1 + w) of mutual information w: contexts of most words (have, be) tell next to nothing.
    """
    weights = counts.ppmi(smoothing=SMOOTHING)
    return unit(like(weights, weights.data**2 / (1 + weights.data)))


def transpose(table: Any) -> Any:
    """The transpose, by rows if it is sparse."""
    return sparse.csr_array(table.T) if sparse.issparse(table) else table.T


def select_common_rows(totals: Any) -> Ints:
    """The rows of the most frequent words."""
    return np.sort(np.argsort(-np.asarray(totals), kind="stable")[:COMMON])
