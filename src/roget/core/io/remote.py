"""Remote inputs: URLs such as s3://… or https://…, opened with fsspec.

Only inputs that are URLs are downloaded. The user must install the package for the file system
(s3fs, gcsfs, aiohttp for https, huggingface_hub for hf) and provide the credentials.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import IO, Any

from roget.catalogue import name_extra
from roget.core.io.address import show_address
from roget.errors import InputError, RogetError

_TIMEOUTS: dict[str, Any] = {"total": None, "sock_connect": 30, "sock_read": 60}
"""Timeouts for connecting and for receiving data, in seconds.

The total download time is not limited.
"""
_MIN_RATE = 1000
"""Minimum download rate in bytes per second, averaged over a minute.

If a server is slower, an error is raised.
"""
_MARKS = (
    "ETag", "etag", "Last-Modified", "LastModified", "last_modified", "updated", "mtime", "created",
    "Content-MD5", "Digest", "md5Hash", "sha256", "blob_id", "last_commit",
)  # fmt: skip
"""Metadata fields in which remote file systems store a file's version."""


def inspect_remote(path: str) -> tuple[int, int, bool]:
    """Return a file's size (0 if unknown), a hash of its version, and True if it is seekable."""
    with _clear_errors(path):
        system, name = _connect(path)
        info = system.info(name)
    if info.get("type") == "directory":
        shown = show_address(path)
        raise InputError(
            f"{shown} is a folder; pass a pattern for its files: {shown}/*",
            code="unsupported-format",
        )
    marks = [f"{mark}={info[mark]}" for mark in _MARKS if info.get(mark)]
    version = int(sha256("\n".join(marks).encode()).hexdigest()[:15], 16) if marks else 0
    return int(info.get("size") or 0), version, not _is_stream(system)


def open_remote(path: str) -> IO[bytes]:
    """Open a remote file.

    Over http(s), the file is read as one stream. From other file systems, it is read in blocks.
    """
    with _clear_errors(path):
        system, name = _connect(path)
        # An HTTP server that does not support range requests would send the whole file for every
        # block.
        more = {"block_size": 0} if _is_stream(system) else {}
        file = _File(path, system.open(name, "rb", **more))
    return io.BufferedReader(file, 1 << 20)


class _File(io.RawIOBase):
    """A remote file whose errors are converted to InputError."""

    def __init__(self, path: str, file: Any) -> None:
        self._path, self._file = path, file
        self._waited, self._came = 0.0, 0

    def readable(self) -> bool:
        """Return True. Remote files are always readable."""
        return True

    def seekable(self) -> bool:
        """Return True if the file supports seeking."""
        return bool(self._file.seekable())

    def readinto(self, into: Any) -> int:
        """Read bytes into a buffer and return their number."""
        began = time.monotonic()
        with _clear_errors(self._path):
            data = self._file.read(len(into))
        into[: len(data)] = data
        self._check_pace(time.monotonic() - began, len(data))
        return len(data)

    def _check_pace(self, waited: float, came: int) -> None:
        self._waited, self._came = self._waited + waited, self._came + came
        if self._waited < _TIMEOUTS["sock_read"]:
            return
        if came and self._came < _MIN_RATE * self._waited:
            text = f"too slow: received {self._came:,} bytes in {self._waited:.0f} seconds"
            raise InputError(
                show_address(f"{self._path}: {text}; try again, or download it first"),
                code="file-not-found",
            )
        self._waited, self._came = 0.0, 0

    def seek(self, at: int, whence: int = 0) -> int:
        """Move to a position and return it."""
        with _clear_errors(self._path):
            return int(self._file.seek(at, whence))

    def tell(self) -> int:
        """Return the current position."""
        return int(self._file.tell())

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            with _clear_errors(self._path):
                self._file.close()
        super().close()


def match(pattern: str) -> list[str]:
    """Return the sorted URLs that match a pattern. A URL without * is returned unchanged."""
    if "*" not in pattern:
        return [pattern]
    with _clear_errors(pattern):
        system, name = _connect(pattern)
        found = system.glob(name, detail=True)
    files = sorted(one for one, info in found.items() if info.get("type") != "directory")
    if not files:
        raise InputError(f"{show_address(pattern)}: no matching files", code="file-not-found")
    return [system.unstrip_protocol(one) for one in files]


def describe_failure(error: BaseException) -> str:
    """Return a one-line reason for an error raised by a remote file system."""
    cause = error.__cause__ or error
    status = getattr(cause, "status", None)
    if status in (401, 403) or isinstance(error, PermissionError):
        return "permission denied; check the credentials"
    missing = isinstance(error, FileNotFoundError) and status is None and cause is error
    if status == 404 or missing:
        return "no such file"
    reason = " ".join(str(cause).split())[:300] or type(cause).__name__
    return f"cannot be read: {reason}"


def _is_stream(system: Any) -> bool:
    protocol = system.protocol
    return bool({"http", "https"} & {*([protocol] if isinstance(protocol, str) else protocol)})


def _connect(path: str) -> tuple[Any, str]:
    with name_extra():
        from fsspec.core import url_to_fs
    try:
        system, name = url_to_fs(path, **_set_timeouts(path))
    except (ImportError, ValueError) as error:  # fsspec's message names the missing package.
        raise InputError(
            show_address(f"{path}: cannot be read: {error}"), code="missing-extra"
        ) from None
    return system, name


def _set_timeouts(path: str) -> dict[str, Any]:
    """Return timeouts for aiohttp, which by default aborts every download after five minutes."""
    if not path.lower().startswith(("https:", "http:")):
        return {}
    with suppress(ImportError):  # fsspec reports the missing package.
        from aiohttp import ClientTimeout

        return {"client_kwargs": {"timeout": ClientTimeout(**_TIMEOUTS)}}
    return {}


@contextmanager
def _clear_errors(path: str) -> Iterator[None]:
    """Convert errors raised by remote file systems to InputErrors."""
    try:
        yield
    except RogetError:
        raise
    except Exception as error:
        raise InputError(
            show_address(f"{path}: {describe_failure(error)}"), code="file-not-found"
        ) from None
