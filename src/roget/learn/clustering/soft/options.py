"""What SoftAnnealing can be asked for."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import option
from roget.learn.clustering.annealing.options import AnnealingOptions as Shared

MODELS = ("asymmetric", "symmetric")
EQUATIONS = ("mass", "bayes", "printed")


@dataclass(eq=False, repr=False, kw_only=True)
class SoftOptions(Shared):
    """Of soft clusters of words."""

    model: str = option(
        "asymmetric", choices=MODELS, help="Clusters of words, or what the method symmetric does."
    )
    mass: bool = option(False, help="Let large clusters attract words.")
    equations: str = option(
        "mass",
        choices=EQUATIONS,
        help="What holds while clusters split: memberships ∝ p(c)·exp(−β·KL) (mass); ∝ exp(−β·KL), "
        "equation 8 of the paper, and clusters the means of their words by Bayes' rule (bayes); or "
        "equations 7 and 8 as printed, where a cluster is the mean of all words near it, whatever "
        "other clusters are near (printed). Without masses a copy of a cluster changes the model, "
        "so that clusters hardly differ before β is high; as printed they also run together, "
        "and of four planted families two or three are found: to see what the paper says.",
    )
    until: float | None = option(
        None,
        positive=True,
        metavar="BITS",
        help="Split no further once the words' contexts cost no more than so many bits each by "
        "p(context|word) = Σ p(c|word)·p(context|c), the cross-entropy of the training counts.",
    )


OPTIONS = SoftOptions
