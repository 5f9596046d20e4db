"""What SphericalTree can be asked for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions


@dataclass(eq=False, repr=False)
class SphericalOptions(RunOptions):
    """Of classes by the directions of words' vectors."""

    n_clusters: int | None = option(
        None, minimum=1, flags=CLUSTERS, help="How many; by default one for each 40 words."
    )
    _: KW_ONLY
    levels: Any = option(
        "auto",
        many="text",
        metavar="N,N,…|auto",
        help="Sizes of the levels of the tree, each made for itself and part of the next; the last "
        "is the number of classes.",
    )
    min_contexts: int = option(
        3, minimum=1, help="Words with fewer contexts take no part in learning."
    )
    set_aside: bool = option(
        True, help="Leave unsure words out of the thesaurus: those, and rare ones that fit nowhere."
    )


OPTIONS = SphericalOptions
