"""Some rows of a sparse table by themselves, compiled."""

from __future__ import annotations

import numpy as np

from roget.learn.clustering.mdl.kernels import Array, Floats, compiled


@compiled
def gather(
    rows: Array, indptr: Array, indices: Array, values: Floats, place: Array
) -> tuple[Array, Array, Floats, Array]:  # fmt: skip
    """A table of some rows with only the columns they use, and which columns those are.

    `place` holds −1 for every column, before and after.
    """
    entries = 0
    for row in rows:
        entries += indptr[row + 1] - indptr[row]
    starts = np.zeros(rows.size + 1, np.int64)
    places, data = np.empty(entries, np.int32), np.empty(entries, np.float64)
    columns = np.empty(min(entries, place.size), np.int32)
    known, at = 0, 0
    for i in range(rows.size):
        for j in range(indptr[rows[i]], indptr[rows[i] + 1]):
            v = indices[j]
            if place[v] < 0:
                place[v] = known
                columns[known] = v
                known += 1
            places[at], data[at] = place[v], values[j]
            at += 1
        starts[i + 1] = at
    for i in range(known):
        place[columns[i]] = -1
    return starts, places, data, columns[:known].copy()
