"""Machine-readable renderers: JSON, CSV and TSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roget.errors import code_of

if TYPE_CHECKING:
    from roget.report import Report


def render_json(report: Report) -> str:
    """Render standard JSON: undefined values are null, never NaN."""
    return (
        json.dumps(_add_codes(report.make_data()), ensure_ascii=False, indent=2, allow_nan=False)
        + "\n"
    )


def _add_codes(data: Any) -> Any:
    """Add the codes of the warnings to the data, in the same order."""
    if not isinstance(data, Mapping) or "warnings" not in data:
        return data
    with_codes: dict[str, Any] = {}
    for name, value in data.items():
        with_codes[name] = value
        if name == "warnings":
            with_codes.setdefault("warning_codes", [code_of(one) for one in value])
    return with_codes


def render_csv(report: Report) -> str:
    """Render the spreadsheet table as comma-separated values, at full precision."""
    return _delimit(report, ",")


def render_tsv(report: Report) -> str:
    """Render the spreadsheet table as tab-separated values, at full precision."""
    return _delimit(report, "\t")


def embed(content: Any) -> str:
    """Return JSON that can be embedded safely in a script element.

    >>> embed({"name": "</script>&"})
    '{"name":"\\\\u003c/script\\\\u003e\\\\u0026"}'
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


_PLAIN = re.compile(r"[=+\-@][\w\s.+\-=@)]*")
"""Pattern that matches harmless cells that begin like a formula, such as -ly, @you and +1."""


def find_formulas(report: Report) -> list[str]:
    """Return the table cells that a spreadsheet would run as formulas.

    These cells are written unchanged, because an added prefix would change the names for programs
    that read the table.
    """
    sheet = report.make_sheet()
    texts = (cell for row in (() if sheet is None else sheet.rows) for cell in row)
    found = (one for one in texts if isinstance(one, str) and one.startswith(_SIGNS))
    return [one for one in dict.fromkeys(found) if not _PLAIN.fullmatch(one)]


_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def _delimit(report: Report, delimiter: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    sheet = report.make_sheet()
    if sheet is not None:
        writer.writerow(column.title.replace("\n", " ") for column in sheet.columns)
        writer.writerows(sheet.rows)
    return out.getvalue()
