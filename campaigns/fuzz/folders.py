"""Folders of models in which one file is changed, with or without a matching manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from campaigns.fuzz.archives import Arrays
from campaigns.fuzz.imports import thesaurus
from campaigns.fuzz.mutate import alter_json, mutate
from campaigns.fuzz.targets import NOTHING, Found, Lawless, Target, write

Make = Callable[[Path], Callable[[Path], Any]]
"""A function that writes a folder and returns a reader whose result can be compared."""

_TOKENS = (b'"files"', b'"version"', b'"seal"', b'"kind"', b"null", b"[]", b"{}", b"true", b"1e999")
_RESEALED = b"sealed again\n"


class Folders:
    """Inputs: optionally `sealed again`, then the name of a file, a line end and the bytes.

    A folder that is not sealed again must be refused, or have the same content as before.
    """

    def __init__(self, folder: Path, make: Make) -> None:
        self._folder = folder / "model"
        self._answer = make(self._folder)
        self._files = {file.name: file.read_bytes() for file in self._folder.iterdir()}
        self._manifest = next(
            name for name in ("thesaurus.json", "counts.json", "model.json") if name in self._files
        )
        self._said = self._answer(self._folder)
        self._arrays = {
            name: Arrays([dict(np.load(self._folder / name))])
            for name in self._files
            if name.endswith(".npz")
        }
        self._changed: set[str] = set()
        self.seeds = [name.encode() + b"\n" + data for name, data in self._files.items()]

    def make(self, random: Random, found: Found = NOTHING) -> bytes:
        if found.inputs:
            data = random.choice(found.inputs)
            again = data.startswith(_RESEALED)
            head, _, before = data.removeprefix(_RESEALED).partition(b"\n")
            name, found = head.decode(), found._replace(inputs=[before])
        else:
            name = random.choice(tuple(self._files))
            again, before = random.random() < 0.5, self._files[name]
        if again and name in self._arrays:
            content = self._arrays[name].make(random, found)
        elif again and name.endswith(".json") and random.random() < 0.5:
            content = alter_json(random, before, _TOKENS)
        else:
            content = mutate(random, [before], found.words or _TOKENS)
        return (_RESEALED if again else b"") + name.encode() + b"\n" + content

    def run(self, data: bytes) -> Any:
        again = data.startswith(_RESEALED)
        name, _, content = data.removeprefix(_RESEALED).partition(b"\n")
        for one in self._changed:
            write(str(self._folder / one), self._files[one])
        now = {name.decode(): content}
        if again:
            now = self._reseal(name.decode(), content)
        self._changed = {*now}
        for one, bytes_ in now.items():
            write(str(self._folder / one), bytes_)
        said = self._answer(self._folder)
        if not again and said != self._said:
            raise Lawless("a changed folder is accepted with other content")
        return said

    def _reseal(self, name: str, content: bytes) -> dict[str, bytes]:
        """Write the file, and a manifest with its new hash."""
        from roget.core import folder as folders

        now = {name: content}
        try:
            if name == "edits.json":
                record = json.loads(content)
                record.pop("seal", None)
                return {name: folders.seal_text(record)}
            record = json.loads(content if name == self._manifest else self._files[self._manifest])
            if name in record["files"]:
                said = record["files"][name]
                said |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
                if "arrays" in said:
                    write(str(self._folder / name), content)
                    said["arrays"] = {
                        key: {"dtype": array.dtype.name, "shape": list(array.shape)}
                        for key, array in np.load(self._folder / name).items()
                    }
            for other, said in record["files"].items():
                # Stored inputs outlive the folders that they were made from.
                if other != name and other in self._files and len(said["sha256"]) == 64:
                    said["sha256"] = hashlib.sha256(self._files[other]).hexdigest()
            record.pop("seal", None)
            now[self._manifest] = folders.seal_text(record)
        except Exception:  # content that cannot be sealed is tried unsealed
            pass
        return now


# ---- what is in folders


def _plain(value: Any) -> Any:
    """Return the value as plain data that can be compared."""
    if isinstance(value, np.ndarray):
        return (
            str(value.dtype),
            value.shape,
            value.tolist() if value.dtype.kind == "O" else value.tobytes(),
        )
    if hasattr(value, "toarray"):
        return _plain(value.toarray())
    return value


def _counts() -> Any:
    return thesaurus().counts


def _make_counts(folder: Path) -> Callable[[Path], Any]:
    from roget import Counts

    _counts().write(folder)

    def answer(path: Path) -> Any:
        found = Counts.read(path)
        return tuple(
            map(_plain, (found.matrix, found.words, found.contexts, found.slots, found.word_totals))
        )

    return answer


def _make_thesaurus(folder: Path) -> Callable[[Path], Any]:
    from roget import Thesaurus

    thesaurus().editor.rename(3, "drinks").editor.move("gun", 2).save(folder)

    def answer(path: Path) -> Any:
        found = Thesaurus.load(path)
        parts = (found.memberships, found.centroids, found.mass, found.places, found.tree.parent)
        near = (
            [(one.word, one.similarity) for one in found.neighbours("tea", 3)]
            if "tea" in found.words
            else ()
        )
        return (*map(_plain, parts), found.labels, [str(one) for one in found.edits], near)

    return answer


def _clusterer(name: str, **options: Any) -> Make:
    def make(folder: Path) -> Callable[[Path], Any]:
        import roget

        kind, counts = getattr(roget, name), _counts()
        kind(**options).fit(counts).save(folder)

        def answer(path: Path) -> Any:
            model = kind.load(path)
            return _plain(model.predict_proba(counts)), _plain(model.labels_)

        return answer

    return make


def _class_model(name: str) -> Make:
    def make(folder: Path) -> Callable[[Path], Any]:
        from roget import ClassModel

        counts = _counts()
        ClassModel(name).fit(counts).save(folder)
        return lambda path: _plain(ClassModel.load(path).predict_proba(counts))

    return make


QUADS = [
    ("eat", "pizza", "with", "fork", "V"), ("eat", "pizza", "with", "cheese", "N"),
    ("see", "man", "with", "telescope", "V"), ("see", "man", "in", "coat", "N"),
    ("drink", "tea", "in", "garden", "V"), ("drink", "cup", "of", "tea", "N"),
]  # fmt: skip


def _attacher(name: str) -> Make:
    def make(folder: Path) -> Callable[[Path], Any]:
        from roget import Attacher
        from roget.learn.attachment import sources

        # Otherwise the bundled quadruples would be included, several megabytes.
        with patch.object(sources, "OWN", -1):
            Attacher(name, pairs=_counts()).fit(QUADS).save(folder)
        return lambda path: _plain(Attacher.load(path).predict_proba(QUADS))

    return make


def _make_checkpoint(folder: Path) -> Callable[[Path], Any]:
    from roget.learn.clustering.checkpoints import Checkpoint

    array = np.arange(6.0)
    kept = {"step": 3, "done": [1, 2], "array": array, "cells": np.eye(3, dtype=np.int64)}

    def open_() -> Checkpoint:
        return Checkpoint(folder, "soft", [array], {"k": 3})

    open_().keep(lambda: kept, now=True)

    def answer(_: Path) -> Any:
        found: Mapping[str, Any] = open_().resume() or {}
        return {name: _plain(found.get(name)) for name in kept}

    return answer


def _make_thesaurus_labels(folder: Path) -> Callable[[Path], Any]:
    """Return the same folder as labels."""
    from roget.scoring.labels.read import as_labels

    thesaurus().save(folder)
    return lambda path: _plain(as_labels(path).codes)


def _target(name: str, share: float, make: Make) -> Target:
    return Target(f"folder-{name}", share, lambda folder: Folders(folder, make))


TARGETS = [
    _target("counts", 8, _make_counts),
    _target("thesaurus", 8, _make_thesaurus),
    _target("labels", 4, _make_thesaurus_labels),
    _target("soft", 10, _clusterer("SoftAnnealing", n_clusters=3, random_state=0)),
    _target("symmetric", 5, _clusterer("SymmetricAnnealing", n_clusters=3, random_state=0)),
    _target("spherical", 5, _clusterer("SphericalTree", n_clusters=3, random_state=0)),
    _target("agglomerative", 5, _clusterer("AgglomerativeTree", n_clusters=3)),
    _target("mdl", 5, _clusterer("MDLTree", random_state=0)),
    _target("comdl", 5, _clusterer("CoMDL", random_state=0)),
    _target("class-model", 8, _class_model("nearest")),
    _target("class-model-soft", 4, _class_model("soft")),
    _target("attacher", 8, _attacher("best")),
    _target("attacher-chain", 5, _attacher("chain")),
    _target("checkpoint", 10, _make_checkpoint),
]
