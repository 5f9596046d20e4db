"""The local engine, which runs jobs in this process or in a pool of processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.process import BaseProcess
from typing import Any

from roget.engines.base import Increment, Job
from roget.errors import RogetError

_GRACE_PERIOD = 5
"""Time in seconds that a cancelled job may continue before its process is killed."""

_POLL = 0.1
"""Seconds between two progress updates."""


class WorkerDied(RogetError):
    """Raised when a worker process (local or in a cluster) ends unexpectedly."""

    code = "worker-died"


class Stopped(Exception):
    """Raised inside a job after the run has been cancelled."""


class Local:
    """An engine that runs jobs in processes on this machine (default: one process per core)."""

    shares_disk = True

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes or cores()

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield the index and the result of each task as it finishes.

        If one process is enough, tasks run in the calling process.
        """
        processes = min(self._processes, len(tasks))
        if processes > 1:
            yield from _Pool(processes).run(job, tasks, report)
        else:
            for index, task in enumerate(tasks):
                yield index, job(task, report)

    def close(self) -> None:
        """Do nothing, because every pool is closed at the end of its run."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # This function is not available on every system.
        return os.cpu_count() or 1


class _Pool:
    """A pool of processes for one run, with shared memory for progress counts and a stop flag."""

    def __init__(self, processes: int) -> None:
        # Use the start method spawn, because a forked process would copy locks that other threads
        # may hold.
        context = multiprocessing.get_context("spawn")
        # Use no locks, because a worker that is killed while holding a lock would block the other
        # workers.
        self._progress = context.RawArray("q", 2 * processes)
        self._stop = context.RawValue("b", 0)
        self._seen = (0, 0)
        self._executor = ProcessPoolExecutor(
            processes, context, _begin, (self._progress, self._stop, context.Value("i", 0))
        )

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield the index and the result of each task as it finishes.

        When the iterator is exhausted, all processes have ended.
        """
        others, futures = set(multiprocessing.active_children()), {}
        try:
            with uninterrupted():
                for index, task in enumerate(tasks):
                    futures[self._executor.submit(job, task, _report)] = index
            yield from self._results(futures, report)
        except BrokenProcessPool:
            raise WorkerDied(
                "a worker process ended unexpectedly, because it was killed or ran out of memory "
                '(use fewer processes). In a script, put the call under if __name__ == "__main__":'
            ) from None
        finally:
            # A second Ctrl-C must not leave workers running.
            with uninterrupted():
                self._end(futures, set(multiprocessing.active_children()) - others)

    def _end(self, futures: Iterable[Future[Any]], workers: Iterable[BaseProcess]) -> None:
        if not all(future.done() for future in futures):
            self._stop.value = 1  # Jobs check this value whenever they report progress.
            wait([future for future in futures if not future.cancel()], _GRACE_PERIOD)
            # Also kill idle workers, because an interrupted executor may never stop them.
            for worker in workers:
                worker.kill()
        self._executor.shutdown()

    def _results(
        self, futures: dict[Future[Any], int], report: Increment
    ) -> Iterator[tuple[int, Any]]:
        waiting, failed = set(futures), None
        while waiting:
            done, waiting = wait(waiting, _POLL, FIRST_COMPLETED)
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
    """Ignore Ctrl-C in the block and in all processes that it starts."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Worker:
    """The state of a worker process: the pool's shared memory, and the worker's index in it."""

    progress: Any
    stop: Any
    place = 0


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def _begin(progress: Any, stop: Any, workers: Any) -> None:
    """Initialise a worker: ignore signals, which the parent handles, and assign its index."""
    # There are as many workers as cores, so each runs BLAS on one thread, as Dask workers do. This
    # module does not import numpy, so BLAS is loaded later, unless the user's script imports it.
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    if "numpy" in sys.modules:
        with suppress(ImportError):
            import_module("threadpoolctl").threadpool_limits(1)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _Worker.progress, _Worker.stop = progress, stop
    with workers.get_lock():
        _Worker.place = 2 * workers.value
        workers.value += 1


def _end_with_parent() -> None:
    """Exit when the parent process has ended. Otherwise the worker would wait for tasks forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _report(read: int, tokens: int) -> None:
    if _Worker.stop.value:
        raise Stopped
    _Worker.progress[_Worker.place] += read
    _Worker.progress[_Worker.place + 1] += tokens
