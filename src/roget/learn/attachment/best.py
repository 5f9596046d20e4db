"""The best model: likeness, other text and tendencies, weighed by logistic regression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from roget.core.quadruple import Quadruple
from roget.learn.attachment.evidence import Evidence, sigmoid
from roget.learn.attachment.machine import Block, Items, Machine
from roget.learn.attachment.quads import NOUN
from roget.learn.attachment.spaces import Sources, spaces
from roget.learn.attachment.tally import STAGES, Tally, back_off
from roget.learn.attachment.tendency import Tendencies, crossed
from roget.learn.attachment.vectors import Vectors
from roget.learn.attachment.weighing import log_odds, weighed
from roget.learn.attachment.words import Forms, Normal

if TYPE_CHECKING:
    Progress = Callable[[float, str], None]

Floats = npt.NDArray[np.float64]
Row = tuple[str, float, float | None]


TRUST = 3.0
"""The log odds that a score of 1 is expected to be worth."""


class Best:
    """What `Attacher(model="best")` learns."""

    stages = STAGES

    def __init__(
        self,
        forms: Forms,
        verbs: Vectors,
        nouns: Vectors,
        evidence: Evidence,
        scaling: Floats,
        tally: Tally,
        tendencies: Tendencies,
        machine: Machine,
        weights: Floats,
    ) -> None:
        self.forms, self.verbs, self.nouns = forms, verbs, nouns
        self.evidence, self.scaling, self.tally = evidence, scaling, tally
        self.tendencies, self.machine, self.weights = tendencies, machine, weights

    @classmethod
    def fit(
        cls,
        quads: Sequence[Quadruple],
        sources: Sources,
        seed: int,
        dev: Sequence[Quadruple] | None = None,
        progress: Progress | None = None,
    ) -> tuple[Self, float]:
        """Learn from answered quadruples of both answers; and the accuracy on those left out.

        Quadruples for development choose how far the weights of the evidence are held back;
        without them, those left out do.
        """
        tell = progress or (lambda done, what: None)
        answers = np.array([one.attachment == NOUN for one in quads])
        rng = np.random.default_rng(seed)
        tell(0.02, "vectors of words")
        forms = sources.forms()
        normal = forms.normal(quads)
        verbs, nouns = spaces(quads, normal, sources, seed)
        evidence = Evidence.of(sources.quads, sources.pairs)
        told = evidence.features(normal)
        scaling = np.stack([told.mean(axis=0), told.std(axis=0) + 1e-6])
        items = _items(quads, normal, (verbs, nouns, nouns), (told - scaling[0]) / scaling[1])
        tell(0.4, "likeness of quadruples")
        machine, left_out = Machine.fit(
            items, answers, rng, lambda done: tell(0.4 + 0.55 * done, "likeness of quadruples")
        )
        tell(0.97, "weights of evidence")
        features = np.column_stack([left_out, items.evidence, crossed(normal, answers, rng)])
        tally, tendencies = Tally.of(normal, answers), Tendencies.of(normal, answers)
        expected = np.zeros(features.shape[1] + 1)
        expected[0] = TRUST
        made = cls(forms, verbs, nouns, evidence, scaling, tally, tendencies, machine, expected)
        held = made._held(dev) if dev else None
        made.weights, accuracy = weighed(features, answers, expected, rng, held)
        return made, accuracy

    def probability(self, quads: Sequence[Quadruple]) -> tuple[Floats, npt.NDArray[np.int64]]:
        """p(N) of each quadruple, and the level of the longest part of it that was seen."""
        features = self._features(quads)
        level = back_off(self.tally.counts(self.forms.normal(quads)))[1]
        return sigmoid(log_odds(features, self.weights)), level

    def _features(self, quads: Sequence[Quadruple]) -> Floats:
        """All evidence in one row: the machine's scores, other text, tendencies."""
        normal = self.forms.normal(quads)
        told = (self.evidence.features(normal) - self.scaling[0]) / self.scaling[1]
        items = _items(quads, normal, (self.verbs, self.nouns, self.nouns), told)
        return np.column_stack(
            [self.machine.scores(items), items.evidence, self.tendencies.features(normal)]
        )

    def _held(self, dev: Sequence[Quadruple]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        return self._features(dev), np.array([one.attachment == NOUN for one in dev])

    def table(self, quads: Sequence[Quadruple], truth: Any, right: Any, stage: Any) -> list[Row]:
        """By the longest part of a quadruple that was seen in training: the share, and how well."""
        rows: list[Row] = []
        for at, name in enumerate(self.stages):
            here = stage == at
            rows.append(
                (name, float(here.mean()), float(right[here].mean()) if here.any() else None)
            )
        return rows

    def content(self) -> dict[str, Any]:
        """What is to be kept: plain values and arrays, under names of one level."""
        machine = self.machine
        names = list(machine.blocks)
        parts = {
            "forms": {"verbs": self.forms.verbs, "nouns": self.forms.nouns},
            "verbs": self.verbs.content(),
            "nouns": self.nouns.content(),
            "evidence": self.evidence.content(),
            "tally": self.tally.content(),
            "machine": {
                "words": machine.items.words.astype(np.int32),
                "evidence": machine.items.evidence,
                "prepositions": machine.items.prepositions.tolist(),
                "blocks": names,
                "means": np.array([machine.blocks[name].mean for name in names]),
                "sizes": np.array([machine.blocks[name].rows.size for name in names]),
                "rows": np.concatenate([machine.blocks[name].rows for name in names]),
                "weights": np.concatenate([machine.blocks[name].weights for name in names]),
            },
            "tendencies": self.tendencies.content(),
            "weights": {"scaling": self.scaling, "weights": self.weights},
        }
        return {
            f"{part}.{name}": value for part, own in parts.items() for name, value in own.items()
        }

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        parts: dict[str, dict[str, Any]] = {}
        for key, value in kept.items():
            part, _, name = key.partition(".")
            parts.setdefault(part, {})[name] = value
        verbs, nouns = (Vectors.read(parts[part]) for part in ("verbs", "nouns"))
        own = parts["machine"]
        words = own["words"].astype(np.int64)
        items = Items(
            words,
            (verbs.table[words[:, 0]], nouns.table[words[:, 1]], nouns.table[words[:, 2]]),
            np.array(own["prepositions"], dtype=object),
            own["evidence"],
        )
        ends = np.cumsum(own["sizes"])
        blocks = {
            name: Block(own["rows"][begin:end], float(mean), own["weights"][begin:end])
            for name, mean, begin, end in zip(
                own["blocks"], own["means"], ends - own["sizes"], ends, strict=True
            )
        }
        return cls(
            Forms(**parts["forms"]),
            verbs,
            nouns,
            Evidence.read(parts["evidence"]),
            parts["weights"]["scaling"],
            Tally(parts["tally"]["keys"], parts["tally"]["seen"]),
            Tendencies.read(parts["tendencies"]),
            Machine(items, blocks),
            parts["weights"]["weights"],
        )


def _items(
    quads: Sequence[Quadruple],
    normal: Sequence[Normal],
    spaces: tuple[Vectors, Vectors, Vectors],
    told: Floats,
) -> Items:
    """Quadruples as the machine sees them."""
    raw, base = list(zip(*quads, strict=True)), list(zip(*normal, strict=True))
    found = [space.look_up(base[at], raw[at]) for space, at in zip(spaces, (0, 1, 3), strict=True)]
    return Items(
        np.column_stack([places for places, _ in found]),
        (found[0][1], found[1][1], found[2][1]),
        np.array(base[2], dtype=object),
        told.astype(np.float32),
    )
