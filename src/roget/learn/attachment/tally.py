"""Parts of quadruples: how often each was seen with N and with V, and what each tends to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from roget.core.folder import need_arrays
from roget.learn.attachment.words import Normal

Floats = npt.NDArray[np.float64]

PARTS = ("vnpm", "vnp", "vpm", "npm", "vp", "np", "pm", "p")
"""The parts that have the preposition, m being the second noun, in the order of their columns."""

LEVELS = (slice(0, 1), slice(1, 4), slice(4, 7), slice(7, 8))
"""Quadruples, triples, pairs, the preposition: what Collins & Brooks (1995) back off through."""

STAGES = ("quadruple", "triples", "pairs", "preposition", "default")

SMOOTHING = 2.0
"""Tokens of the preposition's own odds that are added to those of a part."""

LOOSE_PARTS = ("v", "n", "m", "vn", "nm", "vm")
"""Parts without the preposition, m being the second noun, in the order of their columns."""
SHRINK = 3.0
"""Quadruples of no tendency that are added to those of a part."""
FOLDS = 10


class Tally:
    """Counts of N and V for every part of the quadruples that has the preposition.

    >>> seen = Tally.of([Normal("eat", "pizza", "with", "fork")], [False])
    >>> seen.counts([Normal("eat", "pasta", "with", "fork")])[0].tolist()
    [[0, 0], [0, 0], [0, 1], [0, 0], [0, 1], [0, 0], [0, 1], [0, 1]]
    """

    def __init__(self, keys: Sequence[str], seen: npt.NDArray[np.int64]) -> None:
        self.keys, self.seen = list(keys), seen
        self._rows = {key: row for row, key in enumerate(self.keys)}

    @classmethod
    def of(cls, quads: Iterable[Normal], nouns: Iterable[bool]) -> Self:
        """Counted from quadruples; `nouns` says of each whether it is N."""
        table: dict[str, list[int]] = {}
        for quad, noun in zip(quads, nouns, strict=True):
            for key in _keys(quad):
                table.setdefault(key, [0, 0])[0 if noun else 1] += 1
        return cls(list(table), np.array(list(table.values()), dtype=np.int64).reshape(-1, 2))

    def counts(self, quads: Iterable[Normal]) -> npt.NDArray[np.int64]:
        """Times N and times V of each part of each quadruple: quadruples × parts × 2."""
        seen = np.vstack([self.seen, np.zeros((1, 2), dtype=np.int64)])
        return seen[_find_rows(self._rows, map(_keys, quads), len(PARTS))]

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        return {"keys": self.keys, "seen": self.seen}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        need_arrays(kept, {"seen": ("iu", (len(kept["keys"]), 2))})
        return cls(kept["keys"], kept["seen"])


def log_odds(counts: Any) -> Floats:
    """log N/V of each part but the preposition, less that of the preposition; and that, last.

    Each part has two tokens more, shared as the preposition's are: a part never seen gives 0.
    """
    counts = np.asarray(counts, dtype=np.float64)
    shares = (counts[:, -1] + 0.5) / (counts[:, -1].sum(axis=1, keepdims=True) + 1)
    usual = np.log(shares[:, 0] / shares[:, 1])
    added = counts[:, :-1] + SMOOTHING * shares[:, None, :]
    return np.column_stack([np.log(added[..., 0] / added[..., 1]) - usual[:, None], usual])


def back_off(counts: Any) -> tuple[Floats, npt.NDArray[np.int64]]:
    """p(N) by the most specific level that was seen, and which level that is (see STAGES).

    All parts of a level are added up, as in Collins & Brooks (1995); where even the preposition
    is new, p(N) is 1.
    """
    counts = np.asarray(counts)
    share = np.ones(len(counts))
    level = np.full(len(counts), len(LEVELS))
    for at in reversed(range(len(LEVELS))):
        both = counts[:, LEVELS[at]].sum(axis=1)
        seen = both.sum(axis=1) > 0
        share[seen] = both[seen, 0] / both[seen].sum(axis=1)
        level[seen] = at
    return share, level


def _find_rows(
    known: Mapping[str, int], keys: Iterable[list[str]], width: int
) -> npt.NDArray[np.int64]:
    """The row of each key, −1 where it is new."""
    rows = [[known.get(key, -1) for key in own] for own in keys]
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def _keys(quad: Normal) -> list[str]:
    """The parts as texts, in the order of PARTS, blanks where a word is left out."""
    v, n, p, m = quad
    return [
        f"{v}\t{n}\t{p}\t{m}", f"{v}\t{n}\t{p}\t", f"{v}\t\t{p}\t{m}", f"\t{n}\t{p}\t{m}",
        f"{v}\t\t{p}\t", f"\t{n}\t{p}\t", f"\t\t{p}\t{m}", f"\t\t{p}\t",
    ]  # fmt: skip


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
            for key in _loose_keys(quad):
                seen = table.setdefault(key, [0.0, SHRINK])
                seen[0] += one - total / times
                seen[1] += 1
        sums = np.array(list(table.values())).reshape(-1, 2)
        return cls(list(table), sums[:, 0] / sums[:, 1])

    def features(self, quads: Sequence[Normal]) -> Floats:
        """The tendency of each part of each quadruple, 0 where it is new."""
        rows = _find_rows(self._rows, map(_loose_keys, quads), len(LOOSE_PARTS))
        return np.append(self.values, 0.0)[rows]

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        return {"keys": self.keys, "values": self.values}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        need_arrays(kept, {"values": ("f", (len(kept["keys"]),))})
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
    out = np.zeros((len(quads), len(LOOSE_PARTS)))
    for at in range(FOLDS):
        inside, outside = (np.flatnonzero(here).tolist() for here in (fold == at, fold != at))
        learnt = Tendencies.of([quads[row] for row in outside], nouns[outside])
        out[inside] = learnt.features([quads[row] for row in inside])
    return out


def _loose_keys(quad: Normal) -> list[str]:
    """The parts as texts, in the order of LOOSE_PARTS."""
    v, n, _, m = quad
    return [f"{v}\t\t", f"\t{n}\t", f"\t\t{m}", f"{v}\t{n}\t", f"\t{n}\t{m}", f"{v}\t\t{m}"]
