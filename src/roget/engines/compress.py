"""Compress arrays for workers by storing numbers in the smallest possible type."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from roget.core.types import Array


def shrink(array: Array) -> Array:
    """Convert an array to the smallest unsigned integer type that represents it exactly.

    Return other arrays unchanged. The sign of −0.0 is lost.

    >>> shrink(np.array([0.0, 3.0, 200.0])).dtype, shrink(np.array([0.5, 300])).dtype
    (dtype('uint8'), dtype('float64'))
    """
    if not array.size or not array.min() >= 0 or not array.max() < 1 << 32:
        return array
    narrow = np.min_scalar_type(int(array.max()))
    if narrow.itemsize >= array.dtype.itemsize:
        return array
    made = array.astype(narrow)
    return made if array.dtype.kind in "iu" or np.array_equal(made, array) else array


class CompressedArrays(NamedTuple):
    """The arrays of a csr_array, converted to the smallest possible types."""

    data: Array
    indices: Array
    lengths: Array
    shape: tuple[int, int]
    types: tuple[Any, Any]

    @classmethod
    def from_csr(cls, table: Any) -> CompressedArrays:
        """Compress a csr_array."""
        lengths, types = np.diff(table.indptr), (table.data.dtype, table.indices.dtype)
        return cls(shrink(table.data), shrink(table.indices), shrink(lengths), table.shape, types)

    def unpack(self) -> Any:
        """Return the original csr_array."""
        from scipy import sparse

        values, places = self.types
        ends = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)]).astype(places)
        data, indices = self.data.astype(values), self.indices.astype(places)
        return sparse.csr_array((data, indices, ends), self.shape)
