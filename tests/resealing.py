"""Folders with changed content and a seal that vouches for it, opened and asked, one by one.

A process of its own, because what compiled code does with a bad place cannot be caught:

    python resealing.py FOLDER SEED NUMBER [SKIP] [KIND...]

prints a line `try N KIND WHAT` before each, and after it `fine`, `refused` or `fault` with the
reason.
"""

from __future__ import annotations

import io
import json
import random
import resource
import shutil
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from folders import manifest_of
from roget import Attacher, ClassModel, CoMDL, Counts, MDLTree, SoftAnnealing, Thesaurus
from roget.core import folder as folders
from roget.core.io.duck import database, parquet, write_parquet
from roget.errors import RogetError
from roget.learn.clustering import checkpoints
from roget.learn.clustering.agglomerative.estimator import AgglomerativeTree
from roget.learn.clustering.spherical.estimator import SphericalTree

OLD = Path(__file__).parent / "old_folders"
NEW = Counts.read(OLD / "new")
COUNTS = Counts.read(OLD / "counts")
QUADS = json.loads((OLD / "attachers" / "quadruples.json").read_text())
SLOW = 20


def legal(shares: Any) -> Any:
    """Rows of probabilities, which they must be."""
    table = np.asarray(shares.toarray() if hasattr(shares, "toarray") else shares)
    assert table.dtype.kind == "f"
    assert np.isfinite(table).all(), "not all are finite"
    assert (np.abs(table - 0.5) <= 0.5 + 1e-6).all(), "not all are from 0 to 1"
    assert np.allclose(table.sum(axis=1), 1, atol=1e-6), "rows do not add up to 1"
    return table


def ask_counts(path: Path) -> Any:
    """The cells; of a legal one, sorted and positive."""
    counts = Counts.read(path)
    matrix = counts.matrix
    assert (matrix.data > 0).all()
    assert np.isfinite(matrix.data).all()
    matrix.check_format(full_check=True)
    assert len(set(counts.words)) == matrix.shape[0]
    return matrix.toarray(), counts.words.tolist(), counts.contexts.tolist()


def ask_thesaurus(path: Path) -> Any:
    """Where new words belong, the words of each class, and neighbours."""
    found = Thesaurus.load(path)
    placed = legal(found.classify(NEW))
    members = legal(found.memberships)
    near = [str(one) for one in found.neighbours(str(found.counts.words[0]), 3)]
    cut = found.cut(min(2, found.tree.n_clusters))
    assert repr(found)
    return placed, members, near, cut, dict(found.labels)


def ask_model(model: Any) -> Callable[[Path], Any]:
    """Where new words belong, and the labels of those learnt from."""

    def ask(path: Path) -> Any:
        found = model.load(path)
        assert repr(found.tree_)
        labels = found.labels_
        assert set(labels.tolist()) <= set(range(found.n_clusters_))
        return legal(found.predict_proba(NEW)), labels, found.cut(min(2, found.n_clusters_))

    return ask


def ask_classes(path: Path) -> Any:
    """What new and known words do."""
    found = ClassModel.load(path)
    return legal(found.predict_proba(NEW)), legal(found.proba_rows([0, 3])), found.names_


def ask_attacher(path: Path) -> Any:
    """N or V."""
    found = Attacher.load(path)
    return legal(found.predict_proba(QUADS))


def go_on(model: Any) -> Callable[[Path], Any]:
    """What a run comes to that goes on from a checkpoint."""

    def ask(path: Path) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = model(checkpoint=path).fit(COUNTS)
        return legal(found.predict_proba(NEW)), found.labels_

    return ask


RUNS: dict[str, Callable[..., Any]] = {
    "soft": lambda **more: SoftAnnealing(4, random_state=0, **more),
    "mdl": lambda **more: MDLTree(random_state=0, **more),
    "comdl": lambda **more: CoMDL(random_state=0, **more),
    "agglomerative": lambda **more: AgglomerativeTree(4, **more),
    "spherical": lambda **more: SphericalTree(4, random_state=0, **more),
}

KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], Any]]] = {
    "counts": (lambda to: Counts.read(OLD / "counts").write(to), ask_counts),
    **{
        f"thesauri/{name}": (
            lambda to, name=name: Thesaurus.load(OLD / "thesauri" / name).save(to),
            ask_thesaurus,
        )
        for name in ("edited", "sealed", "comdl", "mdl")
    },
    **{
        f"models/{name}": (
            lambda to, name=name, kind=kind: kind.load(OLD / "models" / name).save(to),
            ask_model(kind),
        )
        for name, kind in (
            ("soft", SoftAnnealing), ("symmetric", SoftAnnealing), ("mdl", MDLTree),
            ("comdl", CoMDL),
        )
    },
    **{
        f"models/{name}": (
            lambda to, name=name: RUNS[name]().fit(COUNTS).save(to),
            ask_model(kind),
        )
        for name, kind in (("agglomerative", AgglomerativeTree), ("spherical", SphericalTree))
    },
    **{
        f"classmodels/{name}": (
            lambda to, name=name: ClassModel.load(OLD / "classmodels" / name).save(to),
            ask_classes,
        )
        for name in ("nearest", "soft", "kneser-ney")
    },
    **{
        f"attachers/{name}": (
            lambda to, name=name: Attacher.load(OLD / "attachers" / name).save(to),
            ask_attacher,
        )
        for name in ("best", "chain")
    },
    **{
        f"checkpoints/{name}": (lambda to, name=name: begin(name, to), go_on(RUNS[name]))
        for name in RUNS
    },
}  # fmt: skip
"""How a folder of each kind comes about, and what is asked of it."""


def begin(name: str, path: Path) -> None:
    """The checkpoint of a run that has just begun."""
    keep, first = checkpoints.Checkpoint.keep, path.with_name(f"{path.name}.first")

    def kept(self: Any, content: Any, *, now: bool = False) -> None:
        keep(self, content, now=True)
        if not first.exists():
            shutil.copytree(path, first)

    checkpoints.Checkpoint.keep = kept  # type: ignore[method-assign]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            RUNS[name](checkpoint=path).fit(COUNTS)
    finally:
        checkpoints.Checkpoint.keep = keep  # type: ignore[method-assign]
    shutil.rmtree(path)
    first.rename(path)


def make_all(root: Path, kinds: list[str]) -> None:
    """A whole folder of each kind."""
    for name in kinds:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        KINDS[name][0](root / name)


# ---- changes


def change_array(array: np.ndarray, rng: random.Random) -> tuple[str, np.ndarray]:
    """An array that is no longer right, in one of many ways."""
    flat = array.copy()
    at = rng.randrange(max(array.size, 1))
    bad: list[Any] = [-1, 0, 1, array.size, 10**6, 2**31 - 1, -(2**31)]
    if array.dtype.kind == "f":
        bad += [np.nan, np.inf, -np.inf, 1e308, -0.5, 1e-320, 0.25]
    ways = ["value", "value", "value", "all", "type", "type", "order", "shape", "less", "twice"]
    way = rng.choice(ways)
    if way in ("value", "all") and array.size:
        value = rng.choice(bad)
        with np.errstate(all="ignore"):
            flat.reshape(-1)[slice(at, at + 1) if way == "value" else slice(None)] = np.array(
                value
            ).astype(array.dtype)
        return f"{way} {value} at {at}", flat
    if way == "type":
        kind = rng.choice(["f4", "f8", "i1", "i4", "i8", "u8", "?", "f2", ">i4", ">f8"])
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return f"type {kind}", array.astype(kind)
    if way == "order" and array.ndim:
        return "order", array[::-1].copy()
    if way == "shape":
        shapes = [array.reshape(-1), array[None], array.T.copy(), np.zeros(0, array.dtype)]
        return "shape", rng.choice([*shapes, np.asfortranarray(array), array.reshape(-1, 1)])
    if way == "twice" and array.ndim:
        return "twice", np.concatenate([array, array])
    return "less", array[:-1].copy() if array.ndim else array


LIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("object", {"descr": "|O", "fortran_order": False, "shape": (4,)}),
    ("huge", {"descr": "<f8", "fortran_order": False, "shape": (1 << 40, 1 << 20)}),
    ("negative", {"descr": "<f8", "fortran_order": False, "shape": (-1,)}),
    ("text", {"descr": "<U4", "fortran_order": False, "shape": (4,)}),
    ("record", {"descr": [("a", "<f8")], "fortran_order": False, "shape": (8,)}),
)


def lie(file: Path, rng: random.Random) -> str:
    """Arrays in a file one of whose headers says what is not so."""
    import zipfile

    arrays = folders.read_npz(file)
    name, (what, header) = rng.choice(sorted(arrays)), rng.choice(LIES)
    with zipfile.ZipFile(file, "w") as archive:
        for one, array in arrays.items():
            raw = io.BytesIO()
            if one == name:
                np.lib.format.write_array_header_1_0(raw, header)
                raw.write(b"\0" * 64)
            else:
                np.lib.format.write_array(raw, array, allow_pickle=False)
            archive.writestr(f"{one}.npy", raw.getvalue())
    return f"{name}: a header of {what}"


def change_table(file: Path, columns: dict[str, str], rng: random.Random) -> str:
    """Rows of a table that are no longer right."""
    with database() as connection:
        arrays = connection.execute(f"SELECT * FROM {parquet(file)}").fetchnumpy()
        name = rng.choice(sorted(arrays))
        arrays = {key: np.asarray(value) for key, value in arrays.items()}
        array, way = arrays[name], rng.choice(["value", "order", "twice", "less", "none"])
        size = len(array)
        if way == "value":
            if array.dtype == object:
                value: Any = rng.choice(["", array[0], "\0", "x" * 10_000])
            else:
                value = rng.choice(
                    [-1, 0, 2**31 - 1, size, np.nan if array.dtype.kind == "f" else 7]
                )
            array = array.copy()
            array[rng.randrange(size)] = value
            arrays[name] = array
        else:
            take = {
                "order": np.arange(size)[::-1], "twice": np.repeat(np.arange(size), 2),
                "less": np.arange(size - 1), "none": np.arange(0),
            }[way]  # fmt: skip
            arrays = {key: value[take] for key, value in arrays.items()}
        write_parquet(connection, arrays, columns, file)
    return f"{file.name}: {name} {way}"


def change_plain(record: dict[str, Any], rng: random.Random) -> str:
    """A value somewhere in a manifest that is no longer right."""
    keys = [
        key for key in record if key not in ("format", "kind", "version", "files", "seal", "roget")
    ]
    holder: Any = record
    at: Any = rng.choice(sorted(keys))
    collected = [str(at)]
    while isinstance(holder[at], dict | list) and holder[at] and rng.random() < 0.85:
        holder = holder[at]
        at = rng.choice(sorted(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
        collected.append(str(at))
    bad = [None, -1, 0, 1, 3, 10**6, 10**30, 1e308, "", "x", [], {}, [[]], True, 0.5, -0.5]
    way = rng.random()
    if way < 0.15 and isinstance(holder, dict):
        del holder[at]
        return f"{'.'.join(collected)} removed"
    if way < 0.3 and isinstance(holder, list):
        holder.insert(at, holder[at])
        return f"{'.'.join(collected)} twice"
    holder[at] = value = rng.choice(bad)
    return f"{'.'.join(collected)} is {value!r}"


def change(folder: Path, rng: random.Random) -> str:
    """Change something of a folder, and let its seal vouch for it."""
    place = manifest_of(folder)
    record = json.loads(place.read_text())
    files = record["files"]
    arrays = [name for name in files if name.endswith(".npz")]
    tables = [name for name in files if name.endswith(".parquet")]
    ways = ["plain", *["arrays"] * 4 * len(arrays), *arrays, *["table"] * len(tables)]
    way = rng.choice(ways)
    if way == "plain":
        told = change_plain(record, rng)
    elif way == "table":
        name = rng.choice(sorted(tables))
        told = change_table(folder / name, files[name]["columns"], rng)
        with database() as connection:
            count = f"SELECT count(*) FROM {parquet(folder / name)}"
            files[name]["rows"] = connection.execute(count).fetchall()[0][0]
    elif way == "arrays":
        file = folder / arrays[0]
        held = folders.read_npz(file)
        name = rng.choice(sorted(held))
        told, held[name] = change_array(held[name], rng)
        told = f"{name}: {told}"
        if rng.random() < 0.05:
            del held[name]
            told = f"{name}: removed"
        folders.write_npz(file, held)
        files[file.name]["arrays"] = {key: folders._describe(one) for key, one in held.items()}
    else:
        told = lie(folder / way, rng)
    for name in files:
        file = folder / name
        files[name] |= {"bytes": file.stat().st_size, "sha256": folders.sha256(file)}
    record.pop("seal")
    place.write_bytes(folders.seal_text(record))
    edits = folder / "edits.json"
    if edits.exists():
        own = json.loads(edits.read_text())
        own["thesaurus"] = folders.sha256(place)
        if rng.random() < 0.1:
            told += "; edits: " + change_plain(own, rng)
        own.pop("seal")
        edits.write_bytes(folders.seal_text(own))
    return told


def late(signum: int, frame: Any) -> None:
    """Take too long."""
    raise AssertionError(f"took more than {SLOW} seconds")


def main(root: Path, seed: int, number: int, skip: int, kinds: list[str]) -> None:
    """Make folders once, then change, open and ask so many."""
    whole, hurt = root / "whole", root / "hurt"
    if not whole.exists():
        make_all(whole, kinds)
        for name in kinds:  # compiled and looked up before anything is limited
            KINDS[name][1](_copy(whole / name, hurt))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    signal.signal(signal.SIGALRM, late)
    for at in range(skip, number):
        rng = random.Random(f"{seed} {at}")
        name = kinds[at % len(kinds)]
        copy = _copy(whole / name, hurt)
        text = change(copy, rng)
        print(f"try {at} {name} {text}".encode("ascii", "backslashreplace").decode(), flush=True)
        signal.alarm(SLOW)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                KINDS[name][1](copy)
            print("fine", flush=True)
        except RogetError as error:
            print("refused", repr(str(error))[:160], flush=True)
        except BaseException as error:
            import traceback

            where = traceback.extract_tb(error.__traceback__)
            text = " < ".join(f"{Path(one.filename).name}:{one.lineno}" for one in where[-6:][::-1])
            print("fault", repr(error)[:200], text, flush=True)
        finally:
            signal.alarm(0)


def _copy(of: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(of, to)
    return to


if __name__ == "__main__":
    given = sys.argv[1:]
    main(Path(given[0]), *map(int, given[1:4]), given[4:] or list(KINDS))  # type: ignore[misc]
