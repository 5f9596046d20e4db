"""Choose the concentration of the Dirichlet code by the loss on held-out tokens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.types import Floats
from roget.learn.clustering import tokens as heldout
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.mdl.criteria import background, make_code, shrink
from roget.learn.clustering.mdl.grow import Bisector, Grower
from roget.learn.clustering.memberships import one_hot

FACTOR, LOWEST = 3.0, 0.1
"""Ratio of successive concentrations, and the lowest concentration to try."""


class AlphaSchedule(NamedTuple):
    """The initial value and the stopping rule of the search for a concentration."""

    share: float
    """First concentration to try, as a fraction of all tokens."""
    patience: int
    """Number of consecutive concentrations without improvement after which the search stops."""


SCHEDULES = {"auto": AlphaSchedule(1.0, 2), "fine": AlphaSchedule(0.01, 1)}
"""Schedule for each value of the option `concentration`.

"auto" starts with few clusters, "fine" with many. If words have many tokens, clusters do not
improve predictions, so the first concentration is kept. With "fine", such words then form clusters
by themselves.
"""

HELD_OUT = 0.1
"""Fraction of the tokens held out to choose the concentration."""
ERRORS = 1.0
"""Number of standard errors by which a lower concentration (more clusters) must be better."""

LEAST = 5e-4
"""Minimum improvement in nats per token. Smaller differences are noise."""

ENOUGH = 200
"""Minimum number of held-out tokens. With fewer, the description length decides instead of the
loss.
"""

ENTRIES = 300_000
"""Maximum number of matrix entries in the sample of words.

Larger samples do not improve the choice.
"""


class AlphaSelection(NamedTuple):
    """The chosen concentration and parent weight, and the table they were chosen from.

    Each row of the table contains `concentration`, `weight`, `n_clusters` and `loss` in nats. The
    loss is the mean −ln p of held-out tokens under a mixture of word, cluster and unigram. If there
    are few held-out tokens, it is the description length of all counts.
    """

    concentration: float
    weight: float
    table: list[dict[str, float]]


class _Attempt(NamedTuple):
    """Result for one concentration: table rows (best first), and the best predictions."""

    rows: list[dict[str, float]]
    predicted: Floats

    def beats(self, old: _Attempt, tokens: heldout.TokenCells | None) -> bool:
        """Return True if this concentration is better than an earlier concentration.

        The loss on held-out tokens must be lower by more than ERRORS standard errors.
        """
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
    """Choose the concentration and parent weight whose tree best predicts held-out tokens.

    Trees are grown on nine tenths of the tokens. Concentrations are tried from high (few clusters)
    to low (many clusters), until predictions no longer improve. `given` is the name of a schedule
    or a fixed concentration. If it is fixed, only the parent weight is chosen.
    """
    course = SCHEDULES[given] if isinstance(given, str) else None
    # 1. Hold out one token in ten from a sample of the words.
    sampled = _sample(matrix, rng)
    train, held = heldout.hold_out(sampled, HELD_OUT, rng)
    rows = np.flatnonzero(np.asarray(train.sum(axis=1)).ravel() > 0)
    seed, tokens = int(rng.integers(2**31)), None
    attempt: Callable[[float], _Attempt] = partial(_try_by_length, sampled, seed)
    if float(held.sum()) >= ENOUGH:
        tokens = heldout.tabulate_tokens(train[rows], held[rows])
        attempt = partial(_try_by_loss, train[rows], tokens, seed)
    # 2. Lower the concentration by a constant factor until predictions no longer improve.
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
        elif new.rows[0]["n_clusters"] > 1:  # Continue while there is only one cluster.
            idle += 1
    return AlphaSelection(best.rows[0]["concentration"], best.rows[0]["weight"], table)


def _try_by_loss(
    train: Any, tokens: heldout.TokenCells, seed: int, concentration: float
) -> _Attempt:
    """Measure the loss on held-out tokens for one concentration and several parent weights.

    If clusters do not improve on the word's own counts, the predictions of the clusters alone
    decide about the weight, and the loss is that of the word's counts.
    """
    grower = grow_tree(train, concentration, seed)
    tree, belongs = grower.tree(), one_hot(grower.labels, grower.n_clusters)
    counts, base = belongs.T @ train, background(np.asarray(train.sum(axis=0)).ravel())
    plain, alone = heldout.backoff(tokens), False
    found: list[tuple[float, float, Floats]] = []

    def attempt(weight: float) -> float:
        classes = tokens.predict(belongs, shrink(counts, tree, base, weight))
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
    rows = [_make_row(concentration, w, tree.n_clusters, tokens.loss(p)) for _, w, p in found]
    return _Attempt(rows, found[0][2])


def _climb(loss: Callable[[float], float], start: float) -> None:
    """Evaluate `start`, then larger values while the loss decreases.

    If larger values are not better, evaluate smaller ones instead.
    """
    first = loss(start)
    for factor in (FACTOR, 1 / FACTOR):
        at, here = start * factor, first
        while at > LOWEST and (new := loss(at)) < here:
            at, here = at * factor, new
        if here < first:
            return


def _try_by_length(matrix: Any, seed: int, concentration: float) -> _Attempt:
    """Measure the description length of all counts for one concentration."""
    grower = grow_tree(matrix, concentration, seed)
    root = grower.bisector.code.root_length(matrix, grower.bisector.totals).total
    length = root - sum(step.saved for step in grower.steps)
    return _Attempt(
        [_make_row(concentration, concentration, grower.n_clusters, length)], np.empty(0)
    )


def _make_row(concentration: float, weight: float, clusters: int, loss: float) -> dict[str, float]:
    """Return a row of the table in `AlphaSelection`."""
    return {"concentration": concentration, "weight": weight, "n_clusters": clusters, "loss": loss}


def grow_tree(matrix: Any, concentration: float, seed: int) -> Grower:
    """Grow a complete tree with the Dirichlet code."""
    found = make_code(matrix, "dirichlet", "mdl", concentration)
    grower = Grower(Bisector(matrix, found, seed=seed))
    for _ in grower.run():
        pass
    return grower


def _sample(matrix: Any, rng: np.random.Generator) -> Any:
    """Return all rows, or a random sample of rows with about `ENTRIES` entries."""
    if matrix.nnz <= ENTRIES:
        return sparse.csr_array(matrix)
    order = rng.permutation(matrix.shape[0])
    until = np.searchsorted(np.cumsum(np.diff(matrix.indptr)[order]), ENTRIES) + 1
    return sparse.csr_array(matrix[np.sort(order[:until])])
