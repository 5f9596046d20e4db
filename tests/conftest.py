"""Fixtures that every part of the tests may use."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A busy machine or an unlucky draw must not fail a build; `--hypothesis-profile thorough`
# looks harder, and anew each time.
settings.register_profile("roget", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("roget")

# Last, since benchmarks have names such as engines.py that packages of the tests have too.
sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))

# Where the tests were started behind another command (`&`, nohup), Ctrl-C would be ignored, also by
# the commands that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Scripts that ask other libraries, which the tests do not need: they read what was written.
collect_ignore_glob = ["golden/write_*.py"]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets that do not ship with roget; skips where it is absent.

    The environment variable ROGET_TEST_DATA names it; otherwise it is looked for beside the
    repository.
    """
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ROGET_TEST_DATA") or default)
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}: set ROGET_TEST_DATA to the folder of real data sets")
    return folder


CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Dask cluster of two workers, for one module."""
    pytest.importorskip("distributed")
    from engines.clusters import Dask, Kept

    made = Kept(None, 2)
    yield made
    Dask.close(made)


@pytest.fixture
def one_cluster(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the engine dask gets the module's cluster."""
    from roget import catalogue

    load = catalogue.load

    def loaded(kind: str, name: str) -> Any:
        return (lambda *_: cluster) if (kind, name) == ("engines", "dask") else load(kind, name)

    monkeypatch.setattr(catalogue, "load", loaded)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser, for one module at a time: there can be one loop only."""
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
