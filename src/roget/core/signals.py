"""Signals that end a command: which ones, and how a command stops on them.

Imports the standard library only: `roget.__main__` installs the first handlers before anything
else is loaded.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Ctrl-C, the request of a service manager, and a closed terminal."""


class Ended(SystemExit):
    """Raised in the running command when a signal other than Ctrl-C asks it to end.

    It is not an `Exception`, so no handler delays it, and it is not a `KeyboardInterrupt`, on which
    a search stops early and keeps its result: the sender of such a signal waits a few seconds only.
    """


class Stop:
    """The signal that ended a block; 0 if there was none."""

    signal = 0


def exit_at_once(number: int, frame: Any) -> None:
    """Handle a signal before the command has started, or after it has finished."""
    os.write(2, b"roget: interrupted\n")
    os._exit(128 + number)


def install_early() -> None:
    """Exit at once on a signal, until `stoppable` installs handlers of its own."""
    for one in SIGNALS:
        # A shell's background jobs and nohup ignore some signals; that stays so.
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, exit_at_once)


def ignore_all() -> None:
    """Ignore signals while Python shuts down, when it has removed our handlers already."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Raise `KeyboardInterrupt` or `Ended` in the block when a signal asks the command to end."""
    stop, before = Stop(), {}
    usual = sys.unraisablehook

    def end(number: int, frame: Any) -> None:
        stop.signal = number
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(128 + number)

    def send_again(lost: Any) -> None:
        """Repeat a signal that arrived where no exception can be raised, e.g. in `__del__`."""
        if not issubclass(lost.exc_type, Exception) and lost.exc_type is not SystemExit:
            # A search that Ctrl-C may end early has a handler, and an exception, of its own.
            number = stop.signal or signal.SIGINT
            with suppress(RuntimeError):  # at shutdown no thread can be started
                threading.Timer(0.05, os.kill, (os.getpid(), number)).start()
        else:
            usual(lost)

    if threading.current_thread() is threading.main_thread():
        for one in SIGNALS:
            # Keep handlers set by others; None means a handler that was not set from Python.
            if callable(handler := signal.getsignal(one)) or handler is signal.SIG_DFL:
                before[one] = signal.signal(one, end)
        sys.unraisablehook = send_again
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        sys.unraisablehook = usual
