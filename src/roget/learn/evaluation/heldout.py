"""Compare models on held-out tokens and words, over several splits.

`trial` evaluates the classes of a new thesaurus. It learns them again from 90 % of the tokens, with
the same number of clusters and the same β. This takes about as long as the first clustering, apart
from the search for the number of clusters.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.intervals import Interval, interval
from roget.core.options import choose, with_options
from roget.core.progress import Progress, Report
from roget.core.types import Floats
from roget.errors import InputError
from roget.learn.classmodel import ClassModel
from roget.learn.classmodel.classes import ClassCounts
from roget.learn.classmodel.recipes import recipe
from roget.learn.clustering.inputs import align_contexts
from roget.learn.clustering.tokens import backoff as back_off
from roget.learn.clustering.tokens import interpolate, tabulate_tokens
from roget.learn.evaluation.options import HeldoutOptions

PEER = "kneser-ney"
PARTS = ("train", "test", "new")
SHARES = (0.8, 0.1)
"""Fractions of training and development tokens. The remaining tokens are test tokens."""

KEPT = 0.9
"""Fraction of the tokens that `trial` uses for learning."""

LEAST = 100
"""Minimum number of held-out tokens. If there are fewer, `trial` returns None."""


@dataclass(frozen=True)
class Heldout:
    """Losses of one model in nats, one for each split.

    loss: mean −ln p(v|n) per token, for training tokens, test tokens, and tokens of new words.
    entropy: relative entropy KL(empirical distribution ‖ model), averaged over words as in the
        paper.
    """

    model: str
    loss: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})
    entropy: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})

    def mean(self, what: str, part: str) -> Interval:
        """Return the mean "loss" or "entropy" over splits, for one part of the data."""
        values: dict[str, list[float]] = getattr(self, what)
        return interval(values[part])

    def below(self, other: Heldout) -> Interval:
        """Return the test loss of the other model minus that of this model (mean over splits)."""
        pairs = zip(other.loss["test"], self.loss["test"], strict=True)
        return interval([theirs - mine for theirs, mine in pairs])


@dataclass(frozen=True)
class HeldoutComparison:
    """Losses of all models, and the size of the data. Token counts are means over splits."""

    rows: list[Heldout]
    words: int
    contexts: int
    new_words: int
    tokens: dict[str, float]
    splits: int
    seed: int
    backoff: str

    @property
    def peer(self) -> Heldout | None:
        """Results of the Kneser–Ney model, the reference for all other models."""
        return next((row for row in self.rows if row.model == PEER), None)


@with_options(HeldoutOptions)
def compare(
    counts: Counts,
    models: Sequence[str] = HeldoutOptions.models,
    *,
    progress: Report | None = None,
    **options: Any,
) -> HeldoutComparison:
    """Compare models by their losses on held-out tokens of frequent words and of new words.

    In each split, 80 % of the tokens are for training, 10 % for tuning weights and discounts, and
    10 % for testing. New words are the next `top` words by frequency, which are not used for
    training. For these, 80 % of the tokens are known, and the other 20 % are predicted.
    """
    request = HeldoutOptions(models=models, **choose(HeldoutOptions, options))
    top, splits, backoff = request.top, request.splits, request.backoff
    if not models:
        raise InputError("no models to compare; pass at least one", code="missing-option")
    names = list(dict.fromkeys(models))
    # Always include Kneser–Ney, with which all other models are compared.
    names = names if PEER in names else [PEER, *names]
    chosen = counts.top(top)
    if chosen.total < 10:
        raise InputError(f"{chosen.total} tokens are too few to split", code="too-little-text")
    # The new words are the most frequent words outside the `top` words.
    others = None
    if len(counts) > top:
        ranked = counts.ranked()
        others = ranked.select(ranked.words[top : 2 * top].tolist())
    rows = {name: Heldout(name) for name in names}
    tokens = dict.fromkeys(("train", "dev", "test", "new"), 0.0)
    for number in range(splits):
        seed = request.random_state + number
        split = TokenSplit.draw(chosen, others, seed)
        learnt: dict[str, list[ClassCounts]] = {}
        for place, name in enumerate(names):
            # The requested backoff applies only to models with classes.
            way = backoff if recipe(name).families else "auto"
            model = ClassModel(name, backoff=way, random_state=seed)
            model.fit(split.train, dev=split.dev, learnt=learnt)
            split.measure(model, rows[name])
            if progress is not None:
                progress(Progress(number * len(names) + place + 1, splits * len(names)))
        for part in tokens:
            held = getattr(split, part)
            tokens[part] += 0.0 if held is None else float(held.sum()) / splits
    new = 0 if others is None else len(others)
    return HeldoutComparison(
        list(rows.values()), *chosen.shape, new, tokens, splits, request.random_state, backoff
    )


@dataclass(frozen=True, eq=False)
class TokenSplit:
    """A split into training, development and test tokens, plus the tokens of new words."""

    train: Any
    dev: Any
    test: Any
    known: Any | None
    new: Any | None

    @classmethod
    def draw(cls, counts: Counts, others: Counts | None, seed: int) -> TokenSplit:
        """Split the tokens at random into training, development and test tokens."""
        train, dev, test = (
            sparse.csr_array(part.matrix, dtype=np.float64)
            for part in counts.split(*SHARES, random_state=seed)
        )
        if others is None:
            return cls(train, dev, test, None, None)
        known, new = (
            align_contexts(part, counts.contexts)
            for part in others.split(SHARES[0], random_state=seed)
        )
        return cls(train, dev, test, known, new)

    def measure(self, model: ClassModel, row: Heldout) -> None:
        """Compute the losses of a fitted model on this split, and add them to its results."""
        # Predict new words from their known tokens.
        found = {"train": model.log_proba(self.train), "test": model.log_proba(self.test)}
        if self.new is not None:
            found["new"] = model.log_proba(self.new, given=self.known)
        for part in PARTS:
            loss, entropy = measure_losses(*found[part]) if part in found else (np.nan, np.nan)
            row.loss[part].append(loss)
            row.entropy[part].append(entropy)


def measure_losses(tokens: Any, logs: Floats) -> tuple[float, float]:
    """Return the mean −ln p(v|n) per token, and KL(empirical ‖ model) averaged over words."""
    totals = np.asarray(tokens.sum(axis=1), dtype=np.float64).ravel()
    if not totals.sum() > 0:
        return float("nan"), float("nan")
    # KL(p_n ‖ model) = Σ_v p_n(v)·[ln p_n(v) − ln p(v|n)] for each word.
    rows = tokens.coords[0]
    own = tokens.data / totals[rows]
    per_word = np.bincount(rows, own * (np.log(own) - logs), minlength=totals.size)
    loss = -float(np.sum(tokens.data * logs)) / float(totals.sum())
    return loss, float(per_word[totals > 0].mean())


class SecondRun(NamedTuple):
    """A model learnt again from 90 % of the tokens, with its training and held-out tokens."""

    model: Any
    train: Counts
    held: Counts


def run_again(
    counts: Counts, model: Any, seed: int | None, report: Report | None = None
) -> SecondRun | None:
    """Learn the classes again from 90 % of the tokens, with the same number of clusters and β.

    Return None if counts are fractional or too few, or if the run was interrupted. `report` is
    called like the clusterer's `progress`, with an additional key "trial".
    """
    if counts.matrix.dtype.kind != "i":
        return None
    train, held = counts.split(KEPT, random_state=seed)
    if held.total < LEAST:
        return None
    progress = report and (lambda now: report(replace(now, facts={**now.facts, "trial": True})))
    again = model.renew(progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again.fit(train)
    return None if again.interrupted_ else SecondRun(again, train, held)


def trial(
    counts: Counts, model: Any, seed: int | None, report: Report | None = None
) -> dict[str, float] | None:
    """Learn the classes again from 90 % of the tokens, and return the bits per held-out token.

    Return None if this is not possible (see `run_again`).
    """
    second = run_again(counts, model, seed, report)
    return None if second is None else predict_held(second)


def predict_held(second: SecondRun) -> dict[str, float]:
    """Return the bits per held-out token for four models: unigram, class, word, and both.

    The models "word" and "class" back off to the unigram distribution. The model "both" backs off
    from the word to its classes first.
    """
    again, train, held = second
    tokens = tabulate_tokens(train.matrix, held.matrix)
    classes = tokens.predict(again.membership_, again.centroids_)
    predicted = {
        "all": tokens.unigram,
        "class": interpolate(tokens, classes),
        "word": back_off(tokens),
        "both": back_off(tokens, classes),
    }
    losses = {name: bits(tokens.loss(values)) for name, values in predicted.items()}
    return {"tokens": float(held.total), **losses}
