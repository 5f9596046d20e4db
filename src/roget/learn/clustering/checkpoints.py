"""Long runs: kept in a folder while they go on, and ended by Ctrl-C where that does no harm."""

from __future__ import annotations

import hashlib
import json
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from roget.core import folder as folders
from roget.core.types import Array, PathLike
from roget.errors import InputError

INTERVAL = 2.0
"""Seconds at least between two checkpoints; writing takes at most a tenth of the time."""

Pause: TypeAlias = Callable[[], None]
"""What a search calls where nothing is half done: a KeyboardInterrupt from it ends the search."""


def never_stop() -> None:
    """The pause of a search that is not to be stopped."""


class Checkpoint:
    """The place where a run is kept while it goes on; without a path, nothing is done."""

    def __init__(
        self, path: PathLike | None, kind: str, arrays: Iterable[Array], options: Mapping[str, Any]
    ) -> None:
        self._path, self._kind = path, folders.model("checkpoint", f"{kind}.checkpoint")
        self._resumed = False
        self._next, self._name = 0.0, ""
        """What data and options the run is of, so that no other run is taken for it."""
        if path is not None:
            told = json.dumps(dict(options), sort_keys=True, default=np.generic.item)
            digest = hashlib.sha256(told.encode())
            for array in arrays:
                digest.update(np.ascontiguousarray(array).data)
            self._name = digest.hexdigest()

    def resume(self) -> dict[str, Any] | None:
        """What the run had come to, if it was begun before."""
        if self._path is None or not Path(self._path).exists():
            return None
        kept = folders.read(self._path, self._kind)
        if kept.get("run") != self._name:
            raise InputError(
                f"{self._path} is the checkpoint of other data or other options: remove it, or "
                "name another"
            )
        self._resumed = True
        return kept

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """What goes wrong in a run that was resumed is put down to the checkpoint, by its name."""
        if not self._resumed or self._path is None:
            yield
            return
        try:
            with folders.whole(self._path):
                yield
        except (AssertionError, RuntimeError) as error:
            raise InputError(f"{self._path} is not a whole checkpoint: {error}") from None
        except InputError as error:
            error.add_note(f"the run went on from {self._path}: without it, it begins anew")
            raise

    def keep(self, content: Callable[[], Mapping[str, Any]], *, now: bool = False) -> None:
        """Write, unless it was done a moment ago."""
        begun = time.monotonic()
        if self._path is None or (begun < self._next and not now):
            return
        folders.write(self._path, self._kind, {**content(), "run": self._name})
        done = time.monotonic()
        self._next = done + max(INTERVAL, 10 * (done - begun))


class _AtOnce(BaseException):
    """Ctrl-C again: no search takes it for its early end, as other libraries may be half done."""


@contextmanager
def interruptible() -> Iterator[Pause]:
    """Ctrl-C waits until the work calls what this yields, where nothing is half done.

    A second one ends the work at once, whatever is lost.
    """
    asked = threading.Event()

    def pause() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    def note(signum: int, frame: Any) -> None:
        if asked.is_set():
            raise _AtOnce
        asked.set()

    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield pause
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield pause
    except _AtOnce:
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, usual)
