"""A progress bar on stderr, shown only when work takes longer than two seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roget.core.progress import Progress, Report

PATIENCE = 2.0


@contextmanager
def bar(doing: str, unit: str = "") -> Iterator[Report]:
    """Yield the callback of some work that is measured in units; "bytes" have a speed too."""
    import rich.progress
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    measured: tuple[Any, ...] = (MofNCompleteColumn(), unit) if unit else ()
    if unit == "bytes":
        measured = DownloadColumn(), TransferSpeedColumn()
    state = TextColumn("{task.fields[state]}")
    columns = (doing, BarColumn(), *measured, state, TimeRemainingColumn())
    shown = rich.progress.Progress(*columns, console=Console(stderr=True), transient=True)
    began = time.monotonic()
    task = shown.add_task("", total=None, state="")

    def show(now: Progress) -> None:
        passed = time.monotonic() - began
        if not shown.live.is_started and passed > PATIENCE and now.done < now.total:
            shown.start()
        if shown.live.is_started:
            said = _describe(now, passed)
            shown.update(task, completed=now.done, total=now.total or None, state=said)

    try:
        yield show
    finally:
        if shown.live.is_started:
            shown.stop()


def _describe(now: Progress, seconds: float) -> str:
    """What is known besides how much is done: tokens, or classes and how good they are."""
    if now.get("tokens"):  # tables have rows, which are read several times over
        return f"{now['tokens']:,} tokens, {now['tokens'] / max(seconds, 1e-9):,.0f}/s"
    if "n_clusters" not in now:
        return str(now.get("what", ""))
    said = [f"{now['n_clusters']:,} classes"]
    said += [f"β {now['beta']:.3f}"] if now.get("beta") is not None else []
    for name in ("free_energy", "description_length"):
        if now.get(name) is not None:
            said.append(f"{name.replace('_', ' ')} {now[name]:,.4g}")
    trying = "beta" in now and now.get("free_energy") is None
    doing = "held out: " if now.get("trial") else "trying " if trying else ""
    return doing + ", ".join(said)
