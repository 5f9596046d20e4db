"""Choose the number of clusters and β by the loss on held-out tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.types import Floats
from roget.learn.clustering import tokens as heldout
from roget.learn.clustering.annealing.states import AnnealingPath, PathPoint
from roget.learn.clustering.checkpoints import Pause, never_stop

if TYPE_CHECKING:
    from roget.learn.clustering.annealing.estimator import Annealing

HELD_OUT = 0.1
"""Fraction of the tokens held out to choose the number of clusters and β."""
LOSSES = ("backoff", "alone")
"""Names of the two losses on held-out tokens (see `KSelection`)."""
PATIENCE = 2
"""Number of consecutive cluster counts without improvement after which the search stops."""

ERRORS = 2.0
"""Number of standard errors by which a larger number of clusters must improve the loss."""

LEAST = 1e-4
"""Minimum decrease of a loss, in nats per token, to count as an improvement."""

SOFTER = 0.7
"""First β to try for a larger number of clusters, as a fraction of the best β so far."""

MAX_CLUSTERS = 768
"""Maximum number of clusters to try."""


class KSelection(NamedTuple):
    """The best number of clusters and β, and the table they were chosen from.

    Each row of the table contains `n_clusters`, `beta`, and two losses on held-out tokens in nats.
    `backoff` is the loss of a mixture of the word's own counts, the classes and the unigram.
    `alone` is the loss of the classes (weight 0.95) and the unigram (0.05). The best clustering has
    the lowest `backoff`, but more clusters must be better than fewer by two standard errors of the
    difference. In tables without rare pairs, classes may not improve `backoff`. Then `alone`
    decides, and the search ends at √n clusters for n words.
    """

    n_clusters: int
    beta: float
    table: list[dict[str, float]]
    interrupted: bool = False


class _Candidate(NamedTuple):
    """One row of the selection table, with the probabilities of held-out tokens for each loss."""

    row: dict[str, float]
    predicted: dict[str, Floats]


def choose(
    counts: Any,
    options: Annealing,
    random_state: Any = None,
    report: Callable[[int, float, float], None] | None = None,
    pause: Pause = never_stop,
) -> KSelection:
    """Choose the number of clusters and β on held-out tokens, one in ten.

    `counts` are Counts or a csr_array without empty rows. If β is set in the options, only the
    number of clusters is chosen. `report` is called with the number of clusters, β and the progress
    of the search. `pause` is called whenever the state is consistent. If it raises
    KeyboardInterrupt, the search ends with the best result so far.
    """
    # 1. Hold out one token in ten.
    rng = generator(options.random_state if random_state is None else random_state)
    matrix = sparse.csr_array(counts.matrix if isinstance(counts, Counts) else counts)
    train, held = heldout.hold_out(matrix, HELD_OUT, rng)
    rows = np.flatnonzero(np.asarray(train.sum(axis=1)).ravel() > 0)
    tokens = heldout.tabulate_tokens(train[rows], held[rows]) if rows.size > 1 else None
    start = 1.0 if options.beta is None else float(options.beta)
    if tokens is None or not tokens.counts.size:
        return KSelection(1, start, [])
    walker = AnnealingPath(
        train[rows],
        options.method,
        prior=options.prior,
        dtype=options.dtype,
        seed=int(rng.integers(2**31)),
        n_jobs=options.n_jobs,
        pause=pause,
    )
    # 2. Follow the path upwards from one cluster, and keep the best point for each loss.
    first = _evaluate(1, start, tokens, None)
    best, table, interrupted = dict.fromkeys(LOSSES, first), [first.row], False
    waited = dict.fromkeys(LOSSES, 0)
    enough = math.sqrt(rows.size)
    try:
        for group in _try_numbers(walker, options, rows.size, tokens):
            table += [candidate.row for candidate in group]
            if report is not None:
                k, beta = group[-1].row["n_clusters"], group[-1].row["beta"]
                report(int(k), beta, math.log(k) / math.log(min(rows.size, MAX_CLUSTERS)))
            for loss in LOSSES:
                leader = min(group, key=lambda candidate: candidate.row[loss])
                waited[loss] += 1
                ahead, error = tokens.lead(leader.predicted[loss], best[loss].predicted[loss])
                # More clusters must be better by two standard errors of the paired difference.
                if ahead - ERRORS * error - LEAST > 0:
                    best[loss], waited[loss] = leader, 0
            # 3. Stop when `backoff` has not improved for PATIENCE numbers of clusters. If it has
            # never improved, continue while `alone` improves, up to √n clusters.
            helpful = best["backoff"] is not first
            late = group[-1].row["n_clusters"] >= enough or waited["alone"] >= PATIENCE
            if waited["backoff"] >= PATIENCE and (helpful or late):
                break
    except KeyboardInterrupt:
        interrupted = True
    # Choose by `alone` if classes never improved on the word's own counts.
    row = best["backoff" if best["backoff"] is not first else "alone"].row
    return KSelection(int(row["n_clusters"]), float(row["beta"]), table, interrupted)


def _try_numbers(
    walker: AnnealingPath, options: Annealing, words: int, tokens: heldout.TokenCells
) -> Iterator[list[_Candidate]]:
    """Yield the candidates for each number of clusters, one per β."""
    least = 0.0
    for k in _grid(min(words, MAX_CLUSTERS)):
        search = options.method.search
        # Split until there are k clusters. Then raise β, and evaluate each step.
        reached, at = walker.reach(k, search.first_beta(options.beta))
        highest = search.last_beta(at) if options.beta is None else options.beta
        if reached < k:
            return
        points: Iterable[PathPoint] = walker.run(k, highest, search.stride, least)
        if options.beta is not None:
            points = list(points)[-1:]
        group = _take_while_better(
            _evaluate(k, beta, tokens, tokens.predict(found.memberships, found.centroids))
            for beta, found in points
        )
        least = _choose_first_beta(group)
        yield group


def _choose_first_beta(group: list[_Candidate]) -> float:
    """Return the lowest β to try for the next number of clusters.

    It is a fraction (`SOFTER`) of the current best β. Losses that hardly depend on β are ignored.
    If neither loss depends on β, return 0.
    """
    starts = []
    for loss in LOSSES:
        losses = [candidate.row[loss] for candidate in group]
        if max(losses) - min(losses) > LEAST:
            starts.append(SOFTER * group[int(np.argmin(losses))].row["beta"])
    return min(starts, default=0.0)


def _take_while_better(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """Return all candidates up to the first one that improves neither loss (inclusive)."""
    found: list[_Candidate] = []
    for new in candidates:
        found.append(new)
        if len(found) > 1 and all(new.row[loss] > found[-2].row[loss] - LEAST for loss in LOSSES):
            break
    return found


def _evaluate(
    k: int, beta: float, tokens: heldout.TokenCells, classes: Floats | None
) -> _Candidate:
    """Compute the two losses of a clustering. `classes` is None if there is only one cluster."""
    alone = tokens.smooth(tokens.unigram if classes is None else classes)
    backed = heldout.backoff(tokens, *(() if classes is None else (classes,)))
    predicted = {"alone": alone, "backoff": backed}
    losses = {name: tokens.loss(values) for name, values in predicted.items()}
    return _Candidate({"n_clusters": k, "beta": beta, **losses}, predicted)


def _grid(most: int) -> list[int]:
    """Return the numbers of clusters to try: 2, 3, 4, 6, 8, 12, 16, 24, … up to `most`."""
    return [k for i in range(most.bit_length()) for k in (2 << i, 3 << i) if k <= most]


def generator(random_state: Any) -> np.random.Generator:
    """Make a Generator from a seed, a Generator or a RandomState. A RandomState stays unchanged."""
    if isinstance(random_state, np.random.RandomState):
        keys = random_state.get_state(legacy=False)["state"]["key"]
        return np.random.default_rng(np.asarray(keys)[:8].tolist())
    return np.random.default_rng(random_state)
