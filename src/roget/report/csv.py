"""The report spreadsheets read."""

from __future__ import annotations

import csv
import io

from roget.report.rows import baseline_names
from roget.scoring.result import ScoreTable


def render(table: ScoreTable) -> str:
    """One line per row with all digits; the signature is a column, so that it stays with it."""
    names = baseline_names(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    fixed = ["measure", "entropy", "value", "low", "high", "better", *names]
    writer.writerow([*fixed, "reason", "signature"])
    for row in table.rows:
        values = [row.value, row.low, row.high, row.direction]
        against = [row.baselines.get(name) for name in names]
        writer.writerow([row.measure, row.entropy, *values, *against, row.reason, table.signature])
    return out.getvalue()
