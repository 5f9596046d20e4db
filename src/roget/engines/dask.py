"""Jobs on a Dask cluster, or on a local one that is started for them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from roget.catalogue import name_extra
from roget.engines.base import Increment, Job
from roget.engines.local import cores
from roget.errors import InputError

_PATIENCE = 10
"""Seconds in which a scheduler must answer."""


_QUICK = "split-shuffle"
"""A name by which schedulers know tasks that are quick: no worker takes them over from another,
which would mean to move all parts for the sake of one."""


class Dask:
    """Runs jobs on the cluster of a scheduler; a worker that dies has its tasks done again."""

    shares_disk = False

    def __init__(self, scheduler: str | None = None, processes: int | None = None) -> None:
        with name_extra():
            self._distributed: Any = import_module("distributed")
        self._cluster: Any = None
        if scheduler is None:
            self._cluster = self._distributed.LocalCluster(
                n_workers=processes or cores(),
                threads_per_worker=1,
                host="127.0.0.1",
                # Without an address of its own it would listen to the world on a fixed port.
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        try:
            self._client: Any = self._distributed.Client(
                self._cluster or scheduler, timeout=_PATIENCE, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise InputError(
                f"no Dask scheduler answers at {scheduler!r} ({error}); expected an address such "
                "as tcp://10.0.0.1:8786"
            ) from None

    def run(self, job: Job, tasks: Sequence[Any], report: Increment) -> Iterator[tuple[int, Any]]:
        """Yield (index, result) as tasks finish."""
        futures = self._client.map(partial(_measure, job), tasks, pure=False, key="roget")
        places = {future.key: index for index, future in enumerate(futures)}
        failed = None
        try:
            finished = self._distributed.as_completed(futures, loop=self._client.loop)
            for future in finished:
                if future.status == "finished":
                    result, read, tokens = future.result()
                    report(read, tokens)
                    yield places[future.key], result
                elif failed is None and future.status == "error":
                    failed = future.exception()
                    begun = {key for keys in self._client.processing().values() for key in keys}
                    self._client.cancel(
                        [one for one in futures if not one.done() and one.key not in begun]
                    )
                elif future.status in ("lost", "pending"):
                    # The worker that held the result died before it was fetched: it is made again.
                    finished.add(future)
        finally:
            self._client.cancel(futures)
        if failed is not None:
            raise failed

    def deal(self, job: Job, tasks: Sequence[Any]) -> list[Any]:
        """See `engines.base`: what a dead worker held is made again, as long as it is needed."""
        return list(self._client.map(partial(_measure, job), tasks, pure=False, key="roget"))

    def join(self, job: Job, dealt: Sequence[Any], parts: int) -> list[Any]:
        """See `engines.base`: a part goes straight to the worker that joins it."""
        joined = []
        for part in range(parts):
            pieces = self._client.map(_take, dealt, part=part, pure=False, key=_QUICK)
            joined.append(self._client.submit(_measure, job, pieces, pure=False))
        try:
            return [result for result, _, _ in self._client.gather(joined)]
        except BaseException:
            # What they are made of is given up with them, as it is when nobody refers to it.
            self._client.cancel(joined)
            raise

    def close(self) -> None:
        """Leave the cluster; a local one ends."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()


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
