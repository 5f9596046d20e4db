"""Damaged folders of class models are refused with the folder's name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roget import Counts
from roget.errors import InputError
from roget.learn.classmodel import ClassModel

OLD = Path(__file__).parents[2] / "old_folders"


@pytest.fixture(scope="module")
def new(parts: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    train, dev, _ = parts
    path = tmp_path_factory.mktemp("kept") / "model"
    ClassModel(["nearest", "mdl"], random_state=0).fit(train, dev=dev).save(path)
    return path


@pytest.fixture(scope="module")
def kept() -> Path:
    """A folder whose classes were written before they were clusterings."""
    return OLD / "classmodels" / "nearest"


def damaged(
    kept: Path, folder: Path, harm: Callable[[dict[str, Any], dict[str, Any]], None]
) -> Path:
    """The folder as it was written before there were seals, and changed."""
    header = json.loads((kept / "model.json").read_text())
    for name in ("kind", "seal", "files", "provenance"):
        header.pop(name, None)
    header["version"] = 1
    with np.load(kept / "arrays.npz") as found:
        arrays = {name: found[name] for name in found.files}
    harm(header, arrays)
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps(header))
    np.savez(folder / "arrays.npz", **arrays)
    return folder


def refuse_model(folder: Path, named: str = "") -> None:
    with pytest.raises(InputError, match=f"(?s)harmed.*{named}"):
        ClassModel.load(folder)


def test_undamaged_model_is_read(kept: Path, new: Path, tmp_path: Path, parts: Any) -> None:
    for folder, counts in ((new, parts[2]), (kept, Counts.read(OLD / "counts"))):
        place = tmp_path / folder.name
        again = ClassModel.load(damaged(folder, place, lambda header, arrays: None))
        assert again.score(counts) == ClassModel.load(folder).score(counts)


HEADERS: list[tuple[str, Any]] = [
    ("options", {"classes": "mdl", "backoff": "auto", "colour": 1}),
    ("options", {"classes": "mdl", "backoff": "kn"}),
    ("options", {"classes": ["mdl"], "backoff": "auto"}),
    ("options", {"classes": "sofft", "backoff": "auto"}),
    ("options", ["mdl"]),
    ("names_", "names"),
    ("names_", ["one"]),
    ("names_", [1, 2]),
    ("n_features_in_", "40"),
    ("n_features_in_", 39),
    ("n_features_in_", None),
    ("contexts_", ["v0"]),
    ("contexts_", [f"v{n // 2}" for n in range(40)]),
    ("contexts_", list(range(40))),
    ("contexts_", 40),
    ("words_", {"w0": 0}),
    ("words_", [f"w{n}" for n in range(59)]),
    ("mixture", "bogus"),
    ("mixture", "interpolate"),
    ("mixture", None),
    ("classes", []),
    ("classes", None),
    ("classes", ["nearest"]),
]


@pytest.mark.parametrize(("key", "value"), HEADERS, ids=str)
def test_invalid_headers_are_refused(key: str, value: Any, kept: Path, tmp_path: Path) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header[key] = value

    refuse_model(damaged(kept, tmp_path / "harmed", harm))


@pytest.mark.parametrize(
    "key", ["options", "names_", "n_features_in_", "contexts_", "words_", "mixture", "classes"]
)
def test_truncated_headers_are_refused(key: str, kept: Path, tmp_path: Path) -> None:
    refuse_model(damaged(kept, tmp_path / "harmed", lambda header, arrays: header.pop(key)), key)


def test_truncated_classes_are_refused(kept: Path, tmp_path: Path) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["classes"].pop()

    refuse_model(damaged(kept, tmp_path / "harmed", harm), "weights")


RULES: list[tuple[str, Any]] = [
    ("rule", "bogus"),
    ("rule", None),
    ("beta", "x"),
    ("beta", float("nan")),
    ("beta", 0.0),
    ("beta", True),
    ("types", 1),
    ("blocks", [1]),
    ("blocks", ["a"]),
    ("blocks", 3),
    ("size", 0),
    ("size", 10_000),
    ("size", "2"),
    ("size", None),
    ("name", None),
]


@pytest.mark.parametrize(("key", "value"), RULES, ids=str)
def test_invalid_rules_are_refused(key: str, value: Any, kept: Path, tmp_path: Path) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        assert header["classes"][0]["rule"] == "nearest"
        header["classes"][0][key] = value

    refuse_model(damaged(kept, tmp_path / "harmed", harm))


def last(value: Any) -> Callable[[Any], Any]:
    def harm(array: Any) -> Any:
        found = array.copy()
        found.flat[-1] = value
        return found

    return harm


ARRAYS: list[tuple[str, Callable[[Any], Any]]] = [
    ("mixture.weights", lambda w: w[:, :-1]),
    ("mixture.weights", lambda w: w[0]),
    ("mixture.weights", lambda w: np.vstack([w, w])),
    ("mixture.weights", lambda w: w * 2),
    ("mixture.weights", lambda w: w + np.where(np.arange(w.size) == 0, 2, -2 / (w.size - 1))),
    ("mixture.weights", last(np.nan)),
    ("mixture.discounts", lambda d: d[:0]),
    ("mixture.discounts", last(3.5)),
    ("mixture.discounts", last(-0.5)),
    ("mixture.discounts", lambda d: d[None, :]),
    ("mixture.edges", lambda e: np.array([2.0, 1.0])),
    ("train.data", last(-1.0)),
    ("train.data", last(np.inf)),
    ("train.data", lambda d: d[:-1]),
    ("train.indices", last(40)),
    ("train.indices", last(-1)),
    ("train.indices", lambda i: i.astype(float)),
    ("train.indptr", lambda i: i[:-1]),
    ("train.shape", lambda s: s[:1]),
    ("train.shape", lambda s: s + 1),
    ("classes.0.membership.data", last(-0.5)),
    ("classes.0.membership.data", last(2.0)),
    ("classes.0.membership.indices", last(10_000)),
    ("classes.0.centroids.data", last(np.nan)),
    ("classes.0.mass", lambda m: m[:-1]),
    ("classes.0.mass", lambda m: m * 3),
    ("classes.0.space.words", lambda w: w[:-1]),
    ("classes.0.space.projection", lambda p: p[:-1]),
    ("classes.0.space.columns", last(-1.0)),
]


@pytest.mark.parametrize(
    ("key", "harms"), ARRAYS, ids=lambda one: one if isinstance(one, str) else ""
)
def test_invalid_arrays_are_refused(
    key: str, harms: Callable[[Any], Any], kept: Path, tmp_path: Path
) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[key] = harms(arrays[key])

    refuse_model(damaged(kept, tmp_path / "harmed", harm))


@pytest.mark.parametrize("key", ["mixture.weights", "mixture.discounts", "train.indices"])
def test_arrays_of_other_types_are_refused_before_reading(
    key: str, kept: Path, tmp_path: Path
) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[key] = arrays[key].astype(str)

    folder = damaged(kept, tmp_path / "harmed", harm)
    with pytest.raises(InputError, match=rf"(?s)harmed/arrays\.npz.*{key}"):
        ClassModel.load(folder)


@pytest.mark.parametrize("key", sorted({key for key, _ in ARRAYS}))
def test_missing_arrays_are_named(key: str, kept: Path, tmp_path: Path) -> None:
    folder = damaged(kept, tmp_path / "harmed", lambda header, arrays: arrays.pop(key))
    refuse_model(folder, rf"{key.rpartition('.')[2]}' is missing")


NEW_RULES: list[tuple[str, Any]] = [
    ("clusterer", "bogus"),
    ("clusterer", None),
    ("parameters", {"size": 0}),
    ("parameters", {"size": 10_000}),
    ("parameters", {"size": "2"}),
    ("parameters", {"size": None}),
    ("parameters", {"size": 2, "colour": 1}),
    ("parameters", {}),
    ("parameters", None),
]


@pytest.mark.parametrize(("key", "value"), NEW_RULES, ids=str)
def test_invalid_rules_of_clusterings_are_refused(
    key: str, value: Any, new: Path, tmp_path: Path
) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        rule = header["classes"][0]["parts"][0]["rule"]
        assert rule["clusterer"] == "nearest"
        rule[key] = value

    refuse_model(damaged(new, tmp_path / "harmed", harm))


NEW_PLAIN: list[tuple[str, Any]] = [
    ("name", None), ("types", 1), ("parts", []), ("parts", None), ("parts", [None]),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), NEW_PLAIN, ids=str)
def test_invalid_clusterings_are_refused(key: str, value: Any, new: Path, tmp_path: Path) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        header["classes"][0][key] = value

    refuse_model(damaged(new, tmp_path / "harmed", harm))


NEW_ARRAYS: list[tuple[str, Callable[[Any], Any]]] = [
    ("memberships.data", last(-0.5)),
    ("memberships.data", last(2.0)),
    ("memberships.indices", last(10_000)),
    ("memberships.indices", lambda i: i.astype(float)),
    ("memberships.shape", lambda s: s + 1),
    ("centroids.data", last(np.nan)),
    ("mass", lambda m: m[:-1]),
    ("mass", lambda m: m * 3),
    ("mass", last(np.nan)),
    ("background", last(np.nan)),
    ("background", lambda b: b[:-1]),
    ("rule.words", lambda w: w[:-1]),
    ("rule.projection", lambda p: p[:-1]),
    ("rule.columns", last(-1.0)),
]


@pytest.mark.parametrize(
    ("key", "harms"), NEW_ARRAYS, ids=lambda one: one if isinstance(one, str) else ""
)
def test_invalid_arrays_of_clusterings_are_refused(
    key: str, harms: Callable[[Any], Any], new: Path, tmp_path: Path
) -> None:
    def harm(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[f"classes.0.0.{key}"] = harms(arrays[f"classes.0.0.{key}"])

    refuse_model(damaged(new, tmp_path / "harmed", harm))


@pytest.mark.parametrize("key", sorted({key for key, _ in NEW_ARRAYS}))
def test_missing_arrays_of_clusterings_are_named(key: str, new: Path, tmp_path: Path) -> None:
    name = f"classes.0.0.{key}"
    refuse_model(damaged(new, tmp_path / "harmed", lambda header, arrays: arrays.pop(name)))
