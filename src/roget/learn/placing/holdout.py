"""Evaluate placement: hide known words, place them, and compare the results with their classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.intervals import Interval, wilson
from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.learn.options import PlaceOptions
from roget.learn.placing.graph import FAR, Graph, fold
from roget.learn.placing.place import Placer
from roget.learn.placing.votes import BLOCK, FEWEST, NeighbourModel
from roget.learn.representation.background import choose_background
from roget.learn.taxonomy.taxonomy import Taxonomy

RANKED = 10
"""Number of candidates considered for the mean reciprocal rank."""

BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Edges of the score bins.

In each bin, the mean score is compared with the fraction of correct candidates.
"""


class PlacementMetrics(NamedTuple):
    """Distances between the candidates of one method and the true classes."""

    name: str
    steps: tuple[tuple[int, ...], ...]
    """For each hidden word, the distance from each candidate to the nearest true class.

    The candidates of a word are listed best first.
    """

    def share(self, steps: int, listed: int = 1) -> Interval:
        """Return the fraction of words with a candidate near a true class.

        A candidate counts if it is one of the first `listed` and at most `steps` steps from a true
        class.
        """
        right = sum(min(one[:listed], default=FAR) <= steps for one in self.steps)
        low, high = wilson(right, len(self.steps))
        return Interval(right / len(self.steps), low, high)

    @property
    def reciprocal_rank(self) -> float:
        """Mean reciprocal rank of the first true class among the candidates of a word.

        The reciprocal rank is 0 if no candidate is a true class.
        """
        ranks = (one.index(0) + 1 if 0 in one else np.inf for one in self.steps)
        return float(np.mean([1 / rank for rank in ranks]))


class Bin(NamedTuple):
    """Statistics of the words whose best candidates have a score in the same bin."""

    low: float
    high: float
    words: int
    score: float
    """Mean score of the candidates in the bin."""
    right: float
    """Fraction of the candidates in the bin that are correct."""


@dataclass(frozen=True, eq=False)
class HoldoutResult:
    """Metrics for the placement of hidden words and for the nearest-word baselines."""

    title: str
    words: tuple[str, ...]
    known: int
    """Number of voting words, that is, known words that were not hidden."""
    ways: tuple[PlacementMetrics, ...]
    bins: tuple[Bin, ...]
    steps: int
    seed: int


@with_options(PlaceOptions)
def hide(
    taxonomy: Taxonomy,
    counts: Counts,
    words: int = 500,
    *,
    progress: Report | None = None,
    **options: Any,
) -> HoldoutResult:
    """Hide random words of a taxonomy, place them, and measure the distance to their true classes.

    All words that contain a hidden word are hidden as well, e.g. "team leader" with "leader". The
    baselines choose the class of the most similar known word by PPMI cosine: its first sense, or
    the best of all its senses.

    Parameters
    ----------
    taxonomy
        A taxonomy read by `roget.learn.taxonomy.taxonomy_of`.
    counts
        The counts of the corpus.
    words
        Number of random words to hide.
    progress
        Called with a `Progress`, which holds the number of words done and the total.

    Returns
    -------
    HoldoutResult
        The distances between candidates and true classes, for all votes, for votes by contexts
        only, and for the baselines.

    Raises
    ------
    InputError
        If the corpus and the taxonomy share too few words.
    """
    chosen = PlaceOptions(**choose(PlaceOptions, options))
    graph = Graph.from_taxonomy(taxonomy)
    known = NeighbourModel(graph, counts).known
    most = known.size - FEWEST
    if not 1 <= words <= most:
        raise InputError(
            f"cannot hide {words:,} words: the corpus has {known.size:,} words of {graph.title}, "
            f"and {FEWEST} must remain; expected 1 to {most:,}",
            code="invalid-option",
        )
    # Hide random known words. The other known words vote.
    hidden = np.sort(np.random.default_rng(chosen.seed).choice(known, words, replace=False))
    background = choose_background(chosen.background, counts)[0]
    rest = graph.without({fold(str(counts.words[row])) for row in hidden})
    voters = NeighbourModel(rest, counts, None if background is None else background.counts)
    truth = [graph.senses(str(counts.words[row])) for row in hidden]
    placer = Placer(voters, chosen)
    ranked = placer.rank(hidden, max(RANKED, chosen.n), progress)
    found = [one.classes for one in ranked]
    ways = [_measure("roget", graph, truth, found)]
    bins = _compare_scores(placer, ranked, ways[0])
    if chosen.spelling:
        bare = Placer(voters, replace(chosen, spelling=False))
        found = [one.classes for one in bare.rank(hidden, RANKED)]
        ways.append(_measure("by contexts only", graph, truth, found))
    senses = [voters.graph.senses(str(counts.words[row])) for row in nearest(voters, hidden)]
    ways.append(_measure("nearest word, first sense", graph, truth, [one[:1] for one in senses]))
    steps = [(min(graph.steps(true, has)),) for true, has in zip(truth, senses, strict=True)]
    ways.append(PlacementMetrics("nearest word, best of all senses", tuple(steps)))
    names = tuple(str(counts.words[row]) for row in hidden)
    return HoldoutResult(
        graph.title, names, voters.known.size, tuple(ways), bins, placer.steps, chosen.seed
    )


def nearest(voters: NeighbourModel, rows: Ints) -> Ints:
    """Return the known word with the largest PPMI cosine for each row, or the first if tied."""
    weights = unit(voters.counts.ppmi())
    others = weights[voters.known].T.tocsr()
    found = [
        (weights[rows[begin : begin + BLOCK]] @ others).toarray().argmax(axis=1)
        for begin in range(0, rows.size, BLOCK)
    ]
    return np.asarray(voters.known[np.concatenate(found)])


def _measure(
    name: str, graph: Graph, truth: Sequence[Ints], found: Sequence[Ints]
) -> PlacementMetrics:
    """Return the metrics of one method, given the true classes and the candidates."""
    steps = (
        tuple(graph.steps(true, some[:RANKED]).tolist())
        for true, some in zip(truth, found, strict=True)
    )
    return PlacementMetrics(name, tuple(steps))


def _compare_scores(
    placer: Placer, ranked: Sequence[Any], ours: PlacementMetrics
) -> tuple[Bin, ...]:
    """Return the mean score and the fraction of correct first candidates in each score bin."""
    scale = placer.calibrate(placer.draw_known())
    some = [at for at, one in enumerate(ranked) if one.values.size]
    values = np.array([ranked[at].values[0] for at in some])
    scores: Floats = scale.first.predict(values)
    right = np.array([ours.steps[at][0] <= placer.steps for at in some])
    found = []
    for low, high in pairwise(BINS):
        inside = (scores >= low) & ((scores < high) | (high == 1))
        if inside.any():
            share, mean = float(right[inside].mean()), float(scores[inside].mean())
            found.append(Bin(low, high, int(inside.sum()), mean, share))
    return tuple(found)
