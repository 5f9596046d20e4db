"""Jobs on this machine: in this process, or in a pool of others."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any

from roget.engines.base import Increment, Job
from roget.errors import RogetError

_PATIENCE = 5
"""Seconds that a job may go on after it was told to stop."""

_LOOK = 0.1
"""Seconds between two looks at how far the processes are."""


class Stopped(Exception):
    """Raised within a job when the rest of the work is no longer wanted."""


class Local:
    """Runs jobs in so many processes: by default one for each core, never more than tasks."""

    shares_disk = True

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes or cores()

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield (index, result) as tasks finish; one process is this one."""
        processes = min(self._processes, len(tasks))
        if processes > 1:
            yield from _Pool(processes).run(job, tasks, report)
        else:
            for index, task in enumerate(tasks):
                yield index, job(task, report)

    def close(self) -> None:
        """Nothing is left to give back: a pool ends with its run."""


def cores() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class _Pool:
    """A pool of processes for one run, and what they tell: bytes, tokens, and whether to stop."""

    def __init__(self, processes: int) -> None:
        # Not forked: this process may have threads, which a fork would leave in any state.
        context = multiprocessing.get_context("spawn")
        # No locks: a worker that is killed while it holds one would stop all others.
        self._progress = context.RawArray("q", 2 * processes)
        self._stop = context.RawValue("b", 0)
        self._seen = (0, 0)
        self._executor = ProcessPoolExecutor(
            processes, context, _begin, (self._progress, self._stop, context.Value("i", 0))
        )

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield (index, result) as tasks finish; no process is left when this ends."""
        others, futures = set(multiprocessing.active_children()), {}
        try:
            with uninterrupted():
                for index, task in enumerate(tasks):
                    futures[self._executor.submit(job, task, _report)] = index
            yield from self._results(futures, report)
        except BrokenProcessPool:
            raise RogetError(
                "a worker process died: was it killed, or is memory short? Fewer processes need "
                "less of it. (In a script of your own, the call must stand under "
                'if __name__ == "__main__":)'
            ) from None
        finally:
            # A second Ctrl-C must not leave the workers to themselves.
            with uninterrupted():
                self._end(futures, set(multiprocessing.active_children()) - others)

    def _end(self, futures: Iterable[Future[Any]], workers: Iterable[BaseProcess]) -> None:
        if not all(future.done() for future in futures):
            self._stop.value = 1  # jobs look at this whenever they report
            wait([future for future in futures if not future.cancel()], _PATIENCE)
            # Idle ones too: an executor that was interrupted may never tell them to end.
            for worker in workers:
                worker.kill()
        self._executor.shutdown()

    def _results(
        self, futures: dict[Future[Any], int], report: Increment
    ) -> Iterator[tuple[int, Any]]:
        waiting, failed = set(futures), None
        while waiting:
            done, waiting = wait(waiting, _LOOK, FIRST_COMPLETED)
            now = sum(self._progress[::2]), sum(self._progress[1::2])
            if now != self._seen:
                report(now[0] - self._seen[0], now[1] - self._seen[1])
                self._seen = now
            for future in done:
                error = None if future.cancelled() else future.exception()
                if error is None and not future.cancelled():
                    yield futures[future], future.result()
                elif failed is None and error is not None:
                    failed = error
                    waiting = {other for other in waiting if not other.cancel()}
        if failed is not None:
            raise failed


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Processes started in the block never see Ctrl-C, not even while they come up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Here:
    """A worker process's side of what the pool shares."""

    progress: Any
    stop: Any
    place = 0


def _begin(progress: Any, stop: Any, workers: Any) -> None:
    """What a worker does first: leave signals to its parent, and take a place to report in."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _Here.progress, _Here.stop = progress, stop
    with workers.get_lock():
        _Here.place = 2 * workers.value
        workers.value += 1


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for tasks for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _report(read: int, tokens: int) -> None:
    if _Here.stop.value:
        raise Stopped
    _Here.progress[_Here.place] += read
    _Here.progress[_Here.place + 1] += tokens
