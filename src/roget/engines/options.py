"""Where work is done, as commands ask for it."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import option


@dataclass(frozen=True)
class Where:
    """Where the work is done."""

    engine: str = option(
        "local",
        choices="engines",
        help="Where large work is done: on this machine, or by the workers of a cluster.",
    )
    scheduler: str | None = option(
        None, metavar="ADDRESS", help="Of a Dask cluster; without it a local one is made."
    )
