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

# Examples are the same in every run, and none is refused for being slow. The profile "thorough"
# tries more examples, and others in every run.
settings.register_profile("roget", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("roget")

# Append, because modules of the benchmarks have the same names as test packages.
sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))

# Background jobs ignore Ctrl-C, and jobs of nohup hang-ups; so would the commands that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# These scripts write golden files with other libraries, which the tests do not need.
collect_ignore_glob = ["golden/write_*.py"]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data sets that do not ship with roget; tests skip if it is missing.

    ROGET_TEST_DATA names the folder; the default is ../shared/data.
    """
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ROGET_TEST_DATA") or default)
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}: set ROGET_TEST_DATA to the folder of real data sets")
    return folder


CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A Dask cluster of two workers, shared by all tests of a process."""
    pytest.importorskip("distributed")
    from engines.clusters import Dask, Kept

    made = Kept(None, 2)
    yield made
    Dask.close(made)


@pytest.fixture
def one_cluster(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the engine dask use the shared cluster."""
    from roget import catalogue

    load = catalogue.load

    def loaded(kind: str, name: str) -> Any:
        return (lambda *_: cluster) if (kind, name) == ("engines", "dask") else load(kind, name)

    monkeypatch.setattr(catalogue, "load", loaded)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium browser for one module: its event loop excludes other loops in the process."""
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
