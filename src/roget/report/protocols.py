"""Report of `evaluate_embeddings`: the quality of embeddings."""

from __future__ import annotations

from roget.protocols import Evaluation
from roget.report import Report, ReportTable
from roget.report.format import ARROWS, number, plural
from roget.report.legend import explain_scores
from roget.scoring.results import score_key


def report(found: Evaluation) -> Report:
    """Report means over all samples with intervals, and the mean per level if there are several."""
    levels = [f"level {at}" for at in range(1, len(found.levels) + 1)] if found.levels[1:] else []
    numbers = ["mean", "low", "high", "std", *levels, "random"]
    rows, values = [], []
    for at, row in enumerate(found.levels[0].rows):
        name = score_key(row.measure, row.entropy)
        means = [level.rows[at].value for level in found.levels] if levels else []
        summary = [each[name] for each in (found.means, found.low, found.high, found.std)]
        own = [*summary, *means, row.baselines.get("random")]
        rows.append(
            [f"{row.measure} {ARROWS[row.direction]}", row.entropy or "", *map(number, own)]
        )
        values.append([row.measure, row.entropy, *own, found.signature])
    samples = plural(found.groups, "sample")
    classes = plural(found.levels[0].classes, "class", ".0f")
    return Report(
        title="Quality of embeddings",
        lead=[f"{plural(found.items, 'embedding')}, {samples}, {classes}"],
        tables=[ReportTable.of(["measure", "entropy", *numbers], rows, numbers)],
        notes=explain_scores((row.measure, row.entropy) for row in found.levels[0].rows),
        warnings=list(found.warnings),
        signature=found.signature,
        data=found.as_dict(),
        sheet=ReportTable.of(["measure", "entropy", *numbers, "signature"], values),
    )
