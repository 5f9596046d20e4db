"""Options for `SphericalTree`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions


@dataclass(eq=False, repr=False)
class SphericalOptions(RunOptions):
    """Options for clustering words by spherical k-means."""

    n_clusters: int | None = option(
        None, minimum=1, flags=CLUSTERS, help="Number of clusters [default: one per 40 words]."
    )
    _: KW_ONLY
    levels: Any = option(
        "auto",
        many="text",
        metavar="N,N,…|auto",
        help="Numbers of classes at the levels of the tree from top to bottom, e.g. 8,64,512; the "
        "last is the total number of classes.",
    )
    min_contexts: int = option(
        3, minimum=1, help="Exclude words with fewer than this many contexts from learning."
    )
    set_aside: bool = option(
        True,
        help="Leave uncertain words out of the thesaurus: words with fewer than `min_contexts` "
        "contexts, and rare words that fit no class.",
    )
    background: Any = None
    """Counts from other texts, added to the counts of the same words to improve vectors and
    classes."""

    vectors: Any = None
    """Vectors of words from another source, as `Prior`, "bundled" or a path, which supplement the
    vectors computed from contexts."""


OPTIONS = SphericalOptions
