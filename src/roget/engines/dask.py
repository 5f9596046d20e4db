"""Jobs on a Dask cluster, or on a local one that is started for them."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module, metadata
from typing import Any, NamedTuple

from roget.catalogue import name_extra
from roget.engines.base import Increment, Job, Part, in_order
from roget.engines.local import cores, uninterrupted
from roget.errors import InputError, RogetError

_PATIENCE = 10
"""Seconds in which a scheduler must answer."""


_QUICK = "split-shuffle"
"""A name by which schedulers know tasks that are quick: no worker takes them over from another,
which would mean to move all parts for the sake of one."""

_LOGS = ("distributed", "tornado", "asyncio")
"""Who would tell of lost connections and dead workers besides us, in many lines."""


class SchedulerLost(RogetError):
    """The scheduler of a cluster that does not answer any more."""


class _Seat(NamedTuple):
    """A thread of a worker; in their order, all workers come before the second thread of any."""

    thread: int
    worker: str


class PendingResults(NamedTuple):
    """Results that are with workers: a list by each future, and which tasks these are of."""

    cluster: Dask
    futures: list[Any]
    places: list[list[int]]

    def fetch(self) -> list[Any]:
        """All of them, in the order of the tasks; none is with a worker any more."""
        cluster = self.cluster
        try:
            with cluster._explain():
                # Workers of this machine can be reached; others perhaps by their scheduler only.
                direct = cluster._cluster is not None
                return in_order(cluster._client.gather(self.futures, direct=direct), self.places)
        finally:
            cluster._cancel(self.futures)


class Dask:
    """Runs jobs on the cluster of a scheduler; a worker that dies has its tasks done again."""

    shares_disk = False

    def __init__(self, scheduler: str | None = None, processes: int | None = None) -> None:
        with name_extra():
            self._distributed: Any = import_module("distributed")
        self._cluster: Any = None
        self._seats: dict[Any, _Seat] = {}
        """Where what is held was given to, by its key."""
        self._levels = _silence()
        try:
            if scheduler is None:
                # Ctrl-C is for this process; its workers would tell of it as well.
                with uninterrupted():
                    self._cluster = self._start(processes)
            try:
                self._client: Any = self._distributed.Client(
                    self._cluster or scheduler, timeout=_PATIENCE, set_as_default=False
                )
            except (OSError, ValueError) as error:
                raise InputError(
                    f"no Dask scheduler answers at {scheduler!r} ({error}); expected an address "
                    "such as tcp://10.0.0.1:8786"
                ) from None
        except BaseException:
            _speak(self._levels)
            raise
        self.name = scheduler or "of this machine"
        if scheduler is not None:
            try:
                self._check_workers()
            except BaseException:
                self.close()
                raise

    def _start(self, processes: int | None) -> Any:
        return self._distributed.LocalCluster(
            n_workers=processes or cores(),
            threads_per_worker=1,
            host="127.0.0.1",
            # Without an address of its own it would listen to the world on a fixed port.
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )

    def _check_workers(self) -> None:
        """Refuse workers that lack roget, or have another one: bits would differ, or nothing run.

        They are asked by a function of Python's own, which any worker can call.
        """
        try:
            ours = metadata.version("roget")
        except metadata.PackageNotFoundError:  # run from a folder, as theirs may be
            return
        with self._explain():
            theirs = self._client.run(metadata.version, "roget", on_error="return")
            # It takes tasks apart, and so must know of what they are.
            with suppress(metadata.PackageNotFoundError):
                theirs["scheduler"] = metadata.PackageNotFoundError("roget")
                theirs["scheduler"] = self._client.run_on_scheduler(metadata.version, "roget")
        for place, found in theirs.items():
            if isinstance(found, metadata.PackageNotFoundError):
                said = "has no roget"
            elif isinstance(found, BaseException) or found == ours:
                continue
            else:
                said = f"has roget {found}, and this machine {ours}"
            what = "scheduler" if place == "scheduler" else f"worker {place}"
            raise RogetError(
                f"the Dask {what} {said}; install the same there: "
                f"pip install 'roget[learn,dask]=={ours}'"
            )

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield (index, result) as tasks finish."""
        with self._explain():
            futures = self._client.map(partial(_measure, job), tasks, pure=False, key="roget")
            finished = self._distributed.as_completed(futures, loop=self._client.loop)
        places = {future.key: index for index, future in enumerate(futures)}
        failed = None
        try:
            for future in finished:
                # A status that is asked for twice may have changed meanwhile.
                status = future.status
                if status == "finished":
                    with self._explain():
                        result, read, tokens = future.result()
                    report(read, tokens)
                    yield places[future.key], result
                elif status == "error":
                    if failed is None:
                        failed = future.exception()
                        self._cancel_waiting(futures)
                elif status in ("lost", "pending"):
                    # The worker that held the result died before it was fetched: it is made again.
                    finished.add(future)
                elif failed is None:  # cancelled, and not by us
                    raise self._lost()
        finally:
            self._cancel(futures)
        if failed is not None:
            with self._explain():
                raise failed

    def hold(self, data: Any, unpack: Callable[[Any], Any] | None = None) -> Any:
        """Data for a task of `spread`, which stay with a worker as long as the caller has this.

        They stay as what `unpack` makes of them there, if it is given.
        Workers get them in turn: left to itself, the scheduler would have most work done where
        most data are already. A task goes where its data are, or elsewhere if that worker is gone.
        """
        with self._explain(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
            seats = sorted(
                _Seat(thread, worker)
                for worker, told in workers.items()
                for thread in range(told["nthreads"])
            )
            seat = seats[len(self._seats) % len(seats)] if seats else None
            future = self._submit(seat, unpack or _keep, data)
            if seat is not None:
                self._seats[future.key] = seat
            return future

    def spread(self, job: Part, common: Any, tasks: Iterable[Any]) -> list[Any]:
        """See `engines.base`: what is common goes to each worker once."""
        return self.leave(job, common, tasks).fetch()

    def leave(
        self, job: Part, common: Any, tasks: Iterable[Any], unpack: Callable[..., Any] | None = None
    ) -> PendingResults:
        """What `spread` gives, left with the workers until it is fetched.

        Tasks whose data one thread of a worker holds are given to it together: to ask and to be
        told takes longer than many of them. With `unpack`, what is common is small, or refers to
        earlier results (`PendingResults.futures`); it goes with tasks, which share the result.
        """
        left, seated = PendingResults(self, [], []), dict[_Seat, dict[int, Any]]()
        try:
            with self._explain(), warnings.catch_warnings():
                # Data in tasks are made again when a worker dies; those scattered would be gone.
                warnings.filterwarnings("ignore", message="Sending large graph")
                held = common if unpack else self._submit(None, _keep, common)
                for place, task in enumerate(tasks):
                    seat = self._seats.get(getattr(_first(task), "key", None))
                    if seat is not None:
                        seated.setdefault(seat, {})[place] = task
                        continue
                    left.places.append([place])
                    left.futures.append(self._submit(None, _apply, job, [task], held, unpack))
                for seat, given in seated.items():
                    left.places.append(list(given))
                    together = list(given.values())
                    left.futures.append(self._submit(seat, _apply, job, together, held, unpack))
        except BaseException:
            self._cancel(left.futures)
            raise
        return left

    def _submit(self, seat: _Seat | None, function: Callable[..., Any], *given: Any) -> Any:
        """A future, at a seat if there is one; elsewhere if its worker is gone."""
        where = {} if seat is None else {"workers": seat.worker, "allow_other_workers": True}
        return self._client.submit(function, *given, pure=False, **where)

    def deal(self, job: Job, tasks: Sequence[Any]) -> list[Any]:
        """See `engines.base`: what a dead worker held is made again, as long as it is needed."""
        with self._explain():
            return list(self._client.map(partial(_measure, job), tasks, pure=False, key="roget"))

    def join(self, job: Job, dealt: Sequence[Any], parts: int) -> list[Any]:
        """See `engines.base`: a part goes straight to the worker that joins it."""
        joined: list[Any] = []
        try:
            with self._explain():
                for part in range(parts):
                    pieces = self._client.map(_take, dealt, part=part, pure=False, key=_QUICK)
                    joined.append(self._client.submit(_measure, job, pieces, pure=False))
                return [result for result, _, _ in self._client.gather(joined)]
        except BaseException:
            # What they are made of is given up with them, as it is when nobody refers to it.
            self._cancel(joined)
            raise

    def close(self) -> None:
        """Leave the cluster; a local one ends."""
        try:
            # One that is lost needs no farewell.
            with suppress(Exception, asyncio.CancelledError):
                self._client.close(timeout=_PATIENCE)
            if self._cluster is not None:
                self._cluster.close()
        finally:
            _speak(self._levels)

    def _cancel_waiting(self, futures: Sequence[Any]) -> None:
        """Give up what no worker has begun."""
        with suppress(Exception):
            begun = {key for keys in self._client.processing().values() for key in keys}
            self._cancel([one for one in futures if not one.done() and one.key not in begun])

    def _cancel(self, futures: Sequence[Any]) -> None:
        with suppress(Exception, asyncio.CancelledError):
            if self._client.status == "running":
                self._client.cancel(futures)

    def _lost(self) -> SchedulerLost:
        return SchedulerLost(
            f"the Dask scheduler {self.name} is lost: it ended, or the network did; start it "
            "again, or leave out --engine dask to work on this machine alone"
        )

    def _lacks(self, said: str) -> RogetError:
        return RogetError(
            f"the Dask cluster {self.name} has not what this machine has ({said}); install the "
            "same packages for its scheduler and workers"
        )

    @contextmanager
    def _explain(self) -> Iterator[None]:
        """Say plainly what a cluster can suffer; errors of jobs stay what they are."""
        try:
            yield
        except RogetError:
            raise
        except (CancelledError, asyncio.CancelledError, OSError, RuntimeError) as error:
            if isinstance(error, CancelledError | asyncio.CancelledError):
                raise self._lost() from None
            if self._client.status != "running":
                raise self._lost() from None
            if isinstance(error.__cause__, ImportError | AttributeError):
                raise self._lacks(str(error.__cause__)) from None
            raise
        except self._distributed.KilledWorker as error:
            times = error.allowed_failures + 1
            raise RogetError(
                f"a task ended {times} Dask workers one after the other: they are killed, or have "
                "too little memory for it; give each more (dask worker --memory-limit), or start "
                "fewer on a machine"
            ) from None
        except ModuleNotFoundError as error:
            raise self._lacks(str(error)) from None


def _silence() -> dict[str, int]:
    """Let loggers be still; gives how loud they were."""
    levels = {}
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    for name in (*_LOGS, *known):
        logger = logging.getLogger(name)
        levels[name] = logger.level
        logger.setLevel(logging.CRITICAL + 1)
    return levels


def _speak(levels: dict[str, int]) -> None:
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    levels.clear()


def _first(task: Any) -> Any:
    return task[0] if isinstance(task, tuple) and task else task


def _keep(data: Any) -> Any:
    """What workers hold of data that many tasks need."""
    return data


def _apply(
    job: Part, tasks: list[Any], common: Any, unpack: Callable[..., Any] | None
) -> list[Any]:
    shared = unpack(common) if unpack else common
    return [job(shared, task) for task in tasks]


def _measure(job: Job, task: Any) -> tuple[Any, int, int]:
    """What a job gives, with the sums of its reports."""
    sums = [0, 0]

    def report(read: int, tokens: int) -> None:
        sums[0] += read
        sums[1] += tokens

    return job(task, report), sums[0], sums[1]


def _take(measured: tuple[Any, int, int], part: int) -> Any:
    """One part of what a job gave."""
    return measured[0][part]
