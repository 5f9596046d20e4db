"""What estimators by annealing can be asked for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions

PRIORS = ("empirical", "uniform")
DTYPES = ("float64", "float32")


@dataclass(eq=False, repr=False)
class AnnealingOptions(RunOptions):
    """Of deterministic annealing."""

    n_clusters: int | None = option(
        None, minimum=1, flags=CLUSTERS, help="How many; fewer if words do not differ enough."
    )
    _: KW_ONLY
    beta: float | None = option(
        None,
        positive=True,
        help="How sharp memberships are; higher is sharper. Default: as held-out counts ask for.",
    )
    prior: str = option(
        "empirical", choices=PRIORS, help="Weigh words by their counts, or all alike."
    )
    min_count: float = option(
        0, minimum=0, help="Words seen less often take no part in learning, but get memberships."
    )
    dtype: str = option("float64", choices=DTYPES, help="Precision.")
    tol: float = option(1e-5, minimum=0, help="When memberships count as settled.")
    max_iter: int = option(100, minimum=1, help="How often they are settled at most, at each β.")
    n_jobs: int | None = option(
        None, help="Threads, by default on all cores; results are the same for any number."
    )
