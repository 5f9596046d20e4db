"""Place words in an existing taxonomy: find candidate classes with scores and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.options import choose, with_options
from roget.core.progress import Progress, Report
from roget.core.types import Array, Floats, Ints, PathLike
from roget.learn.load import open_counts
from roget.learn.options import PlaceOptions
from roget.learn.placing.graph import FAR, Graph
from roget.learn.placing.votes import BLOCK, SPELT, NeighbourModel, Supporter
from roget.learn.representation.background import choose_background
from roget.learn.taxonomy import taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy

SUPPORTERS, CONTEXTS = 5, 4
"""Maximum number of known words, and of contexts, listed as reasons."""

TRIED = 1000
"""Maximum number of known words used to calibrate scores."""

LISTED = 5
"""Number of candidates per word used to calibrate scores."""

LOOKED = 100
"""Number of known words used to estimate the chance level (the mean fraction of nearby classes)."""

LEVEL, LEVELS = 20, 20
"""Minimum number of candidates per point of a calibration curve, and maximum number of points."""

BY_CHANCE = 0.25
"""Maximum fraction of classes that may count as correct by chance, for the default of `steps`."""

DIGITS = 4
"""Number of decimals to which scores are rounded."""


class PlacementCandidate(NamedTuple):
    """A candidate class for a word."""

    word: str
    seen: float
    """Number of occurrences of the word in the corpus."""
    id: str
    """The id of the class in the taxonomy."""
    label: str
    path: tuple[str, ...]
    """Labels of the classes from the root to this class."""
    score: float
    """Estimated probability that a true class is at most `steps` steps away."""
    votes: float
    """Votes for the class minus the votes expected by chance, as a fraction of all votes."""
    reasons: tuple[Supporter, ...]
    """Known words that vote for the class, in the order of their votes (largest first)."""
    contexts: tuple[str, ...]
    """Contexts that the word shares with the words in `reasons`."""
    lines: tuple[EvidenceLine, ...] = ()
    """Example sentences with the word in the shared contexts, if stored."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Candidate classes for words of a corpus that are not in a taxonomy."""

    title: str
    words: tuple[tuple[PlacementCandidate, ...], ...]
    """Candidates of each word, best first. Words are sorted by the votes for the best candidate."""
    left_out: tuple[str, ...]
    """Words without a candidate that reaches the minimum score."""
    known: int
    """Number of words that are in both the corpus and the taxonomy."""
    steps: int
    least: float = 0.0
    tried: int = 0
    """Number of known words used to calibrate the scores."""
    near: float = 0.0
    """Chance level: the mean fraction of classes within `steps` steps of a true class."""

    @property
    def candidates(self) -> Iterator[PlacementCandidate]:
        """All candidates in a single list, grouped by word."""
        return (one for some in self.words for one in some)


class CalibrationCurve(NamedTuple):
    """The probability that a candidate is correct as a function of its votes.

    Linear between the points, and constant beyond them.
    """

    votes: Floats
    shares: Floats

    @classmethod
    def learn(cls, votes: Floats, right: Array) -> CalibrationCurve:
        """Fit a non-decreasing curve to candidates that are known to be correct or incorrect.

        Each point is supported by at least `LEVEL` candidates, or by all if there are fewer.
        """
        if not votes.size:
            return cls(np.zeros(1), np.full(1, 0.5))
        order = np.argsort(votes, kind="stable")
        n = min(LEVELS, max(1, votes.size // LEVEL))
        parts = np.array_split(order, n)
        sizes = np.array([part.size for part in parts], dtype=np.float64)
        means = np.array([votes[part].mean() for part in parts])
        shares = np.array([right[part].sum() + 0.5 for part in parts]) / (sizes + 1)
        if n > 1:
            from sklearn.isotonic import isotonic_regression

            shares = isotonic_regression(shares, sample_weight=sizes)
        return cls(means, shares)

    def predict(self, votes: Floats) -> Floats:
        """Return the probability that each candidate is correct."""
        return np.interp(votes, self.votes, self.shares)


class ScoreCalibration(NamedTuple):
    """Calibration of votes: one curve for the first candidates of words, and one for all others."""

    first: CalibrationCurve
    other: CalibrationCurve

    @classmethod
    def learn(cls, votes: Sequence[Floats], right: Sequence[Array]) -> ScoreCalibration:
        """Fit the curves to the candidates of known words, listed per word, best first.

        If there are too few other candidates for a curve, it is fitted to all candidates.
        """
        few = sum(one.size - 1 for one in votes if one.size) < LEVEL
        curves = (
            CalibrationCurve.learn(
                np.concatenate([np.empty(0), *(one[part] for one in votes)]),
                np.concatenate([np.empty(0), *(one[part] for one in right)]),
            )
            for part in (slice(1), slice(0 if few else 1, None))
        )
        return cls(*curves)

    def predict(self, votes: Floats) -> Floats:
        """Return the probabilities of a word's candidates, best first. They never increase."""
        shares = self.first.predict(votes[:1]), self.other.predict(votes[1:])
        return np.asarray(np.minimum.accumulate(np.concatenate(shares)))


class Ranking(NamedTuple):
    """The best classes for a word. The mean votes of known words are subtracted from the votes."""

    row: int
    classes: Ints
    values: Floats


@with_options(PlaceOptions)
def place(
    taxonomy: Taxonomy | PathLike,
    counts: Counts | PathLike,
    *,
    progress: Report | None = None,
    **options: Any,
) -> Placed:
    """Find candidate classes for words of a corpus that are not in a taxonomy.

    Known words with similar contexts or the same ending vote for their classes and, with less
    weight, for nearby classes. The votes expected by chance (the total weight of the votes times
    the mean votes of known words) are subtracted. Scores are calibrated on words that are in both
    the corpus and the taxonomy. Each is placed as if the taxonomy contained neither this word nor
    any longer word that contains it.

    Parameters
    ----------
    taxonomy
        A taxonomy, or its path: SKOS, a child–parent table, a WordNet folder, or wn:ID.
    counts
        The counts of the corpus, or their path.
    progress
        Called with a `Progress`, which holds the number of words done and the total.

    Returns
    -------
    Placed
        The words with their candidates, and the words left out.

    Raises
    ------
    InputError
        If corpus and taxonomy share too few words.
    """
    chosen = PlaceOptions(**choose(PlaceOptions, options))
    known_classes = taxonomy if isinstance(taxonomy, Taxonomy) else taxonomy_of(taxonomy)
    counts = counts if isinstance(counts, Counts) else open_counts(counts)[0]
    background = choose_background(chosen.background, counts)[0]
    graph = Graph.from_taxonomy(known_classes)
    voters = NeighbourModel(graph, counts, None if background is None else background.counts)
    known = set(voters.known.tolist())
    rows = np.array(
        [row for row in range(len(counts)) if row not in known and counts.word_totals[row] > 0],
        dtype=np.int64,
    )
    return Placer(voters, chosen).place(rows, progress)


class Placer:
    """Placement of words by votes, with scores calibrated on known words."""

    def __init__(self, voters: NeighbourModel, options: PlaceOptions) -> None:
        self.voters, self.options = voters, options
        self._spelt = SPELT if options.spelling else 0.0

    def place(self, rows: Ints, progress: Report | None = None) -> Placed:
        """Return the candidates for the words in the given rows of the counts."""
        voters, options = self.voters, self.options
        tried = self.draw_known()
        whole = tried.size + rows.size
        scale = self.calibrate(tried, _part(progress, 0, whole))
        found, left = [], []
        for votes, ranked in self._blocks(rows, options.n, _part(progress, tried.size, whole)):
            for at, one in enumerate(ranked):
                scores = scale.predict(one.values).round(DIGITS)
                some = tuple(
                    self._candidate(votes, at, one, rank, float(score))
                    for rank, score in enumerate(scores)
                    if score >= options.least
                )
                if some:
                    found.append(some)
                else:
                    left.append(str(voters.counts.words[one.row]))
        found.sort(key=lambda some: (-some[0].votes, some[0].word))
        return Placed(
            voters.graph.title, tuple(found), tuple(left), voters.known.size, self.steps,
            options.least, tried.size, self.share_near(tried, self.steps),
        )  # fmt: skip

    def share_near(self, rows: Ints, steps: int) -> float:
        """Return the mean fraction of classes within `steps` steps of a known word's class."""
        classes = np.unique(self.voters.graph.weights.indices)
        some = rows[:: max(1, rows.size // LOOKED)].tolist()
        return float(np.mean([self._measure_steps(row, classes) <= steps for row in some]))

    def rank(self, rows: Ints, n: int, progress: Report | None = None) -> list[Ranking]:
        """Return the n best classes for the word in each row."""
        return [one for _, some in self._blocks(rows, n, progress) for one in some]

    def calibrate(self, rows: Ints, progress: Report | None = None) -> ScoreCalibration:
        """Calibrate scores on the candidates of known words."""
        ranked = self.rank(rows, LISTED, progress)
        right = [self._measure_steps(one.row, one.classes) <= self.steps for one in ranked]
        return ScoreCalibration.learn([one.values for one in ranked], right)

    @cached_property
    def steps(self) -> int:
        """Maximum distance at which a candidate counts as correct.

        The default is the largest distance at which few classes count as correct by chance.
        """
        if self.options.steps is not None:
            return self.options.steps
        tried = self.draw_known()
        good = (far for far in range(FAR - 1, 0, -1) if self.share_near(tried, far) <= BY_CHANCE)
        return next(good, 0)

    def _measure_steps(self, row: int, classes: Ints) -> Ints:
        """Return the distances from classes to the nearest class of a known word."""
        graph = self.voters.graph
        return graph.steps(graph.senses(str(self.voters.counts.words[row])), classes)

    def draw_known(self) -> Ints:
        """Sample the known words on which scores are calibrated."""
        known = self.voters.known
        rng = np.random.default_rng(self.options.seed)
        return np.sort(rng.choice(known, min(TRIED, known.size), replace=False))

    def _blocks(
        self, rows: Ints, n: int, progress: Report | None
    ) -> Iterator[tuple[Any, list[Ranking]]]:
        """Yield the votes and rankings of batches of rows."""
        usual = self.voters.usual
        for begin in range(0, rows.size, BLOCK):
            part = rows[begin : begin + BLOCK]
            votes = self.voters.votes(part, self._spelt)
            table, ranked = votes.values, []
            for at, row in enumerate(part.tolist()):
                cells = slice(table.indptr[at], table.indptr[at + 1])
                classes = table.indices[cells].astype(np.int64)
                # Round the votes, because their last digits depend on how rows are divided into
                # batches.
                values = (table.data[cells] - usual[classes] * votes.totals[at]).round(6)
                best = np.lexsort((classes, -values))[:n]
                best = best[values[best] > 0]
                ranked.append(Ranking(row, classes[best], values[best]))
            yield votes, ranked
            if progress is not None:
                progress(Progress(begin + part.size, rows.size))

    def _candidate(
        self, votes: Any, at: int, ranking: Ranking, rank: int, score: float
    ) -> PlacementCandidate:
        """Return a candidate with its reasons, contexts and example sentences."""
        voters, graph = self.voters, self.voters.graph
        row, target = ranking.row, int(ranking.classes[rank])
        counts, word = voters.counts, str(voters.counts.words[row])
        supporters = tuple(votes.list_supporters(at, target, SUPPORTERS))
        contexts = self._shared_contexts(row, supporters)
        kept, most = counts.evidence, self.options.lines
        lines = (
            []
            if kept is None or not most
            else [line for one in contexts for line in kept.lines(word, one, 1)][:most]
        )
        return PlacementCandidate(
            word, counts.word_totals[row].item(), graph.names[target], graph.labels[target],
            graph.path(target), score, float(ranking.values[rank]), supporters, contexts,
            tuple(lines),
        )  # fmt: skip

    def _shared_contexts(self, row: int, supporters: Sequence[Supporter]) -> tuple[str, ...]:
        """Return the contexts that contribute most to a word's similarity to its supporters."""
        rows = self.voters.spelt
        near = [at for one in supporters if one.by == "contexts" for at in rows[one.word]]
        if not near:
            return ()
        weights = self.voters.context_weights
        both = weights[[row]].multiply(weights[near].sum(axis=0)[None, :]).tocsr()
        best = np.argsort(-both.data, kind="stable")[:CONTEXTS]
        return tuple(str(self.voters.counts.contexts[at]) for at in both.indices[best])


def _part(progress: Report | None, done: int, whole: int) -> Report | None:
    """Return a progress callback for one part of the work, which begins after `done` words."""
    return progress and (lambda now: progress(Progress(done + now.done, whole)))
