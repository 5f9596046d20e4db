"""Reports of `roget attach`: training, accuracy on a test set, and predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from roget.learn.attachment.attacher import Attacher, Test
from roget.report import Report, ReportTable
from roget.report.format import UNDEFINED, plural


def report(found: Test) -> Report:
    """Report accuracy with its interval, and coverage and accuracy of each back-off stage."""
    titles = ("stage", "coverage %", "accuracy %")
    rows = [(one.stage, _percent(one.coverage), _percent(one.accuracy)) for one in found.stages]
    return Report(
        title="Attachment",
        lead=[
            f"{plural(found.items, 'quadruple')}: {found.accuracy:.2%} correct "
            f"(95 % interval {found.low:.1%} to {found.high:.1%})"
        ],
        tables=[ReportTable.of(titles, rows, titles[1:], "cut")],
        data=found.as_dict(),
        sheet=ReportTable.of(
            ("stage", "coverage", "accuracy"),
            [(one.stage, one.coverage, one.accuracy) for one in found.stages],
        ),
    )


def report_training(model: Attacher, output: str, items: int) -> Report:
    """Report the size of the training data and the accuracy of the model."""
    facts = {
        "output": output,
        "quadruples": items,
        "left_out_accuracy": model.left_out_accuracy_,
        "dev_accuracy": None if model.dev_ is None else model.dev_.accuracy,
    }
    return Report.of("Attachment model", facts)


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{100 * share:.1f}"


def predictions(
    quads: Iterable[Sequence[str]], nouns: Iterable[float]
) -> Iterator[tuple[str, ...]]:
    """Yield each quadruple with the prediction (N or V) and its probability."""
    for quad, noun in zip(quads, map(float, nouns), strict=True):
        answer, p = ("N", noun) if noun >= 0.5 else ("V", 1 - noun)
        yield (*map(str, quad[:4]), answer, f"{p:.4f}")


def report_predictions(rows: Sequence[Sequence[str]]) -> Report:
    """Return the quadruples with their predictions as a table."""
    titles = ("verb", "object", "preposition", "noun", "answer", "probability")
    table = ReportTable.of(titles, rows, ("probability",))
    data = [{**dict(zip(titles, row, strict=True)), "probability": float(row[-1])} for row in rows]
    return Report(
        title="Attachment of prepositional phrases", tables=[table], data={"quadruples": data}
    )
