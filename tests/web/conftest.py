"""A thesaurus in a folder, a gold standard, and a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from roget.learn.thesaurus import Thesaurus
from thesauri import hard, mixtures
from web.helpers import FAMILIES, made, made_of_text, write_gold


@pytest.fixture(scope="session")
def thesaurus() -> Thesaurus:
    return made(FAMILIES)


@pytest.fixture(scope="session")
def ambiguous() -> Thesaurus:
    """Of its words, m0 to m9 have two senses each."""
    return hard(*mixtures()[:2])


@pytest.fixture(scope="session")
def witnessed(tmp_path_factory) -> Thesaurus:
    """A thesaurus of sentences that were counted, and kept."""
    return made_of_text(tmp_path_factory.mktemp("text"))


@pytest.fixture
def folder(tmp_path: Path, thesaurus: Thesaurus) -> Path:
    path = tmp_path / "words.thesaurus"
    thesaurus.save(path)
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_gold(tmp_path / "gold.tsv")
