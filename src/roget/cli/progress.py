"""A progress bar on stderr, shown only when work takes longer than two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 2.0


@contextmanager
def over_groups() -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for (done, total); the bar appears after two seconds."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "scoring",
        BarColumn(),
        MofNCompleteColumn(),
        "groups",
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    began = time.monotonic()
    task = bar.add_task("scoring", total=None)

    def advance(done: int, total: int) -> None:
        if not bar.live.is_started and time.monotonic() - began > PATIENCE and done < total:
            bar.start()
        if bar.live.is_started:
            bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
