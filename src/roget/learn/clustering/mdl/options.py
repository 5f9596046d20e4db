"""What MDLTree can be asked for."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions

CRITERIA = ("li-abe", "corrected", "dirichlet", "nml")
ESTIMATORS = ("mdl", "mle")
SEARCHES = ("auto", "paper")
CONCENTRATIONS = ("auto", "fine")


@dataclass(eq=False, repr=False)
class MDLOptions(RunOptions):
    """Of splits by description length."""

    n_clusters: int | None = option(
        None, minimum=1, flags=CLUSTERS, help="How many, also if the splits save nothing."
    )
    _: KW_ONLY
    criterion: str = option(
        "auto",
        choices=("auto", *CRITERIA),
        help="The code: that of Li & Abe (1996); theirs with words that differ in frequency "
        "(corrected); Dirichlet-multinomial around the background, which auto is; or normalised "
        "maximum likelihood.",
    )
    estimator: str = option(
        "mdl", choices=ESTIMATORS, help="The whole description, or its data part alone (mle)."
    )
    search: str = option(
        "auto", choices=SEARCHES, help="The best split, or the paper's annealing to the letter."
    )
    concentration: float | str = option(
        "auto",
        words=CONCENTRATIONS,
        metavar="X|auto|fine",
        positive=True,
        help="Of the Dirichlet code: by how many tokens of the background a cluster is smoothed; "
        "auto chooses it on held-out tokens, few classes first; fine begins with many, and puts "
        "frequent words by themselves.",
    )
    min_count: float = option(
        0, minimum=0, help="Words seen less often take no part in learning, but get labels."
    )


OPTIONS = MDLOptions
