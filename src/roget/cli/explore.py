"""`roget explore THESAURUS`."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated, Any

import typer

from roget.cli import options


def explore(
    thesaurus: options.ThesaurusArgument,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, metavar="N", help="Default: any that is free.")
    ] = None,
    open: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    static: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write one HTML file that needs no server, and stop."),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            metavar="THESAURUS|GOLD",
            help="Set beside it another thesaurus (a folder, SKOS, WordNet), or a file of words "
            "and their classes.",
        ),
    ] = None,
    columns: options.Columns = None,
) -> None:
    """Look at a thesaurus: a page on this machine, or one file to pass on."""
    from roget.web.desk import Desk

    desk = Desk(thesaurus, compare, options.parse_columns(columns))
    if static is not None:
        _write(desk, static)
        return
    from roget.web.server import free_port, serve

    def ready(address: str) -> None:
        print(f"{address}  (Ctrl-C ends it)", file=sys.stderr, flush=True)
        if open:
            import webbrowser

            webbrowser.open(address)

    # Ctrl-C is how this ends, not an accident.
    with contextlib.suppress(KeyboardInterrupt):
        serve(desk, free_port(port), ready=ready)


def _write(desk: Any, static: str) -> None:
    from roget.cli.progress import bar
    from roget.core.store import write_atomic
    from roget.web.static import page

    with bar("writing", "words") as show:
        text = page(desk, show)
    write_atomic(static, text)
    print(f"wrote {static}: {len(text.encode()) / 1e6:.1f} MB", file=sys.stderr)
