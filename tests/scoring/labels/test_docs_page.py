"""The page on labels names what the code accepts, and its examples are readable."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from roget import catalogue
from roget.core.io.source import _COMPRESSED
from roget.errors import MAX_PROBLEMS
from roget.scoring.labels import align, as_labels, read_pair
from roget.scoring.labels.columns import NAMES
from roget.scoring.labels.formats import list_suffixes
from roget.scoring.options import EXTRA, MISSING

PAGE = Path(__file__).resolve().parents[3] / "docs" / "labels.md"


@pytest.fixture(scope="module")
def page():
    if not PAGE.is_file():
        pytest.skip("the documentation is not part of this installation")
    return PAGE.read_text(encoding="utf-8")


def rows(page):
    """The first cell of each table row → what stands in backticks in the others."""
    cells = (line.strip().strip("|").split("|", 1) for line in page.splitlines() if "|" in line)
    return {first.strip(): set(re.findall("`(.+?)`", rest)) for first, rest in cells}


def test_labels_page_lists_every_column_name(page):
    found = {role.split(" ")[0]: names for role, names in rows(page).items()}
    for role, names in NAMES.items():
        stated = (
            found[role] if role != "label" else found["label"] | found["gold"] | found["system"]
        )
        assert stated == set(names), role


def test_labels_page_lists_every_suffix(page):
    """The generated reference lists every format."""
    stated = {}
    for suffixes, forms in rows(page).items():
        if suffixes.startswith("`."):
            stated |= dict.fromkeys(re.findall("`(.+?)`", suffixes), *forms)
    assert {".key", ".tsv", ".csv", ".jsonl"} <= stated.keys()
    assert stated.items() <= list_suffixes().items()
    assert all(f"`{suffix}`" in page for suffix in _COMPRESSED)


def test_labels_page_lists_formats_and_rules(page):
    formats = set(re.findall(r"\*\*`([\w-]+)`\*\*", page))
    assert {"key", "tsv", "csv", "jsonl", "lines", "clusters", "pairs"} <= formats
    assert formats <= set(catalogue.names("label formats"))
    assert all(f"`{rule}`" in page for rule in (*MISSING, *EXTRA))
    assert MAX_PROBLEMS == 20
    assert "up to twenty" in page


def test_examples_of_labels_page_are_readable(page, write):
    examples = re.findall(r"^```([\w-]+)\n(.*?)^```", page, re.M | re.S)
    assert [form for form, _ in examples] == [
        "key", "tsv", "csv", "jsonl", "lines", "clusters", "pairs", "conll", "corefud",
        "coref-json", "pair",
    ]  # fmt: skip
    for form, text in examples:
        path = write("example.txt", text)
        if form == "pair":
            gold, system = read_pair(path)
        else:
            # Clusters look like any other words.
            known = form if form == "clusters" else None
            gold = system = as_labels(path, labels=known, gold=True)
            assert len(align(as_labels(path, labels=form, gold=True), gold).gold) == len(gold)
        aligned = align(gold, system, missing="error")
        assert (aligned.extra, len(aligned.gold) > 1) == (0, True)
        assert not aligned.warnings


def test_python_examples_of_labels_page_run(page):
    examples = doctest.DocTestParser().get_doctest(page, {}, PAGE.name, str(PAGE), 0)
    results = doctest.DocTestRunner().run(examples)
    assert results.attempted == 4
    assert results.failed == 0
