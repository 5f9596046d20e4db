"""The Dask engine, which runs jobs on an existing cluster or starts a local one."""

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
from roget.engines.local import WorkerDied, cores, uninterrupted
from roget.errors import InputError, RogetError

_TIMEOUT = 10
"""Timeout for connecting to a scheduler, in seconds."""


_SHORT_TASKS = "split-shuffle"
"""Key prefix for short tasks.

The scheduler does not move tasks with this prefix to other workers, because it would also have to
send all their inputs.
"""

_LOGS = ("distributed", "tornado", "asyncio")
"""Loggers to silence, because roget itself reports lost connections and workers."""


class SchedulerLost(RogetError):
    """Raised when the scheduler of a cluster cannot be reached."""

    code = "scheduler-lost"


class _WorkerThread(NamedTuple):
    """A thread of a Dask worker, to which tasks can be assigned.

    Thread numbers are compared first, so the first threads of all workers come before all second
    threads.
    """

    number: int
    worker: str


class PendingResults(NamedTuple):
    """Results that are still on the workers.

    Each future returns the results of several tasks, whose numbers are in `places`.
    """

    cluster: Dask
    futures: list[Any]
    places: list[list[int]]

    def fetch(self) -> list[Any]:
        """Return all results in the order of the tasks, and delete them from the workers."""
        cluster = self.cluster
        try:
            with cluster._explain():
                # Workers of a remote cluster may be reachable only through the scheduler.
                direct = cluster._cluster is not None
                return in_order(cluster._client.gather(self.futures, direct=direct), self.places)
        finally:
            cluster._cancel(self.futures)


class Dask:
    """An engine that runs jobs on a Dask cluster. If a worker is lost, its tasks are run again."""

    shares_disk = False

    def __init__(self, scheduler: str | None = None, processes: int | None = None) -> None:
        with name_extra():
            self._distributed: Any = import_module("distributed")
        self._cluster: Any = None
        self._stored_on: dict[Any, _WorkerThread] = {}
        """The worker thread that stores each persisted object, keyed by the object's future."""
        self._levels = _silence_logs()
        try:
            if scheduler is None:
                # Workers must ignore Ctrl-C, because this process handles it.
                with uninterrupted():
                    self._cluster = self._start(processes)
            try:
                self._client: Any = self._distributed.Client(
                    self._cluster or scheduler, timeout=_TIMEOUT, set_as_default=False
                )
            except (OSError, ValueError) as error:
                raise InputError(
                    f"cannot connect to a Dask scheduler at {scheduler!r} ({error}); expected an "
                    "address such as tcp://10.0.0.1:8786",
                    code="scheduler-lost",
                ) from None
        except BaseException:
            _restore_logs(self._levels)
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
            # By default, the dashboard would listen on all network interfaces.
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        )

    def _check_workers(self) -> None:
        """Raise an error if a worker lacks roget or has a different version of it.

        A different version could give different results. The version is queried with a function
        from the standard library, which every worker can call.
        """
        try:
            ours = metadata.version("roget")
        except metadata.PackageNotFoundError:
            return  # When roget runs from a source folder, it has no version to compare.
        with self._explain():
            theirs = self._client.run(metadata.version, "roget", on_error="return")
            # The scheduler also needs roget, because it unpickles tasks.
            with suppress(metadata.PackageNotFoundError):
                theirs["scheduler"] = metadata.PackageNotFoundError("roget")
                theirs["scheduler"] = self._client.run_on_scheduler(metadata.version, "roget")
        for place, found in theirs.items():
            if isinstance(found, metadata.PackageNotFoundError):
                problem = "does not have roget installed"
            elif isinstance(found, BaseException) or found == ours:
                continue
            else:
                problem = f"has roget {found}, but this machine has {ours}"
            what = "scheduler" if place == "scheduler" else f"worker {place}"
            raise RogetError(
                f"the Dask {what} {problem}; install the same version there: "
                f"pip install 'roget[learn,dask]=={ours}'"
            )

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield the index and the result of each task as it finishes."""
        with self._explain():
            futures = self._client.map(partial(_measure, job), tasks, pure=False, key="roget")
            finished = self._distributed.as_completed(futures, loop=self._client.loop)
        places = {future.key: index for index, future in enumerate(futures)}
        failed = None
        try:
            for future in finished:
                # Read the status only once, because it may change between two reads.
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
                    # The worker was lost before its result was fetched, so the task runs again.
                    finished.add(future)
                elif failed is None:  # The cluster cancelled the task.
                    raise self._lost()
        finally:
            self._cancel(futures)
        if failed is not None:
            with self._explain():
                raise failed

    def persist(self, data: Any, unpack: Callable[[Any], Any] | None = None) -> Any:
        """Send data to a worker, which stores them as long as the returned future exists.

        If `unpack` is passed, the worker calls it with the data and stores the result. Data are
        assigned to the worker threads in turn, because the scheduler would choose workers that
        already store data. Tasks run on the worker that stores their data, or on another worker if
        that one is lost.
        """
        with self._explain(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph")
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
            threads = sorted(
                _WorkerThread(number, worker)
                for worker, facts in workers.items()
                for number in range(facts["nthreads"])
            )
            thread = threads[len(self._stored_on) % len(threads)] if threads else None
            future = self._submit(thread, unpack or _keep, data)
            if thread is not None:
                self._stored_on[future.key] = thread
            return future

    def map(self, job: Part, common: Any, tasks: Iterable[Any]) -> list[Any]:
        """Return the results of all tasks.

        `common` is sent to each worker only once.
        """
        return self.submit(job, common, tasks).fetch()

    def submit(
        self, job: Part, common: Any, tasks: Iterable[Any], unpack: Callable[..., Any] | None = None
    ) -> PendingResults:
        """Start tasks and return immediately.

        The results stay on the workers until they are fetched.

        Tasks for the same worker thread are sent as one batch, because sending a task takes longer
        than running it. If `unpack` is passed, `common` is sent with each batch, and the worker
        calls `unpack` with it. In this case, `common` should be small, or consist of the futures of
        earlier results.
        """
        left, assigned = PendingResults(self, [], []), dict[_WorkerThread, dict[int, Any]]()
        try:
            with self._explain(), warnings.catch_warnings():
                # Pass data as task arguments, which Dask can resend. Scattered data would be lost
                # if their worker died.
                warnings.filterwarnings("ignore", message="Sending large graph")
                shared = common if unpack else self._submit(None, _keep, common)
                for place, task in enumerate(tasks):
                    thread = self._stored_on.get(getattr(_first(task), "key", None))
                    if thread is not None:
                        assigned.setdefault(thread, {})[place] = task
                        continue
                    left.places.append([place])
                    left.futures.append(self._submit(None, _apply, job, [task], shared, unpack))
                for thread, numbered in assigned.items():
                    left.places.append(list(numbered))
                    batch = list(numbered.values())
                    left.futures.append(self._submit(thread, _apply, job, batch, shared, unpack))
        except BaseException:
            self._cancel(left.futures)
            raise
        return left

    def _submit(
        self, thread: _WorkerThread | None, function: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Submit a function to the worker of a thread.

        If `thread` is None or the worker is lost, any worker may run the function.
        """
        where = {} if thread is None else {"workers": thread.worker, "allow_other_workers": True}
        return self._client.submit(function, *arguments, pure=False, **where)

    def partition(self, job: Job, tasks: Sequence[Any]) -> list[Any]:
        """Implement `engines.base.partition`.

        Partitions on a lost worker are computed again when they are needed.
        """
        with self._explain():
            return list(self._client.map(partial(_measure, job), tasks, pure=False, key="roget"))

    def join(self, job: Job, split: Sequence[Any], parts: int) -> list[Any]:
        """Implement `engines.base.join`.

        The workers send each partition directly to the worker that joins it.
        """
        joined: list[Any] = []
        try:
            with self._explain():
                for part in range(parts):
                    pieces = self._client.map(_take, split, part=part, pure=False, key=_SHORT_TASKS)
                    joined.append(self._client.submit(_measure, job, pieces, pure=False))
                return [result for result, _, _ in self._client.gather(joined)]
        except BaseException:
            # Releasing the futures also releases their inputs.
            self._cancel(joined)
            raise

    def close(self) -> None:
        """Disconnect from the cluster, and shut it down if it is local."""
        try:
            # Closing raises an error if the scheduler is lost.
            with suppress(Exception, asyncio.CancelledError):
                self._client.close(timeout=_TIMEOUT)
            if self._cluster is not None:
                self._cluster.close()
        finally:
            _restore_logs(self._levels)

    def _cancel_waiting(self, futures: Sequence[Any]) -> None:
        """Cancel the tasks that no worker has started."""
        with suppress(Exception):
            begun = {key for keys in self._client.processing().values() for key in keys}
            self._cancel([one for one in futures if not one.done() and one.key not in begun])

    def _cancel(self, futures: Sequence[Any]) -> None:
        with suppress(Exception, asyncio.CancelledError):
            if self._client.status == "running":
                self._client.cancel(futures)

    def _lost(self) -> SchedulerLost:
        return SchedulerLost(
            f"lost the connection to the Dask scheduler {self.name}; restart it, or omit "
            "--engine dask"
        )

    def _lacks(self, module: str) -> RogetError:
        return RogetError(
            f"the Dask cluster {self.name} lacks a package ({module}); install the same packages "
            "for its scheduler and workers as on this machine"
        )

    @contextmanager
    def _explain(self) -> Iterator[None]:
        """Convert cluster errors to errors with clear messages.

        Errors raised by jobs are unchanged.
        """
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
            raise WorkerDied(
                f"{times} Dask workers in a row ended during the same task, because they were "
                "killed or ran out of memory. Raise their memory limit (dask worker "
                "--memory-limit), or start fewer workers per machine"
            ) from None
        except ModuleNotFoundError as error:
            raise self._lacks(str(error)) from None


def _silence_logs() -> dict[str, int]:
    """Silence the loggers, and return their previous levels."""
    levels = {}
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed.")]
    for name in (*_LOGS, *known):
        logger = logging.getLogger(name)
        levels[name] = logger.level
        logger.setLevel(logging.CRITICAL + 1)
    return levels


def _restore_logs(levels: dict[str, int]) -> None:
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    levels.clear()


def _first(task: Any) -> Any:
    return task[0] if isinstance(task, tuple) and task else task


def _keep(data: Any) -> Any:
    """Return data unchanged. Submitted as a task, this function stores the data on a worker."""
    return data


def _apply(
    job: Part, tasks: list[Any], common: Any, unpack: Callable[..., Any] | None
) -> list[Any]:
    shared = unpack(common) if unpack else common
    return [job(shared, task) for task in tasks]


def _measure(job: Job, task: Any) -> tuple[Any, int, int]:
    """Run a job, and return its result with the numbers of bytes and tokens read."""
    sums = [0, 0]

    def report(read: int, tokens: int) -> None:
        sums[0] += read
        sums[1] += tokens

    return job(task, report), sums[0], sums[1]


def _take(measured: tuple[Any, int, int], part: int) -> Any:
    """Select one partition of a result that `_measure` returned."""
    return measured[0][part]
