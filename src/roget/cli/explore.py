"""The command `roget explore THESAURUS`."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from roget.cli.shared import ThesaurusArgument, bar, print_notes
from roget.errors import InputError
from roget.web import ExploreOptions


def explore(thesaurus: ThesaurusArgument, *, asked: ExploreOptions) -> None:
    """Browse a thesaurus in the browser, or write it as one HTML file."""
    from roget.web.session import Session

    if asked.static is None and (asked.evidence or asked.sketches):
        raise InputError(
            "--evidence and --sketches require --static; the local page always includes both",
            code="conflicting-options",
        )
    began = time.perf_counter()
    # Programs that start the server read the link from the first line, so print nothing before it.
    if sys.stderr.isatty():
        print(f"opening {thesaurus} …", file=sys.stderr, flush=True)
    session = Session(thesaurus, asked.compare, asked.columns)
    if asked.static is not None:
        _write(session, asked.static, asked)
        return
    from roget.web.server import free_port, serve

    def ready(make_link: Callable[[], str]) -> None:
        words, seconds = len(session.snapshot.thesaurus), time.perf_counter() - began
        took = f"{words:,} words, opened in {seconds:.1f} s"
        enter = "Enter prints a new link, " if sys.stdin is not None and sys.stdin.isatty() else ""
        note = f"{took}; this link works once, {enter}Ctrl-C stops the server"
        print(f"{make_link()}  ({note})", file=sys.stderr, flush=True)
        if asked.open:
            import webbrowser

            webbrowser.open(make_link())
        if enter:
            # By default, a background process is stopped when it reads from the terminal. If it
            # ignores the signal, reading raises an error instead.
            if hasattr(signal, "SIGTTIN"):
                signal.signal(signal.SIGTTIN, signal.SIG_IGN)
            threading.Thread(target=_offer_links, args=(make_link,), daemon=True).start()

    # Ctrl-C is the normal way to stop the server.
    with contextlib.suppress(KeyboardInterrupt):
        serve(session, free_port(asked.port), ready=ready)


def _offer_links(make_link: Callable[[], str]) -> None:
    """Print a new link each time Enter is pressed."""
    while True:
        try:
            # Do not use sys.stdin.read: at exit, the waiting thread would still hold the lock of
            # sys.stdin.
            if not os.read(sys.stdin.fileno(), 1024):
                return
        except OSError:  # Reading fails if the process is in the background.
            time.sleep(1)
        else:
            print(make_link(), file=sys.stderr, flush=True)


def _write(session: Any, static: str, asked: ExploreOptions) -> None:
    from roget.core.store import write_atomic
    from roget.web.static import page

    with bar("writing", "words") as show:
        text = page(session, show, evidence=asked.evidence, sketches=asked.sketches)
    write_atomic(static, text)
    print_notes(f"wrote {static}: {len(text.encode()) / 1e6:.1f} MB")
