"""Long runs: checkpoints in a folder, and Ctrl-C handled only where the state is consistent."""

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
"""Minimum seconds between two checkpoints; writing takes at most a tenth of the run time."""

Pause: TypeAlias = Callable[[], None]
"""Callback that a search calls at consistent states; KeyboardInterrupt from it ends the search."""


def never_stop() -> None:
    """Continue: the pause callback of a search that cannot be stopped."""


class Checkpoint:
    """The checkpoint folder of a run; without a path nothing is read or written."""

    def __init__(
        self, path: PathLike | None, kind: str, arrays: Iterable[Array], options: Mapping[str, Any]
    ) -> None:
        self._path, self._kind = path, folders.model("checkpoint", f"{kind}.checkpoint")
        self._resumed = False
        self._next, self._name = 0.0, ""
        """Digest of data and options: a checkpoint is only used for the run that wrote it."""
        if path is not None:
            told = json.dumps(dict(options), sort_keys=True, default=np.generic.item)
            digest = hashlib.sha256(told.encode())
            for array in arrays:
                digest.update(np.ascontiguousarray(array).data)
            self._name = digest.hexdigest()

    def resume(self) -> dict[str, Any] | None:
        """Return the state of the run when it was interrupted, None if it starts now."""
        if self._path is None or not Path(self._path).exists():
            return None
        kept = folders.read(self._path, self._kind)
        if kept.get("run") != self._name:
            raise InputError(
                f"{self._path} is the checkpoint of other data or options: remove it, or "
                "pass another path",
                code="conflicting-options",
            )
        self._resumed = True
        return kept

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Attribute errors of a resumed run to its checkpoint, by path."""
        if not self._resumed or self._path is None:
            yield
            return
        try:
            with folders.report_damage(self._path):
                yield
        except (AssertionError, RuntimeError) as error:
            raise InputError(
                f"{self._path}: damaged checkpoint: {error}", code="damaged-folder"
            ) from None
        except InputError as error:
            error.add_note(f"the run was resumed from {self._path}; remove it to start again")
            raise

    def keep(self, content: Callable[[], Mapping[str, Any]], *, now: bool = False) -> None:
        """Write a checkpoint unless one was written a moment ago."""
        # The interval grows with the time that writing takes.
        begun = time.monotonic()
        if self._path is None or (begun < self._next and not now):
            return
        folders.write(self._path, self._kind, {**content(), "run": self._name})
        done = time.monotonic()
        self._next = done + max(INTERVAL, 10 * (done - begun))


class _AtOnce(BaseException):
    """A second Ctrl-C. No search may treat it as a normal end: libraries may be in mid-call."""


@contextmanager
def interruptible() -> Iterator[Pause]:
    """Delay Ctrl-C until the work calls the yielded function, where its state is consistent.

    A second Ctrl-C ends the work at once, and its result is lost.
    """
    asked = threading.Event()

    def pause() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    def note(signum: int, frame: Any) -> None:
        if asked.is_set():
            raise _AtOnce
        asked.set()

    # Signal handlers can be set in the main thread only.
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
