"""Trial: known words are hidden and placed, so that it is seen what candidates are worth."""

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
from roget.learn.command_options import PlaceOptions
from roget.learn.placing.graph import FAR, Graph, fold
from roget.learn.placing.place import Placer
from roget.learn.placing.votes import BLOCK, FEWEST, NeighbourModel
from roget.learn.taxonomy.taxonomy import Taxonomy

RANKED = 10
"""Candidates among which the true class is looked for, in mean reciprocal ranks."""

BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Ends of the scores that are compared with the share that was right."""


class PlacementMetrics(NamedTuple):
    """How far the candidates of one way to place words are from the true classes."""

    name: str
    steps: tuple[tuple[int, ...], ...]
    """Of each hidden word: the steps of its candidates, the best first; FAR where there is none."""

    def share(self, steps: int, listed: int = 1) -> Interval:
        """The words of which one of the first candidates is within some steps of a true class."""
        right = sum(min(one[:listed], default=FAR) <= steps for one in self.steps)
        low, high = wilson(right, len(self.steps))
        return Interval(right / len(self.steps), low, high)

    @property
    def reciprocal_rank(self) -> float:
        """The mean of 1/rank of the first candidate that is a true class, 0 where none is."""
        ranks = (one.index(0) + 1 if 0 in one else np.inf for one in self.steps)
        return float(np.mean([1 / rank for rank in ranks]))


class Bin(NamedTuple):
    """First candidates with scores in a range."""

    low: float
    high: float
    words: int
    score: float
    """The mean score."""
    right: float
    """The share that was right."""


@dataclass(frozen=True, eq=False)
class HoldoutResult:
    """What placing came to on hidden words, beside the nearest known word's own classes."""

    title: str
    words: tuple[str, ...]
    known: int
    """How many words were left to place them by."""
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
    """Hide some words that a taxonomy has, place them, and see how near they come.

    With a word, all words that it is a part of are hidden, such as "team leader" with "leader".
    The baseline gives a word the class of the known word most like it, by the cosine of positive
    pointwise mutual information: its first sense, or all its senses, of which the best counts.

    Parameters
    ----------
    taxonomy
        The classes, such as `roget.learn.taxonomy.taxonomy_of` reads them.
    counts
        How often the words of the corpus stand in which contexts.
    words
        How many words to hide, drawn by the seed.
    progress
        Called with a `Progress`: words done, words in all.

    Returns
    -------
    Trial
        The steps between candidates and true classes, of ours, by contexts only, and of the
        baselines.

    Raises
    ------
    InputError
        If the corpus and the taxonomy share too few words.
    """
    asked = PlaceOptions(**choose(PlaceOptions, options))
    graph = Graph.of(taxonomy)
    known = NeighbourModel(graph, counts).known
    most = known.size - FEWEST
    if not 1 <= words <= most:
        raise InputError(
            f"hide {words}: expected 1 to {most:,}: the corpus has {known.size:,} words of "
            f"{graph.title}, and {FEWEST} must be left"
        )
    hidden = np.sort(np.random.default_rng(asked.seed).choice(known, words, replace=False))
    voters = NeighbourModel(graph.without({fold(str(counts.words[row])) for row in hidden}), counts)
    truth = [graph.senses(str(counts.words[row])) for row in hidden]
    placer = Placer(voters, asked)
    ranked = placer.rank(hidden, max(RANKED, asked.n), progress)
    found = [one.classes for one in ranked]
    ways = [_way("roget", graph, truth, found)]
    bins = _compare_scores(placer, ranked, ways[0])
    if asked.spelling:
        bare = Placer(voters, replace(asked, spelling=False))
        found = [one.classes for one in bare.rank(hidden, RANKED)]
        ways.append(_way("by contexts only", graph, truth, found))
    senses = [voters.graph.senses(str(counts.words[row])) for row in nearest(voters, hidden)]
    ways.append(_way("nearest word, first sense", graph, truth, [one[:1] for one in senses]))
    steps = [(min(graph.steps(true, has)),) for true, has in zip(truth, senses, strict=True)]
    ways.append(PlacementMetrics("nearest word, best of all senses", tuple(steps)))
    names = tuple(str(counts.words[row]) for row in hidden)
    return HoldoutResult(
        graph.title, names, voters.known.size, tuple(ways), bins, asked.steps, asked.seed
    )


def nearest(voters: NeighbourModel, rows: Ints) -> Ints:
    """Of each row the known word with the largest cosine of PPMI, the first of equals."""
    weights = unit(voters.counts.ppmi())
    others = weights[voters.known].T.tocsr()
    found = [
        (weights[rows[begin : begin + BLOCK]] @ others).toarray().argmax(axis=1)
        for begin in range(0, rows.size, BLOCK)
    ]
    return np.asarray(voters.known[np.concatenate(found)])


def _way(name: str, graph: Graph, truth: Sequence[Ints], found: Sequence[Ints]) -> PlacementMetrics:
    steps = (
        tuple(graph.steps(true, some[:RANKED]).tolist())
        for true, some in zip(truth, found, strict=True)
    )
    return PlacementMetrics(name, tuple(steps))


def _compare_scores(
    placer: Placer, ranked: Sequence[Any], ours: PlacementMetrics
) -> tuple[Bin, ...]:
    """The scores of first candidates beside the share of them that is right."""
    scale = placer.learn_scale(placer.draw_known())
    some = [at for at, one in enumerate(ranked) if one.values.size]
    values = np.array([ranked[at].values[0] for at in some])
    seen = placer.voters.counts.word_totals[[ranked[at].row for at in some]].astype(np.float64)
    scores: Floats = scale.of(values, seen)
    right = np.array([ours.steps[at][0] <= placer.options.steps for at in some])
    found = []
    for low, high in pairwise(BINS):
        inside = (scores >= low) & ((scores < high) | (high == 1))
        if inside.any():
            share, mean = float(right[inside].mean()), float(scores[inside].mean())
            found.append(Bin(low, high, int(inside.sum()), mean, share))
    return tuple(found)
