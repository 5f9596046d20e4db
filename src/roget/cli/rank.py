"""The command `roget rank SCORES`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from roget.cli.shared import (
    FailOn,
    Format,
    Output,
    deliver,
    fail_on_codes,
    save_option,
    split_pair,
    write_saved,
)
from roget.scoring.options import RankOptions

SECTIONS = {
    "Options": ("by", "lower", "missing", "interval", "top", "details", "format", "output"),
    "Input": ("tasks", "system", "columns", "se", "uncertainty"),
    "More options": ("seed", "save", "fail_on"),
}


def rank(
    scores: Annotated[
        str,
        typer.Argument(
            metavar="SCORES",
            help="Table of scores (CSV, TSV, Parquet, JSON, Excel) with one column per task, or "
            "with the columns system, task, score[, se][, run].",
        ),
    ],
    *,
    options: RankOptions,
    save: Annotated[
        list[str] | None,
        save_option(
            "a table (pairs: differences of systems with intervals, p and win probabilities: csv, "
            "tsv, json, parquet), a figure of rank intervals (figure: svg, pdf, png) or citations "
            "(bibtex)"
        ),
    ] = None,
    fail_on: FailOn = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Rank systems by a table of scores, with rank intervals and tiers.

    Prints one row per system with its rank and a 95 % interval of the rank, its tier (systems in
    the same tier do not differ significantly), its mean score, mean rank and Borda count, and the
    probabilities of being first and among the first 3.
    """
    from roget.report.ranking import draw, report
    from roget.scoring.ranks.rank import rank as rank_systems

    saved = dict(map(split_pair, save or ()))
    ranking = rank_systems(scores, **vars(options))
    deliver(report(ranking), format, output)
    write_saved(ranking, saved, picture=partial(draw, ranking))
    fail_on_codes(ranking.warnings, fail_on)
