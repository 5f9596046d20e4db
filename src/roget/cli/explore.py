"""`roget explore THESAURUS`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from roget.cli import options


def explore(
    thesaurus: Annotated[
        str,
        typer.Argument(
            metavar="THESAURUS",
            help="A thesaurus; or a taxonomy: SKOS, child–parent TSV, a WordNet folder.",
        ),
    ],
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, metavar="N", help="Default: any that is free."),
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
    from roget.explore.desk import Desk

    desk = Desk(thesaurus, compare, options.parse_columns(columns))
    if static is not None:
        _write(desk, static)
        return
    from roget.explore.server import free_port, serve

    def ready(address: str) -> None:
        print(f"{address}  (Ctrl-C ends it)", file=sys.stderr, flush=True)
        if open:
            import webbrowser

            webbrowser.open(address)

    # Ctrl-C is how this ends, not an accident.
    with contextlib.suppress(KeyboardInterrupt):
        serve(desk, free_port(port), ready=ready)


def _write(desk: Any, static: str) -> None:
    from roget.core.store import write_atomic
    from roget.explore.static import page

    with _progress() as show:
        text = page(desk, show)
    write_atomic(static, text)
    print(f"wrote {static}: {len(text.encode()) / 1e6:.1f} MB", file=sys.stderr)


@contextlib.contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("writing", BarColumn(), MofNCompleteColumn(), "words", TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)
