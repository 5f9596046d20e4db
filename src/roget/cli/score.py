"""`roget score GOLD SYSTEM`."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Annotated

import typer

from roget import catalogue


class Average(enum.StrEnum):
    """How the scores of groups become one."""

    weighted = enum.auto()
    unweighted = enum.auto()
    pooled = enum.auto()


class Missing(enum.StrEnum):
    """What becomes of items the system left out."""

    cluster = enum.auto()
    singletons = enum.auto()
    drop = enum.auto()
    error = enum.auto()


Format = enum.StrEnum("Format", {name: name for name in catalogue.RENDERERS})  # type: ignore[misc]
LabelFormat = enum.StrEnum(  # type: ignore[misc]
    "LabelFormat", {name: name for name in catalogue.LABEL_FORMATS}
)

SUFFIXES = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}


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
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="NAME",
            help="A measure of `roget list measures`, such as nvi or v(beta=0.5); repeatable. "
            "Default: homogeneity, completeness, v, vi, nvi, ari, ami, b3-f, one-to-one.",
        ),
    ] = None,
    entropy: Annotated[
        list[str] | None,
        typer.Option(
            "--entropy",
            "-e",
            metavar="NAME",
            help="An estimator of `roget list entropies`; repeatable. Default: ml and jk.",
        ),
    ] = None,
    average: Annotated[
        Average,
        typer.Option(
            help="How the scores of groups (words, documents) become one: mean weighted by items, "
            "plain mean, or one table of all items whose labels are private to their group."
        ),
    ] = Average.weighted,
    missing: Annotated[
        Missing,
        typer.Option(
            help="Items without an answer: one extra cluster per group, a cluster each, "
            "left out of the score, or an error."
        ),
    ] = Missing.cluster,
    labels: Annotated[
        LabelFormat | None, typer.Option(help="Format of the label files, if the name misleads.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=COLUMN",
            help="Which column is the item, label, weight or group: item=doc,label=topic.",
        ),
    ] = None,
    baselines: Annotated[
        bool, typer.Option(help="Also score trivial answers on the same gold.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Seed of the random baseline.")] = 0,
    format: Annotated[
        Format | None,
        typer.Option(help="Form of the report; by default told from the name of --output."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="File to write instead of printing.")
    ] = None,
) -> None:
    """Score a clustering against a gold standard.

    Prints homogeneity, completeness, V, VI, NVI, ARI, AMI, B-cubed and one-to-one, plug-in and
    bias-corrected, beside what trivial answers get on the same gold standard.
    """
    from roget.cli.progress import over_groups
    from roget.core.store import write_atomic
    from roget.scoring import evaluate
    from roget.scoring.requests import DEFAULT_ENTROPIES

    with over_groups() as progress:
        table = evaluate.score(
            gold,
            system,
            measure or None,
            entropy or DEFAULT_ENTROPIES,
            average=average.value,
            missing=missing.value,
            labels=None if labels is None else labels.value,
            columns=_columns(columns or []),
            baselines=baselines,
            seed=seed,
            progress=progress,
        )
    chosen = _format(output) if format is None else format.value
    text = table.render(chosen)
    if chosen != "text":
        for warning in table.warnings:
            print(f"warning: {warning}", file=sys.stderr)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomic(output, text)
        print(f"wrote {output}", file=sys.stderr)


def _format(output: str | None) -> str:
    """The format a file name asks for; text if it asks for none."""
    return SUFFIXES.get(Path(output).suffix.lower(), "text") if output else "text"


def _columns(given: list[str]) -> dict[str, str] | None:
    from roget.errors import InputError

    pairs = [part.strip() for text in given for part in text.split(",")]
    for pair in pairs:
        if "=" not in pair:
            raise InputError(f"--columns {pair!r}: expected NAME=COLUMN, such as label=topic")
    return dict(pair.split("=", 1) for pair in pairs) or None
