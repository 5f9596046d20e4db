"""Options for `SoftAnnealing`."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import option
from roget.learn.clustering.annealing.options import AnnealingOptions as Shared

MODELS = ("asymmetric", "symmetric")
EQUATIONS = ("mass", "bayes", "printed")
MEMBERSHIPS = ("nearest", "mixture")


@dataclass(eq=False, repr=False, kw_only=True)
class SoftOptions(Shared):
    """Options for the soft annealing clusterer."""

    model: str = option(
        "asymmetric",
        choices=MODELS,
        help="Model: asymmetric (clusters of words) or symmetric (clusters of word–context pairs, "
        "like the method `symmetric`).",
    )
    mass: bool = option(
        False, help="Let larger clusters attract more words: p(c|n) ∝ p(c)·exp(−β·KL)."
    )
    equations: str = option(
        "mass",
        choices=EQUATIONS,
        help="Equations of the paper that are used during splitting: mass (memberships ∝ "
        "p(c)·exp(−β·KL)), bayes (equation 8, with centroids by Bayes' rule) or printed "
        "(equations 7 and 8, for which clusters tend to collapse).",
    )
    until: float | None = option(
        None,
        positive=True,
        metavar="BITS",
        help="Stop splitting when the cross-entropy of the training counts is at most BITS bits "
        "per token.",
    )
    memberships: str = option(
        "nearest",
        choices=MEMBERSHIPS,
        help="Memberships: nearest (∝ exp(−β·KL), mostly one cluster) or mixture (best fit to the "
        "word's counts, which separates more senses).",
    )


OPTIONS = SoftOptions
