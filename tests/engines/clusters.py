"""A Dask cluster that tests of a module share."""

from __future__ import annotations

from functools import partial
from typing import Any

from engines.jobs import die_dealing
from roget.engines.dask import Dask


class Kept(Dask):
    """A cluster that outlives a run, and may lose a worker in the middle of the next one."""

    place: str | None = None

    def exchange(self, deal: Any, tasks: Any, join: Any, parts: int) -> list[Any]:
        if self.place is not None:
            deal = partial(die_dealing, self.place, deal)
        return super().exchange(deal, tasks, join, parts)

    def close(self) -> None:
        pass
