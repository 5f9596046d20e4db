"""What AgglomerativeTree can be asked for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from roget.core.options import again, option
from roget.learn.clustering.annealing.options import Options as Annealing
from roget.learn.clustering.options import Running


@dataclass(eq=False, repr=False)
class Options(Running):
    """Of classes by greedy merges."""

    n_clusters: int | None = again(
        Annealing, "n_clusters", None, help="How many; by default the root of how many words."
    )
    _: KW_ONLY
    prior: str = again(Annealing, "prior", "empirical")
    min_count: float = again(Annealing, "min_count", 0)
    max_words: int = option(
        10_000,
        minimum=1,
        help="So many of the most frequent words are merged, which takes time by their number "
        "times all their contexts; the others are put where they fit.",
    )
