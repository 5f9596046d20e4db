"""The consensus of clusterings, the consistency of items, and pairs that often share a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from roget.core.io.problems import plural
from roget.core.types import Codes, Floats, Ints
from roget.errors import InputError
from roget.scoring.agreement.panel import Panel
from roget.scoring.labels import Labels
from roget.scoring.measures.base import divide
from roget.scoring.options import ConsensusOptions
from roget.scoring.results import none_if_nan
from roget.scoring.tables.keys import compact, find_kinds

if TYPE_CHECKING:
    from roget.scoring.agreement.result import Agreement
    from roget.scoring.steps.sets import Columns

LINKED = 5_000
"""Maximum number of items per group for average linkage, which requires quadratic memory."""

_ROWS = 1 << 9
"""Number of item kinds per batch.

Items of the same kind have the same cluster in every clustering.
"""

_WORK = 200
"""Maximum number of pairs that `count_together` counts for each pair that it may return."""


@dataclass(frozen=True, eq=False)
class Consensus:
    """A consensus clustering, with the support for each item and cluster."""

    labels: Labels
    name: str
    """The name of the medoid clustering, or of the method that made the consensus."""
    support: Floats
    """The support of each item: the fraction of clusterings that put it in the same cluster as
    another item of its consensus cluster, averaged over these items. NaN for singletons.
    """
    cluster_support: Floats
    """The support of each consensus cluster: the fraction of clusterings that put two of its items
    in the same cluster, averaged over all pairs.
    """

    def __repr__(self) -> str:
        sizes = plural(len(self.labels), "item", ","), plural(self.labels.n_labels, "cluster", ",")
        return f"<Consensus by {self.name}: {sizes[0]} in {sizes[1]}>"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the labels to a file, in the format given by the file name."""
        from roget.scoring.labels.write import choose_format, write_labels

        write_labels(self.labels, path, choose_format(path, None))


@dataclass(frozen=True, eq=False)
class Consistency:
    """The element-centric similarity of each item, averaged over all pairs of clusterings.

    The maximum is 1.
    """

    values: Floats
    """The consistency of each item, or NaN if fewer than two clusterings contain the item."""
    counts: Ints
    """The number of clusterings that contain each item."""

    def __repr__(self) -> str:
        mean = float(np.nanmean(self.values)) if not np.isnan(self.values).all() else float("nan")
        return f"<Consistency of {plural(self.values.size, 'item', ',')}, {mean:.3f} on average>"


@dataclass(frozen=True, eq=False)
class Together:
    """Pairs of items that often share a cluster."""

    first: Ints
    second: Ints
    together: Ints
    """The number of clusterings that put both items of each pair in the same cluster."""
    both: Ints
    """The number of clusterings that contain both items of each pair."""

    def __len__(self) -> int:
        return int(self.first.size)

    def __repr__(self) -> str:
        return f"<Together: {plural(len(self), 'pair', ',')} of items>"


def _require_single_labels(panel: Panel) -> None:
    """Raise InputError if items may belong to several clusters."""
    if panel.weighted:
        raise InputError(
            "a consensus requires one cluster per item; pass --answers top to keep only "
            "each item's label with the highest weight",
            code="conflicting-options",
        )


def find_consensus(agreement: Agreement, by: str, clusters: int | None) -> Consensus:
    """Return the consensus clustering (see `Agreement.consensus`)."""
    ConsensusOptions(by=by, clusters=clusters)  # The constructor validates the arguments.
    panel = agreement.panel
    _require_single_labels(panel)
    if by == "medoid":
        if clusters is not None:
            raise InputError(
                "'clusters' cannot be combined with a medoid consensus, whose number of "
                "clusters is fixed; pass --consensus-by average",
                code="conflicting-options",
            )
        at = agreement.medoid()
        if at is None:
            raise InputError(
                "the medoid is undefined, because the first score is undefined for all pairs",
                code="undefined",
            )
        side, name = panel.sides[at], agreement.systems[at]
    else:
        side, name = _link(panel, clusters), "average link"
    labels = replace(
        side,
        items=panel.items,
        groups=panel.groups,
        group_names=panel.group_names,
        source=name,
    )
    support, of_clusters = _support(panel, labels)
    return Consensus(labels, name, support, of_clusters)


def _support(panel: Panel, labels: Labels) -> tuple[Floats, Floats]:
    """Return the support of each item and of each consensus cluster (Monti et al. 2003).

    The pairs are counted from the contingency table of each clustering with the consensus, without
    listing them.
    """
    ours = panel.code(labels)
    clusters = ours.codes.astype(np.int64)
    met, could = np.zeros(panel.size), np.zeros(panel.size)
    together, all_pairs = np.zeros(ours.groups.size), np.zeros(ours.groups.size)
    for one in panel.coded:
        kept = ours.mask & one.mask
        mine = clusters[kept]
        # An item in a cell of size x and a consensus cluster of size a shares its cell with x − 1
        # of the other a − 1 items in the cluster.
        cell, keys = compact(mine * one.groups.size + one.codes[kept], ordered=False)
        inside = np.bincount(cell, minlength=keys.size)
        sizes = np.bincount(mine, minlength=ours.groups.size)
        met[kept] += inside[cell] - 1
        could[kept] += sizes[mine] - 1
        pairs = inside * (inside - 1.0)
        together += np.bincount(keys // one.groups.size, pairs, ours.groups.size)
        all_pairs += sizes * (sizes - 1.0)
    return divide(met, could, np.nan), divide(together, all_pairs, np.nan)


def _link(panel: Panel, clusters: int | None) -> Labels:
    """Cluster the items of each group by average linkage.

    The similarity of two items is the fraction of clusterings in which they share a cluster.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    groups = np.zeros(panel.size, np.int64) if panel.groups is None else panel.groups
    codes = np.zeros(panel.size, dtype=np.int64)
    start = 0
    for group in range(int(groups.max()) + 1):
        rows = np.flatnonzero(groups == group)
        if rows.size > LINKED:
            raise InputError(
                f"average linkage stores all pairs of items and is limited to {LINKED:,} items per "
                f"group; there are {plural(rows.size, 'item', ',')}. Pass --consensus-by medoid",
                code="too-large",
            )
        sizes = [np.unique(one.codes[rows][one.mask[rows]]).size for one in panel.coded]
        count = clusters or max(1, round(float(np.median([size for size in sizes if size]))))
        if rows.size == 1:
            parts = np.zeros(1, dtype=np.int64)
        else:
            apart = np.concatenate(list(_list_distances(panel, rows)))
            parts = fcluster(linkage(apart, "average"), count, "maxclust") - 1
        codes[rows] = start + parts
        start += int(parts.max()) + 1
    return Labels(codes, start, [f"consensus {code + 1}" for code in range(start)])


def _list_distances(panel: Panel, rows: Ints) -> Iterator[Floats]:
    """Yield an array with the distances between each item and all later items.

    The distance between two items is the fraction of clusterings that put them in different
    clusters, among the clusterings that contain both.
    """
    codes = np.stack([one.codes[rows].astype(np.int64) for one in panel.coded])
    have = np.stack([one.mask[rows] for one in panel.coded])
    for at in range(rows.size - 1):
        both = have[:, at, None] & have[:, at + 1 :]
        same = (codes[:, at, None] == codes[:, at + 1 :]) & both
        # If no clustering contains both items, their distance is the maximum, 1.
        yield 1 - divide(same.sum(axis=0), both.sum(axis=0))


def find_consistency(panel: Panel) -> Consistency:
    """Return the element-centric similarity of each item, averaged over pairs of clusterings.

    For disjoint clusters, the similarity of an item is the number of items that its two clusters
    share, divided by the size of the larger cluster (Gates et al. 2019).
    """
    _require_single_labels(panel)
    sums, counts = np.zeros(panel.size), np.zeros(panel.size)
    have = np.zeros(panel.size, dtype=np.int64)
    for one in panel.coded:
        have += one.mask
    for i, j in combinations(range(len(panel)), 2):
        kept = panel.shared(i, j)
        rows = slice(None) if kept is None else kept
        sums[rows] += similarity(*panel.codes(i, j), panel.coded[j].groups.size)
        counts[rows] += 1
    return Consistency(divide(sums, counts, np.nan), have)


def similarity(one: Codes, two: Codes, width: int) -> Floats:
    """Return the element-centric similarity of each item between two clusterings.

    It is the number of items that the item's two clusters share, divided by the size of the larger
    cluster.
    """
    if not one.size:
        return np.zeros(0)
    cell, keys = compact(one.astype(np.int64) * width + two, ordered=False)
    shared = np.bincount(cell)
    first, second = np.divmod(keys, width)
    larger = np.maximum(np.bincount(one)[first], np.bincount(two)[second])
    return np.asarray((shared / larger)[cell])


def count_together(panel: Panel, at_least: float, most: int) -> Together:
    """Return the pairs of items that often share a cluster (see `Agreement.together`).

    Items with identical clusters in all clusterings are grouped into one kind, and pairs of kinds
    are counted instead of pairs of items. Sparse matrix products skip all pairs that never share a
    cluster.
    """
    from scipy.sparse import csr_array

    ConsensusOptions(at_least=at_least, most=most)  # The constructor validates the arguments.
    _require_single_labels(panel)
    # Step 1: assign each item to a kind. Items of the same kind have the same cluster in every
    # clustering. Code 0 marks items that a clustering does not contain.
    columns = [
        (np.where(one.mask, one.codes.astype(np.int64) + 1, 0), one.groups.size + 1)
        for one in panel.coded
    ]
    if panel.groups is not None:
        columns.append((panel.groups.astype(np.int64), int(panel.groups.max()) + 1))
    kinds, one_of = find_kinds(columns)
    count = one_of.size
    sizes = np.bincount(kinds)
    within = int((sizes * (sizes - 1) // 2).sum())
    # Step 2: build the indicator matrix of each clustering (rows: kinds, columns: clusters), and
    # estimate the number of pairs to count.
    memberships, present, work = [], [], 0
    for one in panel.coded:
        held = np.flatnonzero(one.mask[one_of])
        shape = count, one.groups.size
        codes = one.codes[one_of[held]].astype(np.int64)
        memberships.append(csr_array((np.ones(held.size, np.int32), (held, codes)), shape))
        present.append(held)
        each = np.bincount(codes)
        work += int((each * (each - 1) // 2).sum())
    if max(within, work // _WORK) > most:
        number = max(within, work)
        raise InputError(
            f"the clusterings may put up to {number:,} pairs of items in the same cluster, which "
            f"exceeds the limit of {most:,}; raise the limit with --most, or save items instead of "
            "pairs",
            code="too-large",
        )
    from scipy.sparse import hstack

    table = hstack(memberships, format="csr")
    columns = table.T.tocsr()
    complete = all(one.present is None for one in panel.coded)
    have = np.zeros((count, 0 if complete else len(panel)), dtype=np.float32)
    if not complete:
        for at, held in enumerate(present):
            have[held, at] = 1
    # Step 3: multiply the matrix by its transpose, in batches of rows. Entry (i, j) is the number
    # of clusterings in which kinds i and j share a cluster.
    batches: list[tuple[Ints, Ints, Ints, Ints]] = []
    rows = 0
    for begin in range(0, count, _ROWS):
        met = (table[begin : begin + _ROWS] @ columns).tocoo()
        first, second, times = met.row.astype(np.int64) + begin, met.col.astype(np.int64), met.data
        kept = (first < second) | ((first == second) & (sizes[first] > 1))
        first, second, times = first[kept], second[kept], times[kept].astype(np.int64)
        both = np.full(first.size, len(panel))
        if not complete:
            both = np.einsum("pk,pk->p", have[first], have[second]).astype(np.int64)
        # Step 4: keep the pairs of kinds that share a cluster in at least the fraction `at_least`
        # of the clusterings, and count the item pairs that they represent.
        often = times >= at_least * both - 1e-9
        batches.append((first[often], second[often], times[often], both[often]))
        same = first[often] == second[often]
        products = sizes[first[often]] * np.where(
            same, sizes[first[often]] - 1, sizes[second[often]]
        )
        rows += int(np.where(same, products // 2, products).sum())
        if rows > most:
            raise InputError(
                f"more than {most:,} pairs of items share a cluster in at least {at_least:.0%} of "
                "the clusterings; pass a larger --at-least or a larger --most",
                code="too-large",
            )
    pairs = [np.concatenate(column) for column in zip(*batches, strict=True)]
    return _expand_kinds(kinds, sizes, pairs)


def _expand_kinds(kinds: Ints, sizes: Ints, pairs: list[Ints]) -> Together:
    """Expand pairs of item kinds to distinct pairs of items, with the earlier item first."""
    first, second, times, both = pairs
    # `order` lists the items by kind. Pair q of two kinds consists of item q // n of the first kind
    # and item q % n of the second kind, where n is the size of the second kind.
    order = np.argsort(kinds, kind="stable")
    starts = np.cumsum(sizes) - sizes
    number = sizes[first] * sizes[second]
    pair = np.repeat(np.arange(first.size), number)
    at = np.arange(pair.size) - np.repeat(np.cumsum(number) - number, number)
    one = order[starts[first[pair]] + at // sizes[second[pair]]]
    two = order[starts[second[pair]] + at % sizes[second[pair]]]
    kept = (first[pair] != second[pair]) | (one < two)
    one, two, pair = one[kept], two[kept], pair[kept]
    low, high = np.minimum(one, two), np.maximum(one, two)
    sort = np.lexsort((high, low))
    return Together(low[sort], high[sort], times[pair][sort], both[pair][sort])


def list_items(agreement: Agreement, by: str, clusters: int | None) -> Columns:
    """Return the columns of the item table: consistency, consensus cluster and support."""
    panel = agreement.panel
    consistency, chosen = find_consistency(panel), find_consensus(agreement, by, clusters)
    labels = chosen.labels
    names = [labels.label(code) for code in range(labels.n_labels)]
    codes = labels.codes.tolist()
    return {
        **_list_groups(panel, range(panel.size)),
        "item": _item_names(panel),
        "clusterings": consistency.counts.tolist(),
        "consistency": list(map(none_if_nan, consistency.values.tolist())),
        "consensus": [names[code] if 0 <= code < len(names) else None for code in codes],
        "support": list(map(none_if_nan, chosen.support.tolist())),
    }


def list_pairs(panel: Panel, pairs: Together) -> Columns:
    """Return the columns of the item-pair table."""
    names = _item_names(panel)
    first = pairs.first.tolist()
    return {
        **_list_groups(panel, first),
        "a": [names[at] for at in first],
        "b": [names[at] for at in pairs.second.tolist()],
        "together": pairs.together.tolist(),
        "clusterings": pairs.both.tolist(),
    }


def _item_names(panel: Panel) -> list[str]:
    """Return the item names, or item positions counted from 1 if the items have no names."""
    return list(panel.items or map(str, range(1, panel.size + 1)))


def _list_groups(panel: Panel, items: Iterable[int]) -> Columns:
    """Return a column with each item's group, or an empty dictionary if there are no groups."""
    if panel.groups is None or panel.group_names is None:
        return {}
    names, codes = panel.group_names, panel.groups.tolist()
    return {"group": [names[codes[at]] for at in items]}
