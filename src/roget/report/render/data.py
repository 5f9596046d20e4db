"""Machine-readable renderers: JSON, CSV and TSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roget.errors import code_of

if TYPE_CHECKING:
    from roget.report import Report, ReportTable


def render_json(report: Report) -> str:
    """Render standard JSON: undefined values are null, never NaN."""
    return json.dumps(_add_codes(report.data), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


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
    """Render the sheet as comma-separated values, with all digits."""
    return _delimit(report, ",")


def render_tsv(report: Report) -> str:
    """Render the sheet as tab-separated values, with all digits."""
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
"""Pattern that matches harmless cells that begin like a formula: -ly, @you, +1."""


def find_formulas(report: Report) -> list[str]:
    """Return the cells of the sheet that a spreadsheet would run as formulas.

    These cells are written unchanged, because an added prefix would change the names for programs
    that read the table.
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
