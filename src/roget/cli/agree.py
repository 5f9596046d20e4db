"""The command `roget agree CLUSTERING…`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import (
    FailOn,
    Format,
    Output,
    bar,
    deliver,
    fail_on_codes,
    print_written,
    save_option,
    split_pair,
)
from roget.scoring.options import AgreeOptions, ConsensusOptions


def agree(
    clusterings: Annotated[
        list[str],
        typer.Argument(
            metavar="CLUSTERING...",
            help="Label files (FILE or NAME=FILE), folders or glob patterns. A single file must "
            "have one column per clustering.",
        ),
    ],
    *,
    options: AgreeOptions,
    common: ConsensusOptions,
    save: Annotated[
        list[str] | None,
        save_option(
            "a consensus clustering (consensus: a label file), a table (items: how consistently "
            "each item is clustered; pairs: how often two items share a cluster; csv, tsv, json, "
            "parquet), a folder of figures (figures) or citations (bibtex)"
        ),
    ] = None,
    fail_on: FailOn = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Measure how well several clusterings agree, without a gold standard.

    Prints the mean agreement of each clustering with the other clusterings, the spread over all
    pairs, a matrix for each measure, and a tree of the clusterings.
    """
    from roget.core.store import write_atomic
    from roget.report.agreement import report
    from roget.report.agreement.figures import write
    from roget.scoring.agreement.agree import agree as agree_on
    from roget.scoring.agreement.consensus import list_items, list_pairs
    from roget.scoring.labels.write import write_columns

    saved = dict(map(split_pair, save or ()))
    with bar("comparing", "pairs") as progress:
        found = agree_on(clusterings, **vars(options), progress=progress)
    for kind, path in saved.items():
        if kind == "consensus":
            found.consensus(common.by, common.clusters).write(path)
        elif kind == "items":
            write_columns(list_items(found, common.by, common.clusters), path)
        elif kind == "pairs":
            together = found.together(common.at_least, common.most)
            write_columns(list_pairs(found.panel, together), path)
        elif kind == "bibtex":
            write_atomic(path, found.cite())
    deliver(report(found), format, output)
    print_written([path for kind, path in saved.items() if kind != "figures"])
    if "figures" in saved:
        print_written(write(found, saved["figures"]))
    fail_on_codes(found.warnings, fail_on)
