"""Models and half-finished runs as a folder: JSON for what is small, npz for arrays, no pickle.

Every clusterer is kept this way; a `kind` such as "soft.model" says what a folder holds.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core import folder as folders
from roget.errors import InputError

INTERVAL = 2.0
"""Seconds at least between two checkpoints; writing takes at most a tenth of the time."""


def fingerprint(arrays: Iterable[npt.NDArray[Any]], options: Mapping[str, Any]) -> str:
    """A name for the data and options of a run, so that no other run is taken for it."""
    digest = hashlib.sha256(
        json.dumps(dict(options), sort_keys=True, default=np.generic.item).encode()
    )
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


class Checkpoint:
    """The place where a run is kept while it goes on; without a path, nothing is done."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        kind: str,
        arrays: Iterable[npt.NDArray[Any]],
        options: Mapping[str, Any],
    ) -> None:
        self._path, self._kind = path, folders.model("checkpoint", f"{kind}.checkpoint")
        self._name = fingerprint(arrays, options) if path is not None else ""
        self._next = 0.0

    def resume(self) -> dict[str, Any] | None:
        """What the run had come to, if it was begun before."""
        if self._path is None or not Path(self._path).exists():
            return None
        kept = folders.read(self._path, self._kind)
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
        folders.write(self._path, self._kind, {**content(), "run": self._name})
        done = time.monotonic()
        self._next = done + max(INTERVAL, 10 * (done - begun))
