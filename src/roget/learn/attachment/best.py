"""The "best" model, a logistic regression.

Its features are similarities to training quadruples, statistics from other text, and attachment
rates of words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit

from roget.core.contents import (
    Contents,
    array,
    put_under,
    require_arrays,
    require_range,
    take_under,
)
from roget.core.quadruple import Quadruple
from roget.core.types import BoolArray, Floats, Ints
from roget.learn.attachment.machine import LARGEST, FeatureRows, Machine
from roget.learn.attachment.quads import Forms, LemmatisedQuadruple, check_answers, read_forms
from roget.learn.attachment.sources import Sources, Vectors, spaces
from roget.learn.attachment.statistics import (
    LOOSE_PARTS,
    OUTSIDE,
    BackoffStage,
    QuadrupleCounts,
    SlotCounts,
    Tendencies,
    back_off,
)

Held = tuple[Floats, BoolArray]

STRENGTHS = (1.0, 10.0, 100.0)
"""Regularisation strengths to try. Each pulls the weights towards their prior values."""
FOLDS = 5
STEPS = 50
"""Maximum number of Newton iterations."""
TRUST = 3.0
"""Prior weight of the kernel machine's score. A score of 1 adds this much to the log odds of N."""


@dataclass(frozen=True)
class StoredWeights(Contents):
    """The weights of all features, and the scaling of the features computed from other text."""

    scaling: Floats = array("f", 2, OUTSIDE, low=-LARGEST, below=LARGEST)
    """Means and standard deviations of the features from other text."""
    # One weight per feature, in the order of `Best._features`, and the intercept.
    weights: Floats = array("f", 1 + OUTSIDE + len(LOOSE_PARTS) + 1, low=-LARGEST, below=LARGEST)


@dataclass
class Best:
    """The model used by `Attacher(model="best")`.

    It combines the score of a kernel machine that compares words by similarity, statistics from
    text other than the training quadruples, and the attachment rates of words.
    """

    forms: Forms
    verbs: Vectors
    nouns: Vectors
    evidence: SlotCounts
    scaling: Floats
    tally: QuadrupleCounts
    tendencies: Tendencies
    machine: Machine
    weights: Floats

    stages = QuadrupleCounts.stages

    @classmethod
    def fit(
        cls,
        quads: Sequence[Quadruple],
        sources: Sources,
        seed: int,
        dev: Sequence[Quadruple] | None,
        report: Callable[[float, str], None],
    ) -> tuple[Self, float]:
        """Learn from labelled quadruples, and return the model with its cross-validated accuracy.

        The regularisation strength is chosen on the development quadruples if there are any, and
        by cross-validation otherwise.
        """
        answers = np.array(check_answers(quads))
        rng = np.random.default_rng(seed)
        report(0.02, "vectors of words")
        forms = sources.forms()
        normal = forms.normal(quads)
        # 1. Compute word vectors, and standardised features from other text.
        verbs, nouns = spaces(quads, normal, sources, seed)
        evidence = SlotCounts.from_sources(sources.quads, sources.pairs)
        outside = evidence.features(normal)
        scaling = np.stack([outside.mean(axis=0), outside.std(axis=0) + 1e-6])
        items = _items(quads, normal, (verbs, nouns, nouns), (outside - scaling[0]) / scaling[1])
        # 2. Fit the kernel machine. Its leave-one-out scores become a feature.
        report(0.4, "similarity of quadruples")
        machine, left_out = Machine.fit(
            items, answers, rng, lambda done: report(0.4 + 0.55 * done, "similarity of quadruples")
        )
        report(0.97, "weights of evidence")
        features = np.column_stack(
            [left_out, items.evidence, Tendencies.cross_fit(normal, answers, rng)]
        )
        tally = QuadrupleCounts.from_quadruples(normal, answers)
        tendencies = Tendencies.from_quadruples(normal, answers)
        # 3. Fit a logistic regression, regularised towards using the kernel machine alone.
        expected = np.zeros(features.shape[1] + 1)
        expected[0] = TRUST
        made = cls(forms, verbs, nouns, evidence, scaling, tally, tendencies, machine, expected)
        held = (made._features(dev), np.array(check_answers(dev))) if dev else None
        made.weights, accuracy = weigh(features, answers, expected, rng, held)
        return made, accuracy

    def probability(self, quads: Sequence[Quadruple]) -> tuple[Floats, Ints]:
        """Return p(N) for each quadruple, and a back-off level.

        The level shows how much of the quadruple occurs in the training data: all of it, a triple,
        a pair, or nothing. `QuadrupleCounts.stages` lists the names.
        """
        features = self._features(quads)
        level = back_off(self.tally.counts(self.forms.normal(quads)))[1]
        return expit(log_odds(features, self.weights)), level

    def _features(self, quads: Sequence[Quadruple]) -> Floats:
        normal = self.forms.normal(quads)
        outside = (self.evidence.features(normal) - self.scaling[0]) / self.scaling[1]
        items = _items(quads, normal, (self.verbs, self.nouns, self.nouns), outside)
        return np.column_stack(
            [self.machine.scores(items), items.evidence, self.tendencies.features(normal)]
        )

    def table(self, quads: Any, truth: Any, right: Any, stage: Any) -> list[BackoffStage]:
        """Return coverage and accuracy for each back-off level of `probability`."""
        stages = enumerate(self.stages)
        return [BackoffStage.measure(name, stage == at, right) for at, name in stages]

    def content(self) -> dict[str, Any]:
        """Return JSON values and arrays for the model folder, keyed by name."""
        kept = put_under("forms", {"verbs": self.forms.verbs, "nouns": self.forms.nouns})
        kept |= put_under("weights", {"scaling": self.scaling, "weights": self.weights})
        for name in ("verbs", "nouns", "evidence", "tally", "machine", "tendencies"):
            kept |= put_under(name, getattr(self, name).content())
        return kept

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Restore the model from stored values."""
        verbs, nouns = (Vectors.read(take_under(name, kept)) for name in ("verbs", "nouns"))
        weights = StoredWeights.read(take_under("weights", kept))
        require_range("weights.scaling", weights.scaling[1], 1e-7, LARGEST)
        machine = take_under("machine", kept)
        require_arrays(machine, {"evidence": ("f", ("items", OUTSIDE))})
        return cls(
            read_forms(take_under("forms", kept)),
            verbs,
            nouns,
            SlotCounts.read(take_under("evidence", kept)),
            weights.scaling,
            QuadrupleCounts.read(take_under("tally", kept)),
            Tendencies.read(take_under("tendencies", kept)),
            Machine.read(machine, (verbs.table, nouns.table, nouns.table)),
            weights.weights,
        )


def _items(
    quads: Sequence[Quadruple],
    normal: Sequence[LemmatisedQuadruple],
    spaces: tuple[Vectors, Vectors, Vectors],
    outside: Floats,
) -> FeatureRows:
    """Convert quadruples to the input of a kernel machine."""
    raw, base = list(zip(*quads, strict=True)), list(zip(*normal, strict=True))
    found = [space.look_up(base[at], raw[at]) for space, at in zip(spaces, (0, 1, 3), strict=True)]
    return FeatureRows(
        np.column_stack([places for places, _ in found]),
        [vectors for _, vectors in found],
        np.array(base[2], dtype=object),
        outside.astype(np.float32),
    )


def weigh(
    features: Floats,
    nouns: BoolArray,
    expected: Floats,
    rng: np.random.Generator,
    dev: Held | None = None,
) -> tuple[Floats, float]:
    """Return the weights (intercept last) and the accuracy from five-fold cross-validation.

    The weights are regularised towards the prior weights `expected`. The strength is chosen to
    maximise the likelihood of `dev`, or of the held-out folds if `dev` is None.
    """
    # Use the same folds for all strengths, so their losses are comparable.
    fold = rng.permutation(len(nouns)) % FOLDS
    tried = []
    for strength in STRENGTHS:
        left = np.zeros(len(nouns))
        for at in range(FOLDS):
            inside, outside = fold == at, fold != at
            weights = regress(features[outside], nouns[outside], expected, strength)
            left[inside] = log_odds(features[inside], weights)
        weights = regress(features, nouns, expected, strength)
        score = loss(left, nouns) if dev is None else loss(log_odds(dev[0], weights), dev[1])
        tried.append((score, weights, float(np.mean((left > 0) == nouns))))
    _, weights, accuracy = min(tried, key=lambda one: one[0])
    return weights, accuracy


def regress(features: Floats, nouns: BoolArray, expected: Floats, strength: float) -> Floats:
    """Fit the weights w by Newton's method. The intercept is the last element.

    Minimise Σ −ln p(label) + ½·strength·Σ (spread·(w − expected))², where `spread` is the standard
    deviation of each feature, and 1 for the intercept.
    """
    rows = np.column_stack([features, np.ones(len(nouns))])
    spread = np.append(features.std(axis=0), 1.0) if len(nouns) else np.ones(rows.shape[1])
    # Scale the penalty of each weight by the variance of the corresponding feature.
    penalty = strength * np.maximum(spread, 1e-6) ** 2
    weights = np.array(expected, dtype=np.float64)
    for _ in range(STEPS):
        p = expit(rows @ weights)
        # Take one Newton step with the gradient and the Hessian of the penalised loss.
        gradient = rows.T @ (p - nouns) + penalty * (weights - expected)
        hessian = (rows * (p * (1 - p))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.max(np.abs(step) * np.maximum(spread, 1e-6)) < 1e-9:
            break
    return weights


def log_odds(features: Floats, weights: Floats) -> Floats:
    """Return the log odds of N for each row of features."""
    return np.asarray(features @ weights[:-1] + weights[-1])


def loss(odds: Floats, nouns: BoolArray) -> float:
    """Return the log loss: the mean −ln p(label)."""
    right = expit(np.where(nouns, odds, -odds))
    return -float(np.mean(np.log(np.maximum(right, 1e-300))))
