"""`roget heldout COUNTS`."""

from __future__ import annotations

import enum
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roget.cli import options

if TYPE_CHECKING:
    from roget.core.counts import Counts


class Format(enum.StrEnum):
    """How the answer is written."""

    text = enum.auto()
    json = enum.auto()
    csv = enum.auto()


class Backoff(enum.StrEnum):
    """What part a word's own counts play in models with classes."""

    discount = enum.auto()
    interpolate = enum.auto()
    none = enum.auto()


CountsArgument = Annotated[
    str, typer.Argument(metavar="COUNTS", help="Counts, a table of them, or 'sample'.")
]
Columns = Annotated[
    str | None,
    typer.Option(metavar="WORD,CONTEXT,COUNT", help="Columns of a table, by name or by number."),
]
Top = Annotated[int, typer.Option(min=1, metavar="N", help="Take the N most frequent words.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME",
        help="unigram, mle, absolute, kneser-ney, nmf, lda, nearest, soft, soft-symmetric, mdl, "
        "comdl, roget (soft-symmetric and comdl) or all; repeatable.",
    ),
]
FormatOption = Annotated[
    Format | None, typer.Option("--format", help="Default: text, or what FILE's name tells.")
]


def heldout(
    counts: CountsArgument,
    top: Top = 1000,
    splits: Annotated[int, typer.Option(min=1, metavar="N", help="How many splits.")] = 5,
    seed: options.Seed = 0,
    model: Models = None,
    backoff: Annotated[
        Backoff,
        typer.Option(
            help="Models with classes: own counts discounted, interpolated, or classes alone."
        ),
    ] = Backoff.discount,
    columns: Columns = None,
    format: FormatOption = None,
    figure: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the losses: .svg, .png or .pdf.")
    ] = None,
    output: options.Output = None,
) -> None:
    """How well models predict text that they were not learnt from, in bits per pair.

    Of every split 8 tokens in 10 are learnt from, 1 is tuned on and 1 is for testing. The new words
    are as many words again, the next by frequency. Relative entropy counts every word alike.
    """
    from roget.cli.progress import bar
    from roget.learn.heldout.compare import MODELS, compare
    from roget.report import heldout as report

    writable(output, figure)
    if figure is not None:
        report.drawable(figure)
    table = read(counts, columns)
    with bar("fits") as tell:
        found = compare(
            table, model or MODELS, top=top, splits=splits, random_state=seed,
            backoff=backoff.value, tell=tell,
        )  # fmt: skip
    renderers = {"text": report.render, "json": report.as_json, "csv": report.as_csv}
    told = options.told_format(output, dict.fromkeys(renderers, ""), format)
    options.deliver(renderers[told](found), (), told, output)
    if figure is not None:
        report.figure(found, figure)
        print(f"wrote {figure}", file=sys.stderr)


def writable(*paths: str | None) -> None:
    """Refuse files that could not be written, before work that would be lost."""
    from roget.errors import InputError

    for path in paths:
        if path is None:
            continue
        target = Path(path).resolve()
        if target.is_dir():
            raise InputError(f"{path} is a folder: expected the name of a file to write")
        if not target.parent.is_dir():
            raise InputError(f"cannot write {path}: there is no folder {target.parent}")
        if not os.access(target.parent, os.W_OK):
            raise InputError(f"cannot write {path}: {target.parent} may not be written to")


def read(source: str, columns: str | None) -> Counts:
    """The counts that are named, or the sample."""
    from roget.core.counts import Counts
    from roget.data import sample

    if source == "sample":
        return sample("verb_object")
    given = [int(c) if c.isdigit() else c for c in columns.split(",")] if columns else None
    return Counts.read(source, columns=given)
