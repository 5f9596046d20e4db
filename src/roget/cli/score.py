"""`roget score GOLD SYSTEM`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli import options
from roget.cli.deliver import Format, Output, deliver


def score(
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD",
            help="File of gold labels; alone, a file with two aligned columns. '-' is stdin.",
        ),
    ],
    system: Annotated[
        str | None, typer.Argument(metavar="SYSTEM", help="File of the system's labels.")
    ] = None,
    measure: options.Measures = None,
    entropy: options.Entropies = None,
    average: options.AverageOption = options.Average.weighted,
    missing: options.MissingOption = options.Missing.cluster,
    answers: options.AnswersOption = options.Answers.weighted,
    labels: options.LabelsOption = None,
    columns: options.Columns = None,
    baselines: options.Baselines = True,
    ci: options.CI = 0,
    interval: options.IntervalOption = options.Interval.auto,
    details: Annotated[
        bool,
        typer.Option(
            help="Also list the worst groups, clusters that mix classes and scattered classes."
        ),
    ] = False,
    seed: options.Seed = 0,
    format: Format = None,
    output: Output = None,
) -> None:
    """Score a clustering against a gold standard.

    Prints homogeneity, completeness, V, VI, NVI, ARI, AMI, B-cubed and one-to-one, plug-in and
    bias-corrected, beside what trivial answers get on the same gold standard.
    """
    from roget.cli.progress import bar
    from roget.report.score import report
    from roget.scoring.measures.base import DEFAULT_ENTROPIES
    from roget.scoring.score import score as score_labels

    with bar("groups") as progress:
        table = score_labels(
            gold,
            system,
            measure or None,
            entropy or DEFAULT_ENTROPIES,
            average=average.value,
            missing=missing.value,
            answers=answers.value,
            labels=labels,
            columns=options.parse_columns(columns),
            baselines=baselines,
            ci=ci,
            interval=interval.value,
            details=details,
            seed=seed,
            progress=progress,
        )
    deliver(report(table), format, output)
