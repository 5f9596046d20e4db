"""Embeddings by MTEB's protocol: the same scores, with additional figures."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path

import numpy as np
import pytest

import roget
from roget.errors import Undefined, UnknownName
from support.errors import notice, refused

cluster = pytest.importorskip("sklearn.cluster")
metrics = pytest.importorskip("sklearn.metrics")

HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "golden" / "mteb.json").read_text())
ASKED = {name: GOLDEN[name] for name in ("samples", "size", "seed")}


def made():
    """The embeddings of benchmarks/mteb_protocol.py."""
    path = HERE.parent / "benchmarks" / "mteb_protocol.py"
    spec = importlib.util.spec_from_file_location("mteb_protocol", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make_embeddings()


@pytest.fixture(scope="module")
def found():
    return roget.evaluate_embeddings(*made(), **ASKED)


def test_scores_equal_mteb(found):
    for name, ours in (("v_measure", "v@ml"), ("ami", "ami")):
        levels = [GOLDEN["scores"][name][f"Level {at}"] for at in range(2)]
        for level, expected in zip(found.levels, levels, strict=True):
            by_name = {one.group: one.values[ours] for one in level.by_group}
            values = [by_name[f"sample {at}"] for at in range(1, 5)]
            assert values == pytest.approx(expected, abs=1e-6)
        assert found.means[ours] == pytest.approx(np.mean(levels), abs=1e-6)
        assert found.std[ours] == pytest.approx(np.std(levels), abs=1e-6)


def test_scores_equal_naive_computation():
    X, labels = made()
    flat = np.array([label[0] for label in labels])
    chance, values = random.Random(3), []
    for _ in range(3):
        rows = chance.choices(range(len(X)), k=150)
        model = cluster.MiniBatchKMeans(3, batch_size=512, n_init=1, random_state=3)
        values.append(metrics.v_measure_score(flat[rows], model.fit_predict(X[rows])))
    found = roget.evaluate_embeddings(X, list(flat), samples=3, size=150, seed=3)
    assert found["v", "ml"] == pytest.approx(np.mean(values), abs=1e-12)
    half = 4.302652729911275 * np.std(values, ddof=1) * np.sqrt(150 / 240)
    assert found.low["v@ml"] == pytest.approx(np.mean(values) - half)
    assert found.high["v@ml"] == pytest.approx(np.mean(values) + half)


def test_report_shows_levels_signature_and_warnings(found):
    assert "level 2" in str(found)
    assert "samples:4x300|clusterer:MiniBatchKMeans" in found.signature
    notice([text for text in found.warnings if "level" not in text], "bias", "1.2")
    assert found["v", "ml"] == found.means["v@ml"]
    assert found["ami"] == found.means["ami"]
    assert "<table" in found._repr_html_()
    assert len(found.to_pandas()) == 3
    assert json.dumps(found.as_dict())
    assert repr(found).startswith("<Evaluation of 240 embeddings: v@ml 0.")
    assert "rosenberg" in found.cite()
    with pytest.raises(UnknownName):
        found["nvi", "ml"]


def test_other_clusterers_are_accepted_and_invalid_input_refused():
    X, labels = made()
    flat = [label[0] for label in labels]
    found = roget.evaluate_embeddings(
        X, flat, "v", "jk", samples=2, size=60, clusterer=cluster.AgglomerativeClustering()
    )
    assert found.signature.endswith("clusterer:AgglomerativeClustering")
    assert found.levels[0].clusters == 3
    noisy = cluster.DBSCAN(eps=2.0)
    assert roget.evaluate_embeddings(X, flat, "v", samples=2, size=60, clusterer=noisy).items == 240
    same = roget.evaluate_embeddings(X, ["a"] * 240, "gamma", samples=2, size=60)
    with pytest.raises(Undefined):
        same["gamma"]
    with refused("length-mismatch", 3, 240):
        roget.evaluate_embeddings(X[:3], flat)
    with refused("invalid-option", "samples=1"):
        roget.evaluate_embeddings(X, flat, samples=1)
    with refused("empty-input"):
        roget.evaluate_embeddings(X[:0], [])
    with refused("missing-label"):
        roget.evaluate_embeddings(X[:2], [None, None])


def test_flat_scores_are_returned_and_non_numeric_embeddings_refused():
    X = np.random.default_rng(0).normal(size=(30, 2))
    found = roget.evaluate_embeddings(X, ["a", "b", "c"] * 10, samples=2, size=30)
    assert found.flat() == {"v/ml": found["v", "ml"], "v/jk": found["v", "jk"], "ami": found["ami"]}
    X[7, 1] = np.nan
    with refused("invalid-input", "row 7"):
        roget.evaluate_embeddings(X, ["a", "b", "c"] * 10)
    one = roget.evaluate_embeddings(X[:5], ["a"] * 5, samples=2, size=5)
    assert str(one).startswith("5 embeddings, 2 samples, 1 class\n")
