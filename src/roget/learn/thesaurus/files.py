"""A thesaurus as a folder: thesaurus.json, Parquet files and one of arrays, checked when read.

thesaurus.json       format, version, sizes, tree, labels, path of the search, provenance, files
edits.json           what people changed, in order; all other files are without these edits
words.parquet        word VARCHAR; row i is word i
contexts.parquet     context VARCHAR, slot VARCHAR ("" if none)
entries.parquet      row INTEGER, column INTEGER, count BIGINT or DOUBLE: the counts
membership.parquet   row INTEGER, cluster INTEGER, probability DOUBLE: p(cluster|word)
centroids.npz        centroids: clusters × contexts; mass: p(cluster)

Version 1 had no labels and no edits.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts import Counts
from roget.core.folder import HASHED, sha256
from roget.core.io.duck import database, parquet, readable, write_parquet
from roget.core.store import locked, new_directory, read_object, write_atomic
from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.clustering.result import Clustering
from roget.learn.thesaurus import record as recorded
from roget.learn.thesaurus.edits import Edit
from roget.learn.thesaurus.thesaurus import Thesaurus

FORMAT = "roget.thesaurus"
VERSION = 2
KIND = "a thesaurus"
MANIFEST, CENTROIDS, EDITS = "thesaurus.json", "centroids.npz", "edits.json"
EDITS_FORMAT, EDITS_VERSION = "roget.edits", 1

_TABLES: dict[str, dict[str, str]] = {
    "words.parquet": {"word": "VARCHAR"},
    "contexts.parquet": {"context": "VARCHAR", "slot": "VARCHAR"},
    "entries.parquet": {"row": "INTEGER", "column": "INTEGER", "count": ""},
    "membership.parquet": {"row": "INTEGER", "cluster": "INTEGER", "probability": "DOUBLE"},
}
FILES = (*_TABLES, CENTROIDS)


class Changed(InputError):
    """A folder holds another thesaurus, or other edits, than when it was last read or written."""


def write(thesaurus: Thesaurus, path: str | os.PathLike[str]) -> None:
    """Write a thesaurus whole or not at all, in the place of an older one if need be.

    Where it was read from, or written to before, only the edits are written; and nothing, if
    somebody else has written there since.
    """
    base, target = thesaurus.base, Path(path).resolve()
    known = base.homes.get(target)
    if known is not None:
        with locked(target):
            _need_unchanged(target, known)
            if _is_whole(target):
                text = _edits_text(thesaurus.edits, known[0])
                write_atomic(target / EDITS, text)
                base.homes[target] = known[0], _text_sha256(text)
                return

    def is_ours(folder: Path) -> bool:
        if known is not None:
            _need_unchanged(folder, known)
        return is_thesaurus(folder)

    with new_directory(target, is_ours, KIND) as draft:
        _write_tables(base, draft)
        digest = sha256(draft / MANIFEST)
        text = _edits_text(thesaurus.edits, digest)
        write_atomic(draft / EDITS, text)
    base.homes[target] = digest, _text_sha256(text)


def _write_tables(base: Thesaurus, draft: Path) -> None:
    """Write all but the edits."""
    counts = base.counts
    cells, belongs = counts.matrix.tocoo(), base.memberships.copy()
    belongs.sum_duplicates()
    belongs = belongs.tocoo()
    dtype = str(counts.matrix.dtype)
    arrays: dict[str, dict[str, Any]] = {
        "words.parquet": {"word": counts.words},
        "contexts.parquet": {"context": counts.contexts, "slot": counts.slots},
        "entries.parquet": {"row": cells.row, "column": cells.col, "count": cells.data},
        "membership.parquet": {
            "row": belongs.row,
            "cluster": belongs.col,
            "probability": belongs.data,
        },
    }
    with database() as connection:
        for name, columns in arrays.items():
            write_parquet(connection, columns, _types(name, dtype), draft / name)
    plain, kept = base.clustering.to_parts()
    kept = {name: values for name, values in kept.items() if not name.startswith("memberships")}
    np.savez(draft / CENTROIDS, allow_pickle=False, **kept)
    _seal(draft, base, dtype, {**plain, "tree": None, "path": None, "contexts": None})


def read(path: str | os.PathLike[str]) -> Thesaurus:
    """Read a thesaurus; a file that is missing, cut short or changed is named."""
    folder = Path(path)
    seen = _state(folder)
    record = manifest(folder)
    _verify(folder, record)
    edits = read_edits(folder)
    base = _base(folder, record)
    if _state(folder) != seen:
        raise Changed(f"{folder}: the thesaurus was changed while it was read: load it again")
    base.homes[folder.resolve()] = seen
    try:
        return base.with_edits(edits) if edits else base
    except (InputError, LookupError) as error:
        raise InputError(f"{folder / EDITS}: {error}") from None


def read_edits(path: str | os.PathLike[str]) -> tuple[Edit, ...]:
    """The edits that are kept with a thesaurus, without the rest of it."""
    folder = Path(path)
    if manifest(folder)["version"] == 1:
        return ()
    place = folder / EDITS
    if not place.is_file():
        raise InputError(f"{place}: the file is missing")
    record = read_object(place)
    if record.get("format") != EDITS_FORMAT:
        raise InputError(
            f"{place}: the format is {record.get('format')!r}; expected {EDITS_FORMAT!r}"
        )
    recorded.need_version(place, record, EDITS_VERSION)
    given = record.get("edits")
    if not isinstance(given, list) or not recorded.is_sealed(given, record.get("sha256")):
        raise InputError(f"{place}: the file was changed since it was written")
    if record.get("thesaurus") != sha256(folder / MANIFEST):
        raise InputError(f"{place}: the edits are those of another {MANIFEST} than the one here")
    try:
        return tuple(Edit.from_json(one) for one in given)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _base(folder: Path, record: Mapping[str, Any]) -> Thesaurus:
    """The thesaurus as it was learnt."""
    with database() as connection:
        tables = {
            name: _fetched(connection, folder / name, _types(name, record["dtype"]))
            for name in _TABLES
        }
    arrays = _arrays(folder / CENTROIDS)
    entries, belongs = tables["entries.parquet"], tables["membership.parquet"]
    contexts = tables["contexts.parquet"]
    names = tables["words.parquet"]["word"]
    shape = [len(names), len(contexts["context"]), int(arrays["mass"].size)]
    try:
        if record["shape"] != shape:
            raise InputError(f"'shape' is {record['shape']}, and that of the tables {shape}")
        words, columns, clusters = shape
        places = entries["row"], entries["column"]
        counts = Counts(
            sparse.coo_array((entries["count"], places), shape=(words, columns)),
            names,
            contexts["context"],
            slots=contexts["slot"],
            relations=record["relations"],
            provenance=record["counts"],
        )
        at = belongs["row"], belongs["cluster"]
        table = sparse.coo_array((belongs["probability"], at), shape=(words, clusters))
        labels = {int(node): label for node, label in record.get("labels", {}).items()}
        told = {"provenance": record["provenance"], "labels": labels}
        if "clustering" not in record:  # written before clusterings were kept
            tree, steps = Tree.from_json(record["tree"]), record["path"]
            found = tree, table, arrays["centroids"], arrays["mass"]
            return Thesaurus(counts, *found, steps=steps, **told)
        plain = {**record["clustering"], "tree": record["tree"], "path": record["path"]}
        arrays["memberships"] = table.tocsr()
        return Thesaurus.from_clustering(counts, Clustering.of_parts(plain, arrays), **told)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        said = str(error) if isinstance(error, InputError) else repr(error)
        raise InputError(
            f"{folder / MANIFEST}: with the other files this is not a whole thesaurus: {said}"
        ) from None


def is_thesaurus(folder: Path) -> bool:
    """Whether the folder says of itself that it holds a thesaurus."""
    try:
        return bool(read_object(folder / MANIFEST)["format"] == FORMAT)
    except (InputError, KeyError):
        return False


def manifest(folder: Path) -> dict[str, Any]:
    """What thesaurus.json says, checked; nothing else is read."""
    place = folder / MANIFEST
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; expected {KIND}")
    if not place.is_file():
        raise InputError(f"{folder}: not {KIND}: it has no {MANIFEST}")
    record = read_object(place)
    if record.get("format") != FORMAT:
        raise InputError(f"{place}: the format is {record.get('format')!r}; expected {FORMAT!r}")
    version = recorded.need_version(place, record, VERSION)
    if version == 1 and ("sha256" in record or (folder / EDITS).exists()):
        raise InputError(
            f"{place}: 'version' is 1, which has no 'sha256' and no {EDITS}: the file was changed "
            "since it was written"
        )
    if version > 1 and not recorded.is_sealed(_unsealed(record), record.get("sha256")):
        raise InputError(f"{place}: the file was changed since it was written")
    recorded.check(place, record)
    return record


def _seal(folder: Path, thesaurus: Thesaurus, dtype: str, clustering: Mapping[str, Any]) -> None:
    counts = thesaurus.counts
    record = {
        "format": FORMAT,
        "version": VERSION,
        "shape": [*counts.shape, thesaurus.tree.n_clusters],
        "dtype": dtype,
        "tree": thesaurus.tree.to_json(),
        "labels": {str(node): thesaurus.labels[node] for node in sorted(thesaurus.labels)},
        "clustering": clustering,
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
        # What JSON makes of a record may differ from it, as lists do from tuples.
        record["sha256"] = recorded.digest(json.loads(_text(record)))
    except (TypeError, ValueError) as error:
        raise InputError(f"the path or provenance cannot be written as JSON: {error}") from None
    (folder / MANIFEST).write_text(_text(record), encoding="utf-8", newline="")


def _edits_text(edits: Sequence[Edit], thesaurus: str) -> str:
    """edits.json: the edits, and what tells that they are whole and belong here."""
    plain = [edit.to_json() for edit in edits]
    return _text(
        {
            "format": EDITS_FORMAT,
            "version": EDITS_VERSION,
            "thesaurus": thesaurus,
            "sha256": recorded.digest(plain),
            "edits": plain,
        }
    )


def _text(record: Mapping[str, Any]) -> str:
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    # A file name that is no text holds lone surrogates; their escape is what JSON wants as well.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _unsealed(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "sha256"}


def _state(folder: Path) -> tuple[str, str]:
    """What tells a thesaurus and its edits from others: hashes; "" for what is not there."""
    found = []
    for name in (MANIFEST, EDITS):
        try:
            found.append(sha256(folder / name))
        except OSError:
            found.append("")
    return found[0], found[1]


def _need_unchanged(folder: Path, known: tuple[str, str]) -> None:
    """Refuse a folder that was written to since; what is gone can be written again."""
    for name, now, before in zip((MANIFEST, EDITS), _state(folder), known, strict=True):
        if now not in ("", before):
            what = "edited" if name == EDITS else "rebuilt or changed"
            raise Changed(
                f"{folder / name}: the thesaurus was {what} elsewhere since it was loaded: load it "
                "again, or save under another name"
            )


def _is_whole(folder: Path) -> bool:
    """Whether there is a thesaurus of this version in a folder, by manifest and sizes."""
    try:
        record = manifest(folder)
        sizes = {name: (folder / name).stat().st_size for name in FILES}
        return record["version"] == VERSION and all(
            record["files"][name]["bytes"] == size for name, size in sizes.items()
        )
    except (InputError, OSError, KeyError):
        return False


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
        if said is None:
            raise InputError(f"{folder / MANIFEST}: 'files' says nothing of {name}")
        if not file.is_file():
            raise InputError(f"{file}: the file is missing")
        size = file.stat().st_size
        if size != said["bytes"]:
            raise InputError(f"{file}: {size:,} bytes; {MANIFEST} says {said['bytes']:,}")
        if size <= HASHED and sha256(file) != said["sha256"]:
            raise InputError(f"{file}: the file was changed since {MANIFEST} was written")


def _types(name: str, dtype: str) -> dict[str, str]:
    return {column: kind or recorded.DTYPES[dtype] for column, kind in _TABLES[name].items()}


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
            return {"mass": arrays["mass"], **{name: arrays[name] for name in arrays.files}}
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{file}: cannot be read as arrays: {error}") from None
