"""The report other programs read."""

from __future__ import annotations

import json

from roget.scoring.result import ScoreTable


def render(table: ScoreTable) -> str:
    """Standard JSON: an undefined value is null and has a reason; there is never a NaN."""
    return json.dumps(table.as_dict(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"
