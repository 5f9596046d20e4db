"""`roget score GOLD SYSTEM`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from roget.cli.shared import Format, Output, bar, deliver
from roget.scoring.options import ScoreOptions


def score(
    gold: Annotated[
        str | None,
        typer.Argument(
            metavar="GOLD",
            help="File of gold labels; alone, a file with two aligned columns. '-' is stdin.",
        ),
    ] = None,
    system: Annotated[
        str | None, typer.Argument(metavar="SYSTEM", help="File of the system's labels.")
    ] = None,
    *,
    asked: ScoreOptions,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-under",
            metavar="SCORE=LEAST",
            help="End with exit code 1 if a score is worse: v@jk=0.6, ari=0.4. May be repeated.",
        ),
    ] = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Score a clustering against a gold standard.

    Prints homogeneity, completeness, V, VI, NVI, ARI, AMI, B-cubed and one-to-one, plug-in and
    bias-corrected, beside what trivial answers get on the same gold standard.
    """
    from roget.report.score import report
    from roget.scoring.score import score as score_labels

    with bar("scoring", "scores") as progress:
        table = score_labels(gold, system, **vars(asked), progress=progress)
    short = table.falls_short(fail_under or ())
    deliver(report(table), format, output)
    for text in short:
        print(text, file=sys.stderr)
    if short:
        raise typer.Exit(1)
