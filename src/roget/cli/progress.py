"""A progress bar on stderr, shown only when work takes longer than two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 2.0


@contextmanager
def bar(unit: str, doing: str = "scoring") -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for (done, total); the bar appears after two seconds."""
    from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn

    columns = (doing, BarColumn(), MofNCompleteColumn(), unit, TimeRemainingColumn())
    with patient(*columns) as show:
        yield lambda done, total: show(done, total)


@contextmanager
def download() -> Iterator[Callable[[int, int], None]]:
    """Yield a callback for (bytes done, bytes in all) of a download."""
    from rich.progress import BarColumn, DownloadColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with patient("fetching", *columns) as show:
        yield lambda done, total: show(done, total)


@contextmanager
def reading() -> Iterator[Callable[[int, int, int], None]]:
    """Yield a callback for (bytes done, bytes in all, tokens): both speeds are shown."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    speed = TextColumn("{task.fields[speed]}")
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), speed, TimeRemainingColumn())
    began = time.monotonic()
    with patient("counting", *columns) as show:

        def advance(done: int, total: int, tokens: int) -> None:
            rate = tokens / max(time.monotonic() - began, 1e-9)
            # Tables have rows, which are read several times over.
            show(done, total, speed=f"{tokens:,} tokens, {rate:,.0f}/s" if tokens else "")

        yield advance


@contextmanager
def clustering() -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a callback for the state of a clustering: classes, how good they are, time left."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    state = TextColumn("{task.fields[speed]}")
    with patient("clustering", BarColumn(), state, TimeRemainingColumn()) as show:

        def advance(now: dict[str, Any]) -> None:
            said = [f"{now['n_clusters']:,} classes"]
            said += [f"β {now['beta']:.3f}"] if now.get("beta") is not None else []
            for name in ("free_energy", "description_length"):
                if now.get(name) is not None:
                    said.append(f"{name.replace('_', ' ')} {now[name]:,.4g}")
            trying = "beta" in now and now.get("free_energy") is None
            doing = "held out: " if now.get("trial") else "trying " if trying else ""
            show(round(1000 * now["fraction"]), 1000, speed=doing + ", ".join(said))

        yield advance


@contextmanager
def patient(*columns: Any) -> Iterator[Callable[..., None]]:
    """Yield a callback for (done, total, …); what it shows appears after two seconds."""
    from rich.console import Console
    from rich.progress import Progress

    shown = Progress(*columns, console=Console(stderr=True), transient=True)
    began = time.monotonic()
    task = shown.add_task("", total=None, speed="")

    def show(done: int, total: int, **fields: Any) -> None:
        if not shown.live.is_started and time.monotonic() - began > PATIENCE and done < total:
            shown.start()
        if shown.live.is_started:
            shown.update(task, completed=done, total=total or None, **fields)

    try:
        yield show
    finally:
        if shown.live.is_started:
            shown.stop()
