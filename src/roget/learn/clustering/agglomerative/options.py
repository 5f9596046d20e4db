"""What AgglomerativeTree can be asked for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from roget.core.options import copy_option, option
from roget.learn.clustering.annealing.options import AnnealingOptions
from roget.learn.clustering.options import RunOptions


@dataclass(eq=False, repr=False)
class AgglomerativeOptions(RunOptions):
    """Of classes by greedy merges."""

    n_clusters: int | None = copy_option(
        AnnealingOptions,
        "n_clusters",
        None,
        help="How many; by default the root of how many words.",
    )
    _: KW_ONLY
    prior: str = copy_option(AnnealingOptions, "prior", "empirical")
    min_count: float = copy_option(AnnealingOptions, "min_count", 0)
    max_words: int = option(
        10_000,
        minimum=1,
        help="So many of the most frequent words are merged, which takes time by their number "
        "times all their contexts; the others are put where they fit.",
    )


OPTIONS = AgglomerativeOptions
