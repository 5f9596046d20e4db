"""Options for `CoMDL`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions, auto_option

CRITERIA = ("auto", "li-abe")
PARTITIONS = ("sizes", "modl")
LEVELS = (1.0, 0.5, 0.25)
"""Fractions of the classes to keep at each level. Predictions are averaged over the levels."""


@dataclass(eq=False, repr=False, kw_only=True)
class CoMDLOptions(RunOptions):
    """Options for co-clustering by minimum description length."""

    a: float | str = auto_option(
        "Pseudo-count of each block of word class × context class, or auto for the value that "
        "gives the shortest description."
    )
    b: float | str = auto_option(
        "Pseudo-count of each word within its class, or auto for the value that gives the "
        "shortest description."
    )
    n_row_classes: int | None = option(
        None,
        minimum=1,
        flags=CLUSTERS,
        help="Number of word classes [default: the number that gives the shortest description].",
    )
    n_column_classes: int | None = option(
        None,
        minimum=1,
        help="Number of context classes [default: the number that gives the shortest description].",
    )
    criterion: str = option(
        "auto",
        choices=CRITERIA,
        help="Formula for the description length: auto (only non-empty blocks cost bits) or "
        "li-abe (every block costs bits, so there are fewer classes).",
    )
    partition: str = option(
        "sizes",
        choices=PARTITIONS,
        help="Code for the partition into classes: sizes (code the class sizes, then the members "
        "of each class) or modl (all partitions into at most K classes are equally likely).",
    )
    levels: Sequence[float] = option(
        LEVELS,
        many=",",
        positive=True,
        maximum=1,
        metavar="PART,…",
        help="Levels over which predictions are averaged, as fractions of the classes.",
    )
    n_sweeps: int | None = option(
        None,
        minimum=1,
        help="Number of annealing temperatures [default: 40 to 60, fewer for large tables].",
    )
    n_starts: int | None = option(
        None, minimum=1, help="Number of random starts [default: 1 to 5, more for small tables]."
    )


OPTIONS = CoMDLOptions
