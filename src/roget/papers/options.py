"""Options for reproductions."""

from __future__ import annotations

from dataclasses import dataclass

from roget.core.options import Checked, option, seed_option


@dataclass(frozen=True)
class ReproduceOptions(Checked):
    """Options for `roget reproduce`."""

    counts: str | None = option(
        None,
        metavar="COUNTS",
        help="Use these counts instead of the bundled counts: a folder, a table, or the name of "
        "a sample.",
    )
    data: str | None = option(
        None,
        metavar="FOLDER",
        help="Folder of data sets that are not bundled with roget. Default: $ROGET_TEST_DATA.",
    )
    verb: str | None = option(
        None,
        metavar="VERB",
        help=("soft/figure-1: verb whose objects are clustered. Default: fire."),
    )
    features: str | None = option(
        None,
        metavar="FILE",
        help="v-measure/figure-5: table of items to cluster (.csv, .tsv, .parquet), with numeric "
        "columns and a column named `label`. Default: simulated items.",
    )
    treebank: str | None = option(
        None,
        metavar="FILE",
        help="nvi/grammar: treebank, as bracketed trees or CoNLL-U. Default: the dev parts of UD "
        "English EWT, German GSD and Chinese GSDSimp.",
    )
    random_state: int = seed_option()
