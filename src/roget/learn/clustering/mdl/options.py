"""Options for `MDLTree`."""

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
    """Options for recursive splitting by description length."""

    n_clusters: int | None = option(
        None,
        minimum=1,
        flags=CLUSTERS,
        help="Number of clusters, even if splits make the description longer [default: the number "
        "with the shortest description].",
    )
    _: KW_ONLY
    criterion: str = option(
        "auto",
        choices=("auto", *CRITERIA),
        help="Formula for the description length: li-abe (as in the paper), corrected (li-abe "
        "with word frequencies), dirichlet (Dirichlet-multinomial), nml (normalised maximum "
        "likelihood) or auto (dirichlet).",
    )
    estimator: str = option(
        "mdl",
        choices=ESTIMATORS,
        help="Quantity to minimise: mdl (the complete description length) or mle (only the "
        "length of the data).",
    )
    search: str = option(
        "auto",
        choices=SEARCHES,
        help="Search for splits: auto (best of several restarts) or paper (annealing as in Li & "
        "Abe 1996).",
    )
    concentration: float | str = option(
        "auto",
        words=CONCENTRATIONS,
        metavar="X|auto|fine",
        positive=True,
        help="Total pseudo-count of the Dirichlet prior: a number, auto (tuned on held-out "
        "tokens) or fine (like auto, but frequent words get separate classes).",
    )
    min_count: float = option(
        0,
        minimum=0,
        help="Learn only from words with at least N tokens. The other words are assigned to "
        "clusters afterwards.",
    )


OPTIONS = MDLOptions
