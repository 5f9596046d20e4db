"""Validate matrices and names, and convert matrices to a canonical sparse format."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.types import Array, Ints
from roget.errors import InputError

Names: TypeAlias = npt.NDArray[np.object_]
Matrix: TypeAlias = Any
"""A scipy.sparse.csr_array with sorted indices, no duplicate cells and no explicit zeros."""

LARGEST = 2**63 - 1
"""Maximum sum of all counts, which ensures that no total overflows int64."""

LONGEST = 2**31 - 1
"""Maximum number of words, and of contexts. Files store indices in 32 bits."""


def split_slot(context: str) -> tuple[str, str]:
    """Split a context into its slot (the relation) and its head word. The slot may be empty or
    contain colons.

    >>> split_slot("obl:with:eat"), split_slot("eat")
    (('obl:with', 'eat'), ('', 'eat'))
    """
    slot, _, head = context.rpartition(":")
    return (slot, head) if head else ("", context)


def names(given: Iterable[Any] | None, size: int, kind: str) -> Names:
    """Return words or contexts as an array of distinct strings, by default "0", "1", …."""
    if given is None:
        return frozen(str(number) for number in range(size))
    if isinstance(given, str):
        raise InputError(
            f"{kind}s must be a list of strings, not the string {given!r}", code="invalid-option"
        )
    texts = list(given)
    if not _are_texts(texts):
        texts = [_text(name, place, kind) for place, name in enumerate(texts)]
    if len(texts) != size:
        raise InputError(
            f"got {len(texts):,} {kind}s, but the matrix has {size:,}", code="length-mismatch"
        )
    if len(set(texts)) != size:
        seen: dict[str, int] = {}
        for place, text in enumerate(texts):
            if (first := seen.setdefault(text, place)) != place:
                raise InputError(
                    f"duplicate {kind} {text!r} (at positions {first} and {place})",
                    code="duplicate-name",
                )
    return frozen(texts)


def frozen(texts: Iterable[str]) -> Names:
    """Convert strings to a read-only object array."""
    listed = list(texts)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    array.flags.writeable = False
    return array


def unite_names(vocabularies: Iterable[Names]) -> tuple[Names, list[Ints]]:
    """Return the union of vocabularies, and for each vocabulary an array that maps its ids to the
    union.

    The union is in order of first occurrence.
    """
    ids: dict[str, int] = {}
    places = [
        np.fromiter((ids.setdefault(name, len(ids)) for name in texts), np.int64, texts.size)
        for texts in vocabularies
    ]
    return frozen(ids), places


def canonical(matrix: Any, words: Names, contexts: Names) -> Matrix:
    """Return a canonical csr_array of int64 or float64. Raise an error for invalid counts."""
    try:
        cells = sparse.coo_array(matrix)
    except ValueError as error:
        raise InputError(f"invalid sparse matrix: {error}", code="bad-count") from None
    rows, columns = (places.astype(np.int64) for places in cells.coords)
    bad = _find_invalid(cells.data)
    if bad is not None:
        word, context = words[rows[bad]], contexts[columns[bad]]
        raise InputError(
            f"word {word!r} (row {rows[bad]}), context {context!r} (column {columns[bad]}): "
            f"invalid count {cells.data[bad]}; counts must be finite, not negative and below 2^63",
            code="bad-count",
        )
    return from_cells(rows, columns, whole(cells.data), cells.shape)


def two_dimensional(matrix: Any) -> Any:
    """Return the input as an array or sparse matrix, after checking that it is 2-D and numeric."""
    if not sparse.issparse(matrix):
        try:
            matrix = np.asarray(matrix)
        except ValueError as error:
            raise InputError(f"not a matrix: {error}", code="invalid-input") from None
    if matrix.ndim != 2:
        raise InputError(
            f"the matrix must have 2 dimensions (words × contexts), not {matrix.ndim}",
            code="invalid-input",
        )
    if matrix.dtype.kind not in "biuf":
        raise InputError(
            f"the matrix has dtype {matrix.dtype}; expected numbers below 2^63",
            code="bad-count",
        )
    if max(matrix.shape) > LONGEST:
        raise InputError(
            f"the matrix has shape {matrix.shape}; at most {LONGEST:,} words and contexts are "
            "supported",
            code="too-large",
        )
    # SciPy does not support half-precision sparse matrices.
    return matrix.astype(np.float32) if matrix.dtype == np.float16 else matrix


def whole(values: Array) -> Array:
    """Return the values as int64 if all are whole numbers, otherwise as float64."""
    if values.dtype.kind in "biu" or bool(np.all(values == np.floor(values))):
        return values.astype(np.int64)
    return values.astype(np.float64)


def from_cells(rows: Ints, columns: Ints, values: Array, shape: tuple[int, int]) -> Matrix:
    """Build a canonical matrix from cells in any order.

    Counts of duplicate cells are summed exactly.
    """
    _require_small_total(values)
    nonzero = values != 0
    if not nonzero.all():
        rows, columns, values = rows[nonzero], columns[nonzero], values[nonzero]
    keys = rows * shape[1] + columns
    if not np.all(keys[1:] > keys[:-1]):
        # Sort the cells by row and column, and sum duplicates.
        order = np.argsort(keys)
        keys, values = keys[order], values[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        keys, values = keys[starts], _sum_groups(values, starts)
        rows, columns = np.divmod(keys, shape[1])
    pointers = np.zeros(shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=shape[0]), out=pointers[1:])
    index = np.int32 if values.size <= LONGEST else np.int64
    parts = (whole(values), columns.astype(index), pointers.astype(index))
    matrix = sparse.csr_array(parts, shape=shape)
    matrix.has_canonical_format = True
    return matrix


def tidy(matrix: Matrix) -> Matrix:
    """Restore the canonical form of a sliced matrix, in place."""
    matrix.sort_indices()
    matrix.eliminate_zeros()
    matrix.data = whole(matrix.data)
    return matrix


def row_totals(matrix: Matrix) -> Array:
    """Return the row sums, which are exact for whole counts and correctly rounded for fractions."""
    if matrix.data.dtype.kind == "i":
        running = np.concatenate([[0], np.cumsum(matrix.data)])
        return np.asarray(running[matrix.indptr[1:]] - running[matrix.indptr[:-1]])
    # A plain float sum depends on the order of contexts, which would affect the ranking of words.
    values, bounds = matrix.data.tolist(), matrix.indptr.tolist()
    sums = (math.fsum(values[a:b]) for a, b in pairwise(bounds))
    return np.fromiter(sums, np.float64, len(bounds) - 1)


def ranking(totals: Array, texts: Names) -> npt.NDArray[np.intp]:
    """Return the indices sorted by total, largest first.

    Ties are in alphabetical order of the names.
    """
    by_text = np.argsort(texts, kind="stable")
    return np.asarray(by_text[np.argsort(-totals[by_text], kind="stable")])


def _are_texts(names: list[Any]) -> bool:
    """Return True if all names are valid strings. Testing all names in one call is fast."""
    if not all(type(name) is str for name in names):
        return False
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(name: Any, place: int, kind: str) -> str:
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return str(name)
    if not isinstance(name, str):
        raise InputError(f"{kind} {place} is {name!r}, not a string", code="invalid-input")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{kind} {place} is {name!r}, which is not valid Unicode", code="not-text"
        ) from None
    return str(name)


def _find_invalid(values: Array) -> int | None:
    if values.dtype.kind in "bu":
        bad = np.flatnonzero(values > LARGEST)
    elif values.dtype.kind == "i":
        bad = np.flatnonzero(values < 0)
    else:
        with np.errstate(over="ignore"):  # An overflow gives inf, which is detected below.
            values = values.astype(np.float64)
        bad = np.flatnonzero(~((values >= 0) & (values < 2.0**63)))
    return int(bad[0]) if bad.size else None


def _require_small_total(values: Array) -> None:
    if values.sum(dtype=np.float64) < 2.0**62:
        return
    if values.dtype.kind == "i":
        # Sum the upper and lower 32 bits separately to avoid overflow.
        high, low = int((values >> 32).sum()), int((values & 0xFFFFFFFF).sum())
        total: float = (high << 32) + low
    else:
        total = math.fsum(values)
    if total > LARGEST:
        raise InputError(
            f"the counts add up to {total:,}; the sum must be below 2^63", code="too-large"
        )


def _sum_groups(values: Array, starts: npt.NDArray[np.intp]) -> Array:
    if values.dtype.kind == "i" or starts.size == values.size:
        return np.add.reduceat(values, starts) if starts.size else values
    # fsum rounds only once, so the result does not depend on the order of the values. For two
    # numbers, a plain sum is sufficient, because it is also rounded only once.
    sums, sizes = values[starts], np.diff(starts, append=values.size)
    pairs = starts[sizes == 2]
    sums[sizes == 2] = values[pairs] + values[pairs + 1]
    for group in np.flatnonzero(sizes > 2):
        sums[group] = math.fsum(values[starts[group] : starts[group] + sizes[group]].tolist())
    return sums
