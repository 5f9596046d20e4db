"""The verb decision task of Pereira, Tishby & Lee (1993): decide which verb takes a noun.

All tokens of chosen pairs are deleted from the table. A model that learns from the rest decides
whether a noun is more likely the object of the deleted verb or of a rival; the right answer is the
one that is more frequent in the whole table. In the paper the verbs had 500 to 5000 of 756,721
tokens, and 104 pairs were chosen. Here the band is the same share of the tokens, the pairs have at
least three tokens (otherwise the right answer would be chance), and the rivals are all other verbs
of the band.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import optimize, sparse

from roget.core.counts import Counts
from roget.core.intervals import Interval, interval
from roget.core.options import choose, with_options
from roget.core.progress import Progress, Report
from roget.core.types import Array, Floats
from roget.errors import InputError
from roget.learn.classmodel import ClassModel
from roget.learn.classmodel.classes import ClassCounts
from roget.learn.classmodel.families import learn_family, learn_sizes
from roget.learn.classmodel.recipes import RECIPES, recipe
from roget.learn.clustering.tokens import unigram
from roget.learn.evaluation.options import DecideOptions

LEAST = 3
"""Minimum number of tokens of a chosen pair."""
BAND = 500 / 756_721, 5000 / 756_721
"""Range of the shares of all tokens of a fairly frequent context, as in the paper."""

FLOOR = 1e-9
"""Lower bound of probabilities before the logarithm."""
RIDGE = 1e-3
"""Ridge penalty that keeps the weights of nearly identical predictions similar."""


@dataclass(frozen=True, eq=False)
class DecisionTask:
    """Triples of a word, a context deleted from its counts, and a rival; columns index the band."""

    train: Any
    band: Array
    """The fairly frequent contexts."""
    word: Array
    context: Array
    rival: Array
    right: Array
    """True if the whole table has more tokens of the word with the context than with the rival."""
    exceptional: Array
    """True if the totals of the contexts point the other way."""

    @classmethod
    def draw(
        cls,
        matrix: Any,
        random_state: Any,
        pairs: int = DecideOptions.pairs,
        least: int = LEAST,
        purpose: str = "test",
    ) -> DecisionTask:
        """Choose pairs at random, delete them, and form triples of each with all rivals.

        Triples with equal counts are omitted. `purpose` is named if there are no pairs.
        """
        whole = sparse.csr_array(matrix, dtype=np.float64)
        totals = np.asarray(whole.sum(axis=0)).ravel()
        # 1. The band of fairly frequent contexts, and the pairs to choose from.
        low, high = (share * totals.sum() for share in BAND)
        band = np.flatnonzero((totals >= low) & (totals <= high))
        part = whole[:, band].toarray()
        words, at = np.nonzero(part >= least)
        if not words.size or band.size < 2:
            raise InputError(
                f"no pairs for the {purpose} draw: expected words with {least} or more tokens in "
                f"one of several contexts with {low:,.6g} to {high:,.6g} tokens each, of which "
                f"there are {band.size}",
                code="too-little-text",
            )
        rng = np.random.default_rng(random_state)
        # 2. Delete the chosen pairs.
        drawn = rng.choice(words.size, min(pairs, words.size), replace=False)
        gone = np.zeros(part.shape, dtype=bool)
        gone[words[drawn], at[drawn]] = True
        # 3. A triple for each rival that was not deleted and has another count.
        word, context = np.repeat(words[drawn], band.size), np.repeat(at[drawn], band.size)
        rival = np.tile(np.arange(band.size), drawn.size)
        ask = ~gone[word, rival] & (part[word, context] != part[word, rival])
        word, context, rival = word[ask], context[ask], rival[ask]
        right = part[word, context] > part[word, rival]
        # Exceptional: the more frequent context overall is not the preferred one.
        more = totals[band[context]] - totals[band[rival]]
        exceptional = (more != 0) & (right != (more > 0))
        deleted = sparse.coo_array(gone)
        robbed = sparse.lil_array(whole)
        robbed[deleted.row, band[deleted.col]] = 0
        train = sparse.csr_array(robbed)
        train.eliminate_zeros()
        return cls(train, band, word, context, rival, right, exceptional)

    def errors(self, scores: Floats) -> tuple[float, float]:
        """Return the error rates over all and over exceptional triples; a tie counts one half."""
        return self.judge(self.margins(scores))

    def margins(self, scores: Floats) -> Floats:
        """Return the context's score minus the rival's; scores are words × band."""
        return np.asarray(scores[self.word, self.context] - scores[self.word, self.rival])

    def judge(self, margins: Floats) -> tuple[float, float]:
        """Return the error rates of decisions by margins, one margin for each triple."""
        wrong = np.where(margins == 0, 0.5, (margins > 0) != self.right)
        odd = wrong[self.exceptional]
        return float(wrong.mean()), float(odd.mean()) if odd.size else float("nan")


@dataclass(frozen=True)
class Decided:
    """Errors of one model; a value for each draw."""

    model: str
    every: list[float] = field(default_factory=list)
    exceptional: list[float] = field(default_factory=list)
    heaviest: list[str] = field(default_factory=list)
    """The classes with the largest weight in each draw that used any."""

    def means(self) -> tuple[Interval, Interval]:
        """Return the mean errors over draws."""
        return interval(self.every), interval(self.exceptional)

    @property
    def chosen(self) -> str | None:
        """The classes with the largest weight in most draws."""
        return Counter(self.heaviest).most_common(1)[0][0] if self.heaviest else None


@dataclass(frozen=True)
class Decisions:
    """All models and their decisions; numbers of triples are means over draws."""

    rows: list[Decided]
    words: int
    contexts: int
    pairs: int
    triples: float
    exceptional: float
    draws: int
    seed: int


@with_options(DecideOptions)
def decide(
    counts: Counts,
    models: Sequence[str] = DecideOptions.models,
    *,
    progress: Report | None = None,
    **options: Any,
) -> Decisions:
    """Measure the errors of models in deciding which of two contexts a word prefers.

    Classes come in several kinds and sizes; their weights are learnt beforehand, on other pairs
    deleted from the training table in the same way. With `clusters`, a model through the classes of
    one clusterer decides by those alone, for each of these numbers of clusters, as in the paper;
    there is then a row for each number.
    """
    asked = DecideOptions(models=models, **choose(DecideOptions, options))
    draws, names = asked.draws, list(dict.fromkeys(models))
    if not names:
        raise InputError("no model to decide with: pass at least one", code="missing-option")
    chosen = counts.top(asked.top)
    sizes = list(dict.fromkeys(asked.clusters or ()))
    rows = {
        name: [Decided(f"{name} {size}") for size in sizes]
        if _is_sized(name, sizes)
        else [Decided(name)]
        for name in names
    }
    triples, odd, pairs = 0.0, 0.0, 0
    for number in range(draws):
        seed = asked.random_state + number
        task = DecisionTask.draw(chosen.matrix, [seed, 0], asked.pairs)
        # The rehearsal deletes further pairs, on which the weights of the classes are learnt.
        rehearsal = DecisionTask.draw(task.train, [seed, 1], asked.pairs, purpose="rehearsal")
        stage = DecisionStage(task, rehearsal, seed)
        for place, name in enumerate(names):
            if _is_sized(name, sizes):
                stage.run_sizes(name, sizes, rows[name])
            else:
                stage.run(name, *rows[name])
            if progress is not None:
                progress(Progress(number * len(names) + place + 1, draws * len(names)))
        triples += task.right.size / draws
        odd += float(task.exceptional.sum()) / draws
        pairs = max(pairs, np.unique(task.word * task.band.size + task.context).size)
    told = [row for some in rows.values() for row in some]
    return Decisions(told, *chosen.shape, pairs, triples, odd, draws, asked.random_state)


def _is_sized(name: str, sizes: Sequence[int]) -> bool:
    """Return True if numbers of clusters apply to a model, that is, to one clusterer's classes."""
    return bool(sizes) and name not in RECIPES


class DecisionStage:
    """One draw: classes are learnt once for all models, from both training tables."""

    def __init__(self, task: DecisionTask, rehearsal: DecisionTask, seed: int) -> None:
        self._tasks, self._seed = (task, rehearsal), seed
        self._known: dict[str, list[tuple[str, Floats, Floats]]] = {}

    def run(self, name: str, row: Decided) -> None:
        """Decide with a model, and record its errors."""
        task, rehearsal = self._tasks
        families = recipe(name).families
        if not families:
            every, odd = task.errors(self._score_plain(name))
        else:
            learnt = [one for family in families for one in self._learn(family)]
            labels, here, before = zip(self._weigh_contexts(), *learnt, strict=True)
            # Weights from the rehearsal, decisions in the task.
            weights = combine(np.stack(before, axis=1), rehearsal.right)
            every, odd = task.judge(np.stack(here, axis=1) @ weights)
            if weights.any():
                row.heaviest.append(labels[int(weights.argmax())])
        row.every.append(every)
        row.exceptional.append(odd)

    def run_sizes(self, name: str, sizes: Sequence[int], rows: Sequence[Decided]) -> None:
        """Decide by the classes of a clusterer alone, for each size, and record the errors."""
        task = self._tasks[0]
        for classes, row in zip(
            learn_sizes(name, task.train, self._seed, sizes), rows, strict=True
        ):
            every, odd = task.errors(classes.rows(slice(None), task.band))
            row.every.append(every)
            row.exceptional.append(odd)
            row.heaviest.append(f"{name} {classes.parts[0].n_clusters}")

    def _score_plain(self, name: str) -> Floats:
        """Return the scores of a model without classes."""
        task = self._tasks[0]
        if name == "unigram":
            return np.broadcast_to(
                unigram(task.train)[task.band], (task.train.shape[0], task.band.size)
            )
        model = ClassModel(name, random_state=self._seed).fit(task.train)
        return model.proba_rows(np.arange(task.train.shape[0]))[:, task.band]

    def _weigh_contexts(self) -> tuple[str, Floats, Floats]:
        """Return the margins of the unigram, in the form of `_learn`."""
        logs = [np.log(unigram(one.train)[one.band]) for one in self._tasks]
        here, before = (
            log[one.context] - log[one.rival] for log, one in zip(logs, self._tasks, strict=True)
        )
        return "unigram", here, before

    def _learn(self, family: str) -> list[tuple[str, Floats, Floats]]:
        """Return for each of the family's classes a label and log-margins in task and rehearsal."""
        if family not in self._known:
            task, rehearsal = self._tasks
            found = [learn_family(family, one.train, self._seed) for one in self._tasks]
            # Sizes that one of the tables does not reach are omitted in both.
            self._known[family] = [
                (
                    one.name,
                    task.margins(_take_logs(one, task.band)),
                    rehearsal.margins(_take_logs(other, rehearsal.band)),
                )
                for types in (False, True)
                for one, other in zip(
                    *([one for one in learnt if one.types == types] for learnt in found),
                    strict=False,
                )
            ]
        return self._known[family]


def _take_logs(classes: ClassCounts, band: Array) -> Floats:
    """Return ln p(v|n) of all words and the contexts of the band."""
    return np.log(np.maximum(classes.rows(slice(None), band), FLOOR))


def combine(margins: Floats, right: Array) -> Floats:
    """Fit non-negative weights with which the margins decide best by logistic loss."""
    # Margins in favour of the right answer: the loss is Σ ln(1 + exp(−w·margin)).
    signed = np.where(right, 1.0, -1.0)[:, None] * margins
    start = np.full(signed.shape[1], 1 / signed.shape[1])

    def loss(weights: Floats) -> tuple[float, Floats]:
        won, off = signed @ weights, weights - start
        push = 1 / (1 + np.exp(np.clip(won, -500, 500)))
        value = float(np.logaddexp(0.0, -won).mean()) + RIDGE * float(off @ off)
        return value, -(push @ signed) / won.size + 2 * RIDGE * off

    bounds = [(0.0, None)] * start.size
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)
