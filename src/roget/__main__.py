"""`python -m roget` and the command `roget`: ready for Ctrl-C before anything else is loaded."""

from __future__ import annotations

import atexit
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""What asks a command to end: Ctrl-C, whoever runs services, and a terminal that is closed."""


def main() -> None:
    """Run the command line; while it is loaded and when all is done, a signal ends it at once."""
    atexit.register(_pass_over)  # the first to be registered is the last to be called
    for one in SIGNALS:
        # In the background of a shell, and under nohup, some are to be passed over.
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, _leave)
    from roget.cli import main as run

    try:
        run()
    except KeyboardInterrupt:  # while the last words were said
        _leave(signal.SIGINT, None)


def _leave(number: int, frame: Any) -> None:
    os.write(2, b"roget: interrupted\n")
    os._exit(128 + number)


def _pass_over() -> None:
    """Python takes handlers away before it clears up, and a signal would end it without a word."""
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)


if __name__ == "__main__":
    main()
