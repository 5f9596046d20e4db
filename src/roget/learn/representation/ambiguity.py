"""Estimate from prior vectors which words are ambiguous.

The neighbours of a word with one sense are close to the word and to each other. The vector of an
ambiguous word lies between its senses, so its neighbours are farther away and less similar.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roget.core.counts.views import unit
from roget.core.types import Floats
from roget.learn.representation.vectors import BLOCK, Representation

OCCURRENCES = 20
"""Minimum number of occurrences of words that count as neighbours."""

NEAREST, CLOSEST = 20, 5
"""Number of neighbours for each word, and number of those compared with the word itself."""


def measure_ambiguity(known: Representation, totals: Any) -> Floats:
    """Return the ambiguity of each word, in standard deviations above the average.

    It is minus the mean of three standardised figures for the word's nearest words by prior
    vectors: the mean cosine between the word and the closest ones, the mean cosine between two of
    them, and the same with the vectors from contexts. Words without a vector get −∞.
    """
    vectors = known.vectors if known.rows is None else known.vectors[known.rows]
    there = vectors.any(axis=1) if known.rows is None else known.rows >= 0
    own, prior = unit(vectors[:, : -known.prior]), unit(vectors[:, -known.prior :])
    found = np.full(there.size, -np.inf)
    often = np.flatnonzero(there & (np.asarray(totals) >= OCCURRENCES))
    if often.size <= NEAREST:
        return found
    rows = np.flatnonzero(there)
    figures = np.empty((3, rows.size))
    for begin in range(0, rows.size, BLOCK):
        some = rows[begin : begin + BLOCK]
        cosines = prior[some] @ prior[often].T
        cosines[some[:, None] == often] = -np.inf
        best = np.argpartition(-cosines, NEAREST - 1, axis=1)[:, :NEAREST]
        near = np.sort(np.take_along_axis(cosines, best, axis=1), axis=1)
        figures[0, begin : begin + BLOCK] = near[:, -CLOSEST:].mean(axis=1)
        for at, table in enumerate((prior, own), 1):
            # The mean cosine of n unit vectors with sum s is (|s|² − n)/(n·(n − 1)).
            sums = table[often[best]].sum(axis=1, dtype=np.float64)
            squares = (sums**2).sum(axis=1)
            figures[at, begin : begin + BLOCK] = (squares - NEAREST) / (NEAREST * (NEAREST - 1))
    usual = figures[:, np.isin(rows, often)]
    spread = np.maximum(usual.std(axis=1, keepdims=True), 1e-9)
    found[rows] = -((figures - usual.mean(axis=1, keepdims=True)) / spread).mean(axis=0)
    return found
