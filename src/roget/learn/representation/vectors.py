"""Word representations: PPMI weights of contexts, and low-dimensional vectors derived from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core import contents
from roget.core.counts.views import ppmi, to_dense, unit, widen
from roget.core.types import Array, Floats, Ints

Singles = npt.NDArray[np.float32]

WIDTHS = (150, 300)
"""Numbers of dimensions of the two blocks of a vector.

The first block comes from the SVD of the weights, the second from the SVD of the weights with unit
rows.
"""

SYMMETRIC = ("conj:", "~conj:")
"""Prefixes of contexts with a symmetric relation.

In such a relation, a word also counts as its own context.
"""

BLOCK = 2048
"""Number of rows to compare in one batch."""

ITERATIONS = 8
"""Number of subspace iterations from a random start. The result hardly depends on the seed."""

FURTHER = 2
"""Number of subspace iterations when starting from an earlier representation."""

MORE = 20
"""Number of extra dimensions in the iteration, so that all requested dimensions converge."""

EXACT = 4000
"""Maximum number of words for an exact decomposition."""

PIECE = 1 << 16
"""Number of contexts to process in one batch when new words are embedded."""

GRAIN = 2.0**-25
"""Unit to which `multiply_exactly` rounds.

For values near 1, it is finer than the resolution of float32.
"""


def weigh(matrix: Any, totals: Floats) -> Any:
    """Return positive pointwise mutual information as float32. `totals` are the context totals."""
    words = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    return ppmi(matrix, np.where(words > 0, words, 1.0), totals).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Representation:
    """Word vectors. Words with similar contexts have similar vectors.

    The weights are positive pointwise mutual information. In coordinations (conj), a word also
    counts as coordinated with itself, with its highest weight. Vectors have length 1 and consist of
    two blocks of equal weight. The first block contains the left singular vectors of the weights,
    multiplied by the singular values. The second block is computed in the same way from the weights
    with unit rows. The first block is better for frequent words, the second for rare words.

    weights: csr_array of float32 with shape (words, contexts). Background contexts come last.
    vectors: array of shape (words, dimensions).
    lengths: lengths of the rows before normalisation, with shape (words, blocks).
    values: singular values of the first block, then of the second block.
    width: number of dimensions of the first block.
    totals: number of occurrences of each context.
    rows: row of each selected word (−1 if unknown), or None if all words are selected.
    prior: number of dimensions of the prior vectors, which form a third block at the end, or 0.
    share: share of the prior block in the squared length of a vector.
    """

    weights: Any
    vectors: Singles
    lengths: Singles
    values: Singles
    width: int
    totals: Floats
    rows: Ints | None = None
    prior: int = 0
    share: float = 0.0

    @classmethod
    def learn(
        cls, matrix: Any, *, words: Any = None, contexts: Any = None, seed: int = 0,
        widths: Sequence[int] = WIDTHS, start: Representation | None = None, exact: bool = False,
    ) -> Self:  # fmt: skip
        """Learn the representation of a csr_array of counts.

        `words` and `contexts` are names. They are used to find contexts that are also words.
        `start` is an earlier representation of the first words. It saves iterations.
        """
        totals = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
        weights = _close(weigh(matrix, totals), words, contexts)
        parts, lengths, values = [], [], []
        near = [None] * len(widths) if start is None else start.bases(weights.shape[0])
        # Compute the two blocks: the SVD of the weights, and the SVD of the weights with unit rows.
        for table, width, basis in zip((weights, unit(weights)), widths, near, strict=True):
            if exact and width + MORE < table.shape[0] <= EXACT:
                left, singular = decompose_exactly(table, width)
            else:
                left, singular, _ = decompose(table, width, seed, basis)
            rows = (left * singular).astype(np.float32)
            lengths.append(np.linalg.norm(rows, axis=1))
            values.append(singular.astype(np.float32))
            parts.append(unit(rows) * np.float32(2**-0.5))
        # Round to the precision used on disk, so that a reloaded representation is identical.
        vectors = np.hstack(parts).astype(np.float16).astype(np.float32)
        return cls(
            weights, vectors, np.stack(lengths, 1), np.concatenate(values), values[0].size, totals
        )

    @property
    def n_words(self) -> int:
        """Number of words."""
        return int(self.weights.shape[0] if self.rows is None else self.rows.size)

    def embed(self, matrix: Any) -> Singles:
        """Return vectors for new words, given a csr_array of counts.

        The matrix may lack contexts that occur only in a background corpus, because these come
        last. Words without a known context have the vector 0.
        """
        weights = weigh(widen(matrix, self.totals.size), self.totals)
        both = ((weights, self.weights), (unit(weights), self._unit_weights))
        found = [unit(_project(*two, self._basis[at])) for at, two in enumerate(both)]
        vectors = np.asarray(np.hstack(found) * np.float32(2**-0.5))
        if not self.prior:
            return vectors
        # Give new words the prior vectors of the words with the most similar contexts.
        known, blocks = self._known_blocks
        more = infer_prior(vectors, known, blocks, multiply_exactly)
        return join(vectors, more, self.share)

    def add_prior(self, prior: Singles, known: Array, share: float) -> Representation:
        """Append prior vectors, normalised to unit length.

        Only the rows in `known` have prior vectors of their own. The other words get the prior
        vectors of the words with the most similar contexts.
        """
        if not known.any():
            return self
        whole = prior.astype(np.float32, copy=True)
        whole[~known] = infer_prior(self.vectors[~known], self.vectors[known], prior[known])
        # Round to the precision used on disk.
        vectors = join(self.vectors, whole, share).astype(np.float16).astype(np.float32)
        return replace(self, vectors=vectors, prior=prior.shape[1], share=share)

    def prior_shares(self, row: int, others: Ints) -> Floats:
        """Return the fraction of a word's similarity to others that comes from the prior vectors.

        Row −1 stands for a word without a vector.
        """
        found = np.zeros(others.size)
        some = np.flatnonzero(others >= 0)
        if not self.prior or row < 0 or not some.size:
            return found
        products = self.vectors[others[some]].astype(np.float64) * self.vectors[row]
        parts = products[:, : -self.prior].sum(axis=1), products[:, -self.prior :].sum(axis=1)
        own, more = (np.maximum(part, 0) for part in parts)
        found[some] = more / np.maximum(own + more, 1e-300)
        return found

    @cached_property
    def _known_blocks(self) -> tuple[Singles, Singles]:
        """Vectors from contexts and prior vectors, each with rows of length 1."""
        own, more = self.vectors[:, : -self.prior], self.vectors[:, -self.prior :]
        return np.asarray(unit(own)), np.asarray(unit(more))

    def bases(self, rows: int) -> list[Any]:
        """Return the left singular vectors of each block, padded with zeros to `rows` rows."""
        known = self.rows if self.rows is not None else np.arange(self.n_words)
        found = []
        for left, values in self._list_blocks():
            basis = np.zeros((rows, values.size), dtype=np.float32)
            basis[: known.size] = np.where(known[:, None] < 0, 0, left[known] / values)
            found.append(basis)
        return found

    def _list_blocks(self) -> Iterator[tuple[Singles, Singles]]:
        """Yield the vectors (before normalisation) and the singular values of each block."""
        scale = np.float32((2 / (1 - self.share)) ** 0.5)
        for at, part in enumerate((slice(0, self.width), slice(self.width, self.values.size))):
            rows = self.vectors[:, part] * (self.lengths[:, at : at + 1] * scale)
            yield rows, np.maximum(self.values[part], 1e-6)

    def keep(self, rows: Ints) -> Representation:
        """Return the representation of selected words. Row −1 stands for an unknown word."""
        known = rows if self.rows is None else np.where(rows < 0, -1, self.rows[rows])
        return replace(self, rows=known)

    def to_arrays(self) -> dict[str, Array]:
        """Return the arrays to be stored in a folder."""
        arrays = contents.to_arrays("weights", self.weights)
        rows: dict[str, Array] = {} if self.rows is None else {"rows": self.rows}
        if self.prior:
            rows |= {"prior": np.array([self.prior]), "share": np.array([self.share])}
        return {
            **arrays, "vectors": self.vectors.astype(np.float16), "lengths": self.lengths,
            "values": self.values, "width": np.array([self.width]), "totals": self.totals, **rows,
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array]) -> Self:
        """Restore a representation from arrays.

        Raise KeyError or ValueError if they are invalid.
        """
        weights = contents.from_arrays(arrays, "weights")
        n, m = weights.shape
        schema: contents.Schema = {
            "vectors": ("f", (n, "all")), "lengths": ("f", (n, 2)),
            "values": ("f", ("dimensions",)), "totals": ("f", (m,)), "width": ("iu", (1,)),
        }  # fmt: skip
        if "prior" in arrays:
            schema = {**schema, "prior": ("iu", (1,)), "share": ("f", (1,))}
        sizes, width = contents.require_arrays(arrays, schema), int(arrays["width"][0])
        if not 0 <= width <= sizes["dimensions"]:
            raise ValueError(f"width {width}: expected 0 to {sizes['dimensions']}")
        prior, share = (arrays[one][0].item() if one in arrays else 0 for one in ("prior", "share"))
        if sizes["dimensions"] + prior != sizes["all"] or not 0 <= share < 1:
            raise ValueError(
                f"vectors with {sizes['all']} dimensions and a prior with {prior} dimensions and "
                f"share {share}: expected {sizes['dimensions'] + prior} dimensions in all and a "
                "share of at least 0 and less than 1"
            )
        rows = arrays.get("rows")
        if rows is not None:
            contents.require_arrays(arrays, {"rows": ("iu", ("words",))})
            contents.require_range("rows", rows, -1, n)
        vectors = arrays["vectors"].astype(np.float32)
        return cls(
            weights, vectors, arrays["lengths"], arrays["values"], width, arrays["totals"], rows,
            prior, float(share),
        )  # fmt: skip

    @cached_property
    def _unit_weights(self) -> Any:
        return unit(self.weights)

    @cached_property
    def _basis(self) -> list[Singles]:
        """The basis U/S of each block. Weights w are embedded as w·knownᵀ·U/S = w·V."""
        return [rows / values**2 for rows, values in self._list_blocks()]


def _project(new: Any, known: Any, basis: Any) -> Singles:
    """Return new · knownᵀ · basis, in batches of contexts. Each row is computed independently."""
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
    """Multiply unit rows by unit columns, with a result that does not depend on the machine.

    BLAS adds products in an order that varies with the threads, the machine and the number of rows.
    Rounding to multiples of `GRAIN` makes sums in float64 exact.
    """
    grains = [np.rint(np.asarray(one, dtype=np.float64) / GRAIN) for one in (rows, columns)]
    return np.asarray(grains[0] @ grains[1] * GRAIN**2)


def spread(
    vectors: Singles, common: Singles, own: Ints | None = None, share: float = 0.3,
    nearest: int = 10, multiply: Callable[[Any, Any], Any] = np.matmul,
) -> Singles:  # fmt: skip
    """Smooth each vector by mixing in the vectors of its nearest common words.

    The neighbours have the total weight `share`, distributed by the cube of their cosine. If
    `vectors` includes the common words, pass their rows as `own`, so no word is its own neighbour.
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


def join(vectors: Singles, prior: Singles, share: float) -> Singles:
    """Concatenate unit vectors x from contexts and prior vectors y: [√(1−s)·x, √s·y]."""
    parts = vectors * np.float32((1 - share) ** 0.5), prior * np.float32(share**0.5)
    return np.asarray(np.hstack(parts), dtype=np.float32)


def infer_prior(
    vectors: Singles, known: Singles, prior: Singles,
    multiply: Callable[[Any, Any], Any] = np.matmul, nearest: int = 10,
) -> Singles:  # fmt: skip
    """Infer prior vectors of unknown words from the known words with similar contexts.

    The result is the normalised mean of the prior vectors of the nearest words, weighted by the
    cube of the cosine. It is 0 for a word without contexts.
    """
    nearest = min(nearest, known.shape[0])
    out = np.zeros((vectors.shape[0], prior.shape[1]), dtype=np.float32)
    for begin in range(0, vectors.shape[0], BLOCK):
        cosines = multiply(vectors[begin : begin + BLOCK], known.T)
        best = np.argpartition(-cosines, nearest - 1, axis=1)[:, :nearest]
        weights = np.maximum(np.take_along_axis(cosines, best, axis=1), 0) ** 3
        # Sort the neighbours, because np.argpartition may return them in any order.
        order = np.argsort(best, axis=1)
        best, weights = (np.take_along_axis(one, order, axis=1) for one in (best, weights))
        sums = np.einsum("ij,ijk->ik", weights, prior[best].astype(np.float64))
        out[begin : begin + BLOCK] = unit(sums)
    return out


def _close(weights: Any, words: Any, contexts: Any) -> Any:
    """Count each word as a context of itself in symmetric relations, with its highest weight."""
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


def decompose_exactly(matrix: Any, dimensions: int) -> tuple[Any, Any]:
    """Return U and the largest singular values, from the eigenvectors of A·Aᵀ.

    The computation uses one thread and no random start, so the resulting classes do not depend on
    the seed.
    """
    from scipy.linalg import eigh
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        products = to_dense(matrix @ matrix.T)
        n = products.shape[0]
        squares, left = eigh(products, subset_by_index=(n - dimensions, n - 1), overwrite_a=True)
        # The function eigh returns the smallest eigenvalue first.
        return left[:, ::-1], np.sqrt(np.maximum(squares[::-1], 0))


def decompose(matrix: Any, dimensions: int, seed: int, near: Any = None) -> tuple[Any, Any, Any]:
    """Return U, the largest singular values and Vᵀ of a truncated SVD, computed on one thread.

    Small matrices are decomposed by an exact SVD, and larger ones by randomised subspace iteration.
    Only the shorter one of U and V is orthogonalised in each iteration, because this step is
    expensive. If columns `near` to U are passed, few iterations suffice.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # With one thread, results are identical on every machine.
        if min(matrix.shape) <= dimensions + MORE:
            left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
            return left[:, :dimensions], values[:dimensions], right[:dimensions]
        wide = near is not None or matrix.shape[0] <= matrix.shape[1]
        there = sparse.csr_array(matrix if wide else matrix.T, dtype=np.float32)
        back = sparse.csr_array(there.T)
        rng = np.random.default_rng(seed)
        # Start from random columns, or from `near`.
        basis = rng.standard_normal((there.shape[0], dimensions + MORE)).astype(np.float32)
        if near is not None:
            known = near[:, :dimensions]
            basis[:, : known.shape[1]] = known
            basis[:, known.shape[1] :] /= np.float32(there.shape[0] ** 0.5)
        # Iterate basis ← orth(A·Aᵀ·basis), which converges to the leading left singular subspace.
        for _ in range(ITERATIONS if near is None else FURTHER):
            basis = np.linalg.qr(there @ (back @ basis))[0]
        across = back @ basis
        # Rayleigh–Ritz: compute the singular values within the subspace, largest first.
        squares, turn = np.linalg.eigh(across.T @ across)
        turn = turn[:, ::-1][:, :dimensions]
        values = np.sqrt(np.maximum(squares[::-1][:dimensions], 0))
        left, right = basis @ turn, (across @ turn / np.maximum(values, 1e-12)).T
        return (left, values, right) if wide else (right.T, values, left.T)
