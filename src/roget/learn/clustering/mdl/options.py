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
        help="Number of clusters, reached even if splits make the description longer [default: "
        "the number that gives the shortest description].",
    )
    _: KW_ONLY
    criterion: str = option(
        "auto",
        choices=("auto", *CRITERIA),
        help="Formula for the description length: li-abe = Li & Abe (1996); corrected = li-abe "
        "with word frequencies within classes; dirichlet = Dirichlet-multinomial centred on the "
        "background; nml = normalised maximum likelihood; auto = dirichlet.",
    )
    estimator: str = option(
        "mdl",
        choices=ESTIMATORS,
        help="Quantity to minimise: mdl = the complete description length, mle = its data part.",
    )
    search: str = option(
        "auto",
        choices=SEARCHES,
        help="How to search for splits: auto = best of several restarts, paper = annealing as in "
        "the paper.",
    )
    concentration: float | str = option(
        "auto",
        words=CONCENTRATIONS,
        metavar="X|auto|fine",
        positive=True,
        help="Concentration (total pseudo-count) of the Dirichlet prior: a number; auto = tuned "
        "on held-out tokens, starting with few classes; fine = likewise, but starting with many "
        "classes, which isolates frequent words.",
    )
    min_count: float = option(
        0,
        minimum=0,
        help="Exclude words with fewer than this many tokens from learning; they are assigned to "
        "clusters afterwards.",
    )


OPTIONS = MDLOptions
