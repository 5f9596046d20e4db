"""Entry point for `python -m roget` and the `roget` command.

Signal handlers are installed before anything else is imported, so Ctrl-C never prints a traceback.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal

from roget.core.signals import exit_at_once, ignore_all, install_early

_COLLECTED_AFTER = 200_000
"""Number of new objects after which garbage is collected.

Imports create some 150,000 objects, none of them garbage. With Python's default, a few hundred
objects, a short command spends a tenth of its time on searching them.
"""


def main() -> None:
    """Run the command line. A signal during start-up or shutdown ends the process immediately."""
    atexit.register(ignore_all)  # This function is registered first, so atexit runs it last.
    install_early()
    gc.set_threshold(_COLLECTED_AFTER)
    from roget.errors import NO_MEMORY, is_out_of_memory

    try:
        from roget.cli import app, handle_errors

        with handle_errors():
            app()
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        # Exit immediately, because libraries may hang during shutdown if memory has run out.
        os.write(2, f"roget: {NO_MEMORY}\n".encode())
        os._exit(1)
    except KeyboardInterrupt:  # Ctrl-C was pressed while the last message was being printed.
        exit_at_once(signal.SIGINT, None)


if __name__ == "__main__":
    main()
