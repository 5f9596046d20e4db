"""The format of all folders that roget writes: a manifest with a checksum, plus tables and arrays.

A folder holds a JSON manifest, tables as Parquet files, and arrays in one .npz file. All manifests
have the following fields, and each kind of folder adds more:

    format       roget.counts, roget.thesaurus, roget.soft.model, …
    kind         counts, thesaurus, clustering, classmodel, attacher or checkpoint; a folder is
                 replaced only by a folder of the same kind
    version      version of the format
    roget        version of roget that wrote the folder
    provenance   origin of the content
    files        per file: bytes, sha256; for tables rows and columns (name → SQL type); for
                 arrays dtype and shape (name → both)
    seal         SHA-256 of all bytes before the seal in the manifest

No content is executed or unpickled. Sizes and shapes declared in a file are validated against the
file size and the manifest before they are used. Folders written in version 1 of the format lack
`kind`, `seal`, and the rows, columns, types and shapes of files.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from roget._version import __version__
from roget.core.contents import (
    Check,
    Contents,
    TableField,
    check_tables,
    is_mapping,
    is_size,
    is_text,
    is_whole,
    stated_sizes,
    tables_of,
    values_of,
)
from roget.core.io import limits
from roget.core.io.duck import convert_errors, database, parquet, write_parquet
from roget.core.io.values import format_json, parse_json
from roget.core.store import check_directory, new_directory
from roget.core.types import Array, PathLike
from roget.errors import InputError

Columns: TypeAlias = Mapping[str, Array]

HASHED = 256 << 20
"""Maximum size in bytes of an optional table whose SHA-256 is checked when the folder is opened.

The hashes of larger tables are checked when they are read.
"""

ARRAYS = "arrays.npz"

THESAURUS = "thesaurus.json"
"""File name of a thesaurus manifest."""

COUNT = "count"
"""Placeholder for the SQL type of a count column, which depends on the manifest field `dtype`."""

DTYPES = {"int64": "BIGINT", "float64": "DOUBLE"}
"""Map from the dtype of the counts to the SQL type."""

_SEAL = b',\n "seal": "'
_END = b'"\n}\n'
_SEALED = len(_END) + 64


@dataclass(frozen=True)
class ModelContents(Contents):
    """Values and arrays with arbitrary names. The class of the model checks them."""


@dataclass(frozen=True)
class Kind:
    """A kind of folder, whose manifest fields and tables are declared by a dataclass."""

    name: str
    format: str
    title: str = "a model"
    manifest: str = "model.json"
    version: int = 2
    """The current version of the format.

    Manifests of this version end with a hash. Manifests of older versions are checked by `old`.
    """
    contents: type[Contents] = ModelContents
    """The declaration of the manifest fields and the tables. See `roget.core.contents`.

    Optional tables are read only on request.
    """
    arrays: str | None = None
    """Name of the .npz file, if the folder has arrays."""
    beside: tuple[str, ...] = ()
    """Names of other files that may be in the folder without being listed in the manifest."""
    old: Callable[[Path, dict[str, Any]], None] = lambda place, record: None
    """Function that checks or completes the manifest of an older version."""

    @cached_property
    def fields(self) -> dict[str, Check]:
        """Functions that check required manifest fields, keyed by path: "a.b" is field b in object
        a.
        """
        return values_of(self.contents)

    @cached_property
    def tables(self) -> dict[str, TableField]:
        """The required tables, keyed by file name."""
        return tables_of(self.contents, optional=False)

    @cached_property
    def optional(self) -> dict[str, TableField]:
        """The optional tables, keyed by file name."""
        return tables_of(self.contents, optional=True)

    @property
    def files(self) -> tuple[str, ...]:
        """All required files except the manifest."""
        return (*self.tables, *([self.arrays] if self.arrays else []))


def model(name: str, format: str) -> Kind:
    """Return the kind of folder that stores a model as arrays and values with arbitrary names."""
    return Kind(name, f"roget.{format}", arrays=ARRAYS)


# ---- manifests


def seal_text(record: Mapping[str, Any]) -> bytes:
    """Serialise a JSON object to bytes, adding a seal (a hash of the content) as its last field."""
    text = format_json(record, allow_nan=False, default=_plain)
    # Python represents undecodable file names with lone surrogates, so write these as escapes.
    body = text.removesuffix("\n}").encode("utf-8", "backslashreplace") + _SEAL
    return body + hashlib.sha256(body).hexdigest().encode() + _END


def is_sealed(data: bytes) -> bool:
    """Return True if the bytes end with a valid seal, i.e. have not changed since `seal_text`."""
    body, seal = data[:-_SEALED], data[-_SEALED:]
    expected = hashlib.sha256(body).hexdigest().encode() + _END
    return body.endswith(_SEAL) and seal == expected


def parse(place: Path, data: bytes) -> dict[str, Any]:
    """Parse the content of a file, which must be a JSON object."""
    try:
        found = parse_json(data)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error})", code="damaged-folder") from None
    if not isinstance(found, dict):
        raise InputError(f"{place}: expected a JSON object", code="damaged-folder")
    return found


def require_version(
    place: Path,
    record: Mapping[str, Any],
    format: str,
    known: int,
    data: bytes,
    sealed: int | None = None,
) -> int:
    """Check the format, version and seal of a manifest, and return its version.

    `known` is the newest version that can be read. Manifests of version `sealed` (default: `known`)
    or later contain a seal. If an older manifest contains one, it must have been modified.
    """
    if record.get("format") != format:
        raise InputError(
            f"{place}: the format is {record.get('format')!r}; expected {format!r}",
            code="damaged-folder",
        )
    version: Any = record.get("version")
    if not is_whole(version) or version < 1:
        raise invalid_field(place, "version", version)
    if version > known:
        raise InputError(
            f"{place}: this version of roget reads formats up to version {known}, but the file has "
            f"version {version}; update roget",
            code="newer-version",
        )
    sealed = known if sealed is None else sealed
    if version < sealed and ("seal" in record or "kind" in record):
        raise InputError(
            f"{place}: the file was modified after it was written (files of version {version} "
            "have no seal)",
            code="damaged-folder",
        )
    if version >= sealed and not is_sealed(data):
        raise changed(place)
    return int(version)


def changed(place: Path) -> InputError:
    """Return the error for a file with an invalid seal (hash)."""
    return InputError(f"{place}: the file was modified after it was written", code="damaged-folder")


def invalid_field(place: Path, name: str, value: Any) -> InputError:
    """Return the error for an invalid field in a manifest."""
    return InputError(
        f"{place}: invalid value for {name!r}: {reprlib.repr(value)}", code="damaged-folder"
    )


# ---- reading


@dataclass(frozen=True)
class Folder:
    """A folder whose manifest has been checked, but whose other files have not been read yet."""

    path: Path
    kind: Kind
    record: dict[str, Any]
    digest: str
    """SHA-256 of the manifest file."""

    @property
    def is_sealed(self) -> bool:
        """True for the current version of the format, in which the manifest describes all files."""
        return bool(self.record["version"] == self.kind.version)

    def verify(self) -> None:
        """Compare the sizes and hashes of all files with the manifest.

        Hashes of large optional tables are compared later, when the tables are read.
        """
        for name, declared in self.record["files"].items():
            file, manifest = self.path / name, self.kind.manifest
            if not file.is_file():
                raise InputError(f"{file}: the file is missing", code="damaged-folder")
            size = file.stat().st_size
            if size != declared["bytes"]:
                raise InputError(
                    f"{file}: found {size:,} bytes; expected {declared['bytes']:,} according to "
                    f"{manifest}",
                    code="damaged-folder",
                )
            if not self._is_deferred(name):
                self._require_hash(name)

    def _is_deferred(self, name: str) -> bool:
        """Return True if the hash of a file is checked only when the file is read."""
        return name in self.kind.optional and self.record["files"][name]["bytes"] > HASHED

    def _require_hash(self, name: str) -> None:
        if sha256(self.path / name) != self.record["files"][name]["sha256"]:
            raise InputError(
                f"{self.path / name}: the file was modified after {self.kind.manifest} was written",
                code="damaged-folder",
            )

    def tables(self, *names: str, **sizes: int) -> dict[str, dict[str, Array]]:
        """Return the columns of the named tables (default: all required tables).

        Numbers of rows and indices are checked against the declared dimensions. `sizes` contains
        the sizes of dimensions that are stored neither in the manifest nor in these tables.
        """
        with database() as connection:
            found = {name: self._table(connection, name) for name in names or self.kind.tables}
        known = stated_sizes(self.kind.contents, self.record) | sizes
        try:
            check_tables(self.kind.tables | self.kind.optional, found, known)
        except ValueError as error:
            place = self.path / self.kind.manifest
            raise InputError(
                f"{place}: the tables do not match: {error}", code="damaged-folder"
            ) from None
        return found

    def has(self, name: str) -> bool:
        """Return True if the folder contains the named optional table."""
        return name in self.record["files"]

    def arrays(self) -> dict[str, Any]:
        """Return all arrays, keyed by name."""
        if self.kind.arrays is None:
            return {}
        file = self.path / self.kind.arrays
        arrays = read_npz(file)
        if self.is_sealed:
            declared = self.record["files"][file.name].get("arrays")
            if declared != {name: _describe(array) for name, array in arrays.items()}:
                raise InputError(
                    f"{file}: types or shapes of the arrays differ from {self.kind.manifest}",
                    code="damaged-folder",
                )
        return arrays

    def query(self, connection: Any, name: str) -> str:
        """Check the columns of a table, and return an SQL expression that reads the table with row
        numbers."""
        self._relation(connection, name)
        return parquet(self.path.resolve() / name, numbered=True)

    def check_table(self, connection: Any, name: str) -> None:
        """Check the columns and the number of rows of a table, without reading its cells."""
        found = self._relation(connection, name).aggregate("count(*)").fetchall()[0][0]
        declared = self.record["files"][name].get("rows")
        if found != declared:
            raise InputError(
                f"{self.path / name}: found {found:,} rows; expected {declared:,} according to "
                f"{self.kind.manifest}",
                code="damaged-folder",
            )

    def _relation(self, connection: Any, name: str) -> Any:
        file = self.path.resolve() / name
        with convert_errors(file):
            relation = connection.sql(f"SELECT * FROM {parquet(file)}")
        found = dict(zip(relation.columns, map(str, relation.types), strict=True))
        declared = _columns(self.kind, name, self.record)
        if found != declared:
            got, expected = (", ".join(f"{k} {v}" for k, v in c.items()) for c in (found, declared))
            raise InputError(
                f"{file}: the columns are {got}; expected {expected}", code="damaged-folder"
            )
        return relation

    def _table(self, connection: Any, name: str) -> dict[str, Array]:
        file = self.path / name
        if self._is_deferred(name):
            self._require_hash(name)
        relation = self._relation(connection, name)
        declared = self.record["files"][name].get("rows")
        if declared is not None:
            if not is_size(declared):
                raise invalid_field(self.path / self.kind.manifest, "rows", declared)
            size, what = 8 * declared * len(relation.columns), f"a table of {declared:,} rows"
            limits.require_room(str(file), size, file.stat().st_size, what, limits.ON_DISK)
            # Read one extra row, which is sufficient to detect that there are too many.
            relation = relation.limit(declared + 1)
        with convert_errors(file):
            arrays: dict[str, Array] = relation.fetchnumpy()
        rows = len(next(iter(arrays.values())))
        if declared is not None and rows != declared:
            more = "more" if rows > declared else f"{rows:,}"
            raise InputError(
                f"{file}: found {more} rows; expected {declared:,} according to "
                f"{self.kind.manifest}",
                code="damaged-folder",
            )
        for column, array in arrays.items():
            if np.ma.isMaskedArray(array):
                raise InputError(
                    f"{file}: the column {column} has a missing value", code="damaged-folder"
                )
        return arrays


def open_folder(path: PathLike, kind: Kind) -> Folder:
    """Open a folder of the given kind and check its manifest, without reading other files."""
    folder = Path(path)
    place = folder / kind.manifest
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such directory; expected {kind.title}", code="file-not-found"
        )
    if not place.is_file():
        raise InputError(
            f"{folder} is not {kind.title}: {kind.manifest} is missing", code="damaged-folder"
        )
    try:
        data = place.read_bytes()
    except OSError as error:
        raise InputError(f"{place}: {error.strerror}", code="file-not-found") from None
    record = parse(place, data)
    version = require_version(place, record, kind.format, kind.version, data)
    if version < kind.version:
        kind.old(place, record)
        record = {"provenance": {}, "files": {}} | record
    checks = {"provenance": is_mapping, "files": is_mapping, **kind.fields}
    for name, is_valid in checks.items():
        part, _, inner = name.partition(".")
        value = record.get(part) if not inner else record[part].get(inner)
        if not is_valid(value):
            raise invalid_field(place, name, value)
    _check_files(place, kind, record, sealed=version == kind.version)
    return Folder(folder, kind, record, hashlib.sha256(data).hexdigest())


def is_kind(folder: PathLike, kind: Kind) -> bool:
    """Return True if a folder contains a manifest that declares the given kind.

    Only the start of the file is read.
    """
    try:
        with open(Path(folder) / kind.manifest, "rb") as file:
            begin = _BEGIN.match(file.read(256))
    except (OSError, ValueError):  # The file does not exist, or its name is invalid.
        return False
    return begin is not None and _kind_of(begin[1].decode(), begin[2]) == kind.name


_BEGIN = re.compile(rb'\s*\{\s*"format":\s*"roget\.([a-z.]+)"(?:,\s*"kind":\s*"([a-z]+)")?')


def _kind_of(format: str, kind: bytes | None) -> str:
    """Return the kind of a folder.

    In format version 1, the kind is derived from the format name.
    """
    if kind is not None:
        return kind.decode()
    if format.endswith(".checkpoint"):
        return "checkpoint"
    known = {"classmodel.model": "classmodel", "attachment.model": "attacher"}
    return known.get(format, "clustering" if format.endswith(".model") else format)


def _check_files(place: Path, kind: Kind, record: Mapping[str, Any], *, sealed: bool) -> None:
    """Raise an error unless the manifest lists all required files and no unknown files."""
    files = record["files"]
    if not sealed and not files and not kind.tables:
        return  # In format version 1, the manifest of a model does not list files.
    for name, declared in files.items():
        if (
            name not in (*kind.files, *kind.optional)
            or not is_mapping(declared)
            or not (is_size(declared.get("bytes")) and is_text(declared.get("sha256")))
        ):
            raise invalid_field(place, "files", files)
    missing = next((name for name in kind.files if name not in files), None)
    if missing is not None:
        raise InputError(
            f"{place}: 'files' does not list {missing}: {reprlib.repr(files)}",
            code="damaged-folder",
        )


# ---- writing


@contextmanager
def draft_of(
    path: PathLike, kind: Kind, ours: Callable[[Path], bool] | None = None
) -> Iterator[Path]:
    """Create a draft of a folder, to which the `with` block writes the files and the manifest.

    At the end of the block, the draft is validated and replaces the target. See
    `roget.core.store.new_directory`. An existing folder is replaced only if `ours` returns True for
    it.
    """

    def may_replace(folder: Path) -> bool:
        return (ours is None or ours(folder)) and _may_replace(folder, kind)

    with new_directory(path, may_replace, kind.title) as draft:
        yield draft
        written = open_folder(draft, kind)
        written.arrays()
        names = [*kind.tables, *filter(written.has, kind.optional)]
        if names:
            with database() as connection:
                for name in names:
                    written.check_table(connection, name)


def check(path: PathLike, kind: Kind) -> None:
    """Raise an error if a folder of the given kind cannot be written to a path.

    Commands call this function before long computations.
    """
    check_directory(path, lambda folder: _may_replace(folder, kind), kind.title)


_LEFTOVERS = re.compile(r"\.DS_Store|Thumbs\.db|desktop\.ini|\.nfs.*|\..*\.draft(\.old)?")
"""Names of files that operating systems or killed processes may leave in folders."""


def _may_replace(folder: Path, kind: Kind) -> bool:
    """Return True if a folder is of the given kind. Raise an error if it contains unknown files."""
    if not is_kind(folder, kind):
        return False
    known = {kind.manifest, *kind.files, *kind.optional, *kind.beside}
    with suppress(OSError, ValueError, LookupError, TypeError):  # A damaged folder may be replaced.
        known |= {*parse_json((folder / kind.manifest).read_bytes())["files"]}
    for name in sorted(os.listdir(folder)):
        if name not in known and not _LEFTOVERS.fullmatch(name):
            raise InputError(
                f"cannot replace {folder}: it contains {name}, which is not part of {kind.title} "
                "and would be lost; move the file, or choose another output",
                code="not-writable",
            )
    return True


def write(path: PathLike, kind: Kind, content: Mapping[str, Any]) -> None:
    """Write plain values and arrays to a folder atomically."""
    arrays = {name: value for name, value in content.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in content.items() if name not in arrays}
    with draft_of(path, kind) as draft:
        fill(draft, kind, plain, provenance={}, arrays=arrays)


def read(path: PathLike, kind: Kind) -> dict[str, Any]:
    """Return the plain values and arrays in a folder written by `write`."""
    try:
        folder = open_folder(path, kind)
        folder.verify()
        return folder.record | folder.arrays()
    except InputError as error:
        raise InputError(
            f"{path} cannot be read as {kind.title}: {error}", code=error.code
        ) from None


def fill(
    draft: Path,
    kind: Kind,
    plain: Mapping[str, Any],
    *,
    provenance: Mapping[str, Any],
    tables: Mapping[str, Columns] | None = None,
    arrays: Mapping[str, Array] | None = None,
) -> str:
    """Write the tables, arrays and manifest to a draft, and return the SHA-256 of the manifest."""
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
    """Write the manifest to a draft that already contains all files, and return its SHA-256."""
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
            f"{kind.title}: values or provenance cannot be converted to JSON: {error}",
            code="invalid-input",
        ) from None
    (draft / kind.manifest).write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def sha256(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _columns(kind: Kind, name: str, record: Mapping[str, Any]) -> dict[str, str]:
    """Return the SQL type of each column of a table, keyed by column name."""
    return {
        column: DTYPES[record["dtype"]] if type is COUNT else type
        for column, type in (kind.tables | kind.optional)[name].types.items()
    }


def _describe(array: Array) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "shape": list(array.shape)}


def _plain(value: Any) -> Any:
    """Convert a numpy scalar to a Python number."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be stored")


# ---- arrays

_MAGIC = b"\x93NUMPY"
_MAX_HEADER = 10_000
"""Maximum size of the header of an .npy array, in bytes."""

_FAULTS = (
    OSError, EOFError, ValueError, TypeError, KeyError, NotImplementedError, RuntimeError,
    MemoryError, OverflowError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def read_npz(file: Path, *, packed: bool = False, kinds: str = "biuf") -> dict[str, Any]:
    """Read the arrays in an .npz file.

    Compressed files are rejected unless `packed` is True. `kinds` are the allowed kinds of dtypes.
    Arrays are never unpickled, and the declared size of an array is checked against the file size
    before memory is allocated.
    """
    try:
        with open(file, "rb") as raw:
            if raw.read(len(_MAGIC)) == _MAGIC:
                raise InputError(
                    "this is a single array (.npy); expected an .npz file", code="broken-archive"
                )
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            _check_sizes(file, members, packed=packed)
            found = {}
            for one in members:
                with archive.open(one) as raw:
                    array = _read_array(raw, one.filename, one.file_size, kinds)
                found[one.filename.removesuffix(".npy")] = array
            return found
    except InputError as error:
        if str(error).startswith(str(file)):
            raise
        raise InputError(f"{file}: cannot read arrays: {error}", code=error.code) from None
    except _FAULTS as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{file}: cannot read arrays: {reason or repr(error)}", code="broken-archive"
        ) from None


def check_archive(file: Path) -> None:
    """Raise an error if a .zip-based file would exceed the size limit when decompressed."""
    try:
        with zipfile.ZipFile(file) as archive:
            _check_sizes(file, archive.infolist(), packed=True)
    except _FAULTS as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{file}: cannot be unpacked: {error}", code="broken-archive") from None


def write_npz(file: Path | IO[bytes], arrays: Mapping[str, Any], *, packed: bool = False) -> None:
    """Write arrays to an .npz file or stream. Raise an error for arrays of Python objects."""
    for name, array in arrays.items():
        if np.asarray(array).dtype.hasobject:
            raise ValueError(f"{name} contains Python objects, which cannot be written")
    # Do not pass allow_pickle: before numpy 2.2, savez would store it as one of the arrays.
    with open(file, "wb") if isinstance(file, Path) else nullcontext(file) as raw:
        (np.savez_compressed if packed else np.savez)(raw, **arrays)


def _check_sizes(file: Path, members: list[zipfile.ZipInfo], *, packed: bool) -> None:
    """Raise an error if the sizes declared in an archive are impossible or exceed the limit."""
    size = file.stat().st_size
    for one in members:
        stored = one.compress_type == zipfile.ZIP_STORED and one.file_size == one.compress_size
        if not stored and not packed:
            raise InputError(f"{one.filename} is compressed", code="broken-archive")
        limits.check_packing(str(file), one.filename, one.compress_type)
    if sum(one.compress_size for one in members) > size:
        raise InputError("the archive declares more data than it contains", code="broken-archive")
    whole = sum(one.file_size for one in members)
    limits.require_room(str(file), whole, size, f"unpacks to {limits.show_size(whole)}")


def read_npy(file: Path) -> Any:
    """Read the array in an .npy file after checking its header."""
    with open(file, "rb") as raw:
        return _read_array(raw, "the file", file.stat().st_size, "biufUS")


def _read_array(raw: IO[bytes], name: str, size: int, kinds: str) -> Any:
    formats = np.lib.format
    try:
        first = formats.read_magic(raw) == (1, 0)
        read = formats.read_array_header_1_0 if first else formats.read_array_header_2_0
        shape, _, dtype = read(raw, max_header_size=_MAX_HEADER)
    except Exception:  # numpy's parser raises many types of exceptions.
        raise InputError(
            f"{name} is not an array of numbers or strings", code="broken-archive"
        ) from None
    if dtype.hasobject:
        raise InputError(
            f"{name} contains Python objects, which are not loaded because they can execute code; "
            "save strings with array.astype('U')",
            code="broken-archive",
        )
    if dtype.kind not in kinds:
        raise InputError(f"{name} has the unsupported dtype {dtype}", code="broken-archive")
    if raw.tell() + math.prod(shape) * dtype.itemsize != size:
        raise InputError(
            f"{name}: shape {shape} and dtype {dtype} do not match the size in bytes",
            code="broken-archive",
        )
    raw.seek(0)
    # Compiled code requires native byte order.
    array = formats.read_array(raw, allow_pickle=False).astype(dtype.newbyteorder("="), copy=False)
    if dtype.kind == "U" and array.size and dtype.itemsize:
        letters = np.ascontiguousarray(array).view(np.uint32)
        if letters.max() > sys.maxunicode:
            raise InputError(f"{name} contains invalid characters", code="broken-archive")
    return array
