"""What thesaurus.json and edits.json must hold for the rest to make sense of them."""

from __future__ import annotations

import hashlib
import json
import reprlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from roget.errors import InputError

DTYPES = {"int64": "BIGINT", "float64": "DOUBLE"}
"""Types of counts, and what they are in Parquet files."""

HELD_OUT = ("all", "class", "word", "both")
"""What held-out tokens are predicted by."""


def need_version(place: Path, record: Mapping[str, Any], known: int) -> int:
    """The version of a file's format, if this roget can read it."""
    version = record.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise senseless(place, "version", version)
    if version > known:
        raise InputError(
            f"{place}: version {version} of the format; this roget reads up to version {known}: "
            "update roget"
        )
    return version


def check(place: Path, record: Mapping[str, Any]) -> None:
    """Say which part of thesaurus.json is not of the kind it should be, if any."""
    for name, is_right in _PARTS.items():
        if not is_right(record.get(name)):
            raise senseless(place, name, record.get(name))
    # Version 1 had no labels.
    labels = record.get("labels", {} if record["version"] == 1 else None)
    if not _is_mapping(labels):
        raise senseless(place, "labels", labels)
    for name, is_right in _PROVENANCE.items():
        value = record["provenance"].get(name)
        if value is not None and not is_right(value):
            raise senseless(place, f"provenance.{name}", value)


def senseless(place: Path, name: str, value: Any) -> InputError:
    """The error for a part that is not of its kind."""
    return InputError(f"{place}: {name!r} is {reprlib.repr(value)}, which makes no sense")


def digest(plain: Any) -> str:
    """A hash of plain values, whatever the order of names."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def is_sealed(plain: Any, seal: object) -> bool:
    """Whether plain values are those that were hashed when the file was written."""
    try:
        return seal == digest(plain)
    except RecursionError:  # what is written here is never nested so deeply
        return False


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _list_of(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def _shape(value: Any) -> bool:
    return _list_of(_whole)(value) and len(value) == 3


def _tree(value: Any) -> bool:
    return (
        _is_mapping(value)
        and all(_list_of(_whole)(value.get(name)) for name in ("parent", "cluster"))
        and _list_of(lambda one: one is None or _number(one))(value.get("value"))
    )


def _step(value: Any) -> bool:
    return _is_mapping(value) and not any(isinstance(one, dict | list) for one in value.values())


def _files(value: Any) -> bool:
    return _is_mapping(value) and all(
        _is_mapping(one) and _whole(one.get("bytes")) and isinstance(one.get("sha256"), str)
        for one in value.values()
    )


def _heldout(value: Any) -> bool:
    return _is_mapping(value) and all(_number(value.get(one)) for one in HELD_OUT)


_PARTS: dict[str, Callable[[Any], bool]] = {
    "shape": _shape,
    "dtype": lambda value: isinstance(value, str) and value in DTYPES,
    "tree": _tree,
    "path": _list_of(_step),
    "relations": _list_of(lambda one: isinstance(one, str)),
    "provenance": _is_mapping,
    "counts": _is_mapping,
    "files": _files,
}

_PROVENANCE: dict[str, Callable[[Any], bool]] = {
    "beta": _number,
    "description_length": _number,
    "options": _is_mapping,
    "clusterer": lambda value: isinstance(value, str),
    "heldout": _heldout,
}
