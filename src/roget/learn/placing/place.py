"""Placing words of a corpus into a taxonomy that is there: candidates, with score and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.options import choose, with_options
from roget.core.progress import Progress, Report
from roget.core.types import Floats, Ints
from roget.learn.command_options import PlaceOptions
from roget.learn.placing.graph import Graph
from roget.learn.placing.votes import BLOCK, SPELT, NeighbourModel, Supporter
from roget.learn.taxonomy.taxonomy import Taxonomy

SPEAKERS, CONTEXTS = 5, 4
"""Known words, and contexts, that are told as reasons."""

TRIED = 1000
"""Known words by which it is learnt how much a score is worth."""

LISTED = 5
"""Candidates of each of them that are looked at."""

LOOKED = 100
"""Known words by which it is told how near all classes are to each other."""

DIGITS = 4
"""Digits of scores: those that are learnt tell no more."""


class PlacementCandidate(NamedTuple):
    """A class that a word may belong to, or lie below."""

    word: str
    seen: float
    """How often the corpus has the word."""
    id: str
    """What the class is known by in its file."""
    label: str
    path: tuple[str, ...]
    """The labels from the root down to the class."""
    score: float
    """How likely it is right, or but a few steps away."""
    reasons: tuple[Supporter, ...]
    """Known words that speak for it, the loudest first."""
    contexts: tuple[str, ...]
    """Contexts that the word shares with them."""
    lines: tuple[EvidenceLine, ...] = ()
    """Where the corpus has the word in these contexts, if that was kept."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Candidates for the words of a corpus that a taxonomy lacks."""

    title: str
    words: tuple[tuple[PlacementCandidate, ...], ...]
    """Of each word its candidates, the best first; the surest words first."""
    left_out: tuple[str, ...]
    """Words that nothing is known of, or nothing that is sure enough."""
    known: int
    """How many words the corpus and the taxonomy share."""
    steps: int
    least: float = 0.0
    tried: int = 0
    """How many known words the scores are learnt from."""
    near: float = 0.0
    """The share of classes that would be right by chance: so near to a true one."""

    @property
    def candidates(self) -> Iterator[PlacementCandidate]:
        """All of them, word after word."""
        return (one for some in self.words for one in some)


class ScoreCalibration(NamedTuple):
    """How likely a candidate is right, by its value and by how often the word was seen."""

    bias: float
    value: float
    seen: float

    @classmethod
    def learn(cls, values: Floats, seen: Floats, right: Floats) -> ScoreCalibration:
        """The scale of some candidates, by logistic regression."""
        share = (right.sum() + 0.5) / (right.size + 1)
        if right.all() or not right.any():
            return cls(float(np.log(share / (1 - share))), 0.0, 0.0)
        from sklearn.linear_model import LogisticRegression

        facts = np.stack([values, np.log(seen)], axis=1)
        middle, spread = facts.mean(axis=0), np.maximum(facts.std(axis=0), 1e-9)
        model = LogisticRegression().fit((facts - middle) / spread, right)
        slopes = model.coef_[0] / spread
        # A value must never count against a candidate.
        slopes[0] = max(slopes[0], 0.0)
        return cls(float(model.intercept_[0] - slopes @ middle), *map(float, slopes))

    def of(self, values: Floats, seen: Floats | float) -> Floats:
        """The probabilities of some candidates."""
        from scipy.special import expit

        return np.asarray(expit(self.bias + self.value * values + self.seen * np.log(seen)))


class Ranking(NamedTuple):
    """The best classes of a word, and what they are worth beyond the usual."""

    row: int
    classes: Ints
    values: Floats


@with_options(PlaceOptions)
def place(
    taxonomy: Taxonomy, counts: Counts, *, progress: Report | None = None, **options: Any
) -> Placed:
    """Find the classes of a taxonomy that the words of a corpus may belong to, which it lacks.

    Words whose contexts are alike, and words that end alike, vote for their classes; a vote counts
    for classes near by too. What any word would get is taken off. How likely a candidate is right
    is learnt from words that both know: each is placed as if the taxonomy lacked it, and all words
    that it is a part of.

    Parameters
    ----------
    taxonomy
        The classes, such as `roget.learn.taxonomy.taxonomy_of` reads them.
    counts
        How often the words of the corpus stand in which contexts.
    progress
        Called with a `Progress`: words done, words in all.

    Returns
    -------
    Placed
        The words, the surest first, each with its candidates; and the words that are left out.

    Raises
    ------
    InputError
        If the two share too few words.
    """
    asked = PlaceOptions(**choose(PlaceOptions, options))
    voters = NeighbourModel(Graph.of(taxonomy), counts)
    known = set(voters.known.tolist())
    rows = np.array(
        [row for row in range(len(counts)) if row not in known and counts.word_totals[row] > 0],
        dtype=np.int64,
    )
    return Placer(voters, asked).place(rows, progress)


class Placer:
    """Places words by voters, with scores that are learnt from words they know."""

    def __init__(self, voters: NeighbourModel, options: PlaceOptions) -> None:
        self.voters, self.options = voters, options
        self._spelt = SPELT if options.spelling else 0.0

    def place(self, rows: Ints, progress: Report | None = None) -> Placed:
        """The candidates of some rows of the counts."""
        voters, options = self.voters, self.options
        tried = self.draw_known()
        whole = tried.size + rows.size
        scale = self.learn_scale(tried, _part(progress, 0, whole))
        found, left = [], []
        for votes, ranked in self._blocks(rows, options.n, _part(progress, tried.size, whole)):
            for at, one in enumerate(ranked):
                seen = float(voters.counts.word_totals[one.row])
                scores = scale.of(one.values, seen).round(DIGITS)
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
        """The share of classes that are as near to those of known words as scores are about."""
        graph, words = self.voters.graph, self.voters.counts.words
        classes = np.unique(graph.weights.indices)
        some = rows[:: max(1, rows.size // LOOKED)]
        far = [graph.steps(graph.senses(str(words[row])), classes) for row in some]
        return float(np.mean(np.array(far) <= self.options.steps))

    def rank(self, rows: Ints, n: int, progress: Report | None = None) -> list[Ranking]:
        """The n best classes of some rows."""
        return [one for _, some in self._blocks(rows, n, progress) for one in some]

    def learn_scale(self, rows: Ints, progress: Report | None = None) -> ScoreCalibration:
        """How likely candidates are right, by those of some known words."""
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
        """Some of the known words, by which scores are learnt."""
        known = self.voters.known
        rng = np.random.default_rng(self.options.seed)
        return np.sort(rng.choice(known, min(TRIED, known.size), replace=False))

    def _blocks(
        self, rows: Ints, n: int, progress: Report | None
    ) -> Iterator[tuple[Any, list[Ranking]]]:
        usual = self.voters.usual
        for begin in range(0, rows.size, BLOCK):
            part = rows[begin : begin + BLOCK]
            votes = self.voters.votes(part, self._spelt)
            table, ranked = votes.values, []
            for at, row in enumerate(part.tolist()):
                cells = slice(table.indptr[at], table.indptr[at + 1])
                classes = table.indices[cells].astype(np.int64)
                # Rounded, so that it does not matter which words stand in a block.
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
        voters, graph = self.voters, self.voters.graph
        counts, word = voters.counts, str(voters.counts.words[row])
        speakers = tuple(votes.speakers(at, target, SPEAKERS))
        contexts = self._shared(row, speakers)
        kept, most = counts.evidence, self.options.lines
        lines = (
            []
            if kept is None or not most
            else [line for one in contexts for line in kept.lines(word, one, 1)][:most]
        )
        return PlacementCandidate(
            word, counts.word_totals[row].item(), graph.names[target], graph.labels[target],
            graph.path(target), score, speakers, contexts, tuple(lines),
        )  # fmt: skip

    def _shared(self, row: int, speakers: Sequence[Supporter]) -> tuple[str, ...]:
        """The contexts that tell most of a word and of those alike that speak for its class."""
        rows = self.voters.spelt
        near = [one for said in speakers if said.by == "contexts" for one in rows[said.word]]
        if not near:
            return ()
        telling = self.voters.telling
        both = telling[[row]].multiply(telling[near].sum(axis=0)[None, :]).tocsr()
        best = np.argsort(-both.data, kind="stable")[:CONTEXTS]
        return tuple(str(self.voters.counts.contexts[at]) for at in both.indices[best])


def _part(progress: Report | None, done: int, whole: int) -> Report | None:
    """The progress of a part of the work, of which so much was done before."""
    return progress and (lambda now: progress(Progress(done + now.done, whole)))
