"""Counts in one .npz file: scipy's layout of a sparse matrix, and the names beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts.counts import Counts
from roget.core.counts.matrix import Names
from roget.core.folder import need_csr, read_npz, write_npz
from roget.errors import InputError

_CSR = ("data", "indices", "indptr")

_PADDED = 1 << 32
"""Bytes that names may take: numpy gives each as much room as the longest one needs."""


def read(place: Path) -> Counts:
    """A sparse matrix as scipy saves it, or data, indices, indptr and shape, or a dense X.

    Names are looked for in words and contexts, or obs_names and var_names. Nothing is unpickled.
    """
    arrays = read_npz(place, packed=True, kinds="biufSU")
    try:
        found = [
            next((_texts(arrays[key]) for key in keys if key in arrays), None)
            for keys in (("words", "obs_names"), ("contexts", "var_names"), ("slots",))
        ]
        return Counts(_matrix(arrays), found[0], found[1], slots=found[2])
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot be read as .npz: {error}") from None


def write(counts: Counts, draft: Path) -> None:
    """Write what `scipy.sparse.load_npz` reads, with words, contexts and, if any, slots."""
    arrays: dict[str, Any] = {
        "words": _padded(counts.words, "word"),
        "contexts": _padded(counts.contexts, "context"),
    }
    if any(counts.slots):
        arrays["slots"] = _padded(counts.slots, "slot")
    parts = {name: getattr(counts.matrix, name) for name in _CSR}
    layout = {"format": np.array(b"csr"), "_is_array": np.array(True)}
    shape = {"shape": np.array(counts.shape)}
    write_npz(draft, layout | shape | parts | arrays, packed=True)


def _matrix(arrays: dict[str, Any]) -> Any:
    """The matrix in the layout that is named, checked before scipy's compiled code sees it."""
    layout = arrays["format"].item() if "format" in arrays else b"csr"
    layout = layout.decode() if isinstance(layout, bytes) else str(layout)
    if "format" not in arrays and not set(_CSR) <= set(arrays):
        if "X" in arrays:
            return arrays["X"]
        raise InputError(
            f"holds {', '.join(arrays) or 'nothing'}; expected a sparse matrix (data, indices, "
            "indptr, shape) or a dense X"
        )
    shape = tuple(arrays["shape"].tolist())
    if layout in ("csr", "csc"):
        turned = shape if layout == "csr" else shape[::-1]
        matrix = need_csr([arrays[part] for part in _CSR], turned, finite=False)
        return matrix if layout == "csr" else matrix.T
    if layout == "coo":
        return sparse.coo_array((arrays["data"], (arrays["row"], arrays["col"])), shape=shape)
    if layout == "dia":
        return sparse.dia_array((arrays["data"], arrays["offsets"]), shape=shape)
    if layout == "bsr":
        blocks = arrays["data"]
        rows, columns = (of // part for of, part in zip(shape, blocks.shape[1:], strict=True))
        places = np.arange(len(blocks))
        need_csr([places, arrays["indices"], arrays["indptr"]], (rows, columns))
        return sparse.bsr_array((blocks, arrays["indices"], arrays["indptr"]), shape=shape)
    raise InputError(
        f"a sparse matrix of the layout {layout!r}; expected csr, csc, coo, bsr or dia"
    )


def _texts(array: npt.NDArray[Any]) -> list[Any]:
    if array.ndim != 1:
        raise InputError(f"names have {array.ndim} dimensions; expected one")
    return list((np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array).tolist())


def _padded(texts: Names, kind: str) -> npt.NDArray[np.str_]:
    longest = max(map(len, texts), default=0)
    if 4 * longest * texts.size > _PADDED:
        raise InputError(
            f"a {kind} of {longest:,} characters is too long for .npz: write a directory instead"
        )
    padded = texts.astype(np.str_)
    # numpy pads with zeros, so zeros at the end of a text are lost.
    if any(text.endswith("\0") for text in texts):
        raise InputError(f"a {kind} ends in \\0, which .npz cannot keep: write a directory instead")
    return padded
