"""Options that choose the engine."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import option


@dataclass(frozen=True)
class EngineOptions:
    """Engine for large work."""

    engine: str = option(
        "local",
        choices="engines",
        help="Engine for large work: local, or dask for the workers of a cluster.",
    )
    scheduler: str | None = option(
        None,
        metavar="ADDRESS",
        help="Address of a Dask scheduler [default: start a local cluster].",
    )
