"""What AgglomerativeTree can be asked for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, Running

PRIORS = ("empirical", "uniform")


@dataclass(eq=False, repr=False)
class Options(Running):
    """Of classes by greedy merges."""

    n_clusters: int | None = option(
        None, minimum=1, flags=CLUSTERS, help="How many; by default the root of how many words."
    )
    _: KW_ONLY
    prior: str = option(
        "empirical", choices=PRIORS, help="Weigh words by their counts, or all alike."
    )
    min_count: float = option(
        0, minimum=0, help="Words seen less often take no part in learning, but get memberships."
    )
    max_words: int = option(
        10_000,
        minimum=1,
        help="So many of the most frequent words are merged, which takes time by their number "
        "times all their contexts; the others are put where they fit.",
    )
