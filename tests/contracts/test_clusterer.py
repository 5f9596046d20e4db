"""A clusterer needs one package and one line of the catalogue: a toy supports every command."""

from __future__ import annotations

import json
import sys
import types
from dataclasses import dataclass

import numpy as np
import pytest
from typer.testing import CliRunner

from roget import ClassModel, Counts, Thesaurus, build, catalogue
from roget.cli import app
from roget.core.contents import array
from roget.core.tree import Tree
from roget.learn.clustering.base import Clusterer
from roget.learn.clustering.inputs import table
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import Clustering, Rule, Unit
from roget.report.thesaurus import report

WORDS = [f"{kind}{n}" for kind in ("drink", "text", "arm") for n in range(8)]
CONTEXTS = [f"obj:v{n}" for n in range(12)]


@dataclass(frozen=True, eq=False)
class Overlap(Rule):
    """∝ how many tokens a word has in the contexts of a cluster, to a power."""

    clusterer = "toy"

    power: float
    owner: np.ndarray = array("iu", "m", low=0)

    def place(self, matrix, leaves):
        k = leaves.n_clusters
        shares = matrix @ one_hot(self.owner, k).toarray() + 0.5
        shares **= self.power
        return shares / shares.sum(axis=1, keepdims=True)


class Toy(Clusterer):
    """Contexts are dealt out in blocks, and a word is in the cluster that has most of them."""

    name = "toy"
    rule = Overlap
    unit = Unit("none", "dealt as", True)
    number = "n_blocks"

    def __init__(self, n_blocks=None):
        self.n_blocks = n_blocks

    def fit(self, X, y=None):
        matrix = table(self, X, reset=True)
        k = self.n_blocks or 3
        owner = np.arange(matrix.shape[1]) * k // matrix.shape[1]
        tree = Tree.from_splits([(n, float(n + 1)) for n in range(k - 1)])
        bare = Clustering(
            tree, np.empty((0, k)), np.ones((k, owner.size)), np.ones(k) / k,
            rule=Overlap(2.0, owner), unit=self.unit, path=[{"n_clusters": k}],
            contexts=vars(self).get("contexts_"),
        )  # fmt: skip
        placed = bare.place(matrix)
        sums = placed.T @ matrix + 0.01
        self.clustering_ = Clustering(
            tree, placed, sums / sums.sum(axis=1, keepdims=True), placed.mean(axis=0),
            rule=bare.rule, unit=self.unit, path=bare.path, contexts=bare.contexts,
        )  # fmt: skip
        self.n_iter_, self.notes_, self.interrupted_ = 1, ["a toy"], False
        return self


def draw(words, tokens, seed):
    rng = np.random.default_rng(seed)
    kind = np.arange(words) * 3 // words
    rates = np.where(np.arange(12) // 4 == kind[:, None], 1.0, 0.12)
    return rng.poisson(tokens * rates / rates.sum(axis=1, keepdims=True)) + (kind[:, None] < 0)


@pytest.fixture
def toy(monkeypatch):
    """The catalogue with one more line."""
    module = types.ModuleType("toy_clusterer")
    module.Toy = Toy
    monkeypatch.setitem(sys.modules, "toy_clusterer", module)
    for cached in (catalogue.entries, catalogue.load):
        cached.cache_clear()
    monkeypatch.setitem(catalogue.CLUSTERERS, "toy", "toy_clusterer:Toy")
    yield Toy
    for cached in (catalogue.entries, catalogue.load):
        cached.cache_clear()


@pytest.fixture
def folder(toy, tmp_path):
    """Counts, new words, and the thesaurus that `roget build --method toy` makes of them."""
    Counts(draw(24, 60, 0), WORDS, CONTEXTS).write(tmp_path / "counts")
    Counts(draw(9, 8, 1), [f"new{n}" for n in range(9)], CONTEXTS).write(tmp_path / "new")
    run("build", tmp_path / "counts", "-o", tmp_path / "t", "--method", "toy", "--clusters", 3)
    return tmp_path


def run(*given):
    done = CliRunner().invoke(app, [str(one) for one in given])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_custom_clusterer_builds_a_thesaurus(folder):
    thesaurus = Thesaurus.load(folder / "t")
    assert thesaurus.tree.n_clusters == 3
    assert thesaurus.provenance["clusterer"] == "Toy"
    assert thesaurus.provenance["options"] == {"n_blocks": 3}
    assert thesaurus.provenance["heldout"]["both"] > 0
    assert thesaurus.clustering.unit == Toy.unit
    assert "dealt as" in [column.title for column in report(thesaurus).tables[0].columns]
    made = build(folder / "counts", method="toy", clusters=2, heldout=False)
    assert made.tree.n_clusters == 2


def test_custom_clusterer_supports_neighbours(folder):
    found = json.loads(run("neighbours", folder / "t", "drink1", "-n", 3, "--format", "json"))
    assert all(one["word"].startswith("drink") for one in found["neighbours"])


def test_custom_clusterer_supports_classify(folder):
    new, thesaurus = Counts.read(folder / "new"), Thesaurus.load(folder / "t")
    model = Toy(3).fit(thesaurus.counts)
    record = json.loads(run("classify", folder / "t", folder / "new", "--format", "json"))["words"]
    predicted = model.predict_proba(new)
    np.testing.assert_allclose(thesaurus.classify(new).toarray(), predicted, atol=1e-9)
    for row, one in enumerate(record):
        best = one["classes"][0]
        assert thesaurus.tree.cluster[best["node"]] == predicted[row].argmax()
        assert best["probability"] == pytest.approx(predicted[row].max(), abs=1e-9)


def test_custom_clusterer_supports_explore(folder):
    from roget.web.snapshot import ThesaurusSnapshot
    from roget.web.views import overview, tree

    page = ThesaurusSnapshot(Thesaurus.load(folder / "t"), "t")
    assert overview.make(page)["clusterer"] == "Toy"
    assert overview.make(page)["kind"] == "none"
    assert len(tree.make(page)["parent"]) == 5


@pytest.mark.parametrize("kind", ["json", "newick", "tsv", "skos"])
def test_custom_clusterer_supports_export(folder, kind):
    run("export", folder / "t", "--to", kind, "-o", folder / f"out.{kind}")
    assert (folder / f"out.{kind}").stat().st_size > 100


def test_custom_clusterer_supports_heldout(folder):
    given = ["--model", "toy", "--top", 24, "--splits", 1, "--format", "json"]
    found = json.loads(run("heldout", folder / "counts", *given))
    assert "toy" in json.dumps(found)
    counts = Counts.read(folder / "counts")
    model = ClassModel("toy").fit(counts, dev=counts)
    assert any(name.startswith("toy 3") for name in model.names_)
    model.save(folder / "model")
    again = ClassModel.load(folder / "model")
    np.testing.assert_array_equal(again.predict_proba(counts), model.predict_proba(counts))


def test_custom_clusterer_models_are_saved_and_loaded(folder):
    counts = Counts.read(folder / "counts")
    model = Toy(3).fit(counts)
    model.save(folder / "toy")
    again = Toy.load(folder / "toy")
    assert np.array_equal(again.predict_proba(counts), model.predict_proba(counts))
    assert again.notes_ == ["a toy"]
