"""Set the terminal width to 100 columns, which determines the width of reports."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
