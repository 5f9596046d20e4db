"""Kernel machines that classify quadruples by the similarity of their words.

The kernel is a product over the verb and both nouns,

    K(x, x′) = ∏ (1 + (1 − d)·cos⁺ + d·[same word]) / 2

plus a linear kernel of the additional features. A machine is a kernel ridge regression on the
labels (−1 for V and 1 for N). Both the fit and the leave-one-out scores have a closed form. Each
frequent preposition has its own machine, and rare prepositions share one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.contents import Contents, array, require_range, texts
from roget.core.types import BoolArray

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

RARE = 300
"""Minimum number of quadruples for a preposition to have its own machine."""
MAX_QUADRUPLES = 6000
"""Maximum number of training quadruples per machine. Larger sets are subsampled, because fitting
takes cubic time.
"""
EXACT = 0.3
"""Weight d of the identity term in the similarity of two words."""
LINEAR = 0.01
"""Weight of the linear kernel of the features from other text."""
NOISE = 0.5
"""Ridge parameter λ, added to the diagonal of K."""
OTHERS = 0.3
"""Factor by which the kernel is multiplied if two quadruples have different prepositions.

They are only compared in the machine for rare prepositions.
"""
CELLS = 1 << 23
"""Number of kernel values to compute in one batch."""
LARGEST = 1e12
"""Upper bound on the absolute value of stored numbers, so products stay finite."""
POOL = ""
"""Key of the machine that rare prepositions share."""


@dataclass(frozen=True)
class StoredMachines(Contents):
    """The quadruples of all machines, and the rows and weights of each."""

    words: Ints = array("iu", "items", 3, low=-1, below=1 << 53)
    """Word ids of the quadruples. The id −1 stands for an unknown word."""
    evidence: Floats = array("f", "items", "features", low=-LARGEST, below=LARGEST)
    prepositions: list[str] = texts("items", distinct=False)
    blocks: list[str] = texts("blocks")
    means: Floats = array("f", "blocks", low=-LARGEST, below=LARGEST)
    sizes: Ints = array("iu", "blocks", low=0)
    rows: Ints = array("iu", "cells", low=0, below="items")
    """Indices of the quadruples on which each machine was trained."""
    weights: Floats = array("f", "cells", low=-LARGEST, below=LARGEST)


@dataclass(frozen=True)
class FeatureRows:
    """Input of a kernel machine: one row of words and features per quadruple."""

    words: Ints
    """Word ids, three for each quadruple. Unknown words have negative ids."""
    vectors: Sequence[Floats]
    prepositions: npt.NDArray[np.object_]
    evidence: Floats
    """Standardised features from other text."""

    def __len__(self) -> int:
        return len(self.words)

    def select(self, rows: Ints) -> FeatureRows:
        vectors = [part[rows] for part in self.vectors]
        return FeatureRows(self.words[rows], vectors, self.prepositions[rows], self.evidence[rows])


def kernel(a: FeatureRows, b: FeatureRows, pooled: bool) -> Floats:
    """Return the kernel matrix K of two sets of quadruples.

    If `pooled` is True, multiply the kernel by `OTHERS` where the prepositions differ.
    """
    # Multiply over the verb and both nouns: a single dissimilar word makes the pair dissimilar.
    out = np.ones((len(a), len(b)), dtype=np.float32)
    for at in range(3):
        # Map the similarity from [0, 1] to [½, 1]. See the module docstring for its terms.
        similarity = np.maximum(a.vectors[at] @ b.vectors[at].T, 0)
        similarity *= np.float32(1 - EXACT)
        mine, its = a.words[:, at], b.words[:, at]
        similarity += np.float32(EXACT) * ((mine[:, None] == its[None, :]) & (mine >= 0)[:, None])
        similarity += np.float32(1)
        similarity *= np.float32(0.5)
        out *= similarity
    # Add the linear kernel of the features from other text.
    out += np.float32(LINEAR) * (a.evidence @ b.evidence.T)
    if pooled:
        same = a.prepositions[:, None] == b.prepositions[None, :]
        out *= np.where(same, np.float32(1), np.float32(OTHERS))
    return out


@dataclass(frozen=True)
class FeatureBlock:
    """The kernel machine for one preposition: indices of its quadruples, and their dual weights."""

    rows: Ints
    mean: float
    weights: Floats


@dataclass(frozen=True)
class Machine:
    """Kernel machines for all prepositions.

    Scores are near −1 for attachment to the verb (V) and near 1 for attachment to the noun (N).
    """

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
        """Fit all machines, and return them with the leave-one-out scores of the quadruples."""
        goal = np.where(nouns, 1.0, -1.0)
        left_out = np.zeros(len(items), dtype=np.float32)
        # Rare prepositions share one machine.
        times = Counter(items.prepositions)
        groups = _by_name([one if times[one] >= RARE else POOL for one in items.prepositions])
        # The Cholesky decomposition takes most of the time and is cubic, so measure progress in
        # cubed sizes.
        work, done = sum(min(len(rows), MAX_QUADRUPLES) ** 3 for rows in groups.values()), 0.0
        blocks, drawn = {}, {}
        for name, rows in groups.items():
            kept = (
                np.sort(rng.choice(rows, MAX_QUADRUPLES, replace=False))
                if rows.size > MAX_QUADRUPLES
                else rows
            )
            blocks[name], left_out[kept] = _solve(items.select(kept), kept, goal[kept], name)
            if kept.size < rows.size:
                drawn[name] = np.setdiff1d(rows, kept)
            done += kept.size**3
            if progress is not None:
                progress(done / work)
        made = cls(items, blocks)
        # Score quadruples that were not sampled in the same way as new quadruples.
        for rows in drawn.values():
            left_out[rows] = made.scores(items.select(rows))
        return made._compact(), left_out

    def scores(self, items: FeatureRows) -> Floats:
        """Return a score near −1 (V) to 1 (N) for each quadruple."""
        out = np.zeros(len(items), dtype=np.float32)
        known = [name if name in self.blocks else POOL for name in items.prepositions]
        for name, rows in _by_name(known).items():
            block = self.blocks.get(name)
            if block is None:
                # Without a machine for the preposition or for rare ones, use the mean score of all
                # machines.
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
        """Remove quadruples that no machine uses."""
        used = np.sort(np.concatenate([block.rows for block in self.blocks.values()]))
        if used.size == len(self.items):
            return self
        blocks = {
            name: FeatureBlock(np.searchsorted(used, one.rows), one.mean, one.weights)
            for name, one in self.blocks.items()
        }
        return Machine(self.items.select(used), blocks)

    def content(self) -> dict[str, Any]:
        """Return JSON values and arrays for the model folder, without the word vectors."""
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
        """Read stored machines, given the vectors of verbs, first nouns and second nouns."""
        held = StoredMachines.read(kept)
        words, rows, sizes = held.words.astype(np.int64), held.rows, held.sizes.astype(np.int64)
        # Check the range of the sizes first, so their sum cannot overflow.
        require_range("sizes", sizes, 0, rows.size + 1)
        if sizes.sum() != rows.size:
            raise ValueError(
                f"the block sizes add up to {sizes.sum()}, but there are {rows.size} rows"
            )
        vectors = [table[own] for table, own in zip(tables, words.T, strict=True)]
        prepositions = np.array(held.prepositions, dtype=object)
        ends = np.cumsum(sizes)[:-1]
        parts = zip(
            held.blocks, np.split(rows, ends), held.means.tolist(),
            np.split(held.weights, ends), strict=True,
        )  # fmt: skip
        blocks = {name: FeatureBlock(*own) for name, *own in parts}
        return cls(FeatureRows(words, vectors, prepositions, held.evidence), blocks)


def _solve(items: FeatureRows, rows: Ints, goal: Any, name: str) -> tuple[FeatureBlock, Floats]:
    """Fit the machine for one preposition, and return it with the leave-one-out scores.

    With G = (K + λI)⁻¹ and weights w = G·(y − mean), the leave-one-out score is y − w/diag G.
    """
    # Shrink the mean towards 0, as if there were two more quadruples, one with each label.
    mean = float(goal.sum() / (goal.size + 2))
    inverse = _inverse(kernel(items, items, name == POOL))
    own = np.diag(inverse).copy()
    rest = (goal - mean).astype(np.float32)
    # Only the lower triangle L of G is stored: G·r = L·r + Lᵀ·r − diag(G)·r.
    weights = inverse @ rest + inverse.T @ rest - own * rest
    return FeatureBlock(rows, mean, weights), (goal - weights / own).astype(np.float32)


def _inverse(pairs: Floats) -> Floats:
    """Return the lower triangle of (K + λI)⁻¹.

    Cosines are clipped at 0, so K + λI may not be positive definite. Double λ until it is.
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
    """Group row indices by name. Sort the names alphabetically, with `POOL` last."""
    found: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    order = sorted(found, key=lambda name: (name == POOL, name))
    return {name: np.array(found[name], dtype=np.int64) for name in order}
