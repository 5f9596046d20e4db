"""What CoMDL can be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions, auto_option

CRITERIA = ("auto", "li-abe")
PARTITIONS = ("sizes", "modl")
LEVELS = (1.0, 0.5, 0.25)
"""The parts of the classes that are left at the levels whose predictions are averaged."""


@dataclass(eq=False, repr=False, kw_only=True)
class CoMDLOptions(RunOptions):
    """Of two-sided classes by description length."""

    a: float | str = auto_option(
        "Added to the counts of blocks; auto takes what describes them most shortly."
    )
    b: float | str = auto_option("Added to those of words within their classes.")
    n_row_classes: int | None = option(
        None, minimum=1, flags=CLUSTERS, help="How many classes of words."
    )
    n_column_classes: int | None = option(None, minimum=1, help="How many classes of contexts.")
    criterion: str = option(
        "auto",
        choices=CRITERIA,
        help="The code: one that pays for the blocks of two classes that occur (auto), or Li & "
        "Abe's, which pays for all of them, and finds fewer classes.",
    )
    partition: str = option(
        "sizes",
        choices=PARTITIONS,
        help="What naming the classes costs: their sizes are coded first, or all partitions into "
        "so many classes are alike (modl).",
    )
    levels: Sequence[float] = option(
        LEVELS,
        many=",",
        positive=True,
        maximum=1,
        metavar="PART,…",
        help="The parts of the classes that are left at the levels which predictions average.",
    )
    n_sweeps: int | None = option(
        None, minimum=1, help="How many temperatures. Default: 40 to 60, by the size of the table."
    )
    n_starts: int | None = option(
        None, minimum=1, help="How often the search begins. Default: 1, more if the table is small."
    )


OPTIONS = CoMDLOptions
