"""Notebooks: every public result has a table, and the notebook of the docs runs."""

from __future__ import annotations

import builtins
import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import roget
from roget.learn.thesaurus import Thesaurus
from roget.report.contingency import TABLE_SIDE
from roget.report.counts import report, summarise

GOLD, SYSTEM = list("aabbbc"), [1, 1, 2, 2, 1, 3]
WEIGHTS = np.array([[0.5, 0.5], [1, 0], [1, 0], [0, 1], [0.2, 0.8], [0, 1]])
COUNTS = roget.Counts(
    [[9, 1, 0], [8, 2, 0], [0, 1, 7], [0, 0, 5]],
    ["tea", "<b>ale", "book", "map"],
    ["sip", "see", "read"],
)
MODEL = roget.SphericalTree(n_clusters=2, random_state=0).fit(COUNTS)
RESULTS = {
    "ScoreTable": roget.score(GOLD, SYSTEM),
    "Comparison": roget.compare(GOLD, {"one": SYSTEM, "two": [1] * 6}),
    "Contingency": roget.contingency(GOLD, SYSTEM),
    "WeightedTable": roget.contingency(GOLD, WEIGHTS),
    "Counts": COUNTS,
    "Clustering": MODEL.clustering_,
    "Thesaurus": Thesaurus.from_clustering(COUNTS, MODEL),
}


class Well(HTMLParser):
    """Counts what is opened and closed, and keeps the text of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_an_html_table(name):
    result = RESULTS[name]
    assert type(result).__name__ == name
    parsed = Well()
    parsed.feed(result._repr_html_())
    assert not parsed.open
    assert parsed.cells
    assert "<script" not in result._repr_html_()
    assert "<b>ale" not in result._repr_html_()
    assert len(repr(result)) < 160
    assert name in repr(result) or type(result).__name__ in repr(result)
    assert json.loads(result.render("json"))


@pytest.fixture
def kernel(monkeypatch):
    """A Jupyter kernel as libraries detect it: get_ipython returns a ZMQInteractiveShell."""

    class ZMQInteractiveShell:
        pass

    monkeypatch.setattr(builtins, "get_ipython", ZMQInteractiveShell, raising=False)
    from rich.console import Console

    assert Console().is_jupyter


@pytest.mark.parametrize("name", RESULTS)
def test_render_returns_complete_text(name, kernel):
    result = RESULTS[name]
    text = result.render()
    # The grid of the table is in the text, not displayed as a side effect.
    assert "──" in text
    assert all(str(row[0]).strip() in text for row in result._report().tables[0].rows)
    if isinstance(result, roget.ScoreTable | roget.Comparison):
        assert str(result) == f"{result}" == text.rstrip("\n")


def test_estimators_have_html_like_scikit_learn():
    for model in (MODEL, roget.ClassModel(), roget.TreeCut(None), roget.Attacher()):
        assert "<div" in model._repr_html_()


def test_contingency_csv_has_cells_and_totals():
    text = roget.contingency(GOLD, SYSTEM).render("csv")
    assert text.splitlines() == [
        "class,2,1,3,all",
        "b,2,1,0,3",
        "a,0,2,0,2",
        "c,0,0,1,1",
        "all,2,3,1,6",
    ]


def test_remainder_of_a_large_table_is_summed():
    random = np.random.default_rng(0)
    gold, system = random.integers(0, 30, 500), random.integers(0, 50, 500)
    shown = json.loads(roget.contingency(gold, system).render("json"))
    cells = np.array(shown["cells"])
    assert shown["classes"][-2:] == [f"{30 - TABLE_SIDE} others", "all"]
    assert shown["clusters"][-2:] == [f"{50 - TABLE_SIDE} others", "all"]
    whole = np.zeros((30, 50))
    np.add.at(whole, (gold, system), 1)
    rows, columns = ([int(name) for name in shown[side][:-2]] for side in ("classes", "clusters"))
    assert np.array_equal(cells[:-2, :-2], whole[np.ix_(rows, columns)])
    assert np.array_equal(cells[:-1].sum(axis=0), cells[-1])
    assert np.array_equal(cells[:, :-1].sum(axis=1), cells[:, -1])
    assert cells[-1, -1] == 500
    assert np.array_equal(cells[:-2, -1], whole.sum(axis=1)[rows])


def test_counts_report_equals_that_of_their_folder(tmp_path: Path):
    counts = roget.data.sample("verb_object")
    counts.write(tmp_path / "counts")
    of_folder = report("counts", summarise(str(tmp_path / "counts")))
    assert counts.render() == of_folder.render()


KERNEL = """
import logging, io, roget
gold, system = list("aabbbc") * 5, [1, 1, 2, 2, 1, 3] * 5
found = {
    "score": roget.score(gold, system),
    "compare": roget.compare(gold, {"one": system, "two": [1] * 30}),
    "agree": roget.agree({"one": gold, "two": system}),
    "contingency": roget.contingency(gold, system),
}
log = io.StringIO()
logging.basicConfig(stream=log, level=logging.INFO)
for name, result in found.items():
    logging.info("%s", result)
    print(name, len(str(result)), len(f"{result}"), len(result.render("text").rstrip()))
print("logged", len(log.getvalue()))
"""


def run_in_kernel(code):
    """Run code in a Jupyter kernel; return its standard output."""
    pytest.importorskip("ipykernel")
    manager = pytest.importorskip("jupyter_client.manager")
    kernel, client = manager.start_new_kernel()
    texts: list[str] = []

    def keep(message):
        texts.append(message["content"].get("text", ""))

    try:
        client.execute_interactive(code, timeout=120, output_hook=keep)
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    return "".join(texts)


@pytest.mark.slow
def test_kernel_shows_complete_text_of_every_result():
    """In a kernel, text is returned, not displayed as a side effect."""
    in_kernel = run_in_kernel(KERNEL)
    done = subprocess.run(
        [sys.executable, "-c", KERNEL], capture_output=True, text=True, check=True
    )
    assert in_kernel.splitlines() == done.stdout.splitlines()
