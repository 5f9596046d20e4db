"""`roget attach train`, `roget attach test` and `roget attach predict`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from roget.cli.command import command, group
from roget.cli.shared import Format, Output, bar, deliver, target, tell
from roget.learn.command_options import AttachOptions
from roget.report import Report

app = group(
    "attach", "Decide whether phrases such as “with a fork” belong to the verb or to its object."
)

QUADS = "lines of verb, noun, preposition, noun, N or V, with or without a number before them"
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model of `roget attach train`.")]


@command(app, "train")
def train(
    output: Annotated[str, target("MODEL", "The folder to write.")],
    quads: Annotated[
        str,
        typer.Option("--quads", metavar="TRAIN", help=f"What to learn from: {QUADS}; or sample."),
    ],
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="Quadruples for development: they choose how far weights are held back.",
        ),
    ] = None,
    *,
    asked: AttachOptions,
    format: Format = None,
) -> None:
    """Learn from quadruples whose answers are known.

    The model is a folder that needs nothing else to be used.
    """
    from roget.core import folder as folders
    from roget.learn.attachment.attacher import KIND, Attacher
    from roget.learn.attachment.quads import read
    from roget.report.attachment import report, report_training

    folders.check(output, KIND)
    given, held = read(quads), read(dev) if dev is not None else None
    with bar("learning") as progress:
        made = Attacher(**vars(asked) | {"progress": progress}).fit(given, dev=held)
    made.save(output)
    tell(f"learnt from {len(given):,} quadruples; wrote {output}")
    if made.left_out_accuracy_ is not None:
        tell(f"right on those left out: {made.left_out_accuracy_:.2%}")
    if made.dev_ is not None:
        tell(f"development, {report(made.dev_)}")
    if format is not None:
        deliver(report_training(made, output, len(given)), format)


@command(app, "test")
def check(
    model: Model,
    quads: Annotated[str, typer.Argument(metavar="QUADS", help=f"The file: {QUADS}; or sample.")],
) -> Report:
    """How many answers a model gets right, and on what they rest."""
    from roget.learn.attachment.attacher import Attacher
    from roget.learn.attachment.quads import read
    from roget.report.attachment import report

    given = read(quads)
    return report(Attacher.load(model).test(given))


@command(app, "predict")
def predict(model: Model, format: Format = None, output: Output = None) -> None:
    """Answer the quadruples on standard input: four words a line, or lines as in the files.

    Writes each with N or V and the probability of that, tabs between them, as soon as it is known;
    with --format or -o, all in the end. Broken lines are named then, with exit code 1; the others
    are answered.
    """
    from roget.learn.attachment.attacher import Attacher
    from roget.report.attachment import report_answers

    answers: list[tuple[str, ...]] = []
    failed: Exception | None = None
    try:
        for rows in _answers(Attacher.load(model)):
            if format is None and output is None:
                sys.stdout.writelines("\t".join(row) + "\n" for row in rows)
                sys.stdout.flush()
            else:
                answers += rows
    except ValueError as error:
        failed = error
    if format is not None or output is not None:
        deliver(report_answers(answers), format, output)
    if failed is not None:
        raise failed


def _answers(model: Any) -> Iterator[list[tuple[str, ...]]]:
    """Answered quadruples of standard input, many at once; one by one where somebody types."""
    from itertools import islice

    from roget.core.io.source import standard_input
    from roget.learn.attachment.quads import parse
    from roget.report.attachment import answers

    standard_input()  # refuses one that is closed
    lines = parse(enumerate(sys.stdin, 1), "<stdin>", answered=False)
    at_once = 1 if sys.stdin.isatty() else 4096
    pending: list[tuple[str, ...]] = []
    failed: Exception | None = None
    while True:
        try:
            pending = []
            for line in islice(lines, at_once):
                pending.append(line.quadruple[:4])
        except ValueError as error:
            failed = error
        if pending:
            yield list(answers(pending, model.predict_proba(pending)[:, 0]))
        if failed is not None:
            raise failed
        if not pending:
            return
