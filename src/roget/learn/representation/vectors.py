"""Representation: the weights of words' contexts, and vectors of few dimensions made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core import folder
from roget.core.counts.views import ppmi, unit
from roget.core.types import Array, Floats, Ints

Singles = npt.NDArray[np.float32]

WIDTHS = (150, 300)
"""Dimensions of the two blocks: of the weights as they are, and of their rows at length 1."""

SYMMETRIC = ("conj:", "~conj:")
"""Relations whose contexts are words of the same kind: a word would be beside itself, too."""

BLOCK = 2048
"""Rows that are compared with others at a time."""

ITERATIONS = 8
"""Steps by which a random start comes near: the seed is then of little matter."""

FURTHER = 2
"""Steps from what was found of fewer counts."""

MORE = 20
"""Dimensions that are followed besides those asked for, so that the last of them come near too."""

PIECE = 1 << 16
"""Contexts whose vectors are held at a time when new words are given theirs."""

GRAIN = 2.0**-25
"""Of what `multiply_exactly` takes numbers as multiples; finer than float32 has them near 1."""


def weigh(matrix: Any, totals: Floats) -> Any:
    """Positive pointwise mutual information, as float32; totals are those of the contexts."""
    words = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    return ppmi(matrix, np.where(words > 0, words, 1.0), totals).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Representation:
    """Words as vectors that are alike where the words' contexts are.

    The weights are positive pointwise mutual information; a word seen beside others (conj) is
    taken as seen beside itself, as surely as in the best of its contexts. Vectors are rows of
    length 1: two blocks of equal share, the singular vectors of the weights and of their rows at
    length 1. The first tells more of frequent words, the second of rare ones.

    weights: words × contexts, a csr_array of float32.
    vectors: words × dimensions.
    lengths: words × blocks, how long the rows were.
    values: the singular values, block by block.
    width: dimensions of the first block.
    totals: how often each context was seen.
    rows: for each word that is asked about, its row here, −1 for none; None if all are the same.
    """

    weights: Any
    vectors: Singles
    lengths: Singles
    values: Singles
    width: int
    totals: Floats
    rows: Ints | None = None

    @classmethod
    def learn(
        cls, matrix: Any, *, words: Any = None, contexts: Any = None, seed: int = 0,
        widths: Sequence[int] = WIDTHS, start: Representation | None = None,
    ) -> Self:  # fmt: skip
        """The representation of a csr_array of counts; names tell which contexts are words.

        It is found from that of fewer counts, `start`, if its words come first in the table.
        """
        totals = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
        weights = _close(weigh(matrix, totals), words, contexts)
        parts, lengths, values = [], [], []
        near = [None] * len(widths) if start is None else start.bases(weights.shape[0])
        for table, width, basis in zip((weights, unit(weights)), widths, near, strict=True):
            left, singular, _ = decompose(table, width, seed, basis)
            rows = (left * singular).astype(np.float32)
            lengths.append(np.linalg.norm(rows, axis=1))
            values.append(singular.astype(np.float32))
            parts.append(unit(rows) * np.float32(2**-0.5))
        # With the precision that is kept on disk, so that what is read again is the same.
        vectors = np.hstack(parts).astype(np.float16).astype(np.float32)
        return cls(
            weights, vectors, np.stack(lengths, 1), np.concatenate(values), values[0].size, totals
        )

    @property
    def n_words(self) -> int:
        """How many words can be asked about."""
        return int(self.weights.shape[0] if self.rows is None else self.rows.size)

    def embed(self, matrix: Any) -> Singles:
        """The vectors of new words, from a csr_array of their counts; 0 without known contexts."""
        weights = weigh(matrix, self.totals)
        both = ((weights, self.weights), (unit(weights), self._unit_weights))
        found = [unit(_project(*two, self._basis[at])) for at, two in enumerate(both)]
        return np.asarray(np.hstack(found) * np.float32(2**-0.5))

    def bases(self, rows: int) -> list[Any]:
        """The singular vectors of the words, block by block, and zeros for more words."""
        known = self.rows if self.rows is not None else np.arange(self.n_words)
        found = []
        for left, values in self._blocks():
            basis = np.zeros((rows, values.size), dtype=np.float32)
            basis[: known.size] = np.where(known[:, None] < 0, 0, left[known] / values)
            found.append(basis)
        return found

    def _blocks(self) -> Iterator[tuple[Singles, Singles]]:
        """The vectors of each block as long as they were, and its singular values."""
        for at, part in enumerate((slice(0, self.width), slice(self.width, None))):
            rows = self.vectors[:, part] * (self.lengths[:, at : at + 1] * np.float32(2**0.5))
            yield rows, np.maximum(self.values[part], 1e-6)

    def keep(self, rows: Ints) -> Representation:
        """The same, asked about some of the words only; -1 for one of which nothing is known."""
        known = rows if self.rows is None else np.where(rows < 0, -1, self.rows[rows])
        return replace(self, rows=known)

    def to_arrays(self) -> dict[str, Array]:
        """What folders keep."""
        arrays = folder.to_arrays("weights", self.weights)
        rows = {} if self.rows is None else {"rows": self.rows}
        return {
            **arrays, "vectors": self.vectors.astype(np.float16), "lengths": self.lengths,
            "values": self.values, "width": np.array([self.width]), "totals": self.totals, **rows,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Self:
        """What a folder has kept, checked; a KeyError or ValueError tells what is wrong."""
        weights = folder.from_arrays(arrays, "weights")
        n, m = weights.shape
        schema: folder.Schema = {
            "vectors": ("f", (n, "dimensions")), "lengths": ("f", (n, 2)),
            "values": ("f", ("dimensions",)), "totals": ("f", (m,)), "width": ("iu", (1,)),
        }  # fmt: skip
        sizes, width = folder.need_arrays(arrays, schema), int(arrays["width"][0])
        if not 0 <= width <= sizes["dimensions"]:
            raise ValueError(f"width {width}: expected 0 to {sizes['dimensions']}")
        rows = arrays.get("rows")
        if rows is not None:
            folder.need_arrays(arrays, {"rows": ("iu", ("words",))})
            folder.need_range("rows", rows, -1, n)
        vectors = arrays["vectors"].astype(np.float32)
        return cls(
            weights, vectors, arrays["lengths"], arrays["values"], width, arrays["totals"], rows
        )

    @cached_property
    def _unit_weights(self) -> Any:
        return unit(self.weights)

    @cached_property
    def _basis(self) -> list[Singles]:
        """For each block what U/S is, so that a row of weights W gives W·known.T·U/S = W·V."""
        return [rows / values**2 for rows, values in self._blocks()]


def _project(new: Any, known: Any, basis: Any) -> Singles:
    """new · knownᵀ · basis, in pieces of contexts; which words are beside them changes no bit."""
    found = np.zeros((new.shape[0], basis.shape[1]), dtype=np.float32)
    for begin in range(0, new.shape[1], PIECE):
        here = new[:, begin : begin + PIECE]
        seen, places = np.unique(here.indices, return_inverse=True)
        if seen.size:
            here = sparse.csr_array(
                (here.data, places, here.indptr), shape=(new.shape[0], seen.size)
            )
            found += here @ (known[:, begin + seen].T @ basis)
    return found


def multiply_exactly(rows: Array, columns: Array) -> Floats:
    """The product of rows and columns of length 1, with the same bits however it is added up.

    Libraries add up in an order that depends on threads, on the machine and on how many rows there
    are. Numbers are taken as multiples of `GRAIN`: in float64 no sum of their products is rounded.
    """
    grains = [np.rint(np.asarray(one, dtype=np.float64) / GRAIN) for one in (rows, columns)]
    return np.asarray(grains[0] @ grains[1] * GRAIN**2)


def spread(
    vectors: Singles, common: Singles, own: Ints | None = None, share: float = 0.3,
    nearest: int = 10, multiply: Callable[[Any, Any], Any] = np.matmul,
) -> Singles:  # fmt: skip
    """Vectors with a share of the nearest common words' in them: near ones come nearer.

    Neighbours weigh by the cube of their cosine. `own` is the row of each common word among the
    vectors, if it is one of them: no word is its own neighbour.
    """
    nearest = min(nearest, common.shape[0] - 1)
    if nearest < 1:
        return vectors
    out = np.empty_like(vectors)
    for begin in range(0, vectors.shape[0], BLOCK):
        part = vectors[begin : begin + BLOCK]
        cosines = multiply(part, common.T).astype(np.float32, copy=False)
        if own is not None:
            here = np.flatnonzero((own >= begin) & (own < begin + BLOCK))
            cosines[own[here] - begin, here] = -1
        best = np.argpartition(-cosines, nearest - 1, axis=1)[:, :nearest]
        weights = np.maximum(np.take_along_axis(cosines, best, axis=1), 0) ** 3
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        rows = np.repeat(np.arange(part.shape[0]), nearest)
        table = sparse.csr_array(
            (weights.ravel(), (rows, best.ravel())), shape=(part.shape[0], common.shape[0])
        )
        out[begin : begin + BLOCK] = unit((1 - share) * part + share * (table @ common))
    return out


def _close(weights: Any, words: Any, contexts: Any) -> Any:
    """Weights with words beside themselves, in the contexts that are words of the same kind."""
    if words is None or contexts is None:
        return weights
    known = {name: column for column, name in enumerate(contexts.tolist())}
    cells = [
        (row, known[slot + word])
        for slot in SYMMETRIC
        for row, word in enumerate(words.tolist())
        if slot + str(word) in known
    ]
    if not cells:
        return weights
    rows, columns = np.array(cells).T
    best = weights.max(axis=1).toarray().ravel()
    loops = sparse.csr_array((best[rows], (rows, columns)), shape=weights.shape)
    return sparse.csr_array(weights + loops, dtype=np.float32)


def decompose(matrix: Any, dimensions: int, seed: int, near: Any = None) -> tuple[Any, Any, Any]:
    """U, the largest singular values and Vᵀ, on one thread; a small matrix is done exactly.

    Iterations of the subspace of the shorter side: only its vectors are made orthogonal, which is
    where other ways spend their time. From columns that are near U, few are enough.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # the same bits on every machine
        if min(matrix.shape) <= dimensions + MORE:
            left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
            return left[:, :dimensions], values[:dimensions], right[:dimensions]
        wide = near is not None or matrix.shape[0] <= matrix.shape[1]
        there = sparse.csr_array(matrix if wide else matrix.T, dtype=np.float32)
        back = sparse.csr_array(there.T)
        rng = np.random.default_rng(seed)
        basis = rng.standard_normal((there.shape[0], dimensions + MORE)).astype(np.float32)
        if near is not None:
            known = near[:, :dimensions]
            basis[:, : known.shape[1]] = known
            basis[:, known.shape[1] :] /= np.float32(there.shape[0] ** 0.5)
        for _ in range(ITERATIONS if near is None else FURTHER):
            basis = np.linalg.qr(there @ (back @ basis))[0]
        across = back @ basis
        squares, turn = np.linalg.eigh(across.T @ across)
        turn = turn[:, ::-1][:, :dimensions]
        values = np.sqrt(np.maximum(squares[::-1][:dimensions], 0))
        left, right = basis @ turn, (across @ turn / np.maximum(values, 1e-12)).T
        return (left, values, right) if wide else (right.T, values, left.T)
