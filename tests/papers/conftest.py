"""Reports are as wide as the terminal: here it has 100 columns, whoever runs the tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
