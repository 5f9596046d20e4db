"""Models and half-finished runs as a folder: JSON for what is small, npz for arrays, no pickle.

Every clusterer is kept this way; a `kind` such as "soft.model" says what a folder holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget._version import __version__
from roget.core.store import check_directory, new_directory, read_object
from roget.core.tree import Tree
from roget.errors import InputError

VERSION = 1
_HEADER, _ARRAYS = "model.json", "arrays.npz"
KIND = "a model"

INTERVAL = 2.0
"""Seconds at least between two checkpoints; writing takes at most a tenth of the time."""


def check(path: str | os.PathLike[str]) -> None:
    """Refuse a place where no model could be written, before one is learnt."""
    check_directory(path, _is_model, KIND)


def _is_model(folder: Path) -> bool:
    return (folder / _HEADER).is_file()


def write(path: str | os.PathLike[str], kind: str, content: Mapping[str, Any]) -> None:
    """Write arrays and plain values under a kind, whole or not at all."""
    arrays = {name: value for name, value in content.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in content.items() if name not in arrays}
    header = {"format": f"roget.{kind}", "version": VERSION, "roget": __version__, **plain}
    with new_directory(path, _is_model, KIND) as draft:
        text = json.dumps(header, ensure_ascii=False, indent=1, default=_plain)
        (draft / _HEADER).write_text(text + "\n", encoding="utf-8")
        np.savez(draft / _ARRAYS, allow_pickle=False, **arrays)


def read(path: str | os.PathLike[str], kind: str) -> dict[str, Any]:
    """What `write` wrote under this kind."""
    folder, form = Path(path), f"roget.{kind}"
    try:
        header = read_object(folder / _HEADER)
    except InputError as error:
        raise InputError(f"{folder} cannot be read as a model: {error}") from None
    if header.get("format") != form:
        raise InputError(f"{folder}: the format is {header.get('format')!r}; expected {form!r}")
    if header.get("version") != VERSION:
        raise InputError(
            f"{folder}: version {header.get('version')!r} of the format; this roget reads "
            f"version {VERSION}"
        )
    try:
        with np.load(folder / _ARRAYS, allow_pickle=False) as arrays:
            return header | {name: arrays[name] for name in arrays.files}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        place = folder / _ARRAYS
        raise InputError(f"{folder} cannot be read as a model: {place}: {error}") from None


def fingerprint(arrays: Iterable[npt.NDArray[Any]], options: Mapping[str, Any]) -> str:
    """A name for the data and options of a run, so that no other run is taken for it."""
    digest = hashlib.sha256(json.dumps(dict(options), sort_keys=True, default=_plain).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be kept")


class Checkpoint:
    """The place where a run is kept while it goes on; without a path, nothing is done."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        kind: str,
        arrays: Iterable[npt.NDArray[Any]],
        options: Mapping[str, Any],
    ) -> None:
        self._path, self._kind = path, f"{kind}.checkpoint"
        self._name = fingerprint(arrays, options) if path is not None else ""
        self._next = 0.0

    def resume(self) -> dict[str, Any] | None:
        """What the run had come to, if it was begun before."""
        if self._path is None or not Path(self._path).exists():
            return None
        kept = read(self._path, self._kind)
        if kept["run"] != self._name:
            raise InputError(
                f"{self._path} is the checkpoint of other data or other options: remove it, or "
                "name another"
            )
        return kept

    def keep(self, content: Callable[[], Mapping[str, Any]], *, now: bool = False) -> None:
        """Write, unless it was done a moment ago."""
        begun = time.monotonic()
        if self._path is None or (begun < self._next and not now):
            return
        write(self._path, self._kind, {**content(), "run": self._name})
        done = time.monotonic()
        self._next = done + max(INTERVAL, 10 * (done - begun))


_NAMES = ("words_", "contexts_", "feature_names_in_")
_CSR = ("data", "indices", "indptr")
_NOT_KEPT = ("progress", "checkpoint", "random_state")


def save(
    model: Any, path: str | os.PathLike[str], kind: str, arrays: Sequence[str], plain: Sequence[str]
) -> None:
    """Write a fitted model, without its callbacks and random state.

    `arrays` and `plain` name its fitted attributes, besides membership_, tree_ and the names of
    words and contexts, which every clusterer has.
    """
    options = {name: value for name, value in model.get_params().items() if name not in _NOT_KEPT}
    if "dtype" in options:
        options["dtype"] = np.dtype(options["dtype"]).name
    content = {name: getattr(model, name) for name in (*arrays, *plain)}
    for name in _NAMES:
        if hasattr(model, name):
            content[name] = getattr(model, name).tolist()
    table = model.membership_
    content |= {f"membership_{part}": getattr(table, part) for part in _CSR}
    content["membership_shape"] = list(table.shape)
    write(path, f"{kind}.model", {**content, "options": options, "tree_": model.tree_.to_json()})


def load(
    cls: Any, path: str | os.PathLike[str], kind: str, arrays: Sequence[str], plain: Sequence[str]
) -> Any:
    """The model that `save` wrote, of the given class."""
    kept = read(path, f"{kind}.model")
    try:
        model = cls(**kept["options"])
        for name in (*arrays, *plain):
            setattr(model, name, kept[name])
        for name in _NAMES:
            if name in kept:
                setattr(model, name, np.array(kept[name], dtype=object))
        parts = tuple(kept[f"membership_{part}"] for part in _CSR)
        model.membership_ = sparse.csr_array(parts, shape=tuple(kept["membership_shape"]))
        model.tree_ = Tree.from_json(kept["tree_"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a whole model: {error!r}") from None
    return model
