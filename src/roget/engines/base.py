"""The interface of engines, which run a function on many tasks, locally or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any, Protocol, TypeAlias

from roget import catalogue
from roget.errors import InputError

Increment: TypeAlias = Callable[[int, int], None]
"""Progress callback.

The callback receives the numbers of bytes and tokens read since the last call. For tables, the
number of tokens is 0.
"""

Job: TypeAlias = Callable[[Any, Increment], Any]
"""A function that is called with a task and a progress callback.

The function and the task must be picklable.
"""


class Engine(Protocol):
    """An engine that runs a job on tasks, in any order, and yields each result exactly once."""

    shares_disk: bool
    """True if jobs can write to folders on the caller's disk."""

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield the index and the result of each task as it finishes.

        If a job raises an error, the running tasks finish and their results are yielded before the
        error is raised. Closing the iterator, as Ctrl-C does, cancels the remaining tasks.
        """
        ...

    def close(self) -> None:
        """Release processes and connections. This method may be called more than once."""
        ...


def partition(engine: Engine, job: Job, tasks: Sequence[Any]) -> list[Any]:
    """Run a job that splits the result of each task into partitions, and return them for `join`.

    Partitions stay on the workers if the engine supports it. Otherwise they are sent to this
    process.
    """
    if hasattr(engine, "partition"):
        return list(engine.partition(job, tasks))
    done = dict(engine.run(job, tasks, _ignore))
    return [done[task] for task in range(len(tasks))]


def join(engine: Engine, job: Job, split: Sequence[Any], parts: int) -> list[Any]:
    """Call a job for each partition number, with the partitions of this number from all tasks."""
    if hasattr(engine, "join"):
        return list(engine.join(job, split, parts))
    pieces = [[one[part] for one in split] for part in range(parts)]
    joined = dict(engine.run(job, pieces, _ignore))
    return [joined[part] for part in range(parts)]


Part: TypeAlias = Callable[[Any, Any], Any]
"""A function that is called with shared data and a task.

The function and its arguments must be picklable.
"""

_CURRENT: ContextVar[Engine | None] = ContextVar("engine", default=None)


@contextmanager
def using(engine: Engine | None) -> Iterator[None]:
    """Use an engine for all distributable computations in the block.

    The engine runs soft clustering (E and M steps), the classification of new words, and bootstrap
    samples.
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
    """Start the named engine, use it in the block (see `using`), and close it afterwards."""
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
    """Return the current engine, or None if there is no engine or it has no method `map`."""
    engine = _CURRENT.get()
    return engine if hasattr(engine, "map") else None


def map_tasks(job: Part, common: Any, tasks: Iterable[Any]) -> Iterator[Any]:
    """Return the results of all tasks in order, using the current engine if there is one.

    The result of a job must depend only on its arguments. If `tasks` is an iterator, the first
    tasks start before it is exhausted.
    """
    engine: Any = current()
    if engine is None or not tasks:
        return (job(common, task) for task in tasks)
    return iter(engine.map(job, common, tasks))


def in_order(found: Sequence[Sequence[Any]], places: Sequence[Sequence[int]]) -> list[Any]:
    """Merge several lists of results into one list, sorted by task number.

    `places` contains the task numbers of the results in each list.
    """
    each = dict(zip(chain(*places), chain(*found), strict=True))
    return [each[place] for place in range(len(each))]


def _ignore(read: int, tokens: int) -> None:
    """Ignore progress reports."""
