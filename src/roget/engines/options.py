"""Options that select the engine."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import option


@dataclass(frozen=True)
class EngineOptions:
    """Options that select the engine for large jobs."""

    engine: str = option(
        "local",
        choices="engines",
        help="Engine for large jobs: local (this machine) or dask (a Dask cluster).",
    )
    scheduler: str | None = option(
        None,
        metavar="ADDRESS",
        help="Address of a Dask scheduler [default: start a local cluster].",
    )
