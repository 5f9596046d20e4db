"""A thesaurus in a folder, a gold standard, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from explore.helpers import FAMILIES, made, write_gold
from roget.learn.thesaurus import Thesaurus

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="session")
def thesaurus() -> Thesaurus:
    return made(FAMILIES)


@pytest.fixture
def folder(tmp_path: Path, thesaurus: Thesaurus) -> Path:
    path = tmp_path / "words.thesaurus"
    thesaurus.save(path)
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_gold(tmp_path / "gold.tsv")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}: install Debian's chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    with sync_api.sync_playwright() as tool:
        started = tool.chromium.launch(
            executable_path=str(CHROMIUM), args=[*flags, "--disable-background-networking"]
        )
        yield started
        started.close()
