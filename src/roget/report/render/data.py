"""The reports that programs read: JSON, and tables for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from roget.report import Report
from roget.report.render import suffixes


@suffixes(".json")
def render_json(report: Report) -> str:
    """Standard JSON: an undefined value is null; there is never a NaN."""
    return json.dumps(report.data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


@suffixes(".csv")
def render_csv(report: Report) -> str:
    """A table with all digits, commas between."""
    return _delimit(report, ",")


@suffixes(".tsv")
def render_tsv(report: Report) -> str:
    """A table with all digits, tabs between."""
    return _delimit(report, "\t")


def embed(content: Any) -> str:
    """JSON that can stand inside a script element, whatever the names hold.

    >>> embed({"name": "</script>&"})
    '{"name":"\\\\u003c/script\\\\u003e\\\\u0026"}'
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _delimit(report: Report, delimiter: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    for table in (report.tables[:1]) if report.sheet is None else [report.sheet]:
        writer.writerow(column.title.replace("\n", " ") for column in table.columns)
        writer.writerows(table.rows)
    return out.getvalue()
