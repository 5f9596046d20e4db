"""`python -m roget` and the command `roget`: handle Ctrl-C before anything else is loaded."""

from __future__ import annotations

import atexit
import signal

from roget.core.signals import exit_at_once, ignore_all, install_early


def main() -> None:
    """Run the command line; signals end it at once while it loads and when it is done."""
    atexit.register(ignore_all)  # registered first, so called last
    install_early()
    from roget.cli import main as run

    try:
        run()
    except KeyboardInterrupt:  # while the last message was printed
        exit_at_once(signal.SIGINT, None)


if __name__ == "__main__":
    main()
