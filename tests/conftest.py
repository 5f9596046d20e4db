"""Fixtures that every part of the tests may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine or an unlucky draw must not fail a build; `--hypothesis-profile thorough`
# looks harder, and anew each time.
settings.register_profile("roget", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("roget")


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
