"""The command `roget attach train`, `roget attach test` and `roget attach predict`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from roget.cli.command import command, group
from roget.cli.shared import Format, Output, bar, deliver, print_notes, target
from roget.learn.options import AttachOptions
from roget.report import Report

app = group(
    "attach", "Decide whether a phrase such as “with a fork” attaches to the verb or to its object."
)

QUADS = "lines of verb, noun, preposition, noun and N or V, optionally after a line number"
Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model trained with `roget attach train`.")
]


@command(app, "train")
def train(
    output: Annotated[str, target("MODEL", "Folder to which the model is written.")],
    quads: Annotated[
        str,
        typer.Option("--quads", metavar="TRAIN", help=f"Training data ({QUADS}), or `sample`."),
    ],
    dev: Annotated[
        str | None,
        typer.Option(
            metavar="DEV",
            help="Development data for choosing the regularisation strength.",
        ),
    ] = None,
    *,
    asked: AttachOptions,
    format: Format = None,
) -> None:
    """Train a model on quadruples (verb, noun, preposition, noun) with known attachment.

    The model is written to a folder.
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
    print_notes(f"trained on {len(given):,} quadruples; wrote {output}")
    if made.left_out_accuracy_ is not None:
        print_notes(f"cross-validated accuracy: {made.left_out_accuracy_:.2%}")
    if made.dev_ is not None:
        print_notes(f"development data: {report(made.dev_)}")
    if format is not None:
        deliver(report_training(made, output, len(given)), format)


@command(app, "test")
def check(
    model: Model,
    quads: Annotated[
        str, typer.Argument(metavar="QUADS", help=f"Test data ({QUADS}), or `sample`.")
    ],
) -> Report:
    """Measure the accuracy of a model on test data, overall and for each kind of evidence."""
    from roget.learn.attachment.attacher import Attacher
    from roget.learn.attachment.quads import read
    from roget.report.attachment import report

    given = read(quads)
    return report(Attacher.load(model).test(given))


@command(app, "predict")
def predict(model: Model, format: Format = None, output: Output = None) -> None:
    """Predict the attachment of quadruples read from standard input.

    Each line has four words: verb, noun, preposition, noun. The output repeats them, followed by N
    (noun) or V (verb) and the probability, separated by tabs. Each prediction is printed
    immediately. With --format or -o, all predictions are written at the end. Invalid lines are
    listed at the end and cause exit code 1.
    """
    from roget.learn.attachment.attacher import Attacher
    from roget.report.attachment import report_predictions

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
        deliver(report_predictions(answers), format, output)
    if failed is not None:
        raise failed


def _answers(model: Any) -> Iterator[list[tuple[str, ...]]]:
    """Yield predictions for standard input in batches, or one by one if it is a terminal."""
    from itertools import islice

    from roget.core.io.source import standard_input
    from roget.learn.attachment.quads import parse
    from roget.report.attachment import predictions

    standard_input()  # This raises an error if standard input is closed.
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
            yield list(predictions(pending, model.predict_proba(pending)[:, 0]))
        if failed is not None:
            raise failed
        if not pending:
            return
