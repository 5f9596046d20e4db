"""`roget compare GOLD SYSTEM…`."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from roget.cli import options
from roget.cli.deliver import Format, Output, deliver


class Paired(enum.StrEnum):
    """How two systems are tested."""

    bootstrap = enum.auto()
    permutation = enum.auto()


def compare(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File of gold labels.")],
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...",
            help="Files of the systems' labels, named by file or as NAME=FILE.",
        ),
    ],
    measure: options.Measures = None,
    entropy: options.Entropies = None,
    average: options.AverageOption = options.Average.weighted,
    missing: options.MissingOption = options.Missing.cluster,
    answers: options.AnswersOption = options.Answers.weighted,
    labels: options.LabelsOption = None,
    columns: options.Columns = None,
    splits: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER",
            help="Also give supervised recall on the splits of a folder with files mapping.1.key "
            "and test.1.key, mapping.2.key …; repeatable.",
        ),
    ] = None,
    baselines: options.Baselines = True,
    ci: options.CI = 0,
    interval: options.IntervalOption = options.Interval.auto,
    paired: Annotated[
        Paired, typer.Option(help="Test of the difference of two systems (needs --ci).")
    ] = Paired.bootstrap,
    seed: options.Seed = 0,
    format: Format = None,
    output: Output = None,
    figures: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Also write the pictures there, as SVG, PDF and PNG."),
    ] = None,
) -> None:
    """Compare several systems on one gold standard.

    One row per system and trivial answer, with ranks; with --ci also 95% intervals, tests of all
    pairs corrected by Holm's method, and letters that systems share if they do not differ.
    """
    from roget.cli.progress import bar
    from roget.report.comparison import report
    from roget.scoring.compare import compare as compare_systems
    from roget.scoring.measures.base import DEFAULT_ENTROPIES

    with bar("systems") as progress:
        comparison = compare_systems(
            gold,
            _named(systems),
            measure or None,
            entropy or DEFAULT_ENTROPIES,
            average=average.value,
            missing=missing.value,
            answers=answers.value,
            labels=labels,
            columns=options.parse_columns(columns),
            splits=splits or (),
            baselines=baselines,
            ci=ci,
            interval=interval.value,
            paired=paired.value,
            seed=seed,
            progress=progress,
        )
    deliver(report(comparison), format, output)
    if figures is not None:
        from roget.report.comparison.figures import write

        for path in write(comparison, Path(figures)):
            print(f"wrote {path}", file=sys.stderr)


def _named(systems: list[str]) -> dict[str, str]:
    from roget.errors import InputError

    named: dict[str, str] = {}
    for text in systems:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            name, path = Path(text).stem, text
        if name in named:
            raise InputError(f"two systems are named {name!r}: name one yourself, NAME={path}")
        named[name] = path
    return named
