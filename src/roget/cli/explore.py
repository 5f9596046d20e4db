"""`roget explore THESAURUS`."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from roget.cli.shared import ThesaurusArgument, bar, tell
from roget.errors import InputError
from roget.web import ExploreOptions


def explore(thesaurus: ThesaurusArgument, *, asked: ExploreOptions) -> None:
    """Look at a thesaurus: a page on this machine, or one file to pass on."""
    from roget.web.session import Session

    if asked.static is None and (asked.evidence or asked.sketches):
        raise InputError(
            "--evidence and --sketches are for the file of --static; the server has all"
        )
    began = time.perf_counter()
    if sys.stderr.isatty():  # what reads the address has it in the first line
        print(f"opening {thesaurus} …", file=sys.stderr, flush=True)
    session = Session(thesaurus, asked.compare, asked.columns)
    if asked.static is not None:
        _write(session, asked.static, asked)
        return
    from roget.web.server import free_port, serve

    def ready(make_link: Callable[[], str]) -> None:
        words, seconds = len(session.snapshot.thesaurus), time.perf_counter() - began
        took = f"{words:,} words, opened in {seconds:.1f} s"
        enter = "Enter gives a new link, " if sys.stdin is not None and sys.stdin.isatty() else ""
        said = f"{took}; this link opens once, {enter}Ctrl-C ends it"
        print(f"{make_link()}  ({said})", file=sys.stderr, flush=True)
        if asked.open:
            import webbrowser

            webbrowser.open(make_link())
        if enter:
            if hasattr(signal, "SIGTTIN"):  # in the background, reading fails and stops nothing
                signal.signal(signal.SIGTTIN, signal.SIG_IGN)
            threading.Thread(target=_offer_links, args=(make_link,), daemon=True).start()

    # Ctrl-C is how this ends, not an accident.
    with contextlib.suppress(KeyboardInterrupt):
        serve(session, free_port(asked.port), ready=ready)


def _offer_links(make_link: Callable[[], str]) -> None:
    """Print a new link each time that Enter is pressed."""
    while True:
        try:
            # Not through sys.stdin, whose lock a thread that waits would keep when all ends.
            if not os.read(sys.stdin.fileno(), 1024):
                return
        except OSError:  # what is typed now is for another program
            time.sleep(1)
        else:
            print(make_link(), file=sys.stderr, flush=True)


def _write(session: Any, static: str, asked: ExploreOptions) -> None:
    from roget.core.store import write_atomic
    from roget.web.static import page

    with bar("writing", "words") as show:
        text = page(session, show, evidence=asked.evidence, sketches=asked.sketches)
    write_atomic(static, text)
    tell(f"wrote {static}: {len(text.encode()) / 1e6:.1f} MB")
