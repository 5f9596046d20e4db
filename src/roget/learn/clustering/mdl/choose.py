"""How strongly clusters are held to the background: chosen on tokens held out of the counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.types import Floats
from roget.learn.clustering import tokens as heldout
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.mdl.criteria import background, code, shrink
from roget.learn.clustering.mdl.grow import Bisector, Grower
from roget.learn.clustering.memberships import one_hot

FACTOR, LOWEST = 3.0, 0.1
"""How far it is from one concentration that is tried to the next; and the least that is tried."""


class AlphaSchedule(NamedTuple):
    """Where to begin with concentrations, and when to stop."""

    share: float
    """The first, as a part of all tokens."""
    patience: int
    """How many in a row may bring nothing."""


COURSES = {"auto": AlphaSchedule(1.0, 2), "fine": AlphaSchedule(0.01, 1)}
"""By the name that the option has: from few clusters, or from many. Where words have so many tokens
that clusters are no help to predict them, the first is taken: "fine" leaves such words alone."""

HELD_OUT = 0.1
ERRORS = 1.0
"""By how many standard errors a smaller concentration, which gives more clusters, must be ahead."""

LEAST = 5e-4
"""And by how much besides, nats: where words need no help, chance would choose."""

ENOUGH = 200
"""Held-out tokens that can choose; with fewer the code's own length does."""

ENTRIES = 300_000
"""Words are sampled until they have so many entries: more would not choose better."""


class AlphaSelection(NamedTuple):
    """The concentration, the weight of parents, and what they were chosen by.

    Each row of the table has `concentration`, `weight`, `n_clusters` and `loss`: the held-out
    tokens' mean −log p by word → cluster → unigram, or, where they are few, the description length
    of all counts; nats.
    """

    concentration: float
    weight: float
    table: list[dict[str, float]]


class _Attempt(NamedTuple):
    """One concentration: its rows of the table, the best first, and what that one predicts."""

    rows: list[dict[str, float]]
    predicted: Floats

    def beats(self, old: _Attempt, tokens: heldout.TokenCells | None) -> bool:
        """Whether it is ahead, on held-out tokens by more than the error of the difference."""
        if tokens is None:
            return self.rows[0]["loss"] < old.rows[0]["loss"]
        ahead, error = tokens.lead(self.predicted, old.predicted)
        return ahead > ERRORS * error + LEAST


def choose(
    matrix: Any,
    given: float | str,
    rng: np.random.Generator,
    pause: Pause = never_stop,
) -> AlphaSelection:
    """Grow trees on nine tokens of ten, and see which lets words predict the others best.

    Concentrations are tried from high to low, so from few clusters to many, until more are of no
    use; `given` is the name of a course. A number is kept, and only the weight of parents chosen.
    """
    course = COURSES[given] if isinstance(given, str) else None
    sampled = _sample(matrix, rng)
    train, held = heldout.hold_out(sampled, HELD_OUT, rng)
    rows = np.flatnonzero(np.asarray(train.sum(axis=1)).ravel() > 0)
    seed, tokens = int(rng.integers(2**31)), None
    attempt: Callable[[float], _Attempt] = partial(_by_length, sampled, seed)
    if float(held.sum()) >= ENOUGH:
        tokens = heldout.tabulate_tokens(train[rows], held[rows])
        attempt = partial(_by_loss, train[rows], tokens, seed)
    at = max(1.0, course.share * float(sampled.sum())) if course else float(given)
    best = attempt(at)
    table, idle = best.rows, 0
    while course is not None and idle < course.patience and at > LOWEST:
        pause()
        at /= FACTOR
        new = attempt(at)
        table = table + new.rows
        if new.beats(best, tokens):
            best, idle = new, 0
        elif new.rows[0]["n_clusters"] > 1:  # one cluster says nothing of smaller concentrations
            idle += 1
    return AlphaSelection(best.rows[0]["concentration"], best.rows[0]["weight"], table)


def _by_loss(train: Any, tokens: heldout.TokenCells, seed: int, concentration: float) -> _Attempt:
    """How well the clusters of one concentration predict, for each weight of parents.

    Where words need no help, it is not counted, and the weight is that by which clusters alone
    predict best.
    """
    grower = grow_tree(train, concentration, seed)
    tree, belongs = grower.tree(), one_hot(grower.labels, grower.n_clusters)
    counts, base = belongs.T @ train, background(np.asarray(train.sum(axis=0)).ravel())
    plain, alone = heldout.backoff(tokens), False
    found: list[tuple[float, float, Floats]] = []

    def attempt(weight: float) -> float:
        classes = tokens.predicted(belongs, shrink(counts, tree, base, weight))
        predicted = plain if alone else heldout.backoff(tokens, classes)
        loss = tokens.loss(tokens.smooth(classes) if alone else predicted)
        found.append((loss, weight, predicted))
        return loss

    if tree.n_clusters > 1:
        _climb(attempt, concentration)
        if min(loss for loss, *_ in found) > tokens.loss(plain) - LEAST:
            alone = True
            found.clear()
            _climb(attempt, concentration)
    else:
        found.append((tokens.loss(plain), concentration, plain))
    found.sort(key=lambda one: one[0])
    rows = [_row(concentration, w, tree.n_clusters, tokens.loss(p)) for _, w, p in found]
    return _Attempt(rows, found[0][2])


def _climb(loss: Callable[[float], float], start: float) -> None:
    """Try one number, larger ones while they are better, and else smaller ones."""
    first = loss(start)
    for factor in (FACTOR, 1 / FACTOR):
        at, here = start * factor, first
        while at > LOWEST and (new := loss(at)) < here:
            at, here = at * factor, new
        if here < first:
            return


def _by_length(matrix: Any, seed: int, concentration: float) -> _Attempt:
    """The description length of all counts under one concentration."""
    grower = grow_tree(matrix, concentration, seed)
    root = grower.bisector.code.root(matrix, grower.bisector.totals).total
    length = root - sum(step.saved for step in grower.steps)
    return _Attempt([_row(concentration, concentration, grower.n_clusters, length)], np.empty(0))


def _row(concentration: float, weight: float, clusters: int, loss: float) -> dict[str, float]:
    return {"concentration": concentration, "weight": weight, "n_clusters": clusters, "loss": loss}


def grow_tree(matrix: Any, concentration: float, seed: int) -> Grower:
    """The clusters of a Dirichlet code."""
    found = code(matrix, "dirichlet", "mdl", concentration)
    grower = Grower(Bisector(matrix, found, seed=seed))
    for _ in grower.run():
        pass
    return grower


def _sample(matrix: Any, rng: np.random.Generator) -> Any:
    """All rows, or as many random ones as have `ENTRIES` entries."""
    if matrix.nnz <= ENTRIES:
        return sparse.csr_array(matrix)
    order = rng.permutation(matrix.shape[0])
    until = np.searchsorted(np.cumsum(np.diff(matrix.indptr)[order]), ENTRIES) + 1
    return sparse.csr_array(matrix[np.sort(order[:until])])
