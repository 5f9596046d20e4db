"""Inputs elsewhere: what an address such as s3://… or https://… names, opened through fsspec.

Nothing is fetched that is not named so. The packages that reach a store (s3fs, gcsfs, aiohttp for
https, huggingface_hub for hf) and the keys to it are the user's own.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import IO, Any

from roget.catalogue import name_extra
from roget.core.io.source import show_address
from roget.errors import InputError, RogetError

_PATIENCE: dict[str, Any] = {"total": None, "sock_connect": 30, "sock_read": 60}
"""Seconds until a server on the web must have answered, and between two pieces of what it sends; a
large corpus may take hours in all."""
_PACE = 1000
"""Bytes a second that must come of a file, over a minute of waiting for them: by one a second, a
server would hold a command for ever."""
_MARKS = (
    "ETag", "etag", "Last-Modified", "LastModified", "last_modified", "updated", "mtime", "created",
    "Content-MD5", "Digest", "md5Hash", "sha256", "blob_id", "last_commit",
)  # fmt: skip
"""What stores tell of a file that is another one when the file is."""


def look_at(path: str) -> tuple[int, int, bool]:
    """The size of a file (0 if it is not told), a number that changes with it, whether it can be
    read from the middle."""
    with _clear_errors(path):
        system, name = _connect(path)
        info = system.info(name)
    if info.get("type") == "directory":
        shown = show_address(path)
        raise InputError(f"{shown}: is a folder; name its files by a pattern: {shown}/*")
    told = [f"{mark}={info[mark]}" for mark in _MARKS if info.get(mark)]
    mark = int(sha256("\n".join(told).encode()).hexdigest()[:15], 16) if told else 0
    return int(info.get("size") or 0), mark, not _is_stream(system)


def open_remote(path: str) -> IO[bytes]:
    """A file, opened for reading: from the web as one stream, from other stores in blocks."""
    with _clear_errors(path):
        system, name = _connect(path)
        # In blocks, servers that know no ranges would send it all for each.
        more = {"block_size": 0} if _is_stream(system) else {}
        file = _File(path, system.open(name, "rb", **more))
    return io.BufferedReader(file, 1 << 20)


class _File(io.RawIOBase):
    """A file of a store, whose errors are ours."""

    def __init__(self, path: str, file: Any) -> None:
        self._path, self._file = path, file
        self._waited, self._came = 0.0, 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read from the middle."""
        return bool(self._file.seekable())

    def readinto(self, into: Any) -> int:
        """Some bytes more."""
        began = time.monotonic()
        with _clear_errors(self._path):
            data = self._file.read(len(into))
        into[: len(data)] = data
        self._check_pace(time.monotonic() - began, len(data))
        return len(data)

    def _check_pace(self, waited: float, came: int) -> None:
        self._waited, self._came = self._waited + waited, self._came + came
        if self._waited < _PATIENCE["sock_read"]:
            return
        if came and self._came < _PACE * self._waited:
            said = f"cannot be read: {self._came:,} bytes came in {self._waited:.0f} seconds"
            raise InputError(
                show_address(f"{self._path}: {said}; try again, or save it here first")
            )
        self._waited, self._came = 0.0, 0

    def seek(self, at: int, whence: int = 0) -> int:
        """Go on from there."""
        with _clear_errors(self._path):
            return int(self._file.seek(at, whence))

    def tell(self) -> int:
        """Where it is."""
        return int(self._file.tell())

    def close(self) -> None:
        """Let go of it."""
        if not self.closed:
            with _clear_errors(self._path):
                self._file.close()
        super().close()


def match(pattern: str) -> list[str]:
    """The addresses that a pattern stands for, in order; an address without * is its own."""
    if "*" not in pattern:
        return [pattern]
    with _clear_errors(pattern):
        system, name = _connect(pattern)
        found = system.glob(name, detail=True)
    files = sorted(one for one, info in found.items() if info.get("type") != "directory")
    if not files:
        raise InputError(f"{show_address(pattern)}: matches no file")
    return [system.unstrip_protocol(one) for one in files]


def tell_failure(error: BaseException) -> str:
    """What a store says went wrong, in one line."""
    cause = error.__cause__ or error
    status = getattr(cause, "status", None)
    if status in (401, 403) or isinstance(error, PermissionError):
        return "may not be read: are there keys to it, and do they allow it?"
    missing = isinstance(error, FileNotFoundError) and status is None and cause is error
    if status == 404 or missing:
        return "no such file"
    said = " ".join(str(cause).split())[:300] or type(cause).__name__
    return f"cannot be read: {said}"


def _is_stream(system: Any) -> bool:
    protocol = system.protocol
    return bool({"http", "https"} & {*([protocol] if isinstance(protocol, str) else protocol)})


def _connect(path: str) -> tuple[Any, str]:
    with name_extra():
        from fsspec.core import url_to_fs
    try:
        system, name = url_to_fs(path, **_be_patient(path))
    except (ImportError, ValueError) as error:  # fsspec names the package that it lacks
        raise InputError(show_address(f"{path}: cannot be read: {error}")) from None
    return system, name


def _be_patient(path: str) -> dict[str, Any]:
    """How long to wait: by itself, aiohttp ends all that takes five minutes, and waits as long."""
    if not path.lower().startswith(("https:", "http:")):
        return {}
    with suppress(ImportError):  # fsspec will say so
        from aiohttp import ClientTimeout

        return {"client_kwargs": {"timeout": ClientTimeout(**_PATIENCE)}}
    return {}


@contextmanager
def _clear_errors(path: str) -> Iterator[None]:
    """Errors of stores, of which each has its own, as ours."""
    try:
        yield
    except RogetError:
        raise
    except Exception as error:
        raise InputError(show_address(f"{path}: {tell_failure(error)}")) from None
