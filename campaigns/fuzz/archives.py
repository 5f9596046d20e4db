"""Archives of arrays with false headers, types, shapes and offsets."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from campaigns.fuzz.mutate import mutate
from campaigns.fuzz.targets import NOTHING, Found

_HEADERS = (
    b"(1000000000000,)", b"(0,)", b"(3, 0)", b"()", b"(-1,)", b"'|O'", b"'<U0'", b"'<f4'",
    b"'<c16'",
    b"'|b1'", b"True", b"'<M8[ns]'", b"'>i8'", b"'<i4'", b"'<u8'",
)  # fmt: skip
_VALUES = (0, 1, -1, 2, 7, 255, 3_000_000, 2**31 - 1, -(2**31), 2**62, -(2**63))


class Arrays:
    """Bytes of .npz files, in which one array is changed."""

    def __init__(self, sets: Sequence[Mapping[str, Any]]) -> None:
        self._sets = [{name: _npy(array) for name, array in one.items()} for one in sets]
        self._arrays = sets
        self._packed = [_zip(one) for one in self._sets]

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        at = random.randrange(len(self._sets))
        if random.random() < 0.2:
            return mutate(random, found.inputs or self._packed)
        parts, arrays = dict(self._sets[at]), self._arrays[at]
        if found.inputs:
            packed = unzipped(random.choice(found.inputs))
            if packed:
                parts = {name.removesuffix(".npy"): part for name, part in packed.items()}
                arrays = {name: _array(part) for name, part in parts.items()}
        name = random.choice(tuple(parts))
        way = random.random()
        if way < 0.5 and arrays[name] is not None:
            parts[name] = _npy(change(random, np.asarray(arrays[name])))
        elif way < 0.85:
            parts[name] = mutate(random, [parts[name]], found.words or _HEADERS)
        elif way < 0.9:
            del parts[name]
        else:
            parts[name] = parts[random.choice(tuple(parts))]
        return _zip(parts, packed=random.random() < 0.1)


def change(random: Random, array: Any) -> Any:
    """Return the array with a changed value, shape or type."""
    array = np.array(array)
    way = random.randrange(6)
    if way == 0 and array.size > 1:
        return array[:-1]
    if way == 1:
        return np.concatenate((array, array)) if array.ndim else np.array([array, array])
    if way == 2 and array.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            return array.astype(
                random.choice(("<f8", "<i4", "<i8", "|b1", "<u8", "<f4", "|u1", "<U4"))
            )
    if way == 3 and array.ndim:
        return array.reshape(random.choice(((-1,), (1, -1), (-1, 1))))
    if array.size and array.dtype.kind == "f":
        array.flat[random.randrange(array.size)] = random.choice(
            (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 5e-324, 0.5)
        )
    elif array.size and array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        value = min(max(random.choice(_VALUES), int(limits.min)), int(limits.max))
        array.flat[random.randrange(array.size)] = value
    elif array.size and array.dtype.kind in "US":
        array.flat[random.randrange(array.size)] = (
            random.choice(("", "a", "\ud800", "\0", "x" * 99))[: array.dtype.itemsize]
            if array.dtype.kind == "U"
            else random.choice((b"", b"a", b"\xff"))
        )
    return array


def unzipped(data: bytes) -> dict[str, bytes]:
    """Return the files in a .zip, or nothing if it is damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(one.file_size for one in archive.infolist()) > 1 << 20:
                return {}
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # any error of zipfile
        return {}


def _array(data: bytes) -> Any:
    """Return the array of an .npy file, or None if there is no array or it contains objects."""
    try:
        return np.load(io.BytesIO(data))
    except Exception:  # any error of numpy, e.g. if it requests too much memory
        return None


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array))
    return file.getvalue()


def _zip(parts: Mapping[str, bytes], *, packed: bool = False) -> bytes:
    file = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", how) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data, compress_type=how)
    return file.getvalue()
