"""The best model: likeness, other text and tendencies, weighed by logistic regression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit

from roget.core.folder import Schema, need_arrays, need_range, put_under, take_under
from roget.core.quadruple import Quadruple
from roget.core.types import BoolArray, Floats, Ints
from roget.learn.attachment.machine import LARGEST, FeatureRows, Machine
from roget.learn.attachment.quads import Forms, LemmatisedQuadruple, check_answers, read_forms
from roget.learn.attachment.sources import Sources, Vectors, spaces
from roget.learn.attachment.statistics import (
    LOOSE_PARTS,
    TOLD,
    BackoffStage,
    QuadrupleCounts,
    SlotCounts,
    Tendencies,
    back_off,
)

Held = tuple[Floats, BoolArray]

STRENGTHS = (1.0, 10.0, 100.0)
"""How strongly weights are held to what is expected of them: those that are tried."""
FOLDS = 5
STEPS = 50
TRUST = 3.0
"""The log odds that a score of 1 is expected to be worth."""


@dataclass
class Best:
    """What `Attacher(model="best")` learns."""

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
        tell: Callable[[float, str], None],
    ) -> tuple[Self, float]:
        """Learn from answered quadruples of both answers; and the accuracy on those left out.

        Quadruples for development choose how far the weights of the evidence are held back;
        without them, those left out do.
        """
        answers = np.array(check_answers(quads))
        rng = np.random.default_rng(seed)
        tell(0.02, "vectors of words")
        forms = sources.forms()
        normal = forms.normal(quads)
        verbs, nouns = spaces(quads, normal, sources, seed)
        evidence = SlotCounts.of(sources.quads, sources.pairs)
        told = evidence.features(normal)
        scaling = np.stack([told.mean(axis=0), told.std(axis=0) + 1e-6])
        items = _items(quads, normal, (verbs, nouns, nouns), (told - scaling[0]) / scaling[1])
        tell(0.4, "likeness of quadruples")
        machine, left_out = Machine.fit(
            items, answers, rng, lambda done: tell(0.4 + 0.55 * done, "likeness of quadruples")
        )
        tell(0.97, "weights of evidence")
        features = np.column_stack(
            [left_out, items.evidence, Tendencies.crossed(normal, answers, rng)]
        )
        tally, tendencies = QuadrupleCounts.of(normal, answers), Tendencies.of(normal, answers)
        expected = np.zeros(features.shape[1] + 1)
        expected[0] = TRUST
        made = cls(forms, verbs, nouns, evidence, scaling, tally, tendencies, machine, expected)
        held = (made._features(dev), np.array(check_answers(dev))) if dev else None
        made.weights, accuracy = weigh(features, answers, expected, rng, held)
        return made, accuracy

    def probability(self, quads: Sequence[Quadruple]) -> tuple[Floats, Ints]:
        """p(N) of each quadruple, and the level of the longest part of it that was seen."""
        features = self._features(quads)
        level = back_off(self.tally.counts(self.forms.normal(quads)))[1]
        return expit(log_odds(features, self.weights)), level

    def _features(self, quads: Sequence[Quadruple]) -> Floats:
        """All evidence in one row: the machine's scores, other text, tendencies."""
        normal = self.forms.normal(quads)
        told = (self.evidence.features(normal) - self.scaling[0]) / self.scaling[1]
        items = _items(quads, normal, (self.verbs, self.nouns, self.nouns), told)
        return np.column_stack(
            [self.machine.scores(items), items.evidence, self.tendencies.features(normal)]
        )

    def table(self, quads: Any, truth: Any, right: Any, stage: Any) -> list[BackoffStage]:
        """By the longest part of a quadruple that was seen in training: the share, and how well."""
        return [BackoffStage.of(name, stage == at, right) for at, name in enumerate(self.stages)]

    def content(self) -> dict[str, Any]:
        """What is to be kept: plain values and arrays, under names of one level."""
        kept = put_under("forms", {"verbs": self.forms.verbs, "nouns": self.forms.nouns})
        kept |= put_under("weights", {"scaling": self.scaling, "weights": self.weights})
        for name in ("verbs", "nouns", "evidence", "tally", "machine", "tendencies"):
            kept |= put_under(name, getattr(self, name).content())
        return kept

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        verbs, nouns = (Vectors.read(take_under(name, kept)) for name in ("verbs", "nouns"))
        # A score, what other text tells, tendencies, and the constant.
        features = 1 + TOLD + len(LOOSE_PARTS) + 1
        schema: Schema = {
            "weights.scaling": ("f", (2, TOLD)),
            "weights.weights": ("f", (features,)),
        }
        need_arrays(kept, schema)
        for name in schema:
            need_range(name, kept[name], -LARGEST, LARGEST)
        need_range("weights.scaling", kept["weights.scaling"][1], 1e-7, LARGEST)
        machine = take_under("machine", kept)
        need_arrays(machine, {"evidence": ("f", ("items", TOLD))})
        return cls(
            read_forms(take_under("forms", kept)),
            verbs,
            nouns,
            SlotCounts.read(take_under("evidence", kept)),
            kept["weights.scaling"],
            QuadrupleCounts.read(take_under("tally", kept)),
            Tendencies.read(take_under("tendencies", kept)),
            Machine.read(machine, (verbs.table, nouns.table, nouns.table)),
            kept["weights.weights"],
        )


def _items(
    quads: Sequence[Quadruple],
    normal: Sequence[LemmatisedQuadruple],
    spaces: tuple[Vectors, Vectors, Vectors],
    told: Floats,
) -> FeatureRows:
    """Quadruples as the machine sees them."""
    raw, base = list(zip(*quads, strict=True)), list(zip(*normal, strict=True))
    found = [space.look_up(base[at], raw[at]) for space, at in zip(spaces, (0, 1, 3), strict=True)]
    return FeatureRows(
        np.column_stack([places for places, _ in found]),
        [vectors for _, vectors in found],
        np.array(base[2], dtype=object),
        told.astype(np.float32),
    )


def weigh(
    features: Floats,
    nouns: BoolArray,
    expected: Floats,
    rng: np.random.Generator,
    dev: Held | None = None,
) -> tuple[Floats, float]:
    """Weights, the constant last, and the accuracy on fifths of the data weighed by the others.

    `expected` are the weights where there is little to learn from. How strongly they are held to
    is what gives the held-out answers most probability: those for development, or else those of
    each fifth.
    """
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
    """Weights w, the constant last, by Newton's method.

    They minimise Σ −log p(answer) + ½·strength·Σ (spread·(w − expected))², spread being that of
    each feature, and 1 for the constant.
    """
    rows = np.column_stack([features, np.ones(len(nouns))])
    spread = np.append(features.std(axis=0), 1.0) if len(nouns) else np.ones(rows.shape[1])
    penalty = strength * np.maximum(spread, 1e-6) ** 2
    weights = np.array(expected, dtype=np.float64)
    for _ in range(STEPS):
        p = expit(rows @ weights)
        slope = rows.T @ (p - nouns) + penalty * (weights - expected)
        bend = (rows * (p * (1 - p))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.max(np.abs(step) * np.maximum(spread, 1e-6)) < 1e-9:
            break
    return weights


def log_odds(features: Floats, weights: Floats) -> Floats:
    """Of N, for each row of features."""
    return np.asarray(features @ weights[:-1] + weights[-1])


def loss(odds: Floats, nouns: BoolArray) -> float:
    """The mean −log probability of the answers, nats."""
    right = expit(np.where(nouns, odds, -odds))
    return -float(np.mean(np.log(np.maximum(right, 1e-300))))
