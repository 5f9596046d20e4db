"""Inputs elsewhere: what an address such as s3://… or https://… names, opened through fsspec.

Nothing is fetched that is not named so. The packages that reach a store (s3fs, gcsfs, aiohttp for
https, huggingface_hub for hf) and the keys to it are the user's own.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import IO, Any, cast
from urllib.parse import urlsplit

from roget.catalogue import name_extra
from roget.errors import InputError, RogetError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_MARKS = (
    "ETag", "etag", "Last-Modified", "LastModified", "last_modified", "updated", "mtime", "created",
    "Content-MD5", "Digest", "md5Hash", "sha256", "blob_id", "last_commit",
)  # fmt: skip
"""What stores tell of a file that is another one when the file is."""


def is_remote(path: str) -> bool:
    """Whether a name is an address.

    >>> [is_remote(path) for path in ("s3://bucket/a.tsv", "a.tsv", "C:/a.tsv", "x=https://h/a")]
    [True, False, False, False]
    """
    return _ADDRESS.match(path) is not None


def name_part(path: str) -> str:
    """An address without what follows the name of its file.

    >>> name_part("https://example.org/gold.tsv.gz?download=1")
    '/gold.tsv.gz'
    """
    return urlsplit(path).path if path.lower().startswith(("https:", "http:")) else path


def look_at(path: str) -> tuple[int, int, bool]:
    """The size of a file (0 if it is not told), a number that changes with it, whether it can be
    read from the middle."""
    with _clear_errors(path):
        system, name = _connect(path)
        info = system.info(name)
    if info.get("type") == "directory":
        raise InputError(f"{path}: is a folder; name its files by a pattern: {path.rstrip('/')}/*")
    told = [f"{mark}={info[mark]}" for mark in _MARKS if info.get(mark)]
    mark = int(sha256("\n".join(told).encode()).hexdigest()[:15], 16) if told else 0
    return int(info.get("size") or 0), mark, not _is_stream(system)


def open_remote(path: str) -> IO[bytes]:
    """A file, opened for reading: from the web as one stream, from other stores in blocks."""
    with _clear_errors(path):
        system, name = _connect(path)
        if not _is_stream(system):
            return cast("IO[bytes]", system.open(name, "rb"))
        # In blocks, servers that know no ranges would send it all for each.
        return io.BufferedReader(system.open(name, "rb", block_size=0))


def match(pattern: str) -> list[str]:
    """The addresses that a pattern stands for, in order; an address without * is its own."""
    if "*" not in pattern:
        return [pattern]
    with _clear_errors(pattern):
        system, name = _connect(pattern)
        found = system.glob(name, detail=True)
    files = sorted(one for one, info in found.items() if info.get("type") != "directory")
    if not files:
        raise InputError(f"{pattern}: matches no file")
    return [system.unstrip_protocol(one) for one in files]


def tell_failure(error: BaseException) -> str:
    """What a store says went wrong, in one line."""
    cause = error.__cause__ or error
    status = getattr(cause, "status", None)
    if status in (401, 403) or isinstance(error, PermissionError):
        return "may not be read: are there keys to it, and do they allow it?"
    if isinstance(error, FileNotFoundError) and (status in (None, 404) and cause is error):
        return "no such file"
    if status == 404:
        return "no such file"
    said = str(cause).strip().partition("\n")[0] or type(cause).__name__
    return f"cannot be read: {said}"


def _is_stream(system: Any) -> bool:
    protocol = system.protocol
    return bool({"http", "https"} & {*([protocol] if isinstance(protocol, str) else protocol)})


def _connect(path: str) -> tuple[Any, str]:
    with name_extra():
        from fsspec.core import url_to_fs
    try:
        system, name = url_to_fs(path)
    except (ImportError, ValueError) as error:  # fsspec names the package that it lacks
        raise InputError(f"{path}: cannot be read: {error}") from None
    return system, name


@contextmanager
def _clear_errors(path: str) -> Iterator[None]:
    """Errors of stores, of which each has its own, as ours."""
    try:
        yield
    except RogetError:
        raise
    except Exception as error:
        raise InputError(f"{path}: {tell_failure(error)}") from None
