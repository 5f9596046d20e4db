"""The reports that programs read: JSON, and tables for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from typing import Any

from roget.report import Report, ReportTable


def render_json(report: Report) -> str:
    """Standard JSON: an undefined value is null; there is never a NaN."""
    return json.dumps(report.data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def render_csv(report: Report) -> str:
    """A table with all digits, commas between."""
    return _delimit(report, ",")


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


_PLAIN = re.compile(r"[=+\-@][\w\s.+\-=@)]*")
"""What calls nothing and links to nothing: -ly, @you, +1."""


def find_formulas(report: Report) -> list[str]:
    """Names in the table that a spreadsheet would run, if it is not told that they are texts.

    They are written as they are all the same: what reads the table must find each name, and
    another mark before it would be another name.
    """
    texts = (cell for table in _tables(report) for row in table.rows for cell in row)
    found = (one for one in texts if isinstance(one, str) and one.startswith(_SIGNS))
    return [one for one in dict.fromkeys(found) if not _PLAIN.fullmatch(one)]


_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def _tables(report: Report) -> Sequence[ReportTable]:
    return report.tables[:1] if report.sheet is None else [report.sheet]


def _delimit(report: Report, delimiter: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    for table in _tables(report):
        writer.writerow(column.title.replace("\n", " ") for column in table.columns)
        writer.writerows(table.rows)
    return out.getvalue()
