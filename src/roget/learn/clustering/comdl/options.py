"""Options of CoMDL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roget.core.options import option
from roget.learn.clustering.options import CLUSTERS, RunOptions, auto_option

CRITERIA = ("auto", "li-abe")
PARTITIONS = ("sizes", "modl")
LEVELS = (1.0, 0.5, 0.25)
"""Fractions of the classes kept at the levels that predictions average over."""


@dataclass(eq=False, repr=False, kw_only=True)
class CoMDLOptions(RunOptions):
    """Options of two-sided classes by description length."""

    a: float | str = auto_option(
        "Pseudo-count of the blocks; auto = the value with the shortest description."
    )
    b: float | str = auto_option("Pseudo-count of words within their classes; auto as for a.")
    n_row_classes: int | None = option(
        None,
        minimum=1,
        flags=CLUSTERS,
        help="Number of word classes [default: shortest description].",
    )
    n_column_classes: int | None = option(
        None, minimum=1, help="Number of context classes [default: shortest description]."
    )
    criterion: str = option(
        "auto",
        choices=CRITERIA,
        help="Code: auto = only non-empty blocks are charged; li-abe = the length of Li & Abe "
        "(1996), which charges all blocks and finds fewer classes.",
    )
    partition: str = option(
        "sizes",
        choices=PARTITIONS,
        help="Code of the partition: sizes = class sizes first, then members; modl = all "
        "partitions into as many classes are equally likely.",
    )
    levels: Sequence[float] = option(
        LEVELS,
        many=",",
        positive=True,
        maximum=1,
        metavar="PART,…",
        help="Fractions of the classes kept at the levels that predictions average over.",
    )
    n_sweeps: int | None = option(
        None,
        minimum=1,
        help="Number of temperatures of the annealing [default: 40 to 60, by table size].",
    )
    n_starts: int | None = option(
        None, minimum=1, help="Number of random starts [default: 1 to 5, more for small tables]."
    )


OPTIONS = CoMDLOptions
