"""The interface of engines: run one job on many tasks, on this machine or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any, Protocol, TypeAlias

from roget import catalogue
from roget.errors import InputError

Increment: TypeAlias = Callable[[int, int], None]
"""Called with the bytes and tokens (0 for tables) read since the last call."""

Job: TypeAlias = Callable[[Any, Increment], Any]
"""A function of one task; the function and the task must be picklable."""


class Engine(Protocol):
    """Runs a job on tasks, in any order; the caller sees each result exactly once."""

    shares_disk: bool
    """True if jobs can write results to a folder of the caller."""

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield (index of the task, result) as tasks finish.

        An error of a job is raised after the running tasks have finished and their results were
        yielded. Closing the iterator, as Ctrl-C does, stops the remaining tasks.
        """
        ...

    def close(self) -> None:
        """Release processes and connections; may be called twice."""
        ...


def partition(engine: Engine, job: Job, tasks: Sequence[Any]) -> list[Any]:
    """Run a job that splits each task into parts; return what `join` needs.

    An engine with methods `partition` and `join` moves parts directly between workers; otherwise
    they pass through this process.
    """
    if hasattr(engine, "partition"):
        return list(engine.partition(job, tasks))
    done = dict(engine.run(job, tasks, _ignore))
    return [done[task] for task in range(len(tasks))]


def join(engine: Engine, job: Job, split: Sequence[Any], parts: int) -> list[Any]:
    """Run a job on the n-th parts of all tasks of `partition`, for each n."""
    if hasattr(engine, "join"):
        return list(engine.join(job, split, parts))
    pieces = [[one[part] for one in split] for part in range(parts)]
    joined = dict(engine.run(job, pieces, _ignore))
    return [joined[part] for part in range(parts)]


Part: TypeAlias = Callable[[Any, Any], Any]
"""A function of data shared by all tasks and of one task; all three must be picklable."""

_CURRENT: ContextVar[Engine | None] = ContextVar("engine", default=None)


@contextmanager
def using(engine: Engine | None) -> Iterator[None]:
    """Run distributable work of the block on an engine.

    These are the E and M steps of soft clustering, placing words, and bootstrap samples.
    """
    before = _CURRENT.set(engine)
    try:
        yield
    finally:
        _CURRENT.reset(before)


@contextmanager
def working_on(
    name: str, scheduler: str | None = None, processes: int | None = None
) -> Iterator[None]:
    """Run distributable work of the block on an engine of the catalogue, and close it."""
    if name == "local":
        if scheduler is not None:
            raise InputError(
                f"scheduler {scheduler} requires engine='dask'", code="conflicting-options"
            )
        yield
        return
    engine: Engine = catalogue.load("engines", name)(scheduler, processes)
    try:
        with using(engine):
            yield
    finally:
        engine.close()


def current() -> Engine | None:
    """Return the engine in use if it can map tasks, else None."""
    engine = _CURRENT.get()
    return engine if hasattr(engine, "map") else None


def map_tasks(job: Part, common: Any, tasks: Iterable[Any]) -> Iterator[Any]:
    """Return the results of all tasks in order, computed by the engine in use or in this process.

    Results must not depend on the engine, so a job may only use its arguments. Tasks of an iterator
    are started while later ones are still being made.
    """
    engine: Any = current()
    if engine is None or not tasks:
        return (job(common, task) for task in tasks)
    return iter(engine.map(job, common, tasks))


def in_order(found: Sequence[Sequence[Any]], places: Sequence[Sequence[int]]) -> list[Any]:
    """Merge lists of results into the order of their tasks."""
    each = dict(zip(chain(*places), chain(*found), strict=True))
    return [each[place] for place in range(len(each))]


def _ignore(read: int, tokens: int) -> None:
    """Ignore progress."""
