"""A thesaurus as a folder: thesaurus.json, Parquet files and one of arrays, checked when read.

thesaurus.json       format, version, sizes, tree, path of the search, provenance, files
words.parquet        word VARCHAR; row i is word i
contexts.parquet     context VARCHAR, slot VARCHAR ("" if none)
entries.parquet      row INTEGER, column INTEGER, count BIGINT or DOUBLE: the counts
membership.parquet   row INTEGER, cluster INTEGER, probability DOUBLE: p(cluster|word)
centroids.npz        centroids: clusters × contexts; mass: p(cluster)
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.files import HASHED, sha256
from roget.core.database import database, parquet, readable, write_parquet
from roget.core.store import new_directory
from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus

FORMAT = "roget.thesaurus"
VERSION = 1
KIND = "a thesaurus"
MANIFEST, CENTROIDS = "thesaurus.json", "centroids.npz"

_COUNT = {"int64": "BIGINT", "float64": "DOUBLE"}
_TABLES: dict[str, dict[str, str]] = {
    "words.parquet": {"word": "VARCHAR"},
    "contexts.parquet": {"context": "VARCHAR", "slot": "VARCHAR"},
    "entries.parquet": {"row": "INTEGER", "column": "INTEGER", "count": ""},
    "membership.parquet": {"row": "INTEGER", "cluster": "INTEGER", "probability": "DOUBLE"},
}
FILES = (*_TABLES, CENTROIDS)

_EXPECTED: dict[str, type | tuple[type, ...]] = {
    "shape": list,
    "dtype": str,
    "tree": dict,
    "path": list,
    "relations": list,
    "provenance": dict,
    "counts": dict,
    "files": dict,
}


def write(thesaurus: Thesaurus, path: str | os.PathLike[str]) -> None:
    """Write a thesaurus whole or not at all, in the place of an older one if need be."""
    counts, belongs = thesaurus.counts, thesaurus.memberships.tocoo()
    cells = counts.matrix.tocoo()
    dtype = str(counts.matrix.dtype)
    arrays: dict[str, dict[str, Any]] = {
        "words.parquet": {"word": counts.words},
        "contexts.parquet": {"context": counts.contexts, "slot": counts.slots},
        "entries.parquet": {"row": cells.row, "column": cells.col, "count": cells.data},
        "membership.parquet": {
            "row": belongs.row,
            "cluster": belongs.col,
            "probability": belongs.data.astype(np.float64),
        },
    }
    with new_directory(path, is_thesaurus, KIND) as draft:
        with database() as connection:
            for name, columns in arrays.items():
                write_parquet(connection, columns, _types(name, dtype), draft / name)
        np.savez(
            draft / CENTROIDS,
            allow_pickle=False,
            centroids=thesaurus.centroids,
            mass=thesaurus.mass,
        )
        _seal(draft, thesaurus, dtype)


def read(path: str | os.PathLike[str]) -> Thesaurus:
    """Read a thesaurus; a file that is missing, cut short or changed is named."""
    folder = Path(path)
    record = manifest(folder)
    _verify(folder, record)
    with database() as connection:
        tables = {
            name: _fetched(connection, folder / name, _types(name, record["dtype"]))
            for name in _TABLES
        }
    arrays = _arrays(folder / CENTROIDS)
    entries, belongs = tables["entries.parquet"], tables["membership.parquet"]
    contexts = tables["contexts.parquet"]
    try:
        words, columns, clusters = record["shape"]
        places = entries["row"], entries["column"]
        counts = Counts(
            sparse.coo_array((entries["count"], places), shape=(words, columns)),
            tables["words.parquet"]["word"],
            contexts["context"],
            slots=contexts["slot"],
            relations=record["relations"],
            provenance=record["counts"],
        )
        at = belongs["row"], belongs["cluster"]
        return Thesaurus(
            counts,
            Tree.from_json(record["tree"]),
            sparse.coo_array((belongs["probability"], at), shape=(words, clusters)),
            arrays["centroids"],
            arrays["mass"],
            steps=record["path"],
            provenance=record["provenance"],
        )
    except (KeyError, TypeError, ValueError) as error:
        said = str(error) if isinstance(error, InputError) else repr(error)
        raise InputError(f"{folder}: is not a whole thesaurus: {said}") from None


def is_thesaurus(folder: Path) -> bool:
    """Whether the folder says of itself that it holds a thesaurus."""
    try:
        return bool(_parsed(folder / MANIFEST)["format"] == FORMAT)
    except (InputError, KeyError):
        return False


def manifest(folder: Path) -> dict[str, Any]:
    """What thesaurus.json says, checked; nothing else is read."""
    place = folder / MANIFEST
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; expected {KIND}")
    if not place.is_file():
        raise InputError(f"{folder}: not {KIND}: it has no {MANIFEST}")
    record = _parsed(place)
    if record.get("format") != FORMAT:
        raise InputError(f"{place}: the format is {record.get('format')!r}; expected {FORMAT!r}")
    version = record.get("version")
    if isinstance(version, int) and version > VERSION:
        raise InputError(
            f"{place}: version {version} of the format; this roget reads up to version {VERSION}: "
            "update roget"
        )
    for name, kind in {"version": int, **_EXPECTED}.items():
        if not isinstance(record.get(name), kind):
            raise InputError(f"{place}: {name!r} is {record.get(name)!r}, which makes no sense")
    if record["dtype"] not in _COUNT:
        raise InputError(f"{place}: 'dtype' is {record['dtype']!r}, which makes no sense")
    return record


def _seal(folder: Path, thesaurus: Thesaurus, dtype: str) -> None:
    counts = thesaurus.counts
    record = {
        "format": FORMAT,
        "version": VERSION,
        "shape": [*counts.shape, thesaurus.tree.n_clusters],
        "dtype": dtype,
        "tree": thesaurus.tree.to_json(),
        "path": [_finite(step) for step in thesaurus.steps],
        "relations": list(counts.relations),
        "provenance": thesaurus.provenance,
        "counts": counts.provenance,
        "files": {
            name: {"bytes": (folder / name).stat().st_size, "sha256": sha256(folder / name)}
            for name in FILES
        },
    }
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1)
    except (TypeError, ValueError) as error:
        raise InputError(f"the path or provenance cannot be written as JSON: {error}") from None
    # A file name that is no text holds lone surrogates; their escape is what JSON wants as well.
    (folder / MANIFEST).write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def _finite(step: Mapping[str, Any]) -> dict[str, Any]:
    """The step with None for numbers that JSON has no name for."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in step.items()
    }


def _verify(folder: Path, record: Mapping[str, Any]) -> None:
    """Compare the files with their manifest: all sizes, and the hashes of all but huge ones."""
    for name in FILES:
        file, said = folder / name, record["files"].get(name)
        if not isinstance(said, dict) or not {"bytes", "sha256"} <= said.keys():
            raise InputError(f"{folder / MANIFEST}: 'files' says nothing of {name}")
        if not file.is_file():
            raise InputError(f"{file}: the file is missing")
        size = file.stat().st_size
        if size != said["bytes"]:
            raise InputError(f"{file}: {size:,} bytes; {MANIFEST} says {said['bytes']:,}")
        if size <= HASHED and sha256(file) != said["sha256"]:
            raise InputError(f"{file}: the file was changed since {MANIFEST} was written")


def _types(name: str, dtype: str) -> dict[str, str]:
    return {column: kind or _COUNT[dtype] for column, kind in _TABLES[name].items()}


def _fetched(connection: Any, file: Path, types: dict[str, str]) -> dict[str, npt.NDArray[Any]]:
    function = parquet(file.resolve())
    with readable(file):
        rows = connection.execute(f"DESCRIBE SELECT * FROM {function}").fetchall()
        found = {str(row[0]): str(row[1]) for row in rows}
        if found != types:
            said, right = (", ".join(f"{k} {v}" for k, v in c.items()) for c in (found, types))
            raise InputError(f"{file}: the columns are {said}; expected {right}")
        arrays: dict[str, npt.NDArray[Any]] = connection.execute(
            f"SELECT * FROM {function}"
        ).fetchnumpy()
    for column, array in arrays.items():
        if np.ma.isMaskedArray(array):
            raise InputError(f"{file}: the column {column} has a null")
    return arrays


def _arrays(file: Path) -> dict[str, npt.NDArray[Any]]:
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in ("centroids", "mass")}
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{file}: cannot be read as arrays: {error}") from None


def _parsed(place: Path) -> dict[str, Any]:
    try:
        record = json.loads(place.read_bytes())
    except OSError as error:
        raise InputError(f"{place}: {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error})") from None
    if not isinstance(record, dict):
        raise InputError(f"{place}: expected a JSON object")
    return record
