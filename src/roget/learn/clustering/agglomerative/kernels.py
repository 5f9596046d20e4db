"""Compiled kernels for greedy merging by the agglomerative information bottleneck.

The loss of merging clusters a and b is the decrease in information about contexts, in nats (Slonim
& Tishby 1999):

    L(a, b) = W ln W − p(a) ln p(a) − p(b) ln p(b)
              − Σ_{v in both} [S_v ln S_v − p(a,v) ln p(a,v) − p(b,v) ln p(b,v)],

with W = p(a) + p(b) and S_v = p(a,v) + p(b,v). It equals W times the Jensen–Shannon divergence of
the two clusters, weighted by their masses.

A table of all pairs would be too large. Instead, every cluster has a short list of its nearest
clusters, and a lower bound on the loss of merging it with any cluster outside the list. A merge
removes two clusters from all lists and inserts the merged one. If a list has no entry below its
bound, the bound replaces the cost of the best merge. The list is rebuilt only when this bound is
the lowest cost of all.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.types import Array, Floats

LISTED = 8
"""Maximum length of a cluster's list of neighbours."""


class Clusters(NamedTuple):
    """Rows of p(cluster, context), and lists of neighbours. Merges modify them in place.

    Row c occupies the positions from start[c] to start[c] + size[c] of the buffers `contexts`,
    `shares` and `terms`, sorted by context. Merged rows leave gaps, which are closed when the
    buffers are full.
    """

    start: Array
    size: Array
    contexts: Array
    shares: Floats
    terms: Floats
    """The value x·ln x for each entry x of `shares`."""
    mass: Floats
    """Probability p(c) of each cluster, or 0 if it was merged into another cluster."""
    mass_terms: Floats
    near: Array
    """Nearest clusters of each cluster, by increasing loss, then by cluster number.

    Padded with −1.
    """
    costs: Floats
    """Loss of merging each cluster with its nearest clusters, padded with infinity."""
    bound: Floats
    """For each cluster, a lower bound on the loss of a merge with a cluster that is not in its
    list.
    """
    cost: Floats
    """Loss of the best merge of each cluster. If `stale` is True, it is only a lower bound."""
    stale: Array
    used: Array
    """Number of buffer entries in use, in an array of length 1."""
    dense: Floats
    """Buffer for one row as a dense array over contexts.

    It contains only zeros between comparisons.
    """
    dense_terms: Floats


@compiled_within
def _compute_loss(clusters: Clusters, one: int, other: int) -> float:
    """Return the loss L(one, other) of merging two clusters.

    The row of `one` must be in `dense`. The function is symmetric in its arguments, down to the
    last bit.
    """
    # 1. Sum over the contexts that occur in both clusters.
    common = 0.0
    for at in range(clusters.start[other], clusters.start[other] + clusters.size[other]):
        here = clusters.dense[clusters.contexts[at]]
        if here > 0.0:
            both = here + clusters.shares[at]
            terms = clusters.dense_terms[clusters.contexts[at]] + clusters.terms[at]
            common += both * math.log(both) - terms
    # 2. Add the terms for the cluster masses. Rounding must not make the loss negative.
    mass = clusters.mass[one] + clusters.mass[other]
    terms = clusters.mass_terms[one] + clusters.mass_terms[other]
    return float(max(0.0, mass * math.log(mass) - terms - common))


@compiled_within
def _insert(clusters: Clusters, one: int, other: int, lost: float) -> None:
    """Insert `other` into the neighbour list of `one` if its loss is below the bound."""
    if lost >= clusters.bound[one]:
        return
    last = LISTED - 1
    # If the list is full, the last entry drops out, and its loss becomes the new bound.
    if clusters.near[one, last] >= 0:
        if lost >= clusters.costs[one, last]:
            clusters.bound[one] = lost
            return
        clusters.bound[one] = clusters.costs[one, last]
    # Shift entries with a higher cost, or with an equal cost and a higher number.
    at = last
    while at > 0 and (
        clusters.costs[one, at - 1] > lost
        or (clusters.costs[one, at - 1] == lost and clusters.near[one, at - 1] > other)
    ):
        clusters.near[one, at] = clusters.near[one, at - 1]
        clusters.costs[one, at] = clusters.costs[one, at - 1]
        at -= 1
    clusters.near[one, at], clusters.costs[one, at] = other, lost


@compiled_within
def _remove(clusters: Clusters, one: int, first: int, second: int) -> bool:
    """Remove two clusters from the neighbour list of `one`. Return True if the list has changed."""
    kept = 0
    for at in range(LISTED):
        here = clusters.near[one, at]
        if here < 0:
            break
        if here != first and here != second:
            if kept < at:
                clusters.near[one, kept] = here
                clusters.costs[one, kept] = clusters.costs[one, at]
            kept += 1
    changed = kept < LISTED and clusters.near[one, kept] >= 0
    for at in range(kept, LISTED):
        clusters.near[one, at], clusters.costs[one, at] = -1, np.inf
    return changed


@compiled_within
def _update(clusters: Clusters, other: int, one: int, gone: int, lost: float) -> None:
    """Update the neighbour list of `other` after cluster `gone` was merged into `one`."""
    if _remove(clusters, other, one, gone) or lost <= clusters.cost[other]:
        clusters.stale[other] = True
    if lost < clusters.bound[other]:
        _insert(clusters, other, one, lost)
        clusters.stale[other] = True
    if clusters.stale[other]:
        # If the best entry is not below the bound, a cluster that is not in the list may be equally
        # near.
        first, bound = clusters.costs[other, 0], clusters.bound[other]
        clusters.cost[other], clusters.stale[other] = min(first, bound), first >= bound


@compiled_within
def _rebuild(clusters: Clusters, one: int, gone: int) -> None:
    """Rebuild the neighbour list of a cluster.

    If cluster `gone` was just merged into it (`gone` ≥ 0), also update the lists of all other
    clusters.
    """
    # 1. Copy the row to `dense`, so that any other row can be compared with it in one pass.
    own = range(clusters.start[one], clusters.start[one] + clusters.size[one])
    for at in own:
        clusters.dense[clusters.contexts[at]] = clusters.shares[at]
        clusters.dense_terms[clusters.contexts[at]] = clusters.terms[at]
    # 2. Compute the loss of merging the cluster with every other cluster.
    clusters.near[one], clusters.costs[one], clusters.bound[one] = -1, np.inf, np.inf
    for other in range(clusters.mass.size):
        if other != one and clusters.mass[other] > 0.0:
            lost = _compute_loss(clusters, one, other)
            _insert(clusters, one, other, lost)
            if gone >= 0:
                _update(clusters, other, one, gone, lost)
    # 3. Reset `dense` to 0.
    for at in own:
        clusters.dense[clusters.contexts[at]] = 0.0
    clusters.cost[one], clusters.stale[one] = clusters.costs[one, 0], False


@compiled
def rebuild(clusters: Clusters, begin: int, end: int) -> None:
    """Build the neighbour lists of a range of clusters."""
    for one in range(begin, end):
        if clusters.mass[one] > 0.0:
            _rebuild(clusters, one, -1)


@compiled_within
def _make_room(clusters: Clusters, needed: int) -> None:
    """If the buffers have no space for `needed` more entries, close the gaps between rows."""
    if clusters.used[0] + needed <= clusters.shares.size:
        return
    # Move rows to the front in the order of their positions, so none is overwritten.
    end = 0
    for one in np.argsort(clusters.start):
        if clusters.mass[one] <= 0.0:
            continue
        begin = clusters.start[one]
        clusters.start[one] = end
        for at in range(begin, begin + clusters.size[one]):
            clusters.contexts[end] = clusters.contexts[at]
            clusters.shares[end] = clusters.shares[at]
            clusters.terms[end] = clusters.terms[at]
            end += 1
    clusters.used[0] = end


@compiled
def join(clusters: Clusters, one: int, other: int) -> None:
    """Merge cluster `other` into `one`, without updating the neighbour lists."""
    _make_room(clusters, clusters.size[one] + clusters.size[other])
    # Merge two rows sorted by context. Add up entries with the same context.
    begin = end = clusters.used[0]
    a, b = clusters.start[one], clusters.start[other]
    last_a, last_b = a + clusters.size[one], b + clusters.size[other]
    while a < last_a or b < last_b:
        first = b >= last_b or (a < last_a and clusters.contexts[a] <= clusters.contexts[b])
        second = a >= last_a or (b < last_b and clusters.contexts[b] <= clusters.contexts[a])
        clusters.contexts[end] = clusters.contexts[a] if first else clusters.contexts[b]
        share = 0.0
        if first:
            share += clusters.shares[a]
            a += 1
        if second:
            share += clusters.shares[b]
            b += 1
        clusters.shares[end], clusters.terms[end] = share, share * math.log(share)
        end += 1
    clusters.start[one], clusters.size[one], clusters.used[0] = begin, end - begin, end
    clusters.mass[one] += clusters.mass[other]
    clusters.mass_terms[one] = clusters.mass[one] * math.log(clusters.mass[one])
    clusters.mass[other], clusters.size[other] = 0.0, 0
    clusters.cost[other], clusters.stale[other] = np.inf, False


@compiled
def merge(clusters: Clusters, pairs: Array, losses: Floats) -> None:
    """Perform the cheapest merge `losses.size` times, and record the pairs and losses.

    1. Choose the cluster with the lowest cost. Rebuild its list if the cost is only a bound.
    2. Merge it with its nearest neighbour, the higher number into the lower.
    3. Rebuild the list of the merged cluster, and update all other lists in the same pass.
    """
    for step in range(losses.size):
        one = int(np.argmin(clusters.cost))
        while clusters.stale[one]:
            _rebuild(clusters, one, -1)
            one = int(np.argmin(clusters.cost))
        other = int(clusters.near[one, 0])
        one, other = min(one, other), max(one, other)
        pairs[step, 0], pairs[step, 1] = one, other
        losses[step] = clusters.cost[one]
        join(clusters, one, other)
        _rebuild(clusters, one, other)
