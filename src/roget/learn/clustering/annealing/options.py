"""Options shared by the annealing clusterers."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions

PRIORS = ("empirical", "uniform")
DTYPES = ("float64", "float32")


@dataclass(eq=False, repr=False)
class AnnealingOptions(RunOptions):
    """Options for deterministic annealing."""

    n_clusters: int | None = option(
        None,
        minimum=1,
        flags=CLUSTERS,
        help="Number of clusters. Fewer are found if the words are too similar.",
    )
    _: KW_ONLY
    beta: float | None = option(
        None,
        positive=True,
        help="Final inverse temperature β. Higher values give sharper memberships [default: "
        "chosen on held-out counts].",
    )
    prior: str = option(
        "empirical",
        choices=PRIORS,
        help="Weights of words: empirical (proportional to counts) or uniform (equal).",
    )
    min_count: float = option(
        0,
        minimum=0,
        help="Learn only from words with at least N tokens. The other words are assigned to "
        "clusters afterwards.",
    )
    dtype: str = option("float64", choices=DTYPES, help="Floating-point type of the computation.")
    tol: float = option(
        1e-5, minimum=0, help="Relative change in free energy at which iterations stop."
    )
    max_iter: int = option(100, minimum=1, help="Maximum number of iterations at each β.")
    n_jobs: int | None = option(
        None, help="Number of threads. It does not affect the results [default: all cores]."
    )
