"""Learning on: what more counts make of classes; words move, and classes split, where it is clear.

Everything goes through `Clustering.place` and the counts, so that it is the same for all
clusterers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.views import to_dense, unit
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints
from roget.learn.clustering.incremental import IncrementalUpdate
from roget.learn.clustering.memberships import one_hot, replace_rows, sparsify
from roget.learn.clustering.result import Clustering
from roget.learn.growth.options import GrowOptions
from roget.learn.thesaurus.records import CLASS, MOVED, NEW, SPLIT

MUCH = 0.2
"""Words of whose tokens this part is new have changed much."""

CALM = 500
"""Words about which nothing has changed, whose margins tell what is noise."""

SURE = 0.99
"""The part of those margins that a clear one is larger than."""

LEAST = float(np.log(2))
"""And no margin is clear that is less, nats."""

DOUBT = 0.25
"""New words are between classes if one leads by less than it does for so many of known words."""

FEWEST = 5
"""Words of a class that is split off or new, at least; or a quarter of a usual class."""

CLOSE, NEARLY, LINKED = 0.75, 0.9, 0.8
"""New words make a class that are nearly as close as a class is that is closer than so many."""

STRANGE, MOST = 0.1, 2000
"""New words are strange that are less like any class than all but so many of its own words; of
more, so many are looked at."""

LARGEST = 400
"""Words of a class that are looked at, the most frequent, when it may be split."""

REASONS = 4


@dataclass(frozen=True)
class UpdateStep:
    """A change before it has a number: clusters, and rows of words."""

    kind: str
    rows: Ints
    source: int | None
    target: int
    score: float
    reasons: tuple[str, ...]
    rest: int | None = None


class ManualEdits(NamedTuple):
    """What people have done, which stays as it is."""

    rows: Collection[int]
    """Words that they have put where they are: they do not move."""
    classes: Ints
    """Clusters that they have merged, split or put elsewhere: they are not split."""
    together: Ints
    """The class that each cluster is part of."""


class ClusteringUpdate(NamedTuple):
    """What growing came to."""

    clustering: Clustering
    steps: list[UpdateStep]
    kept: Ints
    """Rows of the counts that are in the thesaurus: new words without known contexts are not."""


def update_clustering(
    found: Clustering,
    before: Counts,
    counts: Counts,
    new: Array,
    options: GrowOptions,
    edited: ManualEdits,
    *,
    doubt: bool,
) -> ClusteringUpdate:
    """The classes of more counts; `new` says how many tokens of each word are new.

    With `doubt`, new words that lie between classes are set aside, as the clusterer does itself.
    """
    old = len(before)
    known = np.diff(counts.matrix[:, : before.shape[1]].indptr) >= options.min_contexts
    kept = np.flatnonzero(known | (np.arange(len(counts)) < old))
    if kept.size < len(counts):
        counts, new = keep_rows(counts, kept), new[kept]
    renewal = IncrementalUpdate(found, before, counts)
    wide = renewal.regroup()
    entering = np.arange(old, len(counts))
    share = new / np.maximum(counts.word_totals, 1e-300)
    changed = np.flatnonzero(share[:old] >= MUCH) if options.move else np.empty(0, dtype=np.int64)
    changed = np.setdiff1d(changed, np.fromiter(edited.rows, np.int64))
    calm = np.flatnonzero(share[:old] == 0)
    doubt = doubt and entering.size > 0
    calm = calm[:: max(1, -(-calm.size // CALM))] if changed.size or doubt else calm[:0]
    asked = np.concatenate([entering, changed, calm])
    placed = to_dense(wide.place(counts.matrix[asked])) if asked.size else np.empty((0, 1))
    sure = np.ones(entering.size, dtype=bool)
    if doubt and calm.size and wide.n_clusters > 1:
        usual = np.quantile(_leads(placed[entering.size + changed.size :]), DOUBT)
        sure = _leads(placed[: entering.size]) >= usual
    steps = _move(wide, placed[entering.size :], changed, calm, edited.together)
    memberships = renewal.memberships
    if sure.any():
        shaped = _shape(placed[: entering.size][sure], wide)
        memberships = replace_rows(memberships, entering[sure], shaped)
    moved = np.array([step.rows[0] for step in steps], dtype=np.int64)
    if moved.size:
        at = entering.size + np.searchsorted(changed, moved)
        memberships = replace_rows(memberships, moved, _shape(placed[at], wide))
    steps += _enter(placed[: entering.size][sure], entering[sure])
    if options.split and new.any():
        regrown = _Regrown(renewal, wide, before, memberships, new)
        steps = regrown.part(steps, edited.classes)
        made = renewal.regroup(regrown.memberships, regrown.tree, np.array(regrown.origin))
    else:
        made = renewal.regroup(memberships)
    steps = [_reason(made, counts, one) for one in steps]
    if not sure.all():
        rows = np.setdiff1d(np.arange(len(counts)), entering[~sure])
        made, kept = made.keep(rows), kept[rows]
        steps = [replace(one, rows=np.searchsorted(rows, one.rows)) for one in steps]
    return ClusteringUpdate(made, steps, kept)


def keep_rows(counts: Counts, rows: Ints) -> Counts:
    """The counts of some rows, whose provenance does not tell of the choice."""
    kept = counts.select(counts.words[rows].tolist())
    kept.provenance = counts.provenance
    return kept


def _shape(placed: Floats, wide: Clustering) -> Any:
    """Memberships of placed words: as sharp as those that the clusterer itself has made."""
    held = wide.memberships
    if held.nnz == int(np.count_nonzero(np.diff(held.indptr))):  # each word wholly in one class
        return one_hot(placed.argmax(axis=1), wide.n_clusters)
    return sparsify(np.asarray(placed, dtype=np.float64))


def _margins(placed: Floats, own: Ints) -> tuple[Ints, Floats]:
    """The likeliest class of each word, and by how many nats it is likelier than its own."""
    best = placed.argmax(axis=1)
    rows = np.arange(own.size)
    logs = np.log(np.maximum(placed, 1e-300))
    return best, logs[rows, best] - logs[rows, own]


def _leads(placed: Floats) -> Floats:
    """By how many nats the likeliest class of each word is likelier than the next."""
    two = np.log(np.maximum(np.partition(placed, -2, axis=1)[:, -2:], 1e-300))
    return np.asarray(two[:, 1] - two[:, 0])


def _move(
    wide: Clustering, placed: Floats, changed: Ints, calm: Ints, together: Ints
) -> list[UpdateStep]:
    """Words that are clearly likelier elsewhere: by more than those that nothing has changed."""
    own = wide.labels
    if not changed.size:
        return []
    best, margins = _margins(placed[: changed.size], own[changed])
    noise = _margins(placed[changed.size :], own[calm])[1] if calm.size else margins
    clear = max(LEAST, float(np.quantile(noise, SURE)))
    left = np.bincount(own[np.diff(wide.memberships.indptr) > 0], minlength=wide.n_clusters)
    steps = []
    for at in np.argsort(-margins, kind="stable").tolist():
        source, target = int(own[changed[at]]), int(best[at])
        # No class loses all its words.
        if margins[at] > clear and together[source] != together[target] and left[source] > 1:
            left[source] -= 1
            steps.append(UpdateStep(MOVED, changed[[at]], source, target, float(margins[at]), ()))
    return steps


def _enter(placed: Floats, rows: Ints) -> list[UpdateStep]:
    """New words, with how much likelier their class is than the next."""
    leads = _leads(placed) if placed.shape[1] > 1 else np.zeros(rows.size)
    return [
        UpdateStep(NEW, rows[[at]], None, int(line.argmax()), float(leads[at]), ())
        for at, line in enumerate(placed)
    ]


def _reason(made: Clustering, counts: Counts, step: UpdateStep) -> UpdateStep:
    """The change with the contexts that speak for it: counts times log p(v|to)/p(v|from).

    Of the class that words are in now, only the others count, or each would speak for itself.
    """
    tokens = np.asarray(counts.matrix[step.rows].sum(axis=0), dtype=np.float64).ravel()
    seen = np.flatnonzero(tokens)
    whole = float(counts.total)
    other = step.rest if step.rest is not None else step.source
    here = made.background[seen] * whole
    size = whole
    if other is not None:
        size = max(float(made.mass[other]) * whole, 1.0)
        here = to_dense(made.centroids[[other]])[0, seen] * size
    there = to_dense(made.centroids[[step.target]])[0, seen] * made.mass[step.target] * whole
    if step.kind in (NEW, MOVED):
        there = there - tokens[seen]
    # A token more of each context, as often as it is seen at all.
    usual = made.background[seen] * float(np.sqrt(whole))
    kept = max(float(made.mass[step.target]) * whole, 1.0)
    weight = tokens[seen] * np.log(
        ((np.maximum(there, 0) + usual) / kept) / ((here + usual) / size)
    )
    weight[there < 0.5] = 0
    best = np.argsort(-weight, kind="stable")[:REASONS]
    told = counts.contexts[seen[best[weight[best] > 0]]]
    return replace(step, reasons=tuple(map(str, told)))


class _Regrown:
    """Memberships and tree while classes are split and made."""

    def __init__(
        self,
        renewal: IncrementalUpdate,
        wide: Clustering,
        before: Counts,
        memberships: Any,
        new: Array,
    ) -> None:
        self.memberships, self.tree = memberships, wide.tree
        self.origin = list(range(wide.n_clusters))
        self._counts, self._before, self._new = renewal.counts, before, new
        self._labels = np.asarray(memberships.argmax(axis=1)).ravel()
        self._labels[np.diff(memberships.indptr) == 0] = -1
        self._was = wide.labels[: len(before)]
        self._rows = unit(renewal.counts.ppmi())

    def part(self, steps: list[UpdateStep], fixed: Ints) -> list[UpdateStep]:
        """The steps, with classes that are new and classes that have become two."""
        usual = unit(self._before.ppmi())
        k = len(self.origin)
        sizes = np.bincount(self._was, minlength=k)
        fewest = max(FEWEST, int(np.median(sizes[sizes > 0])) // 4)
        old = [_divide(usual[_most(self._was, c, self._before)], fewest) for c in range(k)]
        parted = [one.apart for one in old if one is not None]
        some = self._labels >= 0
        grown = np.bincount(self._labels[some], self._new[some], minlength=k) > 0
        made = self._gather(steps, fewest)
        usually = max(parted, default=np.inf)
        for c in np.setdiff1d(np.flatnonzero(grown), fixed).tolist():
            inside = _most(self._labels, c, self._counts)
            found = _divide(self._rows[inside], fewest)
            was = old[c]
            # Clearer than any class was in two before, and than this one was.
            if found is None or not found.whole or found.apart <= usually:
                continue
            if was is not None and found.apart <= was.apart:
                continue
            made.append(self._split(c, inside, found))
        return [*made, *steps]

    def _split(self, cluster: int, inside: Ints, found: _Division) -> UpdateStep:
        """Give a class two: the larger part keeps the number, the smaller gets a new one."""
        target = len(self.origin)
        everything = np.flatnonzero(self._labels == cluster)
        sums = [np.asarray(self._rows[inside[side]].sum(axis=0)).ravel() for side in found.sides]
        near = self._rows[everything] @ np.stack([s / np.linalg.norm(s) for s in sums], 1)
        apart = everything[near[:, 1] > near[:, 0]]
        self.tree = self.tree.split(cluster, float("nan"))
        self.origin.append(cluster)
        self._assign(apart, target, cluster)
        return UpdateStep(SPLIT, apart, cluster, target, found.apart, (), rest=cluster)

    def _gather(self, steps: list[UpdateStep], fewest: int) -> list[UpdateStep]:
        """Classes of new words: twice as much like each other as like any class."""
        entering = np.array([one.rows[0] for one in steps if one.kind == NEW], dtype=np.int64)
        if entering.size < fewest or not len(self._was):
            return []
        k = len(self.origin)
        members = one_hot(self._was, k).T @ self._rows[: self._was.size]
        centres, sizes = unit(sparse.csr_array(members)), np.bincount(self._was, minlength=k)
        means = sparse.diags_array(1 / np.maximum(sizes, 1)) @ members
        own = np.asarray(
            self._rows[: self._was.size].multiply(centres[self._was]).sum(axis=1)
        ).ravel()
        near = to_dense(self._rows[entering] @ centres.T).max(axis=1)
        strange = entering[near < np.quantile(own, STRANGE)][:MOST]
        if strange.size < fewest:
            return []
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform

        alike = to_dense(self._rows[strange] @ self._rows[strange].T).astype(np.float64)
        far = np.maximum(1 - alike, 0)
        np.fill_diagonal(far, 0)
        usual = NEARLY * _inside(self._rows[: self._was.size], self._was, k)
        links = linkage(squareform(far, checks=False), "average")
        groups = fcluster(links, 1 - LINKED * usual, "distance")
        made = []
        for group in range(1, int(groups.max()) + 1):
            rows = strange[groups == group]
            if rows.size < fewest:
                continue
            here = np.flatnonzero(groups == group)
            inside = (alike[np.ix_(here, here)].sum() - here.size) / (here.size * (here.size - 1))
            across = to_dense(self._rows[rows] @ means.T).mean(axis=0)
            if inside < usual or across.max() > inside / 2:
                continue
            target, nearest = len(self.origin), int(across[:k].argmax())
            self.tree = _beside(self.tree, nearest)
            self.origin.append(-1)
            self._assign(rows, target, None)
            made.append(UpdateStep(CLASS, rows, nearest, target, float(inside), ()))
            gone = set(rows.tolist())
            steps[:] = [one for one in steps if not (one.kind == NEW and one.rows[0] in gone)]
        return made

    def _assign(self, rows: Ints, target: int, source: int | None) -> None:
        """Put words into a new class: wholly, or with what they had of the one it was part of."""
        self._labels[rows] = target
        table = self.memberships.copy()
        table.resize((table.shape[0], max(table.shape[1], target + 1)))
        picked = table[rows]
        if source is None:
            moved = one_hot(np.full(rows.size, target), table.shape[1])
        else:
            moved = picked.tolil()
            moved[:, target] = picked[:, [source]]
            moved[:, source] = 0
        self.memberships = sparse.csr_array(replace_rows(table, rows, sparse.csr_array(moved)))


class _Division(NamedTuple):
    """A class as two: rows of the parts, the larger first, and how far they are apart."""

    sides: tuple[Ints, Ints]
    apart: float
    whole: bool
    """Whether both parts have words enough."""


def _most(labels: Ints, cluster: int, counts: Counts) -> Ints:
    """The most frequent words of a class."""
    rows = np.flatnonzero(labels == cluster)
    return rows[np.argsort(-counts.word_totals[rows], kind="stable")[:LARGEST]]


def _inside(rows: Any, labels: Ints, k: int) -> float:
    """The mean cosine of two words of one class that is closer than most."""
    sums = sparse.csr_array(one_hot(labels, k).T @ rows)
    sizes = np.bincount(labels, minlength=k)
    squares = np.asarray(sums.multiply(sums).sum(axis=1)).ravel()
    pairs = sizes * (sizes - 1)
    some = pairs > 0
    if not some.any():
        return 1.0
    return float(np.quantile((squares[some] - sizes[some]) / pairs[some], CLOSE))


def _divide(rows: Any, fewest: int) -> _Division | None:
    """The best two parts of some unit rows; None if they are too few for two.

    `apart` is the mean cosine inside the parts less that across them.
    """
    n = rows.shape[0]
    if n < 2 * fewest:
        return None
    alike = to_dense(rows @ rows.T).astype(np.float64)
    np.fill_diagonal(alike, 0)
    # The signs of the second eigenvector, then words go where they are more alike.
    centred = alike - alike.mean(axis=0) - alike.mean(axis=1)[:, None] + alike.mean()
    side = np.linalg.eigh(centred)[1][:, -1] > 0
    for _ in range(20):
        sizes = np.array([(~side).sum(), side.sum()])
        if sizes.min() < 2:
            break
        to = np.stack([alike[:, ~side].sum(axis=1), alike[:, side].sum(axis=1)], 1)
        others = np.stack([sizes[0] - ~side, sizes[1] - side], 1)
        new = (to / np.maximum(others, 1)).argmax(axis=1).astype(bool)
        if np.array_equal(new, side):
            break
        side = new
    one, two = np.flatnonzero(~side), np.flatnonzero(side)
    if min(one.size, two.size) < 2:
        return _Division((one, two), 0.0, whole=False)
    within = alike[np.ix_(one, one)].sum() + alike[np.ix_(two, two)].sum()
    pairs = one.size * (one.size - 1) + two.size * (two.size - 1)
    apart = float(within / pairs - alike[np.ix_(one, two)].mean())
    sides = (one, two) if one.size >= two.size else (two, one)
    return _Division(sides, apart, whole=min(one.size, two.size) >= fewest)


def _beside(tree: Tree, cluster: int) -> Tree:
    """The tree with a new class beside another one."""
    leaf = tree.leaf(cluster)
    if not leaf:
        return tree.split(cluster, float("nan"))
    above = int(tree.parent[leaf])
    return Tree(
        [*tree.parent, above], [*tree.value, float("nan")], [*tree.cluster, tree.n_clusters]
    )
