"""Greedy merges, compiled: every cluster has a short list of those nearest to it.

A merge of clusters a and b loses W·ln W − a·ln a − b·ln b of their masses (W = a + b), less the
same of their entries in every context that both have: what is known of contexts, in nats. That is
(p(a) + p(b)) times the Jensen–Shannon divergence of the two, weighted by their masses.

With its list a cluster has a bound: nothing that is not in the list is nearer. Merges take clusters
out of lists and bring new ones in; only when nothing in a list is below its bound, and no other
cluster has a lower one, are all rows looked at again, in one pass. No table of pairs is kept.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.types import Array, Floats

LISTED = 8
"""Clusters in a list."""


class Clusters(NamedTuple):
    """Rows of p(cluster, context) that grow by merges, and the nearest of each; changed in place.

    A row has the places start to start + size of the three buffers, sorted by context; what was
    merged leaves a gap, which is closed when the buffers are full.
    """

    start: Array
    size: Array
    contexts: Array
    shares: Floats
    terms: Floats
    """x·ln x of each share."""
    mass: Floats
    """p(c); 0 once merged into another one."""
    mass_terms: Floats
    near: Array
    """The list of each cluster, the nearest first and the lower number of those as near; then -1"""
    costs: Floats
    """What merges with those lose; infinite behind the end of the list."""
    bound: Floats
    """What any merge loses that is not in the list, at least."""
    cost: Floats
    """What the best merge loses; a lower bound of it where `stale`."""
    stale: Array
    used: Array
    """How much of the buffers is, one number."""
    dense: Floats
    """The row that is looked at, context by context; zeros in between."""
    dense_terms: Floats


@compiled_within
def _lose(clusters: Clusters, one: int, other: int) -> float:
    """What a merge of two loses; the first is spread. The same from either side, to the bit."""
    common = 0.0
    for at in range(clusters.start[other], clusters.start[other] + clusters.size[other]):
        here = clusters.dense[clusters.contexts[at]]
        if here > 0.0:
            both = here + clusters.shares[at]
            terms = clusters.dense_terms[clusters.contexts[at]] + clusters.terms[at]
            common += both * math.log(both) - terms
    mass = clusters.mass[one] + clusters.mass[other]
    terms = clusters.mass_terms[one] + clusters.mass_terms[other]
    return float(max(0.0, mass * math.log(mass) - terms - common))


@compiled_within
def _insert(clusters: Clusters, one: int, other: int, lost: float) -> None:
    """Put a cluster into another one's list, if it is below the bound; the last may fall out."""
    if lost >= clusters.bound[one]:
        return
    last = LISTED - 1
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
    """Take two clusters out of the list of another one; whether any was in it."""
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
def _tell(clusters: Clusters, other: int, one: int, gone: int, lost: float) -> None:
    """Put a cluster that has just grown by one that is gone into the list of another one."""
    if _remove(clusters, other, one, gone) or lost <= clusters.cost[other]:
        clusters.stale[other] = True
    if lost < clusters.bound[other]:
        _insert(clusters, other, one, lost)
        clusters.stale[other] = True
    if clusters.stale[other]:
        # What the list says of the best merge: at the bound there may be others as good.
        first, bound = clusters.costs[other, 0], clusters.bound[other]
        clusters.cost[other], clusters.stale[other] = min(first, bound), first >= bound


@compiled_within
def _look(clusters: Clusters, one: int, gone: int) -> None:
    """Make the list of a cluster anew; tell all others, if it has just grown by one (else -1)."""
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
                _tell(clusters, other, one, gone, lost)
    for at in own:
        clusters.dense[clusters.contexts[at]] = 0.0
    clusters.cost[one], clusters.stale[one] = clusters.costs[one, 0], False


@compiled
def look(clusters: Clusters, begin: int, end: int) -> None:
    """Find the nearest of some clusters."""
    for one in range(begin, end):
        if clusters.mass[one] > 0.0:
            _look(clusters, one, -1)


@compiled_within
def _make_room(clusters: Clusters, needed: int) -> None:
    """Close the gaps, if so many entries more would not fit."""
    if clusters.used[0] + needed <= clusters.shares.size:
        return
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
    """Make the second part of the first; nothing is said of who is nearest."""
    _make_room(clusters, clusters.size[one] + clusters.size[other])
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
    """As many merges as `pairs` has room for, each the cheapest there is: of the second into the
    first, which is the lower number, as the first of equal ones."""
    for step in range(losses.size):
        one = int(np.argmin(clusters.cost))
        while clusters.stale[one]:
            _look(clusters, one, -1)
            one = int(np.argmin(clusters.cost))
        other = int(clusters.near[one, 0])
        one, other = min(one, other), max(one, other)
        pairs[step, 0], pairs[step, 1] = one, other
        losses[step] = clusters.cost[one]
        join(clusters, one, other)
        _look(clusters, one, other)
