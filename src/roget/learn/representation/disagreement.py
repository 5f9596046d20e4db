"""Find words whose prior vectors contradict their use in a text and should therefore be ignored."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.views import like, ppmi, unit
from roget.core.types import BoolArray, Floats, Ints
from roget.learn.representation.similarity import SMOOTHING
from roget.learn.representation.vectors import Singles

OCCURRENCES = 40
"""Minimum number of occurrences of a word in the text. Rarer words have unreliable neighbours."""

NEAREST = 10
"""Number of neighbours to compare for each word."""

AGREED = 0.3
"""Minimum share of a word's neighbours in one half of the text that also occur in the other half.

By chance, the share is near 0.
"""

FAR = 0.25
"""Quantile of the mean prior cosine between a word and its neighbours in the text.

If the mean cosine of a word is lower in both halves of the text, the word counts as far from its
neighbours.
"""


def find_disagreements(matrix: Any, prior: Singles, known: BoolArray) -> BoolArray:
    """Return a mask of the words whose prior vectors contradict their use in the text.

    The tokens of the text are divided at random into two halves. A word is selected if both halves
    give it about the same neighbours, and the prior vectors place it far from them.

    Parameters
    ----------
    matrix
        Counts of the text alone: a csr_array of words × contexts.
    prior
        Prior vectors with unit rows.
    known
        A mask of the words that have a prior vector.
    """
    found = np.zeros(known.size, dtype=bool)
    totals = np.asarray(matrix.sum(axis=1)).ravel()
    rows = np.flatnonzero(known & (totals >= OCCURRENCES))
    if rows.size <= 2 * NEAREST:
        return found
    near = [list_neighbours(half) for half in divide(sparse.csr_array(matrix[rows]))]
    shared = np.array([np.isin(one, other).mean() for one, other in zip(*near, strict=True)])
    vectors = prior[rows]
    far = np.ones(rows.size, dtype=bool)
    for half in near:
        cosines = np.einsum("ik,ijk->ij", vectors, vectors[half]).mean(axis=1)
        far &= cosines <= np.quantile(cosines, FAR)
    found[rows] = far & (shared >= AGREED)
    return found


def divide(matrix: Any) -> tuple[Any, Any]:
    """Divide the tokens at random into two halves. The result is the same in every run."""
    random = np.random.default_rng(0)
    first = random.binomial(np.rint(matrix.data).astype(np.int64), 0.5)
    halves = []
    for tokens in (first, np.rint(matrix.data).astype(np.int64) - first):
        half = like(matrix, tokens.astype(np.float64))
        half.eliminate_zeros()
        halves.append(half)
    return halves[0], halves[1]


def list_neighbours(matrix: Any) -> Ints:
    """Return the nearest rows of each row, by the cosine of context weights."""
    words, contexts = (np.asarray(matrix.sum(axis=axis)).ravel() for axis in (1, 0))
    weights = ppmi(matrix, np.maximum(words, 1.0), contexts, smoothing=SMOOTHING)
    rows = unit(like(weights, weights.data**2 / (1 + weights.data)))
    cosines: Floats = (rows @ rows.T).toarray()
    np.fill_diagonal(cosines, -1)
    return np.argpartition(-cosines, NEAREST - 1, axis=1)[:, :NEAREST]
