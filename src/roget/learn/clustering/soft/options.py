"""What SoftAnnealing can be asked for."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import option
from roget.learn.clustering.annealing.options import Options as Shared

MODELS = ("asymmetric", "symmetric")


@dataclass(eq=False, repr=False, kw_only=True)
class Options(Shared):
    """Of soft clusters of words."""

    model: str = option(
        "asymmetric", choices=MODELS, help="Clusters of words, or what the method symmetric does."
    )
    mass: bool = option(False, help="Let large clusters attract words.")
