"""Run E and M steps on the workers of an engine, which hold blocks of words and contexts.

An M step sends memberships to the workers, and leaves the new centroids there. An E step uses these
centroids, and returns memberships. Blocks consist of the same ranges of rows that threads would
use, and the masses of the ranges are added in a fixed order. Results are therefore identical for
any number of workers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from roget.core.kernels.rows import RowIndex
from roget.core.types import Array, Floats
from roget.engines.base import current, in_order
from roget.engines.compress import shrink
from roget.learn.clustering.annealing.data import Data
from roget.learn.clustering.soft import kernels
from roget.learn.clustering.soft.kernels import Centroids, Fits, Lists

LEAST = 1 << 25
"""Minimum number of matrix entries times clusters for a distributed step. Smaller steps are faster
locally.
"""

DENSE = 64
"""Minimum number of matrix entries per word and context for a distributed step.

The entries stay on the workers, but memberships and centroids are sent in every step.
"""

_BLOCKS = 16


class RowBlock(NamedTuple):
    """A block of table rows, renumbered from 0, with the row weights and the row ranges."""

    rows: RowIndex
    weights: Floats
    ranges: tuple[tuple[int, int], ...]


class DistributedBlocks:
    """The data, as blocks of words and blocks of contexts on the workers of an engine."""

    def __init__(
        self, data: Data, words: Sequence[tuple[int, int]], contexts: Sequence[tuple[int, int]]
    ) -> None:
        self.engine: Any = current()
        self._left: Any = None
        """Log centroids that are still on the workers. None if they were already fetched."""
        self.words = self._hold(data.rows, data.prior, words)
        self.contexts = self._hold(data.columns, data.floor, contexts)

    def _hold(
        self, rows: RowIndex, weights: Floats, ranges: Sequence[tuple[int, int]]
    ) -> list[tuple[int, int, Any]]:
        """Send blocks of rows to the workers. Return (begin, end, reference) for each block."""
        held = []
        for part in np.array_split(np.arange(len(ranges)), min(_BLOCKS, len(ranges))):
            here = [ranges[at] for at in part]
            begin, end = here[0][0], here[-1][1]
            low, high = rows.indptr[begin], rows.indptr[end]
            block = RowBlock(
                RowIndex(shrink(rows.indptr[begin : end + 1] - low), shrink(rows.indices[low:high]),
                     rows.values[low:high]),
                weights[begin:end],
                tuple((a - begin, b - begin) for a, b in here),
            )  # fmt: skip
            held.append((begin, end, self.engine.persist(block, unpack_block)))
        return held

    def expect(self, centroids: Centroids, held: Array | Lists, fits: Fits, masses: Floats) -> None:
        """Run the E step: compute memberships, `Fits`, and one row of masses per range.

        If the workers still hold the log centroids of the last M step, use those.
        """
        k, done = centroids.bias.size, 0
        tasks = [(block, _cut_lists(held, begin, end)) for begin, end, block in self.words]
        if self._left is not None:
            given = self._left.futures, self._left.places, centroids.bias, centroids.beta
            found = self.engine.submit(expect_block, given, tasks, join_centroids).fetch()
        else:
            sent = centroids._replace(logs=np.ascontiguousarray(centroids.logs[:, :k]))
            found = self.engine.map(expect_block, sent, tasks)
        for (begin, end, _), (made, log_z, entropy, parts) in zip(self.words, found, strict=True):
            if isinstance(held, Lists):
                held.shares[held.offsets[begin] : held.offsets[end]] = made
            else:
                held[begin:end, :k] = made
            fits.log_z[begin:end], fits.entropy[begin:end] = log_z, entropy
            masses[done : done + len(parts)] = parts
            done += len(parts)

    def maximise(self, held: Array | Lists, mass: Floats) -> None:
        """Run the M step. Its log centroids stay on the workers for the next E step."""
        k = mass.size
        sent = held if isinstance(held, Lists) else np.ascontiguousarray(held[:, :k])
        tasks = [block for _, _, block in self.contexts]
        self._left = self.engine.submit(maximise_block, (sent, mass), tasks)

    def fetch(self, logs: Array) -> None:
        """Copy log centroids from the workers to `logs`, unless this was done already."""
        if self._left is None:
            return
        for (begin, end, _), made in zip(self.contexts, self._left.fetch(), strict=True):
            logs[begin:end, : made.shape[1]] = made
        # Reset the reference last. If workers are lost, the next call must fail as well.
        self._left = None


def join_centroids(given: tuple[Any, ...]) -> Centroids:
    """Concatenate the log centroids that the blocks of an M step returned."""
    found, places, bias, beta = given
    return Centroids(np.concatenate(in_order(found, places)), bias, beta)


def unpack_block(sent: RowBlock) -> RowBlock:
    """Convert a received block to the types that the kernels require."""
    indptr, indices, values = sent.rows
    rows = RowIndex(indptr.astype(np.int64), indices.astype(np.int32), _make_writable(values))
    return sent._replace(rows=rows, weights=_make_writable(sent.weights))


def expect_block(sent: Centroids, task: tuple[RowBlock, Lists | None]) -> tuple[Array, ...]:
    """Run the E step for a block. Return memberships, ln Z, entropies and masses by range."""
    centroids = Centroids(_make_writable(sent.logs), _make_writable(sent.bias), sent.beta)
    (rows, prior, ranges), lists = task
    rows, prior = RowIndex(*map(_make_writable, rows)), _make_writable(prior)
    lists = None if lists is None else Lists(*map(_make_writable, lists))
    fits, k = Fits(np.zeros(prior.size), np.zeros(prior.size)), centroids.bias.size
    masses = np.zeros((len(ranges), k))
    kernel: Any = kernels.expect if lists is None else kernels.expect_listed
    shares = np.zeros((prior.size, k), dtype=rows.values.dtype) if lists is None else lists.shares
    held = shares if lists is None else lists
    for (begin, end), mass in zip(ranges, masses, strict=True):
        kernel(begin, end, rows, centroids, prior, held, fits, mass)
    return shares, *fits, masses


def maximise_block(sent: tuple[Array | Lists, Floats], block: RowBlock) -> Array:
    """Run the M step for a block of contexts, and return its log centroids."""
    held, mass = sent
    columns, floor, mass = (
        RowIndex(*map(_make_writable, block.rows)),
        _make_writable(block.weights),
        _make_writable(mass),
    )
    logs = np.zeros((floor.size, mass.size), dtype=columns.values.dtype)
    kernel: Any = kernels.maximise_listed if isinstance(held, Lists) else kernels.maximise
    own = Lists(*map(_make_writable, held)) if isinstance(held, Lists) else _make_writable(held)
    for begin, end in block.ranges:
        kernel(begin, end, columns, own, mass, floor, logs)
    return logs


def _cut_lists(held: Array | Lists, begin: int, end: int) -> Lists | None:
    """Return the cluster lists of words `begin` to `end`, or None for dense memberships."""
    if not isinstance(held, Lists):
        return None
    low, high = held.offsets[begin], held.offsets[end]
    offsets = held.offsets[begin : end + 1] - low
    return Lists(offsets, held.clusters[low:high], held.shares[low:high])


def _make_writable(array: Array) -> Array:
    """Return a writable, contiguous array, as the compiled kernels require."""
    return array if array.flags.writeable and array.flags.c_contiguous else np.array(array)
