"""Results in notebooks, frames, searches, experiment trackers and continuous integration."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import roget
from roget import catalogue
from roget.cli import app
from roget.errors import UnknownName
from support.errors import refused

GOLD, SYSTEM = list("aabbbc"), [1, 1, 2, 2, 1, 3]


@pytest.fixture(scope="module")
def table():
    return roget.score(GOLD, SYSTEM)


@pytest.fixture(scope="module")
def comparison():
    return roget.compare(GOLD, {"one": SYSTEM, "<b>other</b>": [1] * 6})


def test_repr_is_one_short_line(table, comparison):
    assert repr(table) == (
        f"<ScoreTable of 6 items: ami {table['ami']:.3f}, v (jk) {table['v']:.3f}, "
        f"ari {table['ari']:.3f}, …>"
    )
    assert repr(comparison) == "<Comparison of 2 systems on 6 items>"


def test_notebook_shows_tables(table, comparison):
    for shown in (table, comparison):
        html = shown._repr_html_()
        assert html.startswith("<div>")
        assert "<script" not in html
        assert shown.signature in html
    assert f"{table['ari']:.3f}" in table._repr_html_()
    assert "<b>other" not in comparison._repr_html_()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_results_convert_to_frames(table, comparison, library):
    pytest.importorskip(library)
    frame = getattr(table, f"to_{library}")()
    assert list(frame["measure"]) == [row.measure for row in table.rows]
    assert list(frame["value"]) == [row.value for row in table.rows]
    assert len(getattr(comparison, f"to_{library}")()) == len(comparison.rows)
    empty = getattr(roget.score([0], [0], "ami"), f"to_{library}")()
    assert len(empty) == 1


def test_flat_names_suit_experiment_trackers(table):
    flat = roget.score(GOLD, SYSTEM, ["v(beta=0.5)", "ari"]).flat()
    assert list(flat) == ["v_beta_0.5/ml", "v_beta_0.5/jk", "ari"]
    allowed = re.compile(r"[\w.\- /]+")  # what MLflow takes
    assert all(allowed.fullmatch(name) for name in table.flat())
    assert json.dumps(table.flat())


def test_scikit_learn_names_give_scikit_learn_values():
    metrics = pytest.importorskip("sklearn.metrics.cluster")
    for name, ours in catalogue.FAMILIAR["scikit-learn"].items():
        expected = getattr(metrics, name)(GOLD, SYSTEM)
        value = roget.measure(name, GOLD, SYSTEM)
        assert value == roget.measure(ours, GOLD, SYSTEM)
        assert value == pytest.approx(expected)
    for way in ("max", "geometric"):
        expected = metrics.normalized_mutual_info_score(GOLD, SYSTEM, average_method=way)
        name = f"normalized_mutual_info_score(average_method={way})"
        assert roget.measure(name, GOLD, SYSTEM) == pytest.approx(expected)


FOUND = json.loads((Path(__file__).parents[1] / "golden" / "familiar.json").read_text())


@pytest.mark.parametrize("library", FOUND["values"])
def test_names_of_other_libraries_give_their_values(library):
    """Values by benchmarks/familiar.py, with the versions that the file names."""
    for name, expected in FOUND["values"][library].items():
        assert catalogue.FAMILIAR[library][name] in catalogue.MEASURES
        value = roget.measure(name, FOUND["gold"], FOUND["system"])
        assert value == pytest.approx(expected, abs=1e-10), name


def test_familiar_names_are_unique():
    taken = [name for names in catalogue.FAMILIAR.values() for name in names]
    assert len(set(taken)) == len(taken)
    assert not set(taken) & {*catalogue.MEASURES, *catalogue.ENTROPIES}
    for names in catalogue.FAMILIAR.values():
        assert set(names.values()) <= catalogue.MEASURES.keys()
    # Those without values of their library's own are functions of compiled or other languages.
    checked = {*FOUND["values"], "scikit-learn"}
    assert catalogue.FAMILIAR.keys() - checked == {
        "torchmetrics", "MTEB", "the CoNLL coreference scorer", "mclust", "Clustering.jl",
    }  # fmt: skip


def test_scorer_works_in_grid_search():
    """GridSearchCV works, even with distances and with clusterers that cannot predict."""
    cluster = pytest.importorskip("sklearn.cluster")
    search = pytest.importorskip("sklearn.model_selection")
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    X = random.normal(size=(120, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[y]
    for asked in (roget.scorer("v", entropy="jk"), roget.scorer("vi"), roget.scorer("ari")):
        found = search.GridSearchCV(
            cluster.KMeans(n_init=3, random_state=0), {"n_clusters": [2, 3, 7]}, scoring=asked
        ).fit(X, y)
        assert found.best_params_ == {"n_clusters": 3}
    linked = cluster.AgglomerativeClustering(3).fit(X)
    assert roget.scorer("v")(linked, X, y) == 1
    with refused("length-mismatch", "AgglomerativeClustering", 120, 5):
        roget.scorer("v")(linked, X[:5], y[:5])
    with refused("missing-option", "y"):
        roget.scorer("v")(linked, X)
    with pytest.raises(UnknownName):
        roget.scorer("vv")
    with refused("invalid-option", "2"):
        roget.scorer("v", entropy="ml,jk")
    assert math.isnan(roget.scorer("gamma")(cluster.KMeans(1).fit(X[:1]), X[:1], [0]))


def test_falls_short_checks_bounds(table):
    assert table.falls_short(["v@ml=0", "v=0.01", "vi=99"]) == []
    value = table["v", "jk"]
    assert table.falls_short(["v@jk=0.99"]) == [f"v@jk is {value:.4f}, below 0.99"]
    assert table.falls_short(["vi@ml=0"]) == [f"vi@ml is {table['vi', 'ml']:.4f}, above 0"]
    undefined = roget.score([0], [0], "gamma").falls_short(["gamma=1"])
    assert undefined[0].startswith("gamma is undefined: ")
    for wrong in ("v", "v=high", "=1", "v=nan"):
        with refused("invalid-option", repr(wrong), "v@jk=0.6"):
            table.falls_short([wrong])
    with pytest.raises(UnknownName):
        table.falls_short(["purity=1"])


def test_fail_under_sets_exit_code(tmp_path):
    path = tmp_path / "both.csv"
    rows = zip(GOLD, SYSTEM, strict=True)
    path.write_text("gold,system\n" + "".join(f"{g},{k}\n" for g, k in rows))
    run = CliRunner().invoke
    assert run(app, ["score", str(path), "--fail-under", "v@ml=0.1"]).exit_code == 0
    failed = run(app, ["score", str(path), "--format", "json", "--fail-under", "v@ml=0.99"])
    assert failed.exit_code == 1
    assert "v@ml is " in failed.stderr
    assert json.loads(failed.stdout)["items"] == 6


def test_levels_have_separate_flat_names():
    gold = ["a/x", "a/x", "a/y", "b/z", "b/z"]
    table = roget.score(
        gold, ["1/1", "1/2", "1/2", "2/3", "2/3"], "ari,dendrogram-purity", levels="/"
    )
    values = {row.level: row.value for row in table.rows if row.measure == "ari"}
    assert table["ari"] == values["mean"] == pytest.approx((values["1"] + values["2"]) / 2)
    assert values["1"] != values["2"]
    flat = table.flat()
    assert flat["ari"] == values["mean"]
    assert (flat["level-1/ari"], flat["level-2/ari"]) == (values["1"], values["2"])
    assert "level-2-tree/dendrogram-purity" in flat
    assert len(flat) == len(table.rows)
    assert str(table).startswith("5 items, 2 levels, ")
    assert all("(level " in text for text in table.falls_short(["ari=2"]))
    uneven = roget.score(gold, ["1/1/1", "1/2/1", "1/2/2", "2/3/1", "2/3/2"], "ari", levels="/")
    assert str(uneven).startswith("5 items, 2 × 3 levels, ")


def test_repr_of_results_is_one_line():
    assert repr(roget.score([0], [0], "gamma")) == "<ScoreTable of 1 item, all scores undefined>"
    found = roget.agree({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 1, 1]}, "ari")
    assert repr(found.consensus("average", clusters=2)) == (
        "<Consensus by average link: 4 items in 2 clusters>"
    )
    assert repr(found.consistency()).startswith("<Consistency of 4 items, 0.")
    assert repr(found.together(at_least=0.9)) == "<Together: 0 pairs of items>"


def test_sweep_is_cited():
    tree = roget.Hierarchy.from_newick("((a,b),c);")
    used = roget.sweep({"a": 0, "b": 0, "c": 1}, tree, measures="v").cite()
    assert "rosenberg-hirschberg-2007" in used
