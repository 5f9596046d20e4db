"""The comparison spreadsheets read: one line per system and score."""

from __future__ import annotations

import csv
import io

from roget.scoring.comparison import Comparison

FIELDS = (
    "system", "trivial", "clusters", "measure", "entropy", "value", "low", "high", "better",
    "rank", "letters", "first", "reason",
)  # fmt: skip


def render(comparison: Comparison) -> str:
    """All digits; the signature is a column, so that it stays with the scores."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*FIELDS, "signature"])
    for row in comparison.rows:
        data = row.as_dict()
        writer.writerow([*(data.get(field) for field in FIELDS), comparison.signature])
    return out.getvalue()
