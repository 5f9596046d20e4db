"""Greedy merges, compiled: every cluster has a short list of its nearest clusters.

A merge of clusters a and b with masses p(a), p(b) and entries p(a, v), p(b, v) loses

    L(a, b) = W ln W − p(a) ln p(a) − p(b) ln p(b)
              − Σ_{v in both} [S_v ln S_v − p(a,v) ln p(a,v) − p(b,v) ln p(b,v)],

with W = p(a) + p(b) and S_v = p(a,v) + p(b,v): information about contexts, in nats. This equals W
times the Jensen–Shannon divergence of the two, weighted by their masses.

Each list has a bound: no cluster outside the list is nearer than it. Merges remove clusters from
lists and insert the new one. All rows are compared again, in one pass, only if a list holds nothing
below its bound and no other cluster has a lower cost. No table of all pairs is kept.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.types import Array, Floats

LISTED = 8
"""Length of a list."""


class Clusters(NamedTuple):
    """Rows of p(cluster, context) that grow by merges, with lists of neighbours; changed in place.

    A row occupies start to start + size of the three buffers, sorted by context. Merged rows leave
    gaps, which are closed when the buffers are full.
    """

    start: Array
    size: Array
    contexts: Array
    shares: Floats
    terms: Floats
    """x·ln x of each share."""
    mass: Floats
    """p(c); 0 once merged into another cluster."""
    mass_terms: Floats
    near: Array
    """Lists of neighbours by cost, ties by number; −1 after the end."""
    costs: Floats
    """Losses of the merges with these neighbours; infinite after the end of the list."""
    bound: Floats
    """Lower bound of the loss of any merge that is not in the list."""
    cost: Floats
    """Loss of the best merge; only a lower bound where `stale`."""
    stale: Array
    used: Array
    """Used length of the buffers, a single number."""
    dense: Floats
    """The row being compared, by context; zero in between."""
    dense_terms: Floats


@compiled_within
def _lose(clusters: Clusters, one: int, other: int) -> float:
    """Return L(one, other); `one` is in the dense buffer. Symmetric to the bit."""
    # Only contexts of both clusters contribute to the sum over contexts.
    common = 0.0
    for at in range(clusters.start[other], clusters.start[other] + clusters.size[other]):
        here = clusters.dense[clusters.contexts[at]]
        if here > 0.0:
            both = here + clusters.shares[at]
            terms = clusters.dense_terms[clusters.contexts[at]] + clusters.terms[at]
            common += both * math.log(both) - terms
    # The terms of the masses, then common contexts; rounding must not go below 0.
    mass = clusters.mass[one] + clusters.mass[other]
    terms = clusters.mass_terms[one] + clusters.mass_terms[other]
    return float(max(0.0, mass * math.log(mass) - terms - common))


@compiled_within
def _insert(clusters: Clusters, one: int, other: int, lost: float) -> None:
    """Insert `other` into the list of `one` if it is below the bound; the last may drop out."""
    if lost >= clusters.bound[one]:
        return
    last = LISTED - 1
    # A full list: whatever drops out becomes the new bound.
    if clusters.near[one, last] >= 0:
        if lost >= clusters.costs[one, last]:
            clusters.bound[one] = lost
            return
        clusters.bound[one] = clusters.costs[one, last]
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
    """Remove two clusters from the list of `one`; return True if one was in it."""
    # Close the gaps that the removed clusters leave in the list.
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
    """Update the list of `other` after `one` has absorbed `gone`."""
    if _remove(clusters, other, one, gone) or lost <= clusters.cost[other]:
        clusters.stale[other] = True
    if lost < clusters.bound[other]:
        _insert(clusters, other, one, lost)
        clusters.stale[other] = True
    if clusters.stale[other]:
        # If the best entry is not below the bound, an equally good one may be missing.
        first, bound = clusters.costs[other, 0], clusters.bound[other]
        clusters.cost[other], clusters.stale[other] = min(first, bound), first >= bound


@compiled_within
def _rebuild(clusters: Clusters, one: int, gone: int) -> None:
    """Rebuild the list of a cluster; update the other lists if it has absorbed `gone` (else −1)."""
    # Spread the row over all contexts, so that other rows are compared in one pass.
    own = range(clusters.start[one], clusters.start[one] + clusters.size[one])
    for at in own:
        clusters.dense[clusters.contexts[at]] = clusters.shares[at]
        clusters.dense_terms[clusters.contexts[at]] = clusters.terms[at]
    clusters.near[one], clusters.costs[one], clusters.bound[one] = -1, np.inf, np.inf
    for other in range(clusters.mass.size):
        if other != one and clusters.mass[other] > 0.0:
            lost = _lose(clusters, one, other)
            _insert(clusters, one, other, lost)
            if gone >= 0:
                _update(clusters, other, one, gone, lost)
    for at in own:
        clusters.dense[clusters.contexts[at]] = 0.0
    clusters.cost[one], clusters.stale[one] = clusters.costs[one, 0], False


@compiled
def rebuild(clusters: Clusters, begin: int, end: int) -> None:
    """Build the lists of a range of clusters."""
    for one in range(begin, end):
        if clusters.mass[one] > 0.0:
            _rebuild(clusters, one, -1)


@compiled_within
def _make_room(clusters: Clusters, needed: int) -> None:
    """Close the gaps if `needed` more entries would not fit."""
    if clusters.used[0] + needed <= clusters.shares.size:
        return
    # Copy the rows to the front in the order of their positions, which never overlaps.
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
    """Merge `other` into `one`, adding entries with the same context; lists are not updated."""
    _make_room(clusters, clusters.size[one] + clusters.size[other])
    # Merge two rows sorted by context, adding entries with the same context.
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
    """Perform as many merges as `pairs` holds, each the cheapest: the higher number into the lower.

    1. Take the cluster with the lowest cost; rebuild its list if the cost is only a bound.
    2. Merge it with its nearest neighbour.
    3. Rebuild the list of the result, and update all other lists in the same pass.
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
