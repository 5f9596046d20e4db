"""One format for all that is kept in folders: a sealed manifest, tables and arrays.

A folder holds a JSON manifest, tables as Parquet files, and arrays in one .npz file. All manifests
have these names; a kind adds its own:

    format       roget.counts, roget.thesaurus, roget.soft.model, …
    kind         counts, thesaurus, clustering, classmodel, attacher or checkpoint: a folder is
                 replaced only by one of the same kind
    version      of the format
    roget        the version of roget that wrote it
    provenance   where the content comes from
    files        of each file: bytes, sha256; of tables, rows and columns (name → SQL type); of
                 arrays, dtype and shape (name → both)
    seal         SHA-256 of all that stands before it in the manifest

Nothing in a folder is run or unpickled, and nothing that a file says of itself is trusted before
it was compared with the file's size, and with the manifest. Folders that were written before there
were seals lack `kind`, `seal`, and the rows, columns, types and shapes of files.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import reprlib
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from roget._version import __version__
from roget.core.io import limits
from roget.core.io.duck import database, parquet, readable, write_parquet
from roget.core.io.values import format_json, parse_json
from roget.core.store import check_directory, new_directory
from roget.core.types import Array, PathLike
from roget.errors import InputError

Check: TypeAlias = Callable[[Any], bool]
Columns: TypeAlias = Mapping[str, Array]
Schema: TypeAlias = Mapping[str, tuple[str, tuple[str | int, ...]]]
"""Of arrays: numpy's kinds of types, and sizes, those of the same name being equal."""

HASHED = 256 << 20
"""Bytes up to which the SHA-256 of a table that may never be asked for is checked on loading; that
of a larger one is checked when it is read."""

ARRAYS = "arrays.npz"

THESAURUS = "thesaurus.json"
"""The manifest by which the folder of a thesaurus is known, also where none is opened."""

COUNT = "count"
"""Stands for the SQL type of counts, which the manifest's `dtype` tells."""

DTYPES = {"int64": "BIGINT", "float64": "DOUBLE"}
"""Types of counts, and what they are in tables."""

_SEAL = b',\n "seal": "'
_END = b'"\n}\n'
_SEALED = len(_END) + 64


@dataclass(frozen=True)
class Kind:
    """What folders of one kind hold: the declaration that `write` and `read` go by."""

    name: str
    format: str
    title: str = "a model"
    manifest: str = "model.json"
    version: int = 2
    """The first version that was sealed as described above; those before it are checked as far as
    they go, by `old` as well."""
    fields: Mapping[str, Check] = field(default_factory=dict)
    """Names that must be in the manifest, and whether a value can be right; "a.b" is b inside a."""
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Files, their columns and these columns' SQL types."""
    optional: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The same of files that a folder may lack; they are left alone until they are asked for."""
    arrays: str | None = None
    """The file of arrays, if there is one."""
    beside: tuple[str, ...] = ()
    """Files that have a format of their own."""
    old: Callable[[Path, dict[str, Any]], None] = lambda place, record: None
    """Refuses or completes the manifest of an earlier version."""

    @property
    def files(self) -> tuple[str, ...]:
        """All files but the manifest, and but those that may be missing."""
        return (*self.tables, *([self.arrays] if self.arrays else []))


def model(name: str, format: str) -> Kind:
    """A kind of arrays and plain values, whose names depend on what was learnt."""
    return Kind(name, f"roget.{format}", arrays=ARRAYS)


# ---- manifests


def seal_text(record: Mapping[str, Any]) -> bytes:
    """A JSON object as the bytes of a file, with a seal at its end."""
    text = format_json(record, allow_nan=False, default=_plain)
    # A file name that is no text holds lone surrogates; their escape is what JSON wants as well.
    body = text.removesuffix("\n}").encode("utf-8", "backslashreplace") + _SEAL
    return body + hashlib.sha256(body).hexdigest().encode() + _END


def is_sealed(data: bytes) -> bool:
    """Whether these are the bytes that `seal_text` gave, every one of them."""
    body, seal = data[:-_SEALED], data[-_SEALED:]
    right = hashlib.sha256(body).hexdigest().encode() + _END
    return body.endswith(_SEAL) and seal == right


def parse(place: Path, data: bytes) -> dict[str, Any]:
    """The JSON object in the bytes of a file."""
    try:
        found = parse_json(data)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error})") from None
    if not isinstance(found, dict):
        raise InputError(f"{place}: expected a JSON object")
    return found


def need_version(
    place: Path,
    record: Mapping[str, Any],
    format: str,
    known: int,
    data: bytes,
    sealed: int | None = None,
) -> int:
    """The version of a JSON file's format, if this roget can read it and the seal is whole.

    Versions are sealed from `sealed` on, if not named from the last: what has a seal and says that
    it is older was changed.
    """
    if record.get("format") != format:
        raise InputError(f"{place}: the format is {record.get('format')!r}; expected {format!r}")
    version: Any = record.get("version")
    if not is_whole(version) or version < 1:
        raise senseless(place, "version", version)
    if version > known:
        raise InputError(
            f"{place}: version {version} of the format; this roget reads up to version {known}: "
            "update roget"
        )
    sealed = known if sealed is None else sealed
    if version < sealed and ("seal" in record or "kind" in record):
        raise InputError(
            f"{place}: 'version' is {version}, which has no seal: the file was changed since it "
            "was written"
        )
    if version >= sealed and not is_sealed(data):
        raise changed(place)
    return int(version)


def changed(place: Path) -> InputError:
    """The error for a sealed file that is not as it was written."""
    return InputError(f"{place}: the file was changed since it was written")


def senseless(place: Path, name: str, value: Any) -> InputError:
    """The error for a part of a manifest that is not of its kind."""
    return InputError(f"{place}: {name!r} is {reprlib.repr(value)}, which makes no sense")


def is_whole(value: Any) -> bool:
    """Whether a value out of JSON is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_size(value: Any) -> bool:
    """Whether a value out of JSON is a whole number, 0 or more."""
    return is_whole(value) and value >= 0


def is_mapping(value: Any) -> bool:
    """Whether a value out of JSON is an object."""
    return isinstance(value, dict)


def is_list_of(is_right: Check) -> Check:
    """Whether a value out of JSON is a list of such values."""
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def is_text(value: Any) -> bool:
    """Whether a value out of JSON is a text."""
    return isinstance(value, str)


# ---- reading


@dataclass(frozen=True)
class Folder:
    """A folder whose manifest was read, once, and found right; its files are not read yet."""

    path: Path
    kind: Kind
    record: dict[str, Any]
    digest: str
    """SHA-256 of the manifest's bytes."""

    @property
    def is_sealed(self) -> bool:
        """Whether the manifest tells what its files hold."""
        return bool(self.record["version"] == self.kind.version)

    def verify(self) -> None:
        """Compare the files with the manifest: sizes and hashes, but for the hashes of huge tables
        that are not read now."""
        for name, said in self.record["files"].items():
            file, manifest = self.path / name, self.kind.manifest
            if not file.is_file():
                raise InputError(f"{file}: the file is missing")
            size = file.stat().st_size
            if size != said["bytes"]:
                raise InputError(f"{file}: {size:,} bytes; {manifest} says {said['bytes']:,}")
            if not self._is_put_off(name):
                self._need_hash(name)

    def _is_put_off(self, name: str) -> bool:
        """Whether a file's hash is checked only when it is read."""
        return name in self.kind.optional and self.record["files"][name]["bytes"] > HASHED

    def _need_hash(self, name: str) -> None:
        if sha256(self.path / name) != self.record["files"][name]["sha256"]:
            raise InputError(
                f"{self.path / name}: the file was changed since {self.kind.manifest} was written"
            )

    def tables(self, *names: str) -> dict[str, dict[str, Array]]:
        """The columns of each table, or of those that are named."""
        with database() as connection:
            return {name: self._table(connection, name) for name in names or self.kind.tables}

    def has(self, name: str) -> bool:
        """Whether there is a table that may be missing."""
        return name in self.record["files"]

    def arrays(self) -> dict[str, Any]:
        """The arrays by their names."""
        if self.kind.arrays is None:
            return {}
        file = self.path / self.kind.arrays
        arrays = read_npz(file)
        if self.is_sealed:
            said = self.record["files"][file.name].get("arrays")
            if said != {name: _describe(array) for name, array in arrays.items()}:
                raise InputError(f"{file}: not the arrays that {self.kind.manifest} tells of")
        return arrays

    def query(self, connection: Any, name: str) -> str:
        """The SQL that reads a table with its rows numbered, once its columns are right."""
        self._relation(connection, name)
        return parquet(self.path.resolve() / name, numbered=True)

    def _relation(self, connection: Any, name: str) -> Any:
        file = self.path.resolve() / name
        with readable(file):
            relation = connection.sql(f"SELECT * FROM {parquet(file)}")
        found = dict(zip(relation.columns, map(str, relation.types), strict=True))
        want = _columns(self.kind, name, self.record)
        if found != want:
            said, right = (", ".join(f"{k} {v}" for k, v in c.items()) for c in (found, want))
            raise InputError(f"{file}: the columns are {said}; expected {right}")
        return relation

    def _table(self, connection: Any, name: str) -> dict[str, Array]:
        file = self.path / name
        if self._is_put_off(name):
            self._need_hash(name)
        relation = self._relation(connection, name)
        said = self.record["files"][name].get("rows")
        if said is not None:
            if not is_size(said):
                raise senseless(self.path / self.kind.manifest, "rows", said)
            held, what = 8 * said * len(relation.columns), f"a table of {said:,} rows"
            limits.need_room(str(file), held, file.stat().st_size, what, limits.SPOOLED_TIMES)
            # One more would be too many, however many there are.
            relation = relation.limit(said + 1)
        with readable(file):
            arrays: dict[str, Array] = relation.fetchnumpy()
        rows = len(next(iter(arrays.values())))
        if said is not None and rows != said:
            more = "more" if rows > said else f"{rows:,}"
            raise InputError(f"{file}: {more} rows; {self.kind.manifest} says {said:,}")
        for column, array in arrays.items():
            if np.ma.isMaskedArray(array):
                raise InputError(f"{file}: the column {column} has a null")
        return arrays


def open_folder(path: PathLike, kind: Kind) -> Folder:
    """The folder of that kind, by its manifest; the files are left alone."""
    folder = Path(path)
    place = folder / kind.manifest
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; expected {kind.title}")
    if not place.is_file():
        raise InputError(f"{folder}: not {kind.title}: it has no {kind.manifest}")
    try:
        data = place.read_bytes()
    except OSError as error:
        raise InputError(f"{place}: {error.strerror}") from None
    record = parse(place, data)
    version = need_version(place, record, kind.format, kind.version, data)
    if version < kind.version:
        kind.old(place, record)
        record = {"provenance": {}, "files": {}} | record
    checks = {"provenance": is_mapping, "files": is_mapping, **kind.fields}
    for name, is_right in checks.items():
        part, _, inner = name.partition(".")
        value = record.get(part) if not inner else record[part].get(inner)
        if not is_right(value):
            raise senseless(place, name, value)
    _check_files(place, kind, record, sealed=version == kind.version)
    return Folder(folder, kind, record, hashlib.sha256(data).hexdigest())


def is_kind(folder: PathLike, kind: Kind) -> bool:
    """Whether a folder says of itself that it is of this kind; its manifest is not parsed."""
    try:
        with open(Path(folder) / kind.manifest, "rb") as file:
            begin = _BEGIN.match(file.read(256))
    except (OSError, ValueError):  # no such file, or no such name
        return False
    return begin is not None and _kind_of(begin[1].decode(), begin[2]) == kind.name


_BEGIN = re.compile(rb'\s*\{\s*"format":\s*"roget\.([a-z.]+)"(?:,\s*"kind":\s*"([a-z]+)")?')


def _kind_of(format: str, kind: bytes | None) -> str:
    """The kind of a folder by its format, if it was written before manifests told kinds."""
    if kind is not None:
        return kind.decode()
    if format.endswith(".checkpoint"):
        return "checkpoint"
    known = {"classmodel.model": "classmodel", "attachment.model": "attacher"}
    return known.get(format, "clustering" if format.endswith(".model") else format)


def _check_files(place: Path, kind: Kind, record: Mapping[str, Any], *, sealed: bool) -> None:
    """Refuse a manifest that does not tell of all files what it should, or of others as well."""
    files = record["files"]
    if not sealed and not files and not kind.tables:
        return  # models before there were seals
    for name, said in files.items():
        if (
            name not in (*kind.files, *kind.optional)
            or not is_mapping(said)
            or not (is_size(said.get("bytes")) and is_text(said.get("sha256")))
        ):
            raise senseless(place, "files", files)
    missing = next((name for name in kind.files if name not in files), None)
    if missing is not None:
        raise InputError(f"{place}: 'files' is {reprlib.repr(files)}; says nothing of {missing}")


# ---- writing


@contextmanager
def draft_of(
    path: PathLike, kind: Kind, ours: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """Make a draft of a folder, to be filled and sealed in the block.

    The draft is opened and its arrays are loaded before it replaces anything; see
    `roget.core.store.new_directory`.
    """

    def may_go(folder: Path) -> bool:
        return (ours is None or ours(folder)) and _may_go(folder, kind)

    with new_directory(path, may_go, kind.title) as draft:
        yield draft
        written = open_folder(draft, kind)
        written.arrays()
        if kind.tables:
            with database() as connection:
                for name in kind.tables:
                    written.query(connection, name)


def check(path: PathLike, kind: Kind) -> None:
    """Refuse a place where no folder of this kind could be written: better before the work."""
    check_directory(path, lambda folder: _may_go(folder, kind), kind.title)


_RUBBISH = re.compile(r"\.DS_Store|Thumbs\.db|desktop\.ini|\.nfs.*|\..*\.draft(\.old)?")
"""What systems and killed runs leave in folders."""


def _may_go(folder: Path, kind: Kind) -> bool:
    """Whether a folder is of this kind; one that holds something else as well must not go."""
    if not is_kind(folder, kind):
        return False
    known = {kind.manifest, *kind.files, *kind.optional, *kind.beside}
    with suppress(OSError, ValueError, LookupError, TypeError):  # a damaged one may be replaced
        known |= {*parse_json((folder / kind.manifest).read_bytes())["files"]}
    for name in sorted(os.listdir(folder)):
        if name not in known and not _RUBBISH.fullmatch(name):
            raise InputError(
                f"cannot write {folder}: {name} in it is not part of {kind.title} and would be "
                "lost; move it away, or name another output"
            )
    return True


def write(path: PathLike, kind: Kind, content: Mapping[str, Any]) -> None:
    """Write a folder of plain values and arrays, whole or not at all."""
    arrays = {name: value for name, value in content.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in content.items() if name not in arrays}
    with draft_of(path, kind) as draft:
        fill(draft, kind, plain, provenance={}, arrays=arrays)


def read(path: PathLike, kind: Kind) -> dict[str, Any]:
    """What `write` wrote: the manifest's names and the arrays."""
    try:
        folder = open_folder(path, kind)
        folder.verify()
        return folder.record | folder.arrays()
    except InputError as error:
        raise InputError(f"{path} cannot be read as {kind.title}: {error}") from None


def fill(
    draft: Path,
    kind: Kind,
    plain: Mapping[str, Any],
    *,
    provenance: Mapping[str, Any],
    tables: Mapping[str, Columns] | None = None,
    arrays: Mapping[str, Array] | None = None,
) -> str:
    """Write tables, arrays and the manifest of a draft; gives the manifest's SHA-256."""
    if tables:
        with database() as connection:
            for name, columns in tables.items():
                types, packed = _columns(kind, name, plain), name in kind.optional
                write_parquet(connection, columns, types, draft / name, packed=packed)
    arrays = arrays or {}
    if kind.arrays is not None:
        write_npz(draft / kind.arrays, arrays)
    rows = {name: len(next(iter(columns.values()))) for name, columns in (tables or {}).items()}
    return seal(draft, kind, plain, provenance=provenance, rows=rows, arrays=arrays)


def seal(
    draft: Path,
    kind: Kind,
    plain: Mapping[str, Any],
    *,
    provenance: Mapping[str, Any],
    rows: Mapping[str, int],
    arrays: Mapping[str, Array] | None = None,
) -> str:
    """Write the manifest of a draft that holds its files already; gives its SHA-256."""
    files: dict[str, dict[str, Any]] = {}
    present = [name for name in kind.optional if (draft / name).is_file()]
    for name in (*kind.files, *present):
        file = draft / name
        files[name] = {"bytes": file.stat().st_size, "sha256": sha256(file)}
        if name != kind.arrays:
            files[name] |= {"rows": int(rows[name]), "columns": _columns(kind, name, plain)}
        else:
            files[name]["arrays"] = {k: _describe(array) for k, array in (arrays or {}).items()}
    record = {
        "format": kind.format,
        "kind": kind.name,
        "version": kind.version,
        "roget": __version__,
        **plain,
        "provenance": dict(provenance),
        "files": files,
    }
    try:
        data = seal_text(record)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{kind.title} whose values or provenance cannot be written as JSON: {error}"
        ) from None
    (draft / kind.manifest).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _columns(kind: Kind, name: str, record: Mapping[str, Any]) -> dict[str, str]:
    """The columns of a table and their SQL types."""
    return {
        column: DTYPES[record["dtype"]] if type is COUNT else type
        for column, type in {**kind.tables, **kind.optional}[name].items()
    }


def _describe(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "shape": list(array.shape)}


def _plain(value: Any) -> Any:
    """A number of numpy's as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be kept")


# ---- arrays

CSR = ("data", "indices", "indptr")
_MAGIC = b"\x93NUMPY"
_LONGEST = 10_000
"""Bytes of the longest header that is looked at."""

_FAULTS = (
    OSError, EOFError, ValueError, TypeError, KeyError, NotImplementedError, RuntimeError,
    MemoryError, OverflowError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_npz(file: Path, *, packed: bool = False, kinds: str = "biuf") -> dict[str, Any]:
    """The arrays of an .npz file, of numpy's kinds of types; `packed` ones only if asked for.

    Nothing is unpickled, and no room is made for an array before its size was compared with the
    file's.
    """
    try:
        with open(file, "rb") as raw:
            if raw.read(len(_MAGIC)) == _MAGIC:
                raise InputError("holds a single array; expected a .npz file of several")
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            _need_room(file, members, packed=packed)
            found = {}
            for one in members:
                with archive.open(one) as raw:
                    array = _read_array(raw, one.filename, one.file_size, kinds)
                found[one.filename.removesuffix(".npy")] = array
            return found
    except InputError as error:
        if str(error).startswith(str(file)):
            raise
        raise InputError(f"{file}: cannot be read as arrays: {error}") from None
    except _FAULTS as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{file}: cannot be read as arrays: {said or repr(error)}") from None


def check_archive(file: Path) -> None:
    """Refuse a .zip, or what is one inside, that unpacks to more than it may."""
    try:
        with zipfile.ZipFile(file) as archive:
            _need_room(file, archive.infolist(), packed=True)
    except _FAULTS as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{file}: cannot be unpacked: {error}") from None


def write_npz(file: Path | IO[bytes], arrays: Mapping[str, Any], *, packed: bool = False) -> None:
    """Write arrays to an .npz file or stream; arrays of Python objects are refused."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"{name} holds Python objects, which are never written")
    # numpy before 2.2 has no argument allow_pickle: it would write an array of that name.
    with open(file, "wb") if isinstance(file, Path) else nullcontext(file) as raw:
        (np.savez_compressed if packed else np.savez)(raw, **arrays)


def _need_room(file: Path, members: list[zipfile.ZipInfo], *, packed: bool) -> None:
    """Refuse an archive that says it holds more than it can, or than it may."""
    size = file.stat().st_size
    for one in members:
        stored = one.compress_type == zipfile.ZIP_STORED and one.file_size == one.compress_size
        if not stored and not packed:
            raise InputError(f"{one.filename} is packed")
        limits.check_packing(str(file), one.filename, one.compress_type)
    if sum(one.compress_size for one in members) > size:
        raise InputError("its parts are larger than the file")
    whole = sum(one.file_size for one in members)
    limits.need_room(str(file), whole, size, f"unpacks to {limits.show_size(whole)}")


def read_npy(file: Path) -> Any:
    """The array of an .npy file, none of whose claims are trusted."""
    with open(file, "rb") as raw:
        return _read_array(raw, "it", file.stat().st_size, "biufUS")


def _read_array(raw: IO[bytes], name: str, size: int, kinds: str) -> Any:
    formats = np.lib.format
    try:
        first = formats.read_magic(raw) == (1, 0)
        read = formats.read_array_header_1_0 if first else formats.read_array_header_2_0
        shape, _, dtype = read(raw, max_header_size=_LONGEST)
    except Exception:  # numpy's parser has errors of several kinds
        raise InputError(f"{name} is no array of numbers or texts") from None
    if dtype.hasobject:
        raise InputError(
            f"{name} holds Python objects; objects are never loaded, because that can run "
            "code: save names as arrays of text, array.astype('U')"
        )
    if dtype.kind not in kinds:
        raise InputError(f"{name} has values of type {dtype}")
    if raw.tell() + math.prod(shape) * dtype.itemsize != size:
        raise InputError(f"{name} is no array of shape {shape} and type {dtype}")
    raw.seek(0)
    # Compiled code knows the machine's own order of bytes only.
    array = formats.read_array(raw, allow_pickle=False).astype(dtype.newbyteorder("="), copy=False)
    if dtype.kind == "U" and array.size and dtype.itemsize:
        letters = np.ascontiguousarray(array).view(np.uint32)
        if letters.max() > sys.maxunicode:
            raise InputError(f"{name} holds what is no text")
    return array


def need_csr(parts: Sequence[Array], shape: Any, *, finite: bool = True) -> Any:
    """The scipy.sparse.csr_array of data, indices and indptr, once no place in it leads outside.

    Compiled code follows `indptr` and `indices` blindly. A ValueError tells what is wrong.
    """
    from scipy import sparse

    data, indices, indptr = parts
    shape = tuple(int(size) for size in shape)
    if len(shape) != 2 or min(shape) < 0:
        raise ValueError(f"the shape is {shape}; expected rows and columns")
    for name, part, kinds in (
        ("data", data, "biuf"), ("indices", indices, "iu"), ("indptr", indptr, "iu"),
    ):  # fmt: skip
        if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.kind not in kinds:
            raise ValueError(f"{name}: expected numbers in a row, places being whole ones")
    if indptr.size != shape[0] + 1 or indptr[0] != 0 or indptr[-1] != indices.size:
        raise ValueError(f"indptr does not lead through {shape[0]} rows and {indices.size} cells")
    if data.size != indices.size:
        raise ValueError(f"{data.size} values have {indices.size} places")
    if not np.all(indptr[1:] >= indptr[:-1]):
        raise ValueError("indptr decreases")
    if indices.size and not (int(indices.min()) >= 0 and int(indices.max()) < shape[1]):
        raise ValueError(f"indices lead outside of {shape[1]} columns")
    if finite and not np.isfinite(data).all():
        raise ValueError("data: expected numbers that are finite")
    return sparse.csr_array((data, indices, indptr), shape=shape)


def to_arrays(name: str, table: Any) -> dict[str, Array]:
    """A table as arrays that folders keep: itself, or the parts of a sparse one."""
    if isinstance(table, np.ndarray):
        return {name: table}
    parts = {f"{name}.{part}": np.asarray(getattr(table, part)) for part in CSR}
    return {**parts, f"{name}.shape": np.array(table.shape)}


def from_arrays(arrays: Mapping[str, Any], name: str) -> Any:
    """The table of `to_arrays`, checked; a KeyError or ValueError tells what is wrong."""
    if name in arrays:
        need_arrays(arrays, {name: ("iuf", ("rows", "columns"))})
        return arrays[name]
    try:
        table = need_csr([arrays[f"{name}.{part}"] for part in CSR], arrays[f"{name}.shape"])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    # Compiled code goes through rows in order, and meets no cell twice.
    if not table.has_canonical_format:
        table.sum_duplicates()
    return table


def put_under(part: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a part, by the names under which it is kept beside others."""
    return {f"{part}.{name}": value for name, value in content.items()}


def take_under(part: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """What `put_under` put there, by its own names."""
    head = f"{part}."
    return {name[len(head) :]: value for name, value in kept.items() if name.startswith(head)}


def need_arrays(arrays: Mapping[str, Any], schema: Schema) -> dict[str, int]:
    """The sizes by their names, once arrays are of these kinds and shapes and finite.

    >>> arrays = {"a": np.ones((2, 3)), "b": np.ones(3)}
    >>> need_arrays(arrays, {"a": ("f", ("n", "m")), "b": ("f", ("m",))})
    {'n': 2, 'm': 3}
    """
    sizes: dict[str, int] = {}
    for name, (kinds, shape) in schema.items():
        array = arrays[name]
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds:
            raise ValueError(f"{name}: expected an array of numpy's kinds {kinds}")
        if array.ndim != len(shape):
            raise ValueError(f"{name}: the shape is {array.shape}, expected {shape}")
        for size, of in zip(array.shape, shape, strict=True):
            if size != (of if isinstance(of, int) else sizes.setdefault(of, size)):
                raise ValueError(f"{name}: the shape is {array.shape}, expected {shape} by {sizes}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name}: expected numbers that are finite")
    return sizes


def need_range(name: str, values: Array, low: float, high: float) -> None:
    """Refuse, by a ValueError, numbers that are not from `low` to below `high`."""
    if values.size and not (values.min() >= low and values.max() < high):
        raise ValueError(f"{name}: expected numbers from {low:,} to below {high:,}")


def need_texts(given: Mapping[str, Any], *names: str, distinct: bool = True) -> None:
    """Refuse, by a ValueError, what are not lists of texts, each of them once if `distinct`."""
    for name in names:
        texts = given[name]
        if not is_list_of(is_text)(texts) or (distinct and len({*texts}) != len(texts)):
            raise ValueError(f"{name!r} is {reprlib.repr(texts)}, which makes no sense")


def need_numbers(given: Mapping[str, Any], *names: str, low: float = -math.inf) -> None:
    """Refuse, by a ValueError, plain values that are not finite numbers, `low` or more."""
    for name in names:
        value = given[name]
        right = isinstance(value, int | float) and not isinstance(value, bool)
        if not right or not low <= value <= sys.float_info.max:
            raise ValueError(f"{name!r} is {reprlib.repr(value)}, which makes no sense")


@contextmanager
def whole(path: PathLike) -> Iterator[None]:
    """Whatever goes wrong while a folder's content is made sense of names the folder."""
    try:
        yield
    except InputError:
        raise
    except KeyError as error:
        raise InputError(f"{path} is not a whole model: {error} is missing") from None
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{path} is not a whole model: {error}") from None
