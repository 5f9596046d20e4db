"""Place words in an existing taxonomy: find candidate classes with scores and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.options import choose, with_options
from roget.core.progress import Progress, Report
from roget.core.types import Floats, Ints, PathLike
from roget.learn.background import choose_background
from roget.learn.command_options import PlaceOptions
from roget.learn.load import open_counts
from roget.learn.placing.graph import Graph
from roget.learn.placing.votes import BLOCK, SPELT, NeighbourModel, Supporter
from roget.learn.taxonomy import taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy

SUPPORTERS, CONTEXTS = 5, 4
"""Maximum number of known words, and of contexts, listed as reasons."""

TRIED = 1000
"""Maximum number of known words used to calibrate scores."""

LISTED = 5
"""Number of candidates per word used to calibrate scores."""

LOOKED = 100
"""Number of known words used to estimate the chance level, the mean fraction of nearby classes."""

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
    reasons: tuple[Supporter, ...]
    """Known words that vote for the class, largest votes first."""
    contexts: tuple[str, ...]
    """Contexts that the word shares with the words in `reasons`."""
    lines: tuple[EvidenceLine, ...] = ()
    """Example sentences with the word in the shared contexts, if stored."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Candidate classes for words of a corpus that are not in a taxonomy."""

    title: str
    words: tuple[tuple[PlacementCandidate, ...], ...]
    """Candidates of each word, best first. Words are sorted by their best score."""
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
        """All candidates in a single list, word by word."""
        return (one for some in self.words for one in some)


class ScoreCalibration(NamedTuple):
    """A logistic regression model of the probability that a candidate is correct.

    The features are the value of the candidate and the log frequency of the word.
    """

    bias: float
    value: float
    seen: float

    @classmethod
    def learn(cls, values: Floats, seen: Floats, right: Floats) -> ScoreCalibration:
        """Fit the model to candidates that are known to be correct or incorrect."""
        share = (right.sum() + 0.5) / (right.size + 1)
        if right.all() or not right.any():
            return cls(float(np.log(share / (1 - share))), 0.0, 0.0)
        from sklearn.linear_model import LogisticRegression

        facts = np.stack([values, np.log(seen)], axis=1)
        middle, spread = facts.mean(axis=0), np.maximum(facts.std(axis=0), 1e-9)
        model = LogisticRegression().fit((facts - middle) / spread, right)
        slopes = model.coef_[0] / spread
        # Ensure that a larger value does not lower the probability.
        slopes[0] = max(slopes[0], 0.0)
        return cls(float(model.intercept_[0] - slopes @ middle), *map(float, slopes))

    def predict(self, values: Floats, seen: Floats | float) -> Floats:
        """Return the probability that each candidate is correct."""
        from scipy.special import expit

        return np.asarray(expit(self.bias + self.value * values + self.seen * np.log(seen)))


class Ranking(NamedTuple):
    """The best classes for a word, with their votes minus the mean votes of known words."""

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
    weight, for nearby classes. The mean votes over known words are subtracted. Scores are
    calibrated on words that are in both the corpus and the taxonomy: each is placed as if it, and
    all words that contain it, were not in the taxonomy.

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
                seen = float(voters.counts.word_totals[one.row])
                scores = scale.predict(one.values, seen).round(DIGITS)
                some = tuple(
                    self._candidate(votes, at, one.row, int(target), float(score))
                    for target, score in zip(one.classes, scores, strict=True)
                    if score >= options.least
                )
                if some:
                    found.append(some)
                else:
                    left.append(str(voters.counts.words[one.row]))
        found.sort(key=lambda some: (-some[0].score, some[0].word))
        return Placed(
            voters.graph.title, tuple(found), tuple(left), voters.known.size, options.steps,
            options.least, tried.size, self.share_near(tried),
        )  # fmt: skip

    def share_near(self, rows: Ints) -> float:
        """Return the mean fraction of classes within `steps` steps of a known word's class."""
        graph, words = self.voters.graph, self.voters.counts.words
        classes = np.unique(graph.weights.indices)
        some = rows[:: max(1, rows.size // LOOKED)]
        far = [graph.steps(graph.senses(str(words[row])), classes) for row in some]
        return float(np.mean(np.array(far) <= self.options.steps))

    def rank(self, rows: Ints, n: int, progress: Report | None = None) -> list[Ranking]:
        """Return the n best classes for the word in each row."""
        return [one for _, some in self._blocks(rows, n, progress) for one in some]

    def calibrate(self, rows: Ints, progress: Report | None = None) -> ScoreCalibration:
        """Calibrate scores on the candidates of known words."""
        graph, counts = self.voters.graph, self.voters.counts
        values, seen, right = [], [], []
        for one in self.rank(rows, LISTED, progress):
            senses = graph.senses(str(counts.words[one.row]))
            values += one.values.tolist()
            seen += [float(counts.word_totals[one.row])] * one.values.size
            right += (graph.steps(senses, one.classes) <= self.options.steps).tolist()
        if not right:
            return ScoreCalibration(0.0, 0.0, 0.0)
        return ScoreCalibration.learn(
            np.array(values), np.array(seen), np.array(right, dtype=np.float64)
        )

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
                # Round the votes, because their last digits depend on the batch.
                values = (table.data[cells] - usual[classes]).round(6)
                best = np.lexsort((classes, -values))[:n]
                best = best[values[best] > 0]
                ranked.append(Ranking(row, classes[best], values[best]))
            yield votes, ranked
            if progress is not None:
                progress(Progress(begin + part.size, rows.size))

    def _candidate(
        self, votes: Any, at: int, row: int, target: int, score: float
    ) -> PlacementCandidate:
        """Return a candidate with its reasons, contexts and example sentences."""
        voters, graph = self.voters, self.voters.graph
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
            graph.path(target), score, supporters, contexts, tuple(lines),
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
    """Return a progress callback for a part of the work, which starts after `done` words."""
    return progress and (lambda now: progress(Progress(done + now.done, whole)))
