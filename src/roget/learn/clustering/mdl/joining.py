"""What it costs to add a word to each cluster, compiled."""

from __future__ import annotations

import math

from roget.learn.clustering.mdl.kernels import (
    DIRICHLET,
    Array,
    Floats,
    compiled,
    rising,
    whole_cost,
)


@compiled
def join_costs(
    kind: int, indptr: Array, indices: Array, values: Floats, totals: Floats, counts: Floats,
    tokens: Floats, sizes: Floats, width: float, out: Floats,
) -> None:  # fmt: skip
    """out[row, c]: the code length of cluster c with the row, less that without it.

    `counts` is contexts × clusters; for a Dirichlet code counts and tokens include pseudo-counts.
    A row of zeros costs nothing anywhere.
    """
    k = tokens.size
    for row in range(totals.size):
        cost, x = out[row], totals[row]
        cost[:] = 0.0
        if x <= 0.0:
            continue
        for c in range(k):
            if kind == DIRICHLET:
                cost[c] = rising(tokens[c], x)
            else:
                cost[c] = whole_cost(kind, tokens[c] + x, sizes[c] + 1.0, 1.0, width)
                cost[c] -= whole_cost(kind, tokens[c], sizes[c], 1.0, width)
        for j in range(indptr[row], indptr[row + 1]):
            y, held = values[j], counts[indices[j]]
            for c in range(k):
                f = held[c]
                if kind != DIRICHLET:
                    cost[c] -= (f + y) * math.log(f + y) - (f * math.log(f) if f > 0.0 else 0.0)
                elif y == 1.0:
                    cost[c] -= math.log(f)
                else:
                    cost[c] -= rising(f, y)
