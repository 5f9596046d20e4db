"""`roget agree CLUSTERING…`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.shared import (
    Cite,
    Figures,
    Format,
    Output,
    bar,
    deliver,
    table_file,
    tell_written,
)
from roget.scoring.options import AgreeOptions, ConsensusOptions


def agree(
    clusterings: Annotated[
        list[str],
        typer.Argument(
            metavar="CLUSTERING...",
            help="Files of labels, named by file or as NAME=FILE; a folder or pattern stands for "
            "its files; one file alone has a column for each clustering.",
        ),
    ],
    *,
    asked: AgreeOptions,
    common: ConsensusOptions,
    consensus: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also write one clustering for all, as a label file."),
    ] = None,
    items: Annotated[
        str | None, table_file("Also write how alike each item is placed: csv, tsv, json, parquet.")
    ] = None,
    pairs: Annotated[
        str | None, table_file("Also write how often items are together: csv, tsv, json, parquet.")
    ] = None,
    cite: Cite = False,
    format: Format = None,
    output: Output = None,
    figures: Figures = None,
) -> None:
    """Say how far several clusterings agree, without a gold standard.

    A matrix for each measure, the mean of each clustering with the others (which is typical, which
    is the odd one out), the spread over all pairs, and how clusterings group.
    """
    from roget.core.store import check_file
    from roget.report.agreement import report
    from roget.scoring.agreement.agree import agree as agree_on
    from roget.scoring.agreement.consensus import list_items, list_pairs
    from roget.scoring.labels.write import write_columns

    if consensus is not None:
        check_file(consensus)
    with bar("comparing", "pairs") as progress:
        found = agree_on(clusterings, **vars(asked), progress=progress)
    if consensus is not None:
        found.consensus(common.by, common.clusters).write(consensus)
    if items is not None:
        write_columns(list_items(found, common.by, common.clusters), items)
    if pairs is not None:
        together = found.together(common.at_least, common.most)
        write_columns(list_pairs(found.panel, together), pairs)
    deliver(report(found), format, output, found.cite() if cite else None)
    tell_written([path for path in (consensus, items, pairs) if path is not None])
    if figures is not None:
        from roget.report.agreement.figures import write

        tell_written(write(found, figures))
