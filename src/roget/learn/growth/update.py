"""Update a clustering with new counts: place new words, move words and split classes.

The *margin* of a word is the log odds of its most probable class against its current class. The
*lead* of a word is the log odds of its most probable class against its second most probable class.

The update only uses `Clustering.place` and the counts, so it works for all clusterers.
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
from roget.learn.clustering.memberships import one_hot, replace_rows, sparsify
from roget.learn.clustering.result import Clustering
from roget.learn.growth.incremental import IncrementalUpdate
from roget.learn.growth.options import GrowOptions
from roget.learn.representation.background import add_background
from roget.learn.representation.prior import Prior
from roget.learn.thesaurus.edits import CLASS, MOVED, NEW, SPLIT

MIN_NEW_SHARE = 0.5
"""Minimum fraction of a word's tokens that must be new for the word to move."""

MAX_SIMULATED = 1000
"""Maximum number of words whose tokens are halved to estimate the noise of margins."""

CLEAR_QUANTILE, SIMILAR = 0.99, 100
"""Quantile of the margins of halved words above which a move is clear.

The second value is the number of halved words compared, which are those with the most similar
numbers of tokens.
"""

MIN_MARGIN = float(np.log(2))
"""Minimum margin of a clear move, in nats."""

MAX_UNCHANGED = 500
"""Maximum number of unchanged words used to estimate the leads of words."""

UNCERTAIN_QUANTILE = 0.25
"""Quantile that defines uncertain words.

A new word is uncertain if its lead (see the module docstring) is below this quantile of the leads
of unchanged words.
"""

MIN_CLASS_SIZE = 5
"""Minimum size of a new class. A quarter of the median class size is required if that is more."""

CLOSE, NEARLY, LINKED = 0.75, 0.9, 0.8
"""Parameters of new classes.

The cohesion of a class is the mean cosine similarity of its words. A new class must reach `NEARLY`
times the `CLOSE` quantile of the cohesion of the existing classes. The linkage threshold is
`LINKED` times this minimum.
"""

STRANGE, MAX_OUTLIERS = 0.1, 2000
"""A new word is an outlier if its similarity to its class is below the quantile `STRANGE` of the
similarities of words to their classes. At most `MAX_OUTLIERS` outliers are considered."""

MAX_SPLIT_WORDS = 400
"""Maximum number of words considered when a class is split. The most frequent words are used."""

REASONS = 4
"""Maximum number of contexts listed as reasons."""


@dataclass(frozen=True)
class UpdateStep:
    """A change to the clustering. Classes and words are given as cluster numbers and rows."""

    kind: str
    rows: Ints
    source: int | None
    target: int
    score: float
    reasons: tuple[str, ...]
    rest: int | None = None


class ManualEdits(NamedTuple):
    """The words and clusters of a thesaurus that users have edited."""

    rows: Collection[int]
    """Rows of words that an edit assigned to a class. Growth does not move them."""
    classes: Ints
    """Clusters that an edit has merged, split or nested. Growth does not split them."""
    together: Ints
    """For each cluster, the number of the class that contains it after the edits."""


class ClusteringUpdate(NamedTuple):
    """The result of an update: the new clustering, and its differences from the old one."""

    clustering: Clustering
    steps: list[UpdateStep]
    kept: Ints
    """Rows of the counts that are in the clustering. Uncertain new words are left out."""


def update_clustering(
    found: Clustering,
    before: Counts,
    counts: Counts,
    new: Array,
    options: GrowOptions,
    edited: ManualEdits,
    *,
    doubt: bool,
    background: Counts | None = None,
    prior: Prior | None = None,
) -> ClusteringUpdate:
    """Update a clustering with new counts.

    Parameters
    ----------
    found
        The clustering of the previous counts.
    before, counts
        The previous counts, and the sum of previous and new counts.
    new
        The number of new tokens of each word.
    options
        Options of `roget grow`, which determine the allowed changes.
    edited
        The words and clusters that users have edited, which the update respects.
    doubt
        True to leave out uncertain new words, if the clusterer itself leaves out uncertain words.
    background
        Counts from other texts that were used to learn the classes.
    prior
        Prior vectors that were used to learn the classes.
    """
    # 1. Leave out new words with too few known contexts, and update the statistics of classes.
    old = len(before)
    known = np.diff(counts.matrix[:, : before.shape[1]].indptr) >= options.min_contexts
    kept = np.flatnonzero(known | (np.arange(len(counts)) < old))
    if kept.size < len(counts):
        counts, new = keep_rows(counts, kept), new[kept]
    renewal = IncrementalUpdate(found, before, counts, background, prior)
    wide = renewal.regroup()
    # 2. Place new words and words with many new tokens. Also place some unchanged words, because
    # the distribution of their leads shows how reliable placement is.
    entering = np.arange(old, len(counts))
    share = new / np.maximum(counts.word_totals, 1e-300)
    changed = (
        np.flatnonzero(share[:old] >= MIN_NEW_SHARE)
        if options.move
        else np.empty(0, dtype=np.int64)
    )
    changed = np.setdiff1d(changed, np.fromiter(edited.rows, np.int64))
    doubt = doubt and entering.size > 0
    calm = np.flatnonzero(share[:old] == 0) if doubt else changed[:0]
    calm = calm[:: max(1, -(-calm.size // MAX_UNCHANGED))]
    queried = np.concatenate([entering, changed, calm])
    placed = np.empty((0, wide.n_clusters))
    if queried.size:
        matrix = _borrow(counts, background, wide)
        placed = to_dense(wide.placing.place_rows(queried, matrix, wide))
    # 3. Leave out new words with a lower lead than most unchanged words. Add the other new words,
    # and move words.
    sure = np.ones(entering.size, dtype=bool)
    if calm.size and wide.n_clusters > 1:
        usual = np.quantile(_leads(placed[entering.size + changed.size :]), UNCERTAIN_QUANTILE)
        sure = _leads(placed[: entering.size]) >= usual
    steps = []
    if changed.size:
        margins = _margins(placed[entering.size :][: changed.size], wide.labels[changed])
        steps = _move(wide, changed, _confirm(wide, before, counts, changed, *margins),
                      edited.together)  # fmt: skip
    memberships = renewal.memberships
    if sure.any():
        shaped = _shape(placed[: entering.size][sure], wide)
        memberships = replace_rows(memberships, entering[sure], shaped)
    moved = np.array([step.rows[0] for step in steps], dtype=np.int64)
    if moved.size:
        at = entering.size + np.searchsorted(changed, moved)
        memberships = replace_rows(memberships, moved, _shape(placed[at], wide))
    steps += _enter(placed[: entering.size][sure], entering[sure])
    # 4. Split classes and add new classes, then recompute the statistics of classes.
    if options.split and new.any():
        regrown = _ClassBuilder(renewal, wide, before, memberships, new)
        steps = regrown.restructure(steps, edited.classes)
        made = renewal.regroup(regrown.memberships, regrown.tree, np.array(regrown.origin))
    else:
        made = renewal.regroup(memberships)
    steps = [_reason(made, counts, one) for one in steps]
    if not sure.all():
        rows = np.setdiff1d(np.arange(len(counts)), entering[~sure])
        made, kept = made.keep(rows), kept[rows]
        steps = [replace(one, rows=np.searchsorted(rows, one.rows)) for one in steps]
    return ClusteringUpdate(made, steps, kept)


def _borrow(counts: Counts, background: Counts | None, wide: Clustering) -> Any:
    """Add the background counts to the counts of the text, if the word vectors use them."""
    known = wide.representation
    if background is None or known is None or known.totals.size == counts.shape[1]:
        return counts.matrix
    matrix = counts.matrix.astype(np.float64)
    return add_background(matrix, counts.words, counts.contexts, background)[0]


def keep_rows(counts: Counts, rows: Ints) -> Counts:
    """Return the counts of the given rows, with unchanged provenance."""
    kept = counts.select(counts.words[rows].tolist())
    kept.provenance = counts.provenance
    return kept


def _shape(placed: Floats, wide: Clustering) -> Any:
    """Convert p(class|word) to memberships: one class per word if the clustering is hard."""
    held = wide.memberships
    # Every word belongs to a single class.
    if held.nnz == int(np.count_nonzero(np.diff(held.indptr))):
        return one_hot(placed.argmax(axis=1), wide.n_clusters)
    return sparsify(np.asarray(placed, dtype=np.float64))


def _margins(placed: Floats, own: Ints) -> tuple[Ints, Floats]:
    """Return the most probable class of each word, and its log odds against the current class."""
    best = placed.argmax(axis=1)
    rows = np.arange(own.size)
    logs = _log(placed)
    return best, logs[rows, best] - logs[rows, own]


def _leads(placed: Floats) -> Floats:
    """Return the log odds between the two most probable classes of each word."""
    two = _log(np.partition(placed, -2, axis=1)[:, -2:])
    return np.asarray(two[:, 1] - two[:, 0])


class _Moves(NamedTuple):
    """The best class of each word that may move, and the margin that a move must exceed."""

    targets: Ints
    margins: Floats
    clear: Floats
    """The minimum margins for moves."""


def _confirm(
    wide: Clustering, before: Counts, counts: Counts, rows: Ints, targets: Ints, margins: Floats
) -> _Moves:
    """Compare the margins with the new tokens alone, and with the noise of halved counts.

    The margin of a word is computed from all its counts and from its new tokens, and the smaller
    value is used. To estimate the noise, words are placed by a random half of their old tokens. If
    another class then wins, its margin is due to sampling.
    """
    old, at = before.shape, np.arange(rows.size)
    more = sparse.csr_array(counts.matrix[: old[0]], dtype=np.float64, copy=True)
    had = sparse.csr_array(before.matrix, dtype=np.float64, copy=True)
    had.resize(more.shape)
    more = sparse.csr_array(more - had)
    more.data = np.maximum(more.data, 0)
    logs = _log(wide.place(_without_zeros(more[rows])))
    margins = np.minimum(margins, logs[at, targets] - logs[at, wide.labels[rows]])
    tokens = np.asarray(more.sum(axis=1)).ravel()[rows]
    some = np.flatnonzero(before.word_totals > 0)
    some = some[:: max(1, -(-some.size // MAX_SIMULATED))]
    half = sparse.csr_array(had[some])
    whole = np.floor(half.data).astype(np.int64)
    half.data = np.random.default_rng(0).binomial(whole, 0.5).astype(np.float64)
    seen = np.asarray(half.sum(axis=1)).ravel()
    noise = _margins(to_dense(wide.place(_without_zeros(half))), wide.labels[some])[1]
    order = np.argsort(seen, kind="stable")
    n = min(SIMILAR, order.size)
    first = np.searchsorted(seen[order], tokens) - n // 2
    first = np.clip(first, 0, order.size - n)
    clear = [np.quantile(noise[order[begin : begin + n]], CLEAR_QUANTILE) for begin in first]
    return _Moves(targets, margins, np.maximum(MIN_MARGIN, clear))


def _without_zeros(table: Any) -> Any:
    """Return a csr_array without stored zeros."""
    found = sparse.csr_array(table)
    found.eliminate_zeros()
    return found


def _log(placed: Any) -> Floats:
    """Return the logarithms of probabilities as a dense array."""
    return np.asarray(np.log(np.maximum(to_dense(placed), 1e-300)))


def _move(wide: Clustering, rows: Ints, found: _Moves, together: Ints) -> list[UpdateStep]:
    """Return an update step for each word that clearly belongs to another class."""
    own = wide.labels
    left = np.bincount(own[np.diff(wide.memberships.indptr) > 0], minlength=wide.n_clusters)
    steps = []
    for at in np.argsort(-found.margins, kind="stable").tolist():
        source, target = int(own[rows[at]]), int(found.targets[at])
        is_clear = found.margins[at] > found.clear[at]
        # A class must keep at least one word.
        if is_clear and together[source] != together[target] and left[source] > 1:
            left[source] -= 1
            score = float(found.margins[at])
            steps.append(UpdateStep(MOVED, rows[[at]], source, target, score, ()))
    return steps


def _enter(placed: Floats, rows: Ints) -> list[UpdateStep]:
    """Return an update step for each new word, scored by the log odds of its two best classes."""
    leads = _leads(placed) if placed.shape[1] > 1 else np.zeros(rows.size)
    return [
        UpdateStep(NEW, rows[[at]], None, int(line.argmax()), float(leads[at]), ())
        for at, line in enumerate(placed)
    ]


def _reason(made: Clustering, counts: Counts, step: UpdateStep) -> UpdateStep:
    """Add reasons to an update step: the contexts v with the largest n(v)·ln(p(v|to)/p(v|from)).

    The tokens of the moved words are subtracted from the target class.
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
    # Smooth the counts with √N pseudo-tokens that are distributed like the background.
    usual = made.background[seen] * float(np.sqrt(whole))
    kept = max(float(made.mass[step.target]) * whole, 1.0)
    weight = tokens[seen] * np.log(
        ((np.maximum(there, 0) + usual) / kept) / ((here + usual) / size)
    )
    weight[there < 0.5] = 0
    best = np.argsort(-weight, kind="stable")[:REASONS]
    names = counts.contexts[seen[best[weight[best] > 0]]]
    return replace(step, reasons=tuple(map(str, names)))


class _ClassBuilder:
    """A builder that splits classes and adds new classes.

    It keeps the memberships and the tree up to date.
    """

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

    def restructure(self, steps: list[UpdateStep], fixed: Ints) -> list[UpdateStep]:
        """Split classes and add new classes.

        Return the update steps for these changes, followed by the given steps.
        """
        usual = unit(self._before.ppmi())
        k = len(self.origin)
        sizes = np.bincount(self._was, minlength=k)
        fewest = max(MIN_CLASS_SIZE, int(np.median(sizes[sizes > 0])) // 4)
        old = [_divide(usual[_most_frequent(self._was, c, self._before)], fewest) for c in range(k)]
        separations = [one.apart for one in old if one is not None]
        some = self._labels >= 0
        grown = np.bincount(self._labels[some], self._new[some], minlength=k) > 0
        made = self._gather(steps, fewest)
        usually = max(separations, default=np.inf)
        for c in np.setdiff1d(np.flatnonzero(grown), fixed).tolist():
            inside = _most_frequent(self._labels, c, self._counts)
            found = _divide(self._rows[inside], fewest)
            was = old[c]
            # Split only if the two parts are further apart than the parts of any class were before
            # the thesaurus was extended.
            if found is None or not found.whole or found.apart <= usually:
                continue
            if was is not None and found.apart <= was.apart:
                continue
            made.append(self._split(c, inside, found))
        return [*made, *steps]

    def _split(self, cluster: int, inside: Ints, found: _Division) -> UpdateStep:
        """Split a class.

        The larger part keeps the cluster number, and the smaller part becomes a new cluster.
        """
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
        """Form classes of new words that are twice as similar to each other as to any class.

        The new words that are outliers are clustered by average linkage on cosine distances.
        """
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
        strange = entering[near < np.quantile(own, STRANGE)][:MAX_OUTLIERS]
        if strange.size < fewest:
            return []
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform

        cosines = to_dense(self._rows[strange] @ self._rows[strange].T).astype(np.float64)
        far = np.maximum(1 - cosines, 0)
        np.fill_diagonal(far, 0)
        usual = NEARLY * _cohesion(self._rows[: self._was.size], self._was, k)
        links = linkage(squareform(far, checks=False), "average")
        groups = fcluster(links, 1 - LINKED * usual, "distance")
        made = []
        for group in range(1, int(groups.max()) + 1):
            rows = strange[groups == group]
            if rows.size < fewest:
                continue
            here = np.flatnonzero(groups == group)
            inside = (cosines[np.ix_(here, here)].sum() - here.size) / (here.size * (here.size - 1))
            across = to_dense(self._rows[rows] @ means.T).mean(axis=0)
            if inside < usual or across.max() > inside / 2:
                continue
            target, nearest = len(self.origin), int(across[:k].argmax())
            self.tree = _add_sibling(self.tree, nearest)
            self.origin.append(-1)
            self._assign(rows, target, None)
            made.append(UpdateStep(CLASS, rows, nearest, target, float(inside), ()))
            gone = set(rows.tolist())
            steps[:] = [one for one in steps if not (one.kind == NEW and one.rows[0] in gone)]
        return made

    def _assign(self, rows: Ints, target: int, source: int | None) -> None:
        """Assign words to a new class, with full membership or with the membership in `source`."""
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
    """A split of a class: the rows of both parts, the larger part first, and their separation."""

    sides: tuple[Ints, Ints]
    apart: float
    whole: bool
    """True if both parts have at least the minimum number of words for a class."""


def _most_frequent(labels: Ints, cluster: int, counts: Counts) -> Ints:
    """Return the rows of the most frequent words of a class, up to `MAX_SPLIT_WORDS`."""
    rows = np.flatnonzero(labels == cluster)
    return rows[np.argsort(-counts.word_totals[rows], kind="stable")[:MAX_SPLIT_WORDS]]


def _cohesion(rows: Any, labels: Ints, k: int) -> float:
    """Return the quantile `CLOSE` of the cohesion (mean cosine between words) of the classes."""
    sums = sparse.csr_array(one_hot(labels, k).T @ rows)
    sizes = np.bincount(labels, minlength=k)
    squares = np.asarray(sums.multiply(sums).sum(axis=1)).ravel()
    pairs = sizes * (sizes - 1)
    some = pairs > 0
    if not some.any():
        return 1.0
    return float(np.quantile((squares[some] - sizes[some]) / pairs[some], CLOSE))


def _divide(rows: Any, fewest: int) -> _Division | None:
    """Split unit vectors (rows) into two parts, or return None if there are too few rows.

    The separation is the mean cosine within the parts minus the mean cosine between them.
    """
    n = rows.shape[0]
    if n < 2 * fewest:
        return None
    cosines = to_dense(rows @ rows.T).astype(np.float64)
    np.fill_diagonal(cosines, 0)
    # Divide the words by the sign of the first principal coordinate. Then move each word to the
    # part whose other words are closer on average, until no word moves.
    centred = cosines - cosines.mean(axis=0) - cosines.mean(axis=1)[:, None] + cosines.mean()
    side = np.linalg.eigh(centred)[1][:, -1] > 0
    for _ in range(20):
        sizes = np.array([(~side).sum(), side.sum()])
        if sizes.min() < 2:
            break
        to = np.stack([cosines[:, ~side].sum(axis=1), cosines[:, side].sum(axis=1)], 1)
        others = np.stack([sizes[0] - ~side, sizes[1] - side], 1)
        new = (to / np.maximum(others, 1)).argmax(axis=1).astype(bool)
        if np.array_equal(new, side):
            break
        side = new
    one, two = np.flatnonzero(~side), np.flatnonzero(side)
    if min(one.size, two.size) < 2:
        return _Division((one, two), 0.0, whole=False)
    within = cosines[np.ix_(one, one)].sum() + cosines[np.ix_(two, two)].sum()
    pairs = one.size * (one.size - 1) + two.size * (two.size - 1)
    apart = float(within / pairs - cosines[np.ix_(one, two)].mean())
    sides = (one, two) if one.size >= two.size else (two, one)
    return _Division(sides, apart, whole=min(one.size, two.size) >= fewest)


def _add_sibling(tree: Tree, cluster: int) -> Tree:
    """Return the tree with a new leaf as a sibling of a cluster."""
    leaf = tree.leaf(cluster)
    if not leaf:
        return tree.split(cluster, float("nan"))
    above = int(tree.parent[leaf])
    return Tree(
        [*tree.parent, above], [*tree.value, float("nan")], [*tree.cluster, tree.n_clusters]
    )
