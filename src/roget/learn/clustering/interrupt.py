"""Ctrl-C that waits for a place where stopping does no harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """Ctrl-C waits until the work calls what this yields, where nothing is half done."""
    asked = threading.Event()

    def pause() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    def note(signum: int, frame: Any) -> None:
        if asked.is_set():  # asked twice: at once, whatever is lost
            raise KeyboardInterrupt
        asked.set()

    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield pause
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield pause
    finally:
        signal.signal(signal.SIGINT, usual)
