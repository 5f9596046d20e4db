"""Output of `roget explain`, for one code or for all codes."""

from __future__ import annotations

from roget.codes import CODES
from roget.errors import UnknownName
from roget.report import Report, ReportTable


def report(code: str | None) -> Report:
    """Return the explanation of a code, or a table of all codes."""
    if code is None:
        table = ReportTable.of(["code", "meaning"], [[name, CODES[name].meaning] for name in CODES])
        lead = ["roget explain CODE shows why a code matters and what to do."]
        data = {name: found._asdict() for name, found in CODES.items()}
        return Report("Codes of errors and warnings", lead=lead, tables=[table], data=data)
    name = code.strip("[]")
    if name not in CODES:
        raise UnknownName("code", name, CODES, listed="roget explain")
    found = CODES[name]
    lead = [
        f"{name}: {found.meaning}",
        f"Why: {found.reason}",
        f"What to do: {found.remedy}",
    ]
    return Report(name, lead=lead, data={"code": name, **found._asdict()})
