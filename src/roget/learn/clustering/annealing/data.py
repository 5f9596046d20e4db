"""Input of the annealer: each word's distribution over contexts, by word and by context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.kernels.rows import RowIndex, rows_of
from roget.core.types import Array, Floats
from roget.errors import InputError
from roget.learn.clustering.annealing.options import PRIORS
from roget.learn.clustering.memberships import floor


@dataclass(frozen=True, eq=False)
class Data:
    """p_n(v) of every word n by rows (CSR) and by columns (CSC), and the prior p(n)."""

    rows: RowIndex
    columns: RowIndex
    """p(n)·p_n(v), context by context."""
    prior: Floats
    entropy: Floats
    """H(p_n) of each word, in nats."""
    background: Floats
    """p(v) = Σ p(n) p_n(v)."""

    @property
    def n_words(self) -> int:
        """The number of words."""
        return int(self.rows.indptr.size - 1)

    @property
    def n_contexts(self) -> int:
        """The number of contexts."""
        return int(self.columns.indptr.size - 1)

    @property
    def floor(self) -> Floats:
        """Lower bound of each context's centroid entries before the logarithm.

        A centroid entry of zero would be infinitely far for a word that has the context, for ever.
        """
        return floor(self.background)


def prepare(matrix: Any, prior: str = "empirical", dtype: str = "float64") -> Data:
    """Convert counts (CSR, without negative values or empty rows) to distributions and a prior."""
    if prior not in PRIORS:
        raise InputError(
            f"prior={prior!r}: expected one of {', '.join(PRIORS)}", code="invalid-option"
        )
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    if not (totals > 0).all():
        raise InputError(f"row {int(np.argmin(totals > 0))} has no counts", code="too-little-text")
    # p(n) ∝ the word's tokens, or uniform.
    weight = totals if prior == "empirical" else np.ones_like(totals)
    exact = distributions(matrix, totals)
    shares = weight / weight.sum()
    logs = np.log(exact.data)
    # H(p_n), which turns the cross-entropies of the E step into divergences.
    entropy = -_row_sums(exact.data * logs, exact.indptr)
    columns = exact.tocsc()
    columns.sort_indices()
    # p(n)·p_n(v) by context, the weights of the M step.
    weights = columns.data * shares[columns.indices]
    background = _row_sums(weights, columns.indptr)
    return Data(
        rows=rows_of(exact, dtype),
        columns=rows_of(columns, dtype)._replace(values=weights.astype(dtype)),
        prior=shares,
        entropy=np.maximum(entropy, 0.0),
        background=background,
    )


def distributions(matrix: Any, totals: Floats) -> Any:
    """Divide each row by its total; zeros are removed and columns sorted."""
    result = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    result.sum_duplicates()
    result.data /= np.repeat(totals, np.diff(result.indptr))
    result.eliminate_zeros()
    return result


def _row_sums(values: Floats, indptr: Array) -> Floats:
    sums = np.zeros(indptr.size - 1)
    some = np.flatnonzero(np.diff(indptr))
    if some.size:
        sums[some] = np.add.reduceat(values, indptr[some])
    return sums
