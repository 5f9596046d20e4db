"""The page on estimators names every estimator and shows what the code prints."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from roget import catalogue
from roget.scoring.entropy import LinearEstimator, get

PAGE = Path(__file__).resolve().parents[3] / "docs" / "entropies.md"


@pytest.fixture
def page() -> str:
    if not PAGE.is_file():
        pytest.skip("the documentation is not part of this installation")
    return PAGE.read_text(encoding="utf-8")


def test_examples_of_estimators_page_run(page: str) -> None:
    examples = doctest.DocTestParser().get_doctest(page, {}, PAGE.name, str(PAGE), 0)
    results = doctest.DocTestRunner().run(examples)
    assert results.attempted == 3
    assert results.failed == 0


def test_estimators_page_lists_every_estimator(page: str) -> None:
    """The generated reference lists every estimator."""
    rows = {
        line.split("|")[1].strip(" `"): [cell.strip() for cell in line.split("|")[2:-1]]
        for line in page.splitlines()
        if line.startswith("| `")
    }
    assert {"ml", "mm", "jk", "bub", "cwj"} <= rows.keys()
    assert list(rows) == [name for name in catalogue.names("entropies") if name in rows]
    for name, (_, _, support, weighted) in rows.items():
        estimator = get(name)
        assert (support == "yes") == (estimator.joint_support == "product")
        assert (weighted == "yes") == isinstance(estimator, LinearEstimator)
