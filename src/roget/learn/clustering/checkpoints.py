"""Checkpoint folders for long runs, and safe handling of Ctrl-C."""

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

from roget.core import contents
from roget.core import folder as folders
from roget.core.types import Array, PathLike
from roget.errors import InputError

INTERVAL = 2.0
"""Minimum interval between two checkpoints in seconds.

If writing is slow, the interval grows, so writing takes at most about a tenth of the run time.
"""

Pause: TypeAlias = Callable[[], None]
"""Callback that a search calls whenever its state is consistent. It raises KeyboardInterrupt to end
the search.
"""


def never_stop() -> None:
    """Do nothing. This is the pause callback of a search that cannot be interrupted."""


class Checkpoint:
    """The checkpoint folder of a run. Without a path, nothing is read or written."""

    def __init__(
        self, path: PathLike | None, kind: str, arrays: Iterable[Array], options: Mapping[str, Any]
    ) -> None:
        self._path, self._kind = path, folders.model("checkpoint", f"{kind}.checkpoint")
        self._resumed = False
        self._next, self._name = 0.0, ""
        """Digest of the data and options, by which a run recognises its checkpoint."""
        if path is not None:
            text = json.dumps(dict(options), sort_keys=True, default=np.generic.item)
            digest = hashlib.sha256(text.encode())
            for array in arrays:
                digest.update(np.ascontiguousarray(array).data)
            self._name = digest.hexdigest()

    def resume(self) -> dict[str, Any] | None:
        """Return the saved state of the run, or None if there is no checkpoint yet."""
        if self._path is None or not Path(self._path).exists():
            return None
        kept = folders.read(self._path, self._kind)
        if kept.get("run") != self._name:
            raise InputError(
                f"{self._path} is a checkpoint for different data or options; remove it, or "
                "pass another path",
                code="conflicting-options",
            )
        self._resumed = True
        return kept

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Report errors in a resumed run as a damaged checkpoint."""
        if not self._resumed or self._path is None:
            yield
            return
        try:
            with contents.report_damage(self._path):
                yield
        except (AssertionError, RuntimeError) as error:
            raise InputError(
                f"{self._path}: damaged checkpoint: {error}", code="damaged-folder"
            ) from None
        except InputError as error:
            error.add_note(f"the run was resumed from {self._path}; remove it to start again")
            raise

    def keep(self, content: Callable[[], Mapping[str, Any]], *, now: bool = False) -> None:
        """Write a checkpoint if the last one is old enough or if `now` is True."""
        # If writing takes long, write less often.
        begun = time.monotonic()
        if self._path is None or (begun < self._next and not now):
            return
        folders.write(self._path, self._kind, {**content(), "run": self._name})
        done = time.monotonic()
        self._next = done + max(INTERVAL, 10 * (done - begun))


class _AtOnce(BaseException):
    """Exception for a second Ctrl-C, which stops even inside a library call.

    Searches must not catch it.
    """


@contextmanager
def interruptible() -> Iterator[Pause]:
    """Delay Ctrl-C until the block calls the yielded function, in a consistent state.

    A second Ctrl-C ends the work immediately, without a result.
    """
    requested = threading.Event()

    def pause() -> None:
        if requested.is_set():
            raise KeyboardInterrupt

    def note(signum: int, frame: Any) -> None:
        if requested.is_set():
            raise _AtOnce
        requested.set()

    # Python allows signal handlers only in the main thread.
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
