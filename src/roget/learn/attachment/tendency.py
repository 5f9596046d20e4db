"""What words tend to, whatever the preposition: verbs that keep phrases, nouns that take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from roget.learn.attachment.words import Normal

Floats = npt.NDArray[np.float64]

PARTS = ("v", "n", "m", "vn", "nm", "vm")
"""Parts without the preposition, m being the second noun, in the order of their columns."""
SHRINK = 3.0
"""Quadruples of no tendency that are added to those of a part."""
FOLDS = 10


class Tendencies:
    """For each part, how much oftener N than its prepositions would have it, from −2 to 2.

    It is Σ(y − mean of y for the preposition) / (times seen + 3), y being 1 for N and −1 for V.
    """

    def __init__(self, keys: Sequence[str], values: Floats) -> None:
        self.keys, self.values = list(keys), values
        self._rows = {key: row for row, key in enumerate(self.keys)}

    @classmethod
    def of(cls, quads: Sequence[Normal], nouns: npt.NDArray[np.bool_]) -> Self:
        """Counted from quadruples; `nouns` says of each whether it is N."""
        goal = np.where(nouns, 1.0, -1.0)
        usual: dict[str, list[float]] = {}
        for quad, one in zip(quads, goal.tolist(), strict=True):
            seen = usual.setdefault(quad.preposition, [0.0, 2.0])
            seen[0] += one
            seen[1] += 1
        table: dict[str, list[float]] = {}
        for quad, one in zip(quads, goal.tolist(), strict=True):
            total, times = usual[quad.preposition]
            for key in _keys(quad):
                seen = table.setdefault(key, [0.0, SHRINK])
                seen[0] += one - total / times
                seen[1] += 1
        sums = np.array(list(table.values())).reshape(-1, 2)
        return cls(list(table), sums[:, 0] / sums[:, 1])

    def features(self, quads: Sequence[Normal]) -> Floats:
        """The tendency of each part of each quadruple, 0 where it is new."""
        rows = np.array([[self._rows.get(key, -1) for key in _keys(quad)] for quad in quads])
        return np.append(self.values, 0.0)[rows.reshape(len(quads), len(PARTS)).astype(np.int64)]

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        return {"keys": self.keys, "values": self.values}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        return cls(kept["keys"], kept["values"])


def crossed(
    quads: Sequence[Normal], nouns: npt.NDArray[np.bool_], rng: np.random.Generator
) -> Floats:
    """The features of quadruples by tendencies of others: each tenth by the other nine.

    To leave out each quadruple alone would give its own answer away, by what is missing. The
    same quadruples fall into the same tenth.
    """
    numbers = {quad: at for at, quad in enumerate(dict.fromkeys(quads))}
    dealt = rng.permutation(len(numbers)) % FOLDS
    fold = dealt[[numbers[quad] for quad in quads]]
    out = np.zeros((len(quads), len(PARTS)))
    for at in range(FOLDS):
        inside, outside = (np.flatnonzero(here).tolist() for here in (fold == at, fold != at))
        learnt = Tendencies.of([quads[row] for row in outside], nouns[outside])
        out[inside] = learnt.features([quads[row] for row in inside])
    return out


def _keys(quad: Normal) -> list[str]:
    """The parts as texts, in the order of PARTS."""
    v, n, _, m = quad
    return [f"{v}\t\t", f"\t{n}\t", f"\t\t{m}", f"{v}\t{n}\t", f"\t{n}\t{m}", f"{v}\t\t{m}"]
