"""What an engine must do: run one job on many tasks, somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import Any, Protocol, TypeAlias

from roget import catalogue
from roget.errors import InputError

Increment: TypeAlias = Callable[[int, int], None]
"""Called with the bytes and the tokens (none of tables) read since the last call."""

Job: TypeAlias = Callable[[Any, Increment], Any]
"""Does one task; both it and the task must survive pickling."""


class Engine(Protocol):
    """Runs a job on tasks, in any order, each exactly once as far as the caller can tell."""

    shares_disk: bool
    """Whether a job may leave its result in a folder that the caller named."""

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield (index of the task, what the job returned) as tasks finish.

        An error of a job is raised here, after tasks already running have ended and their
        results were yielded. Closing the iterator, as Ctrl-C does, stops the rest.
        """
        ...

    def close(self) -> None:
        """Give back processes and connections; may be called twice."""
        ...


def deal(engine: Engine, job: Job, tasks: Sequence[Any]) -> list[Any]:
    """What `join` needs of tasks, each of which the job deals into parts.

    An engine with a `deal` and a `join` of its own moves parts from worker to worker, as often as
    they are asked for; else they come here.
    """
    if hasattr(engine, "deal"):
        return list(engine.deal(job, tasks))
    done = dict(engine.run(job, tasks, _ignore))
    return [done[task] for task in range(len(tasks))]


def join(engine: Engine, job: Job, dealt: Sequence[Any], parts: int) -> list[Any]:
    """What the job makes of the n-th parts of all that was dealt, for each n."""
    if hasattr(engine, "join"):
        return list(engine.join(job, dealt, parts))
    pieces = [[one[part] for one in dealt] for part in range(parts)]
    joined = dict(engine.run(job, pieces, _ignore))
    return [joined[part] for part in range(parts)]


Part: TypeAlias = Callable[[Any, Any], Any]
"""Does one task, given also what all tasks have in common; all three must survive pickling."""

_CURRENT: ContextVar[Engine | None] = ContextVar("engine", default=None)


@contextmanager
def using(engine: Engine | None) -> Iterator[None]:
    """Within the block, work that can be spread out is done by the engine.

    That are the E- and M-steps of soft clustering, placing words, and draws of intervals.
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
    """The same with an engine of the catalogue, which is closed in the end; "local" is none."""
    if name == "local":
        if scheduler is not None:
            raise InputError(f"scheduler {scheduler}: for the engine dask only")
        yield
        return
    engine: Engine = catalogue.load("engines", name)(scheduler, processes)
    try:
        with using(engine):
            yield
    finally:
        engine.close()


def current() -> Engine | None:
    """The engine in use, if it can spread work out."""
    engine = _CURRENT.get()
    return engine if hasattr(engine, "spread") else None


def spread(job: Part, common: Any, tasks: Iterable[Any]) -> Iterator[Any]:
    """What the job gives of each task, in order: by the engine in use, or else here.

    What comes out must not depend on where, so a job looks at nothing but its arguments. Tasks that
    take time to make are begun on while the others are made, if they come one by one.
    """
    engine: Any = current()
    if engine is None or not tasks:
        return (job(common, task) for task in tasks)
    return iter(engine.spread(job, common, tasks))


def in_order(found: Sequence[Sequence[Any]], places: Sequence[Sequence[int]]) -> list[Any]:
    """What several lists have of tasks, in the order of these."""
    each = dict(zip(chain(*places), chain(*found), strict=True))
    return [each[place] for place in range(len(each))]


def _ignore(read: int, tokens: int) -> None:
    """Nobody asks how far this is."""
