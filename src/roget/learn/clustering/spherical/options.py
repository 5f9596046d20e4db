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
        help="Numbers of classes at the levels of the tree, from top to bottom, e.g. 8,64,512.",
    )
    min_contexts: int = option(3, minimum=1, help="Learn only from words with at least N contexts.")
    set_aside: bool = option(
        True,
        help="Leave out uncertain words: words with few contexts (see `min_contexts`), and rare "
        "words that do not fit any class.",
    )
    background: Any = None
    """Counts from other texts, added to the counts of the same words to improve vectors."""

    vectors: Any = None
    """Word vectors from another source (`Prior`, "bundled" or a path).

    They are combined with the vectors computed from contexts.
    """


OPTIONS = SphericalOptions
