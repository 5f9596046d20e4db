"""Counts in one .npz file: scipy's layout of a sparse matrix, and the names beside it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts.counts import Counts
from roget.core.counts.matrix import Names
from roget.errors import InputError

_PADDED = 1 << 32
"""Bytes that names may take: numpy gives each as much room as the longest one needs."""


def read(place: Path) -> Counts:
    """A sparse matrix as scipy saves it, or data, indices, indptr and shape, or a dense X.

    Names are looked for in words and contexts, or obs_names and var_names. Nothing is unpickled.
    """
    with _clear(), open(place, "rb") as raw:
        file = np.load(raw, allow_pickle=False)
        if isinstance(file, np.ndarray):
            raise InputError("holds a single array; expected a .npz file of several")
        matrix = _matrix(file, raw)
        if hasattr(matrix, "check_format") and hasattr(matrix, "indptr"):
            # Broken pointers would make scipy write outside its arrays.
            matrix.check_format(full_check=True)
        found = [
            next((_texts(file[key]) for key in keys if key in file), None)
            for keys in (("words", "obs_names"), ("contexts", "var_names"), ("slots",))
        ]
    return Counts(matrix, found[0], found[1], slots=found[2])


def write(counts: Counts, draft: Path) -> None:
    """Write what `scipy.sparse.load_npz` reads, with words, contexts and, if any, slots."""
    arrays: dict[str, Any] = {
        "words": _padded(counts.words, "word"),
        "contexts": _padded(counts.contexts, "context"),
    }
    if any(counts.slots):
        arrays["slots"] = _padded(counts.slots, "slot")
    with open(draft, "wb") as file:
        np.savez_compressed(
            file,
            format=np.array(b"csr"),
            shape=np.array(counts.shape),
            data=counts.matrix.data,
            indices=counts.matrix.indices,
            indptr=counts.matrix.indptr,
            _is_array=np.array(True),
            **arrays,
        )


def _matrix(file: Any, raw: IO[bytes]) -> Any:
    if "format" in file:
        raw.seek(0)
        return sparse.load_npz(raw)
    if {"data", "indices", "indptr"} <= set(file):
        parts = (file["data"], file["indices"], file["indptr"])
        return sparse.csr_array(parts, shape=tuple(file["shape"]))
    if "X" in file:
        return file["X"]
    raise InputError(
        f"holds {', '.join(file) or 'nothing'}; expected a sparse matrix (data, indices, "
        "indptr, shape) or a dense X"
    )


@contextmanager
def _clear() -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile, zlib.error) as error:
        if "allow_pickle" in str(error) or "pickled" in str(error):
            raise InputError(
                "holds Python objects or is no .npz file; objects are never loaded, because that "
                "can run code: save names as arrays of text, array.astype('U')"
            ) from None
        raise InputError(f"cannot be read as .npz: {error}") from None


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
