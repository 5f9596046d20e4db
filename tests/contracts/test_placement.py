"""New words are placed by one implementation: model, thesaurus and command agree."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import roget
from roget import (
    AgglomerativeTree,
    CoMDL,
    Counts,
    MDLTree,
    SoftAnnealing,
    SphericalTree,
    SymmetricAnnealing,
    Thesaurus,
)
from roget.cli import app
from roget.learn.clustering.result import Clustering
from support.errors import refused

CLUSTERERS = {
    "soft": lambda: SoftAnnealing(6, random_state=0),
    "soft, mass": lambda: SoftAnnealing(6, mass=True, random_state=0),
    "soft, symmetric": lambda: SoftAnnealing(6, model="symmetric", random_state=0),
    "symmetric": lambda: SymmetricAnnealing(6, random_state=0),
    "mdl": lambda: MDLTree(random_state=0),
    "mdl, li-abe": lambda: MDLTree(criterion="li-abe", random_state=0),
    "comdl": lambda: CoMDL(random_state=0),
    "spherical": lambda: SphericalTree(6, random_state=0, set_aside=False),
    "agglomerative": lambda: AgglomerativeTree(6),
}


def table(words: int, tokens: float, seed: int) -> np.ndarray:
    """Words of six kinds that share some contexts, so that classes are not plain to see."""
    rng, shape = np.random.default_rng(7), (6, 40)
    kinds = rng.dirichlet(np.full(shape[1], 0.25), shape[0])
    rng = np.random.default_rng(seed)
    mixed = rng.dirichlet(np.full(shape[0], 0.3), words) @ kinds
    return rng.poisson(tokens * mixed)


CONTEXTS = [f"obj:v{n}" for n in range(40)]
KNOWN = Counts(table(150, 60, 0) + np.eye(150, 40, dtype=int), None, CONTEXTS)
NEW = Counts(table(400, 5, 1), [f"new{n}" for n in range(400)], CONTEXTS)


@pytest.fixture(scope="module", params=CLUSTERERS)
def model(request):
    return CLUSTERERS[request.param]().fit(KNOWN)


@pytest.fixture(scope="module")
def thesaurus(model):
    return Thesaurus.from_clustering(KNOWN, model)


def agree(placed, expected) -> None:
    np.testing.assert_allclose(placed, expected, atol=1e-9, rtol=0)
    assert np.array_equal(placed.argmax(axis=1), expected.argmax(axis=1))


def test_thesaurus_and_model_place_words_equally(model, thesaurus):
    predicted = model.predict_proba(NEW)
    assert len(np.unique(predicted.argmax(axis=1))) > 2
    agree(thesaurus.classify(NEW).toarray(), predicted)
    agree(model.clustering_.place(NEW), predicted)
    agree(model.clustering_.place(NEW.matrix), predicted)


def test_placements_are_equal_after_saving(model, thesaurus, tmp_path):
    predicted = model.predict_proba(NEW)
    model.save(tmp_path / "model")
    thesaurus.save(tmp_path / "thesaurus")
    model.clustering_.save(tmp_path / "clustering")
    loaded = type(model).load(tmp_path / "model")
    agree(loaded.predict_proba(NEW), predicted)
    assert loaded.interrupted_ is False
    agree(Thesaurus.load(tmp_path / "thesaurus").classify(NEW).toarray(), predicted)
    agree(Thesaurus.from_clustering(KNOWN, loaded).classify(NEW).toarray(), predicted)
    agree(Clustering.load(tmp_path / "clustering").place(NEW), predicted)


def test_command_places_words_like_the_model(model, thesaurus, tmp_path):
    thesaurus.save(tmp_path / "thesaurus")
    NEW.write(tmp_path / "new")
    given = [str(tmp_path / "thesaurus"), str(tmp_path / "new"), "-n", "99", "--format", "json"]
    done = CliRunner().invoke(app, ["classify", *given])
    assert done.exit_code == 0, done.output
    said, rows = model.predict_proba(NEW), json.loads(done.stdout)["words"]
    number = {word: row for row, word in enumerate(NEW.words.tolist())}
    n_placed = 0
    for row in rows:
        best = row["classes"][0] if row["classes"] else None
        if best is None:
            continue
        mine = said[number[row["word"]]]
        assert best["probability"] == pytest.approx(mine.max(), abs=1e-9)
        assert thesaurus.tree.cluster[best["node"]] == mine.argmax()
        n_placed += 1
    assert n_placed > 300


def test_merged_classes_and_levels_sum_their_leaves(model, thesaurus, tmp_path):
    predicted = model.predict_proba(NEW)
    one, two = thesaurus.nodes()[:2]
    edited = thesaurus.editor.merge(one, two)
    parts = edited.clustering.parts
    sums = np.stack(
        [predicted[:, parts == c].sum(axis=1) for c in range(edited.tree.n_clusters)], 1
    )
    agree(edited.classify(NEW).toarray(), sums)
    edited.save(tmp_path / "edited")
    agree(Thesaurus.load(tmp_path / "edited").classify(NEW).toarray(), sums)
    level = model.clustering_.level(3)
    cut = model.tree_.cut(3)
    sums = np.stack([predicted[:, cut == c].sum(axis=1) for c in range(3)], 1)
    agree(level.place(NEW), sums)
    higher = Thesaurus.from_clustering(KNOWN, level)
    higher.save(tmp_path / "level")
    agree(Thesaurus.load(tmp_path / "level").classify(NEW).toarray(), sums)


def test_damaged_placement_rule_is_refused(model, tmp_path):
    plain, arrays = model.clustering_.to_parts()
    whole = Clustering.from_parts(plain, arrays)
    agree(whole.place(NEW), model.predict_proba(NEW))
    plain["rule"] = {"clusterer": "not-installed", "parameters": {}}
    gone = Clustering.from_parts(plain, arrays)
    with refused("unknown-name", "not-installed"):
        gone.place(NEW)
    plain["rule"] = {**model.clustering_.to_parts()[0]["rule"]}
    plain["rule"]["parameters"] = {**plain["rule"]["parameters"], "os": "system"}
    with refused("damaged-folder"):
        Clustering.from_parts(plain, arrays).place(NEW)


SOURCE = Path(inspect.getfile(roget)).parent
OUTSIDE = ("learn/thesaurus", "learn/classmodel", "learn/build.py", "report", "web")
METHODS = {"soft", "symmetric", "mdl", "comdl", "SoftAnnealing", "MDLTree", "CoMDL"}


@pytest.mark.parametrize("place", OUTSIDE)
def test_placement_code_does_not_depend_on_method_names(place):
    """No branch depends on the name of a method, or on the attributes of a model."""
    files = [SOURCE / place] if place.endswith(".py") else sorted((SOURCE / place).rglob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
                named = {one.value for one in parts if isinstance(one, ast.Constant)}
                assert not named & METHODS, f"{file}:{node.lineno} asks for {named & METHODS}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = [one.value for one in node.args[1:2] if isinstance(one, ast.Constant)]
                fitted = [name for name in names if isinstance(name, str) and name[-1:] == "_"]
                assert not (node.func.id in ("hasattr", "getattr") and fitted), (
                    f"{file}:{node.lineno}"
                )


NAMES = {"spherical", "soft", "symmetric", "soft-symmetric", "mdl", "comdl", "agglomerative"}
NAMING = {
    # Defaults of options that offer every clusterer.
    "learn/options.py": {"spherical", "comdl"},
    # Li & Abe's chain is made of the thesauri that their own clusterer learns.
    "learn/attachment/chain.py": {"mdl"},
    # What SymmetricAnnealing was called before it was a clusterer; so folders and scripts have it.
    "learn/clustering/soft": {"symmetric"},
    # An estimator of the paper, which has the name of its clusterer.
    "papers/mdl": {"mdl"},
    # The model of the paper's decisions.
    "papers/soft": {"soft"},
}
"""Who names a clusterer beside the catalogue and its own package, and why."""


def test_clusterers_are_named_only_in_their_packages_and_catalogue():
    used = {place: set() for place in NAMING}
    for file in (
        file for room in ("learn", "papers", "cli") for file in SOURCE.glob(f"{room}/**/*.py")
    ):
        here = file.relative_to(SOURCE)
        places = [place for place in NAMING if here.is_relative_to(place)]
        own = {here.parts[2]} if here.is_relative_to("learn/clustering") else set()
        allowed = set().union(*(NAMING[place] for place in places))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in NAMES - own:
                assert node.value in allowed, f"{here}:{node.lineno} names {node.value}"
                for place in places:
                    used[place].add(node.value)
    assert used == NAMING, "no longer named where it was"
