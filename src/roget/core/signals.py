"""Handle the signals that terminate a command.

This module imports only the standard library, because `roget.__main__` installs the first handlers
before it imports anything else.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # Type checkers know this name. Importing it from typing would take time.
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""The signals sent by Ctrl-C, by a service manager, and when the terminal is closed."""


class Ended(SystemExit):
    """Raised in a running command when a termination signal other than Ctrl-C arrives.

    It is not an `Exception`, so `except Exception` does not catch it. Nor is it a
    `KeyboardInterrupt`, after which a search still prepares its result. Other signals leave no time
    for this, because the sender kills the process after a few seconds.
    """


class Stop:
    """The number of the signal that ended a block, or 0 if the block ended normally."""

    signal = 0


def exit_at_once(number: int, frame: Any) -> None:
    """Exit immediately, without cleanup.

    This is the signal handler before a command starts and after it ends.
    """
    os.write(2, b"roget: interrupted\n")
    os._exit(128 + number)


def install_early() -> None:
    """Install signal handlers that exit immediately. `stoppable` replaces them later."""
    for one in SIGNALS:
        # Background jobs and commands started with nohup ignore some signals. Keep ignoring them.
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, exit_at_once)


def ignore_all() -> None:
    """Ignore signals during Python's shutdown, when roget's signal handlers are already removed."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Raise `KeyboardInterrupt` (on Ctrl-C) or `Ended` in the block when a signal arrives."""
    stop, before = Stop(), {}
    usual = sys.unraisablehook

    def end(number: int, frame: Any) -> None:
        stop.signal = number
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(128 + number)

    def send_again(lost: Any) -> None:
        """Send a signal again if it arrived where no exception can be raised, e.g. in `__del__`."""
        if not issubclass(lost.exc_type, Exception) and lost.exc_type is not SystemExit:
            # If a search has installed its own handler for Ctrl-C, `stop.signal` is still 0.
            number = stop.signal or signal.SIGINT
            with suppress(RuntimeError):  # During shutdown, no thread can be started.
                threading.Timer(0.05, os.kill, (os.getpid(), number)).start()
        else:
            usual(lost)

    if threading.current_thread() is threading.main_thread():
        for one in SIGNALS:
            # Keep ignored signals ignored, and keep handlers that were not set from Python (None).
            if callable(handler := signal.getsignal(one)) or handler is signal.SIG_DFL:
                before[one] = signal.signal(one, end)
        sys.unraisablehook = send_again
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        sys.unraisablehook = usual
