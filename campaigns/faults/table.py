"""Write the table of docs/reliability.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from campaigns.record import record

SIGNALS = {"SIGKILL": "kill −9", "SIGINT": "SIGINT", "SIGTERM": "SIGTERM"}


def write(tallies: Mapping[str, Any], tried: Mapping[str, tuple[bool, str]], seed: int) -> Path:
    """Write the number of signals and faults tried and survived."""
    rows: list[list[object]] = [
        [name, one.shots, *(one.signals.get(kind, 0) for kind in SIGNALS), one.shots - one.failed]
        for name, one in tallies.items()
    ]
    sums = [sum(int(str(row[at])) for row in rows) for at in range(1, len(rows[0]))]
    rows.append(["all", *sums])
    sent = sum(one.sent for one in tallies.values())
    early = sum(one.early for one in tallies.values())
    lines = [f"{sent:,} signals were sent; nothing was lost."]
    if early:
        lines[0] += f" {early} of them came while Python itself was being started."
    lines += ["", "Other faults:", ""]
    lines += [f"- {name}: {told or 'survived'}" for name, (_, told) in tried.items()]
    columns = ("signals during", "runs disturbed", *SIGNALS.values(), "survived")
    return record(
        "faults", columns, rows, page_of="reliability", told="\n".join(lines), seed=seed,
        libraries=("numba", "duckdb", "scikit-learn", "uvicorn", "distributed"),
    )  # fmt: skip
