"""Options for `AgglomerativeTree`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from roget.core.options import copy_option, option
from roget.learn.clustering.annealing.options import AnnealingOptions
from roget.learn.clustering.options import RunOptions


@dataclass(eq=False, repr=False)
class AgglomerativeOptions(RunOptions):
    """Options for the agglomerative clusterer."""

    n_clusters: int | None = copy_option(
        AnnealingOptions,
        "n_clusters",
        None,
        help="Number of clusters [default: the square root of the number of words].",
    )
    _: KW_ONLY
    prior: str = copy_option(AnnealingOptions, "prior", "empirical")
    min_count: float = copy_option(AnnealingOptions, "min_count", 0)
    max_words: int = option(
        10_000,
        minimum=1,
        help="Merge only the N most frequent words. The other words join the resulting classes. "
        "The run time grows with N.",
    )


OPTIONS = AgglomerativeOptions
