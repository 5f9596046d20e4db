"""Input of annealing: the context distributions of words, indexed by word and by context."""

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
    """Context distributions p_n(v) of all words n, as CSR and CSC matrices, and the prior p(n)."""

    rows: RowIndex
    """The context distributions p_n(v), as a CSR matrix with one row per word."""
    columns: RowIndex
    """The weights p(n)·p_n(v), as a CSC matrix with one column per context."""
    prior: Floats
    entropy: Floats
    """Entropy H(p_n) of each word, in nats."""
    background: Floats
    """The background p(v) = Σ_n p(n)·p_n(v)."""

    @property
    def n_words(self) -> int:
        """Number of words."""
        return int(self.rows.indptr.size - 1)

    @property
    def n_contexts(self) -> int:
        """Number of contexts."""
        return int(self.columns.indptr.size - 1)

    @property
    def floor(self) -> Floats:
        """Lower bound on p(v|c) for each context, applied before taking logarithms.

        Without it, a zero could never become positive again, because words with context v would be
        infinitely far from the cluster.
        """
        return floor(self.background)


def prepare(matrix: Any, prior: str = "empirical", dtype: str = "float64") -> Data:
    """Convert a csr_array of counts to distributions and a prior. No row may be empty."""
    if prior not in PRIORS:
        raise InputError(
            f"prior={prior!r}: expected one of {', '.join(PRIORS)}", code="invalid-option"
        )
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    if not (totals > 0).all():
        raise InputError(f"row {int(np.argmin(totals > 0))} has no counts", code="too-little-text")
    # 1. p(n): in proportion to the word's tokens, or uniform.
    weight = totals if prior == "empirical" else np.ones_like(totals)
    exact = distributions(matrix, totals)
    shares = weight / weight.sum()
    logs = np.log(exact.data)
    # 2. H(p_n): the E step needs it to convert cross-entropies to divergences, d(n, c) = −Σ_v
    # p_n(v)·ln p(v|c) − H(p_n).
    entropy = -_sum_rows(exact.data * logs, exact.indptr)
    columns = exact.tocsc()
    columns.sort_indices()
    # 3. p(n)·p_n(v), indexed by context: the weights of the M step.
    weights = columns.data * shares[columns.indices]
    background = _sum_rows(weights, columns.indptr)
    return Data(
        rows=rows_of(exact, dtype),
        columns=rows_of(columns, dtype)._replace(values=weights.astype(dtype)),
        prior=shares,
        entropy=np.maximum(entropy, 0.0),
        background=background,
    )


def distributions(matrix: Any, totals: Floats) -> Any:
    """Divide each row by its total, remove zeros, and sort the columns."""
    result = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    result.sum_duplicates()
    result.data /= np.repeat(totals, np.diff(result.indptr))
    result.eliminate_zeros()
    return result


def _sum_rows(values: Floats, indptr: Array) -> Floats:
    sums = np.zeros(indptr.size - 1)
    some = np.flatnonzero(np.diff(indptr))
    if some.size:
        sums[some] = np.add.reduceat(values, indptr[some])
    return sums
