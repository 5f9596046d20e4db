"""One format for all folders: manifests, arrays and hashes are handled in one module."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import roget
from folders import manifest_of
from roget import Attacher, ClassModel, CoMDL, Counts, MDLTree, SoftAnnealing, Thesaurus, catalogue
from roget.core.counts import files as counts_files
from roget.learn.attachment import attacher
from roget.learn.classmodel import files as classmodel_files
from roget.learn.clustering import result
from roget.learn.clustering.checkpoints import Checkpoint
from roget.learn.thesaurus import files as thesaurus_files
from support.errors import refused

SOURCE = Path(roget.__file__).parent
OLD = Path(__file__).parents[1] / "old_folders"
COMMON = {"format", "kind", "version", "roget", "provenance", "files", "seal"}

KINDS: dict[str, tuple[Callable[[Path], Any], Callable[[Any, Path], None]]] = {
    "counts": (Counts.read, Counts.write),
    "thesauri/edited": (Thesaurus.load, Thesaurus.save),
    "models/soft": (SoftAnnealing.load, SoftAnnealing.save),
    "models/mdl": (MDLTree.load, MDLTree.save),
    "models/comdl": (CoMDL.load, CoMDL.save),
    "classmodels/nearest": (ClassModel.load, ClassModel.save),
    "attachers/best": (Attacher.load, Attacher.save),
    "attachers/chain": (Attacher.load, Attacher.save),
}
"""An old folder of each kind, how it is read, and how it is written today."""


def modules(wanted: set[str], *homes: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of roget outside `homes` whose text contains one of the words."""
    for path in sorted(SOURCE.rglob("*.py")):
        name, text = str(path.relative_to(SOURCE)), path.read_text()
        if not name.startswith(homes) and any(word in text for word in wanted):
            yield name, ast.parse(text)


def test_arrays_are_read_and_written_in_one_place() -> None:
    """Only core/folder reads arrays: it trusts no header and unpickles nothing.

    Zip archives are opened where compressed texts are, and where workbooks are written.
    """
    names = ("load", "savez", "savez_compressed", "load_npz", "save_npz", "fromfile", "memmap")
    expected = {f"{package}.{name}" for package in ("np", "numpy", "sparse") for name in names}
    found = []
    for name, tree in modules({*expected, "import zipfile", "from zipfile"}, "core/folder.py"):
        for node in ast.walk(tree):
            if (isinstance(node, ast.Attribute) and ast.unparse(node) in expected) or (
                isinstance(node, ast.Import | ast.ImportFrom)
                and "zipfile" in ast.unparse(node)
                and name not in ("core/io/source.py", "core/io/workbook.py")
            ):
                found.append(f"{name}: {ast.unparse(node)}")
    assert found == []


def test_manifests_are_parsed_and_written_in_one_place() -> None:
    """Elsewhere, the name of a manifest is only declared or printed."""
    manifests = {"counts.json", "thesaurus.json", "model.json"}
    found = []
    for name, tree in modules(manifests, "core/folder.py"):
        declared = {
            id(keyword.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            for keyword in node.keywords
            if keyword.arg == "manifest"
        }
        found += [
            f"{name}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and node.value in manifests
            and id(node) not in declared
        ]
    assert found == []


def test_every_kind_uses_the_common_format(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c", "soft", [], {})
    checkpoint.keep(lambda: {"beta": 1.0}, now=True)
    kinds = [
        counts_files.KIND, thesaurus_files.KIND, classmodel_files.KIND, attacher.KIND,
        checkpoint._kind, result.KIND,
    ]  # fmt: skip
    assert [kind.name for kind in kinds] == [
        "counts", "thesaurus", "classmodel", "attacher", "checkpoint", "clustering",
    ]  # fmt: skip
    record = json.loads((tmp_path / "c" / "model.json").read_text())
    assert set(record) >= COMMON
    assert checkpoint.resume() is not None


@pytest.mark.parametrize("name", KINDS)
def test_manifests_of_all_kinds_have_common_keys(name: str, tmp_path: Path) -> None:
    load, save = KINDS[name]
    save(load(OLD / name), tmp_path / "x")
    record = json.loads(manifest_of(tmp_path / "x").read_text())
    assert set(record) >= COMMON
    assert list(record)[:4] == ["format", "kind", "version", "roget"]
    for file, entry in record["files"].items():
        declared = {"rows", "columns"} if file.endswith(".parquet") else {"arrays"}
        assert set(entry) == {"bytes", "sha256", *declared}
    load(tmp_path / "x")


@pytest.mark.parametrize("name", KINDS)
def test_changed_byte_in_any_file_is_refused(name: str, tmp_path: Path) -> None:
    load, save = KINDS[name]
    save(load(OLD / name), tmp_path / "x")
    for file in sorted((tmp_path / "x").iterdir()):
        whole = file.read_bytes()
        for at in {0, len(whole) // 3, len(whole) // 2, len(whole) - 1, *range(7, len(whole), 997)}:
            file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            with pytest.raises(roget.InputError, match=file.name):
                load(tmp_path / "x")
        file.write_bytes(whole)
    load(tmp_path / "x")


def test_folder_is_replaced_only_by_its_own_kind(tmp_path: Path) -> None:
    shutil.copytree(OLD / "counts", tmp_path / "mine")
    for name, (load, save) in KINDS.items():
        if name != "counts":
            with refused("not-writable"):
                save(load(OLD / name), tmp_path / "mine")
    shutil.copytree(OLD / "models" / "soft", tmp_path / "model")
    with refused("not-writable"):
        Attacher.load(OLD / "attachers" / "best").save(tmp_path / "model")
    MDLTree.load(OLD / "models" / "mdl").save(tmp_path / "model")
    assert MDLTree.load(tmp_path / "model")


@pytest.mark.parametrize("name", KINDS)
def test_folder_with_foreign_files_is_not_replaced(name: str, tmp_path: Path) -> None:
    load, save = KINDS[name]
    for place in (shutil.copytree(OLD / name, tmp_path / "old"), tmp_path / "new"):
        save(load(OLD / name), place)
        (place / ".DS_Store").touch()
        save(load(OLD / name), place)
        (place / "notes.txt").write_text("mine")
        with refused("not-writable", "notes.txt"):
            save(load(OLD / name), place)
        assert (place / "notes.txt").read_text() == "mine"
        load(place)


def test_opening_a_thesaurus_parses_its_manifest_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from roget.learn.load import open_thesaurus

    Thesaurus.load(OLD / "thesauri" / "edited").save(tmp_path / "t")
    parsed: list[str] = []
    decode = json.JSONDecoder.decode

    def counted(decoder: json.JSONDecoder, text: str, *more: Any) -> Any:
        parsed.append(text)
        return decode(decoder, text, *more)

    monkeypatch.setattr(json.JSONDecoder, "decode", counted)
    manifest, edits = (
        (tmp_path / "t" / name).read_text("utf-8") for name in ("thesaurus.json", "edits.json")
    )
    for load in (Thesaurus.load, roget.load, open_thesaurus):
        parsed.clear()
        load(tmp_path / "t")
        assert parsed.count(manifest) == 1
        assert parsed.count(edits) == 1


SAVED = """
import sys
import numpy as np
from roget import Counts, catalogue

counts = Counts(np.random.default_rng(0).poisson(1.0, (12, 9)) + 1)
for name in catalogue.names("clusterers"):
    catalogue.load("clusterers", name).make(2, random_state=0).fit(counts).save(sys.argv[1] + name)
"""


@pytest.mark.slow
def test_saved_bytes_do_not_depend_on_hash_seed(tmp_path):
    found = []
    for seed in "12":
        home = tmp_path / seed
        home.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", SAVED, f"{home}/"], env=environment, check=True)
        files = (file for file in home.rglob("*") if file.is_file())
        found.append({file.relative_to(home): file.read_bytes() for file in files})
    assert len(found[0]) > len(catalogue.names("clusterers"))
    assert [name for name in found[0] if found[0][name] != found[1].get(name)] == []
