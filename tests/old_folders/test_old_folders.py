"""Folders written by roget at commit f018a6c load and give the same results."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from roget import Attacher, ClassModel, CoMDL, Counts, MDLTree, SoftAnnealing, Thesaurus
from roget.core import folder
from roget.errors import InputError

HERE = Path(__file__).parent
EXPECTED = dict(np.load(HERE / "expected.npz"))
# What the symmetric model says comes near by steps of at most 1e-5. That code went on with all
# words until the slowest of them rested; now each stops by itself, whichever are beside it.
RESTED_TOGETHER = {"symmetric": 4e-5, "nmf": 1e-7, "roget": 1e-7}
CLUSTERERS = {"soft": SoftAnnealing, "symmetric": SoftAnnealing, "mdl": MDLTree, "comdl": CoMDL}


@pytest.fixture(scope="module")
def new() -> Counts:
    return Counts.read(HERE / "new")


def named(kind: str) -> list[str]:
    return sorted(name.partition("/")[2] for name in EXPECTED if name.startswith(f"{kind}/"))


@pytest.mark.parametrize("name", named("models"))
def test_old_models_load(name: str, new: Counts) -> None:
    model = CLUSTERERS[name.partition("-")[0]].load(HERE / "models" / name)
    predicted = model.predict_proba(new)
    np.testing.assert_allclose(
        predicted, EXPECTED[f"models/{name}"], atol=RESTED_TOGETHER.get(name, 1e-12)
    )
    assert model.labels_.size == len(Counts.read(HERE / "counts"))
    assert model.interrupted_ is False
    assert model.tree_.n_clusters == model.n_clusters_ == predicted.shape[1]


@pytest.mark.parametrize("name", named("thesauri"))
def test_old_thesauri_load(name: str, new: Counts) -> None:
    thesaurus = Thesaurus.load(HERE / "thesauri" / name)
    assert thesaurus.counts == Counts.read(HERE / "counts")
    predicted = thesaurus.classify(new).toarray()
    # That code left out what was below 1e-9.
    np.testing.assert_allclose(
        predicted, EXPECTED[f"thesauri/{name}"], atol=RESTED_TOGETHER.get(name, 5e-9)
    )


def test_old_edited_thesaurus_loads(new: Counts) -> None:
    thesaurus = Thesaurus.load(HERE / "thesauri" / "edited")
    assert [str(edit) for edit in thesaurus.edits] == [
        "“text5, text0, text3” renamed “first”",
        "“home5” moved to “home0, home2, home4”",
        "“arm3, arm4, arm1” merged into “drink5, drink1, drink4”",
    ]
    assert thesaurus.tree.n_clusters == 3
    leaves = EXPECTED["thesauri/soft"]
    merged = np.stack([leaves[:, thesaurus.clustering.parts == c].sum(axis=1) for c in range(3)], 1)
    np.testing.assert_allclose(thesaurus.classify(new).toarray(), merged, atol=5e-9)


def test_old_sealed_edits_load() -> None:
    thesaurus = Thesaurus.load(HERE / "thesauri" / "sealed")
    assert [str(edit) for edit in thesaurus.edits] == [
        "“arm3, arm4, arm1” renamed “first”",
        "“text0” moved to “first”",
        "“drink1, drink3, drink0” merged into “text4, text5, text1”",
    ]
    assert thesaurus.tree.n_clusters == 3
    assert thesaurus.label(thesaurus.path("text0")[-1]) == "first"


def test_old_sealed_edits_cannot_be_changed(tmp_path: Path) -> None:
    copy = tmp_path / "changed"
    shutil.copytree(HERE / "thesauri" / "sealed", copy)
    edits = copy / "edits.json"
    edits.write_text(edits.read_text().replace('"text0"', '"text1"'))
    with pytest.raises(InputError, match=r"edits\.json"):
        Thesaurus.load(copy)


def test_old_imported_thesaurus_loads() -> None:
    thesaurus = Thesaurus.load(HERE / "thesauri" / "imported")
    assert thesaurus.neighbours("arm0", 1)[0].word.startswith("arm")


@pytest.mark.parametrize("name", named("classmodels"))
def test_old_class_models_load(name: str, new: Counts) -> None:
    model = ClassModel.load(HERE / "classmodels" / name)
    predicted = model.predict_proba(new)
    np.testing.assert_allclose(
        predicted, EXPECTED[f"classmodels/{name}"], atol=RESTED_TOGETHER.get(name, 1e-12)
    )


@pytest.mark.parametrize("name", ["soft", "mdl", "comdl"])
def test_old_checkpoints_load(name: str) -> None:
    kept = folder.read(
        HERE / "checkpoints" / name, folder.model("checkpoint", f"{name}.checkpoint")
    )
    assert len(kept["run"]) == 64
    assert any(isinstance(value, np.ndarray) and value.size for value in kept.values())


@pytest.mark.parametrize("name", named("attachers"))
def test_old_attachers_load(name: str) -> None:
    quadruples = json.loads((HERE / "attachers" / "quadruples.json").read_text())
    predicted = Attacher.load(HERE / "attachers" / name).predict_proba(quadruples)
    np.testing.assert_allclose(predicted, EXPECTED[f"attachers/{name}"], atol=1e-9)


CURRENT = HERE / "0.1.0"


def stored_version(kind: str, manifest: str) -> int:
    return int(json.loads((CURRENT / kind / manifest).read_text())["version"])


def test_every_current_version_has_a_stored_folder() -> None:
    """A new version of a format needs a folder here, next to those of all older versions."""
    from roget.core.counts import files as counts
    from roget.learn.attachment import attacher
    from roget.learn.classmodel import files as classmodel
    from roget.learn.thesaurus import files as thesaurus

    models = {
        "attacher": attacher.KIND,
        "checkpoint": folder.model("checkpoint", "mdl.checkpoint"),
        "classmodel": classmodel.KIND,
        "counts": counts.KIND,
        "model": folder.model("clustering", "mdl.model"),
        "thesaurus": thesaurus.KIND,
    }
    for name, kind in models.items():
        assert stored_version(name, kind.manifest) == kind.version, name
    assert stored_version("thesaurus", thesaurus.EDITS) == thesaurus.EDITS_VERSION


def test_folders_of_the_current_version_load(new: Counts) -> None:
    counts = Counts.read(CURRENT / "counts")
    assert counts == Counts.read(HERE / "counts")
    model = MDLTree.load(CURRENT / "model")
    np.testing.assert_allclose(model.predict_proba(new), EXPECTED["models/mdl"], atol=1e-12)
    thesaurus = Thesaurus.load(CURRENT / "thesaurus")
    assert len(thesaurus.edits) == 2
    assert thesaurus.label(thesaurus.path("text0")[-1]) == "first"
    predicted = ClassModel.load(CURRENT / "classmodel").predict_proba(new)
    np.testing.assert_allclose(predicted, EXPECTED["classmodels/mle"], atol=1e-12)
    quadruples = json.loads((HERE / "attachers" / "quadruples.json").read_text())
    predicted = Attacher.load(CURRENT / "attacher").predict_proba(quadruples)
    np.testing.assert_allclose(predicted, EXPECTED["attachers/best"], atol=1e-9)
    kept = folder.read(CURRENT / "checkpoint", folder.model("checkpoint", "mdl.checkpoint"))
    assert len(kept["run"]) == 64
