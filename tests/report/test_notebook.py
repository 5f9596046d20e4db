"""What notebooks show: every public result has a table, and the notebook of the docs runs."""

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
import io, logging, os
import roget
os.environ["COLUMNS"] = "100"
gold, system = list("aabbbc") * 5, [1, 1, 2, 2, 1, 3] * 5
weights = [[0.5, 0.5], [1, 0], [1, 0], [0, 1], [0.2, 0.8], [0, 1]] * 5
counts = roget.Counts(
    [[9, 1, 0], [8, 2, 0], [0, 1, 7], [0, 0, 5]],
    ["tea", "ale", "book", "map"], ["sip", "see", "read"],
)
model = roget.SphericalTree(n_clusters=2, random_state=0).fit(counts)
agreement = roget.agree({"a": gold, "b": system, "c": [0, 1, 1] * 10})
results = {
    "score": roget.score(gold, system),
    "compare": roget.compare(gold, {"one": system, "two": [1] * 30}),
    "agree": agreement,
    "consensus": agreement.consensus("average", clusters=2),
    "contingency": roget.contingency(gold, system),
    "weighted": roget.contingency(gold, __import__("numpy").array(weights)),
    "counts": counts,
    "clustering": model.clustering_,
    "thesaurus": roget.Thesaurus.from_clustering(counts, model),
    "rank": roget.rank({"x": [3, 2, 4, 1, 5, 6], "y": [1, 2, 3, 0, 4, 2]}),
    "cuts": roget.sweep(
        {"a": 0, "b": 0, "c": 1}, roget.Hierarchy.from_newick("((a,b),c);"), measures="v"
    ),
}
log = io.StringIO()
logging.basicConfig(stream=log, level=logging.INFO)
for name, result in results.items():
    logging.info("%s", result)
    text = result.render("text").rstrip() if hasattr(result, "render") else str(result)
    print(name, len(str(result)), len(f"{result}"), len(text))
    print(result)
print("logged", len(log.getvalue()))
"""


@pytest.fixture(scope="module")
def cell():
    """A function that runs a cell in a real Jupyter kernel and returns its messages by type."""
    pytest.importorskip("ipykernel")
    manager = pytest.importorskip("jupyter_client.manager")
    kernel, client = manager.start_new_kernel()

    def run(code):
        found: dict[str, list[dict]] = {}

        def keep(message):
            found.setdefault(message["msg_type"], []).append(message["content"])

        client.execute_interactive(code, timeout=120, output_hook=keep, stop_on_error=False)
        return found

    yield run
    client.stop_channels()
    kernel.shutdown_kernel(now=True)


def test_kernel_keeps_whole_text_of_every_result(cell):
    """In a kernel, text is returned, not displayed as a side effect."""
    done = subprocess.run(
        [sys.executable, "-c", KERNEL], capture_output=True, text=True, check=True
    )
    found = cell(KERNEL)
    assert {*found} == {"status", "execute_input", "stream"}
    assert "".join(one["text"] for one in found["stream"]) == done.stdout


def test_kernel_displays_results_as_tables(cell):
    cell(KERNEL)
    names = cell("print(*results)")["stream"][0]["text"].split()
    assert len(names) == 11
    # A consensus is a clustering, not a report.
    for name in {*names} - {"consensus"}:
        (shown,) = cell(f"results[{name!r}]")["execute_result"]
        assert {"text/plain", "text/html"} <= {*shown["data"]}, name
        assert "<t" in shown["data"]["text/html"], name
        assert len(shown["data"]["text/plain"]) < 160, name


def test_kernel_shows_the_line_of_the_cell_and_the_error(cell):
    (error,) = cell("import roget; roget.score([0, 1], [0, 1, 1])")["error"]
    assert error["ename"] == "InputError"
    where, text = error["traceback"]
    assert where == "line 1: import roget; roget.score([0, 1], [0, 1, 1])"
    assert "2 items" in text


@pytest.mark.slow
def test_notebook_of_the_docs_runs(tmp_path):
    pytest.importorskip("nbconvert")
    notebook = Path(__file__).parents[2] / "docs" / "notebook.ipynb"
    convert = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", str(notebook)]
    subprocess.run([*convert, "--output-dir", str(tmp_path)], check=True, capture_output=True)
    made = json.loads((tmp_path / "notebook.ipynb").read_text())
    outputs = [one for c in made["cells"] for one in c.get("outputs", ())]
    assert outputs
    assert not [one for one in outputs if one["output_type"] == "error"]
