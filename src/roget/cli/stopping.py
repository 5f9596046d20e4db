"""Ending when asked to: Ctrl-C, SIGTERM of whoever runs services, a terminal that is closed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from roget.__main__ import SIGNALS


class Ended(SystemExit):
    """Raised where a command is when a signal other than Ctrl-C asks it to end.

    No `except Exception` holds it up, and whoever takes Ctrl-C for an early end of a search, with
    what was found so far, does not: whoever sends such a signal waits for a few seconds only.
    """


class Stop:
    """What has asked for the end; 0 as long as nothing has."""

    signal = 0


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Signals that ask for the end raise KeyboardInterrupt or `Ended` in the block."""
    stop, before = Stop(), {}
    usual = sys.unraisablehook

    def end(number: int, frame: Any) -> None:
        stop.signal = number
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(128 + number)

    def again(lost: Any) -> None:
        """Where exceptions cannot be raised, as in what Python calls on clearing up: later."""
        if not issubclass(lost.exc_type, Exception) and lost.exc_type is not SystemExit:
            # A search that Ctrl-C may end early has a handler, and an exception, of its own.
            number = stop.signal or signal.SIGINT
            with suppress(RuntimeError):  # if all is over
                threading.Timer(0.05, os.kill, (os.getpid(), number)).start()
        else:
            usual(lost)

    if threading.current_thread() is threading.main_thread():
        for one in SIGNALS:
            # A handler of somebody's own stays; None is one that is not Python's.
            if callable(handler := signal.getsignal(one)) or handler is signal.SIG_DFL:
                before[one] = signal.signal(one, end)
        sys.unraisablehook = again
    try:
        yield stop
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        sys.unraisablehook = usual
