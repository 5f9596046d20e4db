"""A Dask cluster shared by the tests of a module."""

from __future__ import annotations

from functools import partial
from typing import Any

from engines.jobs import die_dealing
from roget.engines.dask import Dask


class Kept(Dask):
    """A cluster that outlives a run, and may lose a worker in the middle of the next one."""

    place: str | None = None

    def partition(self, job: Any, tasks: Any) -> list[Any]:
        if self.place is not None:
            job = partial(die_dealing, self.place, job)
        return super().partition(job, tasks)

    def close(self) -> None:
        pass
