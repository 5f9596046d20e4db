"""A progress bar on stderr, shown only when work takes longer than two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0


@contextmanager
def bar(unit: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for (done, total); the bar appears after two seconds."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    shown = Progress(
        "scoring",
        BarColumn(),
        MofNCompleteColumn(),
        unit,
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    began = time.monotonic()
    task = shown.add_task("scoring", total=None)

    def advance(done: int, total: int) -> None:
        if not shown.live.is_started and time.monotonic() - began > PATIENCE and done < total:
            shown.start()
        if shown.live.is_started:
            shown.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        if shown.live.is_started:
            shown.stop()
