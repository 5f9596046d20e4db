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
        help="Model: asymmetric = clusters of words, symmetric = clusters of (word, context) pairs "
        "(the method `symmetric`).",
    )
    mass: bool = option(
        False, help="Let larger clusters attract more words: p(c|n) ∝ p(c)·exp(−β·KL)."
    )
    equations: str = option(
        "mass",
        choices=EQUATIONS,
        help="Equations to use while splitting: mass = memberships ∝ p(c)·exp(−β·KL); bayes = "
        "memberships ∝ exp(−β·KL) (equation 8 of the paper), centroids by Bayes' rule; printed = "
        "equations 7 and 8 as printed, where centroids ignore the other clusters and tend to "
        "collapse (for comparison with the paper only).",
    )
    until: float | None = option(
        None,
        positive=True,
        metavar="BITS",
        help="Stop splitting once the cross-entropy of the training counts under p(context|word) "
        "= Σ p(c|word)·p(context|c) is at most BITS bits per token.",
    )
    memberships: str = option(
        "nearest",
        choices=MEMBERSHIPS,
        help="Memberships in the final clusters: nearest = ∝ exp(−β·KL), mostly one cluster; "
        "mixture = the mixture of centroids that fits the counts of the word best, which separates "
        "more senses.",
    )


OPTIONS = SoftOptions
