"""Words as vectors: like ones stand in like contexts, and in the same classes of thesauri."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts.views import ppmi, unit
from roget.core.folder import Schema, need_arrays
from roget.learn.attachment.words import traits
from roget.learn.representation import decompose

Floats = npt.NDArray[np.float32]

Cells = Mapping[tuple[str, str], float]
"""How often words stood in contexts, or how much of them lies in classes."""

DIMENSIONS = 200


def tabulate(cells: Cells) -> tuple[list[str], list[str], Any]:
    """Names of rows and of columns in the order of the alphabet, and a sparse table."""
    keys = sorted(cells)
    rows, row = np.unique([key[0] for key in keys], return_inverse=True)
    columns, column = np.unique([key[1] for key in keys], return_inverse=True)
    values = np.array([cells[key] for key in keys], dtype=np.float64)
    table = sparse.csr_array((values, (row, column)), shape=(rows.size, columns.size))
    return rows.tolist(), columns.tolist(), table


class Vectors:
    """A unit vector for each word; a word nobody has counted gets that of its traits.

    rows: word → row of `table`. hints: trait → row of `hinted`, whose rows add up to the vector
    of an unknown word.
    """

    def __init__(
        self, words: Sequence[str], table: Floats, hints: Sequence[str], hinted: Floats
    ) -> None:
        self.words, self.table, self.hints, self.hinted = list(words), table, list(hints), hinted
        self._rows = {word: row for row, word in enumerate(self.words)}
        self._hints = {hint: row for row, hint in enumerate(self.hints)}

    def look_up(self, words: Sequence[str], raw: Sequence[str]) -> tuple[Any, Floats]:
        """A number and a vector for each word: −1 − place for those that are new."""
        places = np.array([self._rows.get(word, -1) for word in words], dtype=np.int64)
        found = self.table[places] if self.words else np.zeros((len(words), 0), dtype=np.float32)
        found[places < 0] = 0
        for at in np.flatnonzero(places < 0).tolist():
            told = [self._hints[name] for name in traits(raw[at]) if name in self._hints]
            if told:
                found[at] = unit(self.hinted[told].sum(axis=0, keepdims=True))[0]
        return places, found

    def beside(self, other: Vectors, weight: float) -> Vectors:
        """Both kinds of vectors in one: cosines are mixed, the other's having the weight.

        Words that only one of them knows are compared by that one alone.
        """
        words = list(dict.fromkeys([*self.words, *other.words]))
        parts = []
        for one, share in ((self, 1 - weight), (other, weight)):
            wide = np.zeros((len(words), one.table.shape[1]), dtype=np.float32)
            at = np.array([one._rows.get(word, -1) for word in words])
            wide[at >= 0] = one.table[at[at >= 0]] * np.float32(np.sqrt(share))
            parts.append(wide)
        hinted = np.hstack(
            [self.hinted, np.zeros((len(self.hints), other.table.shape[1]), dtype=np.float32)]
        )
        return Vectors(words, unit(np.hstack(parts)), self.hints, hinted)

    def rounded(self) -> Vectors:
        """With the precision that is kept on disk, so that a model read again is the same."""
        return Vectors.read(self.content())

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        return {
            "words": self.words,
            "table": self.table.astype(np.float16),
            "hints": self.hints,
            "hinted": self.hinted.astype(np.float16),
        }

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Vectors:
        """From what was kept."""
        schema: Schema = {
            "table": ("f", (len(kept["words"]), "dimensions")),
            "hinted": ("f", (len(kept["hints"]), "dimensions")),
        }
        need_arrays(kept, schema)
        table, hinted = (kept[name].astype(np.float32) for name in ("table", "hinted"))
        return cls(kept["words"], table, kept["hints"], hinted)


def embedded(cells: Cells, seed: int, dimensions: int = DIMENSIONS) -> Vectors:
    """Vectors by singular values of positive pointwise mutual information."""
    if not cells:
        return Vectors([], np.zeros((0, 0), np.float32), [], np.zeros((0, 0), np.float32))
    words, contexts, counts = tabulate(cells)
    times, seen = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
    left, values, right = decompose(ppmi(counts, times, seen), dimensions, seed)
    hints = [at for at, name in enumerate(contexts) if name.startswith("^")]
    seen = seen[hints]
    rarity = np.maximum(np.log(seen.max(initial=1.0) / np.maximum(seen, 1e-9)), 0.1)
    hinted = (right[:, hints].T * rarity[:, None]).astype(np.float32)
    table = unit((left * values).astype(np.float32))
    return Vectors(words, table, [contexts[at] for at in hints], hinted)


def classed(cells: Cells, seed: int) -> Vectors:
    """Vectors by how much of each word lies in each class of thesauri.

    Classes weigh as much as they tell: √(−log of the share of words in them).
    """
    if not cells:
        return Vectors([], np.zeros((0, 0), np.float32), [], np.zeros((0, 0), np.float32))
    words, _, shares = tabulate(cells)
    held = np.asarray(shares.sum(axis=0)).ravel() / len(words)
    weight = np.sqrt(np.maximum(-np.log(np.minimum(held, 1.0)), 0.0))
    left, values, _ = decompose(sparse.csr_array(shares * weight[None, :]), DIMENSIONS, seed)
    hints = np.zeros((0, values.size), dtype=np.float32)
    return Vectors(words, unit((left * values).astype(np.float32)), [], hints)
