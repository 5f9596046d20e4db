"""What a fitted model says of words: memberships from any counts, and how well contexts fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from roget.core.types import Array, Floats
from roget.learn.clustering.soft import kernels
from roget.learn.clustering.soft.data import distributions, floor, rows_of
from roget.learn.clustering.soft.em import Crew, ranges

CELLS = 1 << 22
"""Entries × clusters worked on at a time."""

KEPT = 1e-9
"""Memberships of less than this are not kept in sparse tables."""


def memberships(
    matrix: Any, centroids: Array, background: Floats, mass: Floats, beta: float,
    massive: bool, n_jobs: int | None,
) -> Array:  # fmt: skip
    """p(c|n) of each row, by one exact E-step; rows of zeros get p(c)."""
    k, dtype = centroids.shape[0], centroids.dtype
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    rows = distributions(matrix, totals)
    logs = np.log(np.maximum(centroids.T, floor(background)[:, None])).astype(dtype)
    logs = np.ascontiguousarray(logs)
    bias = np.log(np.maximum(mass, 1e-30)) if massive else np.zeros(k)
    q = np.empty((totals.size, k), dtype=dtype)
    table, centres = rows_of(rows, dtype), kernels.Centroids(logs, bias, float(beta))
    parts = ranges(table.indptr)
    ones, fits = np.ones(totals.size), kernels.Fits(np.empty(totals.size), np.empty(totals.size))

    def work(task: int) -> None:
        kernels.expect(*parts[task], table, centres, ones, q, fits, np.empty(k))

    crew = Crew(n_jobs)
    try:
        crew.each(work, len(parts))
    finally:
        crew.close()
    q[totals <= 0] = mass / mass.sum()
    return q


def sparsely(q: Array) -> Any:
    """Memberships as a csr_array without their smallest parts; rows add up to 1."""
    kept = sparse.csr_array(np.where(q < KEPT, 0, q))
    kept.data /= np.repeat(kept.sum(axis=1), np.diff(kept.indptr)).astype(kept.dtype)
    return kept


def replaced(table: Any, rows: Array, new: Any) -> Any:
    """The table with some of its rows taken from a smaller one."""
    place = np.full(table.shape[0], -1)
    place[rows] = np.arange(rows.size)
    order = np.where(place >= 0, place, new.shape[0] + np.arange(place.size))
    return sparse.csr_array(sparse.vstack([new, table], format="csr")[order])


def log_likelihood(matrix: Any, q: Array, centroids: Array, background: Floats) -> float:
    """The mean of log Σ p(c|n) p(v|c) over all tokens, nats."""
    cells = matrix.tocoo()
    total, least = 0.0, floor(background)
    columns = np.ascontiguousarray(centroids.T)
    step = max(1, CELLS // centroids.shape[0])
    for begin in range(0, cells.data.size, step):
        part = slice(begin, begin + step)
        row, column = cells.row[part], cells.col[part]
        fit = np.einsum("ij,ij->i", q[row], columns[column], dtype=np.float64)
        total += float(np.sum(cells.data[part] * np.log(np.maximum(fit, least[column]))))
    tokens = float(np.sum(cells.data))
    return total / tokens if tokens > 0 else 0.0
