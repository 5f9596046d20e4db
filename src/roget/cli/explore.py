"""`roget explore THESAURUS`."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any

from roget.cli.shared import ThesaurusArgument, bar
from roget.errors import InputError
from roget.web import ExploreOptions


def explore(thesaurus: ThesaurusArgument, *, asked: ExploreOptions) -> None:
    """Look at a thesaurus: a page on this machine, or one file to pass on."""
    from roget.web.desk import Desk

    if asked.static is None and (asked.evidence or asked.sketches):
        raise InputError(
            "--evidence and --sketches are for the file of --static; the server has all"
        )
    began = time.perf_counter()
    if sys.stderr.isatty():  # what reads the address has it in the first line
        print(f"opening {thesaurus} …", file=sys.stderr, flush=True)
    desk = Desk(thesaurus, asked.compare, asked.columns)
    if asked.static is not None:
        _write(desk, asked.static, asked)
        return
    from roget.web.server import free_port, serve

    def ready(address: str) -> None:
        took = f"{len(desk.views.thesaurus):,} words, opened in {time.perf_counter() - began:.1f} s"
        print(f"{address}  ({took}; Ctrl-C ends it)", file=sys.stderr, flush=True)
        if asked.open:
            import webbrowser

            webbrowser.open(address)

    # Ctrl-C is how this ends, not an accident.
    with contextlib.suppress(KeyboardInterrupt):
        serve(desk, free_port(asked.port), ready=ready)


def _write(desk: Any, static: str, asked: ExploreOptions) -> None:
    from roget.core.store import write_atomic
    from roget.web.static import page

    with bar("writing", "words") as show:
        text = page(desk, show, evidence=asked.evidence, sketches=asked.sketches)
    write_atomic(static, text)
    print(f"wrote {static}: {len(text.encode()) / 1e6:.1f} MB", file=sys.stderr)
