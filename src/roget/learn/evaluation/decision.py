"""The verb decision task of Pereira, Tishby & Lee (1993): decide which of two verbs takes a noun.

Pairs of a verb and a noun are sampled, and all their tokens are deleted from the table. A model
trained on the rest decides whether a noun is more likely the object of the deleted verb or of a
rival verb. The correct verb is the one that occurs more often with the noun in the full table.

The paper sampled 104 pairs, with verbs that had 500 to 5000 of the 756,721 tokens. Here verbs have
the same relative frequencies, and the rivals are all other verbs in this frequency band. Pairs have
at least three tokens, because the correct answer would depend on chance otherwise.
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
"""Minimum number of occurrences of a pair to be sampled."""
BAND = 500 / 756_721, 5000 / 756_721
"""Frequency band of contexts, as fractions of all tokens. The values are from the paper."""

FLOOR = 1e-9
"""Lower bound that is applied to probabilities before taking logarithms."""
RIDGE = 1e-3
"""Ridge penalty on weights. It gives similar weights to nearly identical predictors."""


@dataclass(frozen=True, eq=False)
class DecisionTask:
    """Test items: a word, a context that was deleted from its counts, and a rival context.

    `context` and `rival` are indices into `band`.
    """

    train: Any
    band: Array
    """Columns of the contexts in the frequency band."""
    word: Array
    context: Array
    rival: Array
    right: Array
    """True if the word occurs more often with the context than with the rival in the full table."""
    exceptional: Array
    """True if the word prefers the context that is less frequent overall."""

    @classmethod
    def draw(
        cls,
        matrix: Any,
        random_state: Any,
        pairs: int = DecideOptions.pairs,
        least: int = LEAST,
        purpose: str = "test",
    ) -> DecisionTask:
        """Sample (word, context) pairs, delete them from the counts, and add rival contexts.

        Rivals with the same count as the context are omitted. `purpose` is used in the error
        message if there are no pairs.
        """
        whole = sparse.csr_array(matrix, dtype=np.float64)
        totals = np.asarray(whole.sum(axis=0)).ravel()
        # 1. Find the contexts in the frequency band, and the pairs that may be sampled.
        low, high = (share * totals.sum() for share in BAND)
        band = np.flatnonzero((totals >= low) & (totals <= high))
        part = whole[:, band].toarray()
        words, at = np.nonzero(part >= least)
        if not words.size or band.size < 2:
            raise InputError(
                f"no pairs to sample for the {purpose}: at least 2 contexts with {low:,.6g} to "
                f"{high:,.6g} tokens are needed (found {band.size}), and words with at least "
                f"{least} tokens in one of them",
                code="too-little-text",
            )
        rng = np.random.default_rng(random_state)
        # 2. Delete the sampled pairs.
        drawn = rng.choice(words.size, min(pairs, words.size), replace=False)
        removed = np.zeros(part.shape, dtype=bool)
        removed[words[drawn], at[drawn]] = True
        # 3. Pair each sampled context with every rival that was not deleted and has a different
        # count.
        word, context = np.repeat(words[drawn], band.size), np.repeat(at[drawn], band.size)
        rival = np.tile(np.arange(band.size), drawn.size)
        ask = ~removed[word, rival] & (part[word, context] != part[word, rival])
        word, context, rival = word[ask], context[ask], rival[ask]
        right = part[word, context] > part[word, rival]
        # A test item is exceptional if the word prefers the context that is less frequent overall.
        more = totals[band[context]] - totals[band[rival]]
        exceptional = (more != 0) & (right != (more > 0))
        deleted = sparse.coo_array(removed)
        reduced = sparse.lil_array(whole)
        reduced[deleted.row, band[deleted.col]] = 0
        train = sparse.csr_array(reduced)
        train.eliminate_zeros()
        return cls(train, band, word, context, rival, right, exceptional)

    def errors(self, scores: Floats) -> tuple[float, float]:
        """Return the error rates on all test items and on the exceptional test items.

        A tie counts as half an error.
        """
        return self.judge(self.margins(scores))

    def margins(self, scores: Floats) -> Floats:
        """Return the score of the context minus the score of the rival for each test item.

        `scores` has the shape (words, contexts in the band).
        """
        return np.asarray(scores[self.word, self.context] - scores[self.word, self.rival])

    def judge(self, margins: Floats) -> tuple[float, float]:
        """Return the error rates of decisions by the sign of each margin."""
        wrong = np.where(margins == 0, 0.5, (margins > 0) != self.right)
        odd = wrong[self.exceptional]
        return float(wrong.mean()), float(odd.mean()) if odd.size else float("nan")


@dataclass(frozen=True)
class Decided:
    """Error rates of one model, one per random draw of test pairs."""

    model: str
    every: list[float] = field(default_factory=list)
    exceptional: list[float] = field(default_factory=list)
    heaviest: list[str] = field(default_factory=list)
    """For each draw, the set of classes that share the largest weight."""

    def means(self) -> tuple[Interval, Interval]:
        """Return the mean error rates over draws."""
        return interval(self.every), interval(self.exceptional)

    @property
    def chosen(self) -> str | None:
        """The set of classes that has the largest weight in most draws."""
        return Counter(self.heaviest).most_common(1)[0][0] if self.heaviest else None


@dataclass(frozen=True)
class Decisions:
    """Error rates of all models. Numbers of test items are means over random draws."""

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
    """Measure the error rates of models that decide which of two contexts a word prefers.

    Models combine classes of several kinds and sizes. Their weights are fitted to other pairs,
    which are also deleted from the training table. If `clusters` is passed, a model of one
    clusterer decides by a single clustering, as in the paper. The result then has a row for each
    number of clusters.
    """
    request = DecideOptions(models=models, **choose(DecideOptions, options))
    draws, names = request.draws, list(dict.fromkeys(models))
    if not names:
        raise InputError("no models; pass at least one", code="missing-option")
    chosen = counts.top(request.top)
    sizes = list(dict.fromkeys(request.clusters or ()))
    rows = {
        name: [Decided(f"{name} {size}") for size in sizes]
        if _is_sized(name, sizes)
        else [Decided(name)]
        for name in names
    }
    triples, odd, pairs = 0.0, 0.0, 0
    for number in range(draws):
        seed = request.random_state + number
        task = DecisionTask.draw(chosen.matrix, [seed, 0], request.pairs)
        # Delete further pairs, and fit the weights of the classes to them (the rehearsal).
        rehearsal = DecisionTask.draw(task.train, [seed, 1], request.pairs, purpose="rehearsal")
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
    results = [row for some in rows.values() for row in some]
    return Decisions(results, *chosen.shape, pairs, triples, odd, draws, request.random_state)


def _is_sized(name: str, sizes: Sequence[int]) -> bool:
    """Return True if the option `sizes` applies to a model, i.e. if it uses a single clusterer."""
    return bool(sizes) and name not in RECIPES


class DecisionStage:
    """One random draw of test pairs, with the classes learnt for it.

    All models share the classes. Their weights are fitted to a second draw, the rehearsal.
    """

    def __init__(self, task: DecisionTask, rehearsal: DecisionTask, seed: int) -> None:
        self._tasks, self._seed = (task, rehearsal), seed
        self._known: dict[str, list[tuple[str, Floats, Floats]]] = {}

    def run(self, name: str, row: Decided) -> None:
        """Test a model, and record its error rates in the results."""
        task, rehearsal = self._tasks
        families = recipe(name).families
        if not families:
            every, odd = task.errors(self._score_plain(name))
        else:
            learnt = [one for family in families for one in self._learn(family)]
            labels, here, before = zip(self._weigh_contexts(), *learnt, strict=True)
            # Fit the weights to the rehearsal, then decide the test items.
            weights = combine(np.stack(before, axis=1), rehearsal.right)
            every, odd = task.judge(np.stack(here, axis=1) @ weights)
            if weights.any():
                row.heaviest.append(labels[int(weights.argmax())])
        row.every.append(every)
        row.exceptional.append(odd)

    def run_sizes(self, name: str, sizes: Sequence[int], rows: Sequence[Decided]) -> None:
        """Decide by the classes of one clusterer, and record the error rates for each number of
        classes.
        """
        task = self._tasks[0]
        for classes, row in zip(
            learn_sizes(name, task.train, self._seed, sizes), rows, strict=True
        ):
            every, odd = task.errors(classes.rows(slice(None), task.band))
            row.every.append(every)
            row.exceptional.append(odd)
            row.heaviest.append(f"{name} {classes.parts[0].n_clusters}")

    def _score_plain(self, name: str) -> Floats:
        """Return the scores of a model without classes for all contexts in the frequency band."""
        task = self._tasks[0]
        if name == "unigram":
            return np.broadcast_to(
                unigram(task.train)[task.band], (task.train.shape[0], task.band.size)
            )
        model = ClassModel(name, random_state=self._seed).fit(task.train)
        return model.proba_rows(np.arange(task.train.shape[0]))[:, task.band]

    def _weigh_contexts(self) -> tuple[str, Floats, Floats]:
        """Return the name and the margins of the unigram model, in the format of `_learn`."""
        logs = [np.log(unigram(one.train)[one.band]) for one in self._tasks]
        here, before = (
            log[one.context] - log[one.rival] for log, one in zip(logs, self._tasks, strict=True)
        )
        return "unigram", here, before

    def _learn(self, family: str) -> list[tuple[str, Floats, Floats]]:
        """Return the name and log margins for each number of classes in a model family.

        The two arrays of margins are for the test items and for the rehearsal.
        """
        if family not in self._known:
            task, rehearsal = self._tasks
            found = [learn_family(family, one.train, self._seed) for one in self._tasks]
            # Skip numbers of classes that are too large for one of the two tables.
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
    """Return ln p(v|n) for all words n and all contexts v in the frequency band."""
    return np.log(np.maximum(classes.rows(slice(None), band), FLOOR))


def combine(margins: Floats, right: Array) -> Floats:
    """Fit non-negative weights for the margins by logistic regression."""
    # Margins in favour of the correct context are positive. The loss is the mean of ln(1 +
    # exp(−w·margin)).
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
