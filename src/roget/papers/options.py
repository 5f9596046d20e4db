"""What can be asked of reproductions."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import Checked, option, seed_option


@dataclass(frozen=True)
class ReproduceOptions(Checked):
    """Of making a paper's tables and figures again."""

    counts: str | None = option(
        None,
        metavar="COUNTS",
        help="Your own counts in the place of the bundled ones, where a paper learns from counts: "
        "a folder, a table, or a sample's name.",
    )
    data: str | None = option(
        None,
        metavar="FOLDER",
        help="Where data sets lie that do not come with roget. Default: the environment variable "
        "ROGET_TEST_DATA.",
    )
    verb: str | None = option(
        None, metavar="VERB", help="soft/figure-1: whose objects. Default: fire."
    )
    features: str | None = option(
        None,
        metavar="FILE",
        help="v-measure/figure-5: your own items, a table (.csv, .tsv, .parquet) of numbers with a "
        "column label. Default: digits of scikit-learn.",
    )
    treebank: str | None = option(
        None,
        metavar="FILE",
        help="nvi/grammar: your own treebank, bracketed trees or CoNLL-U. Default: the dev part of "
        "UD English EWT.",
    )
    random_state: int = seed_option()
