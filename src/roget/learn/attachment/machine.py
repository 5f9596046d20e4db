"""A kernel machine: a quadruple is decided like those whose words are all similar to its own.

    K(x, x′) = ∏ (1 + (1 − d)·cos⁺ + d·[same word]) / 2    over the verb and both nouns,

plus a linear part for other evidence. Each preposition has its own machine, and rare ones share
one. It is ridge regression on ±1, which is solved in one step and gives leave-one-out scores as
well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.folder import Schema, require_arrays, require_range, require_texts
from roget.core.types import BoolArray

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

RARE = 300
"""Prepositions with fewer quadruples than this share one machine."""
MOST = 6000
"""Maximum number of quadruples of a machine (a random sample of more): time is cubic in it."""
EXACT = 0.3
"""d, the share of identity in the similarity of words."""
LINEAR = 0.01
"""Weight of the linear part."""
NOISE = 0.5
"""Expected noise of the answers, added to K(x, x) (the ridge λ)."""
OTHERS = 0.3
"""Weight of a quadruple with another preposition in the machine of rare ones."""
CELLS = 1 << 23
"""Batch size: pairs of quadruples compared at once."""
LARGEST = 1e12
"""Bound of stored numbers, so that their products stay finite."""
POOL = ""
"""The key of all rare prepositions."""

_KEPT: Schema = {
    "words": ("iu", ("items", 3)),
    "evidence": ("f", ("items", "features")),
    "means": ("f", ("blocks",)),
    "sizes": ("iu", ("blocks",)),
    "rows": ("iu", ("cells",)),
    "weights": ("f", ("cells",)),
}
"""Stored values of a machine: quadruples, and blocks of them with their weights."""


@dataclass(frozen=True)
class FeatureRows:
    """Input of the machine: for the verb and both nouns, the number of the word and its vector."""

    words: Ints
    """Numbers of the words, three for each quadruple; new words have negative numbers."""
    vectors: Sequence[Floats]
    prepositions: npt.NDArray[np.object_]
    evidence: Floats
    """Other evidence, scaled."""

    def __len__(self) -> int:
        return len(self.words)

    def select(self, rows: Ints) -> FeatureRows:
        """Return some of the quadruples."""
        vectors = [part[rows] for part in self.vectors]
        return FeatureRows(self.words[rows], vectors, self.prepositions[rows], self.evidence[rows])


def kernel(a: FeatureRows, b: FeatureRows, pooled: bool) -> Floats:
    """Return K of each pair; pairs with different prepositions count less."""
    # A product over verb and nouns: one dissimilar word makes the pair dissimilar.
    out = np.ones((len(a), len(b)), dtype=np.float32)
    for at in range(3):
        # cos⁺, times 1 − d, plus d for the same known word, mapped to [½, 1].
        alike = np.maximum(a.vectors[at] @ b.vectors[at].T, 0)
        alike *= np.float32(1 - EXACT)
        mine, its = a.words[:, at], b.words[:, at]
        alike += np.float32(EXACT) * ((mine[:, None] == its[None, :]) & (mine >= 0)[:, None])
        alike += np.float32(1)
        alike *= np.float32(0.5)
        out *= alike
    # The linear part for other evidence.
    out += np.float32(LINEAR) * (a.evidence @ b.evidence.T)
    if pooled:
        same = a.prepositions[:, None] == b.prepositions[None, :]
        out *= np.where(same, np.float32(1), np.float32(OTHERS))
    return out


@dataclass(frozen=True)
class FeatureBlock:
    """The machine of one preposition: its quadruples and their weights."""

    rows: Ints
    mean: float
    weights: Floats


@dataclass(frozen=True)
class Machine:
    """The machines of all prepositions; scores are about −1 for V and 1 for N."""

    items: FeatureRows
    blocks: Mapping[str, FeatureBlock]

    @classmethod
    def fit(
        cls,
        items: FeatureRows,
        nouns: BoolArray,
        rng: np.random.Generator,
        progress: Callable[[float], None] | None = None,
    ) -> tuple[Machine, Floats]:
        """Fit the machine; return it with the leave-one-out scores."""
        goal = np.where(nouns, 1.0, -1.0)
        left_out = np.zeros(len(items), dtype=np.float32)
        # Rare prepositions share one machine.
        times = Counter(items.prepositions)
        groups = _by_name([one if times[one] >= RARE else POOL for one in items.prepositions])
        # The Cholesky decomposition dominates the time: progress by the cube of the sizes.
        work, done = sum(min(len(rows), MOST) ** 3 for rows in groups.values()), 0.0
        blocks, drawn = {}, {}
        for name, rows in groups.items():
            kept = np.sort(rng.choice(rows, MOST, replace=False)) if rows.size > MOST else rows
            blocks[name], left_out[kept] = _solve(items.select(kept), kept, goal[kept], name)
            if kept.size < rows.size:
                drawn[name] = np.setdiff1d(rows, kept)
            done += kept.size**3
            if progress is not None:
                progress(done / work)
        made = cls(items, blocks)
        # Quadruples that were not sampled are scored like new ones.
        for rows in drawn.values():
            left_out[rows] = made.scores(items.select(rows))
        return made._compact(), left_out

    def scores(self, items: FeatureRows) -> Floats:
        """Return the score of each quadruple."""
        out = np.zeros(len(items), dtype=np.float32)
        known = [name if name in self.blocks else POOL for name in items.prepositions]
        for name, rows in _by_name(known).items():
            block = self.blocks.get(name)
            # Neither this preposition nor the pool: the mean of all machines.
            if block is None:
                out[rows] = np.mean([one.mean for one in self.blocks.values()])
                continue
            step = max(1, CELLS // max(1, block.rows.size))
            against = self.items.select(block.rows)
            for begin in range(0, rows.size, step):
                part = rows[begin : begin + step]
                pairs = kernel(items.select(part), against, name == POOL)
                out[part] = block.mean + pairs @ block.weights
        return out

    def _compact(self) -> Machine:
        """Return the machine without quadruples that no block uses."""
        used = np.sort(np.concatenate([block.rows for block in self.blocks.values()]))
        if used.size == len(self.items):
            return self
        blocks = {
            name: FeatureBlock(np.searchsorted(used, one.rows), one.mean, one.weights)
            for name, one in self.blocks.items()
        }
        return Machine(self.items.select(used), blocks)

    def content(self) -> dict[str, Any]:
        """Return the values to store; vectors are stored elsewhere."""
        blocks = self.blocks.values()
        return {
            "words": self.items.words.astype(np.int32),
            "evidence": self.items.evidence,
            "prepositions": self.items.prepositions.tolist(),
            "blocks": list(self.blocks),
            "means": np.array([one.mean for one in blocks]),
            "sizes": np.array([one.rows.size for one in blocks]),
            "rows": np.concatenate([one.rows for one in blocks]),
            "weights": np.concatenate([one.weights for one in blocks]),
        }

    @classmethod
    def read(cls, kept: Mapping[str, Any], tables: Sequence[Floats]) -> Machine:
        """Read stored values, given the vectors of verbs and of both nouns."""
        require_arrays(kept, _KEPT)
        require_texts(kept, "blocks")
        require_texts(kept, "prepositions", distinct=False)
        words, rows, sizes = kept["words"], kept["rows"], kept["sizes"]
        if len(kept["prepositions"]) != len(words):
            raise ValueError(f"{len(kept['prepositions'])} prepositions of {len(words)} quadruples")
        # −1 is an unknown word; rows refer to the quadruples above.
        require_range("words", words, -1, 1 << 53)
        require_range("rows", rows, 0, len(words))
        require_range("sizes", sizes, 0, rows.size + 1)
        for name in ("evidence", "means", "weights"):
            require_range(name, kept[name], -LARGEST, LARGEST)
        words, sizes = words.astype(np.int64), sizes.astype(np.int64)
        if sizes.sum() != rows.size:
            raise ValueError(f"sizes: their sum is {sizes.sum()}, of {rows.size} rows")
        vectors = [table[own] for table, own in zip(tables, words.T, strict=True)]
        prepositions = np.array(kept["prepositions"], dtype=object)
        ends = np.cumsum(sizes)[:-1]
        parts = zip(
            kept["blocks"], np.split(rows, ends), kept["means"].tolist(),
            np.split(kept["weights"], ends), strict=True,
        )  # fmt: skip
        blocks = {name: FeatureBlock(*own) for name, *own in parts}
        return cls(FeatureRows(words, vectors, prepositions, kept["evidence"]), blocks)


def _solve(items: FeatureRows, rows: Ints, goal: Any, name: str) -> tuple[FeatureBlock, Floats]:
    """Solve one block; return it with its leave-one-out scores.

    With G = (K + λ)⁻¹ and weights w = G·(y − mean), the leave-one-out score is y − w/diag G.
    """
    mean = float(goal.sum() / (goal.size + 2))
    inverse = _inverse(kernel(items, items, name == POOL))
    own = np.diag(inverse).copy()
    rest = (goal - mean).astype(np.float32)
    weights = inverse @ rest + inverse.T @ rest - own * rest
    return FeatureBlock(rows, mean, weights), (goal - weights / own).astype(np.float32)


def _inverse(pairs: Floats) -> Floats:
    """Return the lower half of (K + λ)⁻¹.

    Cosines clipped at 0 need not give a definite matrix: λ is doubled until it is.
    """
    from scipy.linalg import lapack

    noise = NOISE
    while True:
        noisy = pairs.copy(order="F")
        noisy[np.diag_indices(len(pairs))] += np.float32(noise)
        factor, failed = lapack.spotrf(noisy, lower=1, overwrite_a=1, clean=1)
        if not failed:
            inverse, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
            return np.asarray(np.tril(inverse))
        noise *= 2


def _by_name(names: Sequence[str]) -> dict[str, Ints]:
    """Return rows by name in alphabetical order, the pool last."""
    found: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    order = sorted(found, key=lambda name: (name == POOL, name))
    return {name: np.array(found[name], dtype=np.int64) for name in order}
