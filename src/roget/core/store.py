"""Write files and folders atomically: readers never see a partial write, even after a power cut.

The content is written to a draft, which is then renamed. Data are flushed to disk (fsync) before
the rename, and the rename is flushed before the function returns. A draft is locked by the process
that writes it. An unlocked draft was left by a killed process. The next write to the same target
removes it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Self

from roget.errors import InputError

STALE = 24 * 3600.0
"""Age in seconds at which a draft created by another machine is considered abandoned."""

DRAFT_ATTEMPTS = 5
"""Maximum number of names tried for a draft."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")

_SUFFIX, _ASIDE = ".draft", ".old"
_MARK, _LOCK = "partial.json", "lock"
_DRAFT = re.compile(rf"(\d+)\.(\w+){re.escape(_SUFFIX)}({re.escape(_ASIDE)})?")
"""Pattern that matches the end of a draft's name: process id, machine id, random digits, ".draft".

The suffix ".old" marks a folder that is being replaced.
"""


def write_atomic(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file atomically, by writing a draft next to it and renaming the draft."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        wrong = text[error.start : error.end]
        raise InputError(
            f"cannot write {path}: {wrong!r} cannot be encoded as UTF-8", code="not-text"
        ) from None
    with new_file(path) as draft:
        draft.write_bytes(data)


def check_file(path: str | os.PathLike[str]) -> None:
    """Raise an error if a file cannot be written.

    Commands call this function before long computations.
    """
    target = _locate(path)
    _require_file(target)
    _require_access(target)


def check_directory(path: str | os.PathLike[str], ours: Callable[[Path], bool], kind: str) -> None:
    """Raise an error if `new_directory` could not write to a path.

    Commands call this function before long computations.
    """
    target = _locate(path)
    _require_folder(target)
    _require_ours(target, ours, kind)
    _require_access(target)


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Create a draft next to a file. The draft replaces the file if the block succeeds."""
    target = _locate(path)
    _require_file(target)
    if target.exists() and not target.is_file():
        # Pipes and devices are written directly and never replaced.
        yield target
        return
    clear_drafts(target)
    with clear_errors(target), _new_draft(target) as folder:
        folder.chmod(0o700)
        draft = folder / "draft"
        draft.touch()
        yield draft
        _copy_permissions(draft, target)
        _flush(draft)
        os.replace(draft, target)
    _flush_name(target)


@contextmanager
def new_directory(
    path: str | os.PathLike[str], ours: Callable[[Path], bool], kind: str
) -> Iterator[Path]:
    """Create a draft folder next to a path. The draft replaces the folder if the block succeeds.

    An existing folder is replaced only if `ours` accepts it both at the start of the block and at
    the end, when the folder is locked. The old folder remains until the new one is complete, and is
    restored if the replacement fails. `kind` describes the folder in messages.
    """
    target = _locate(path)
    _require_folder(target)
    clear_drafts(target)
    _require_ours(target, ours, kind)
    with clear_errors(target), _new_draft(target) as draft:
        if target.exists():
            # Keep the draft private until the permissions of the old folder are copied.
            draft.chmod(0o700)
        yield draft
        _flush_all(draft)
        with locked(target):
            # Filling the draft may have taken hours, so check the existing folder again.
            _require_ours(target, ours, kind)
            _copy_permissions(draft, target)
            _exchange(draft, target)
    _flush_name(target)


def _flush_name(target: Path) -> None:
    """Flush the rename of a target to disk.

    If this fails, the error message states that the target itself has been written.
    """
    try:
        _flush(target.parent)
    except OSError as error:
        reason = error.strerror or error
        clear = type(error)(f"{target} was written, but may be lost if the power fails: {reason}")
        clear.errno = error.errno
        raise clear from error


def _copy_permissions(draft: Path, target: Path) -> None:
    """Copy the permissions of the target to the draft, if the target exists."""
    # Ignore the error, because the target may not exist, or the file system may not support
    # permissions.
    with suppress(OSError):
        shutil.copymode(target, draft)


def _flush_all(folder: Path) -> None:
    """Flush all files of a folder to disk."""
    for place, _, names in os.walk(folder):
        for name in names:
            _flush(Path(place, name))
        _flush(Path(place))


def _flush(path: Path) -> None:
    """Flush a file, or the directory entries of a folder, to disk."""
    is_folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    except OSError:
        if is_folder:  # Permission was denied, or the system does not allow opening folders.
            return
        raise
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems cannot flush folders.
        if not is_folder or error.errno in (errno.EIO, errno.ENOSPC, errno.EDQUOT):
            raise
    finally:
        os.close(handle)


@contextmanager
def _new_draft(target: Path) -> Iterator[Path]:
    """Create a locked draft folder next to the target. Remove it after the block."""
    for _ in range(DRAFT_ATTEMPTS):
        draft = _draft_name(target)
        try:
            os.mkdir(draft)
        except FileExistsError:
            continue
        try:
            handle = _lock_folder(draft, new=True)
        except OSError:
            with suppress(OSError):
                os.rmdir(draft)
            raise
        # If another process removed the folder before it was locked, try again.
        if handle is not None:
            break
    else:
        raise OSError(errno.EAGAIN, "cannot create a draft folder", str(target.parent))
    try:
        yield draft
    finally:
        _remove(draft)
        if handle >= 0:
            os.close(handle)


def _remove(folder: Path) -> None:
    """Remove a folder. If this fails, change its permissions and try again.

    If the second attempt fails, too, the next write to the same target removes the folder.
    """
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    with suppress(OSError):
        os.chmod(folder, 0o700)
        for place, names, _ in os.walk(folder):
            for name in names:
                os.chmod(Path(place, name), 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _draft_name(target: Path) -> Path:
    word = f"{_machine_id()}{os.urandom(4).hex()}"
    return target.with_name(f".{target.name}.{os.getpid()}.{word}{_SUFFIX}")


@cache
def _machine_id() -> str:
    """Return an id that is unique to this machine and boot, to distinguish machines that share a
    disk.
    """
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    except OSError:
        return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _lock_folder(folder: Path, *, wait: bool = False, new: bool = False) -> int | None:
    """Lock a folder and return the open file descriptor that holds the lock.

    Return None if the folder does not exist, or if another process has locked it (with `wait`, wait
    for that process). Return -1 if the system does not support locks. With `new`, raise an error if
    the folder cannot be opened.
    """
    if sys.platform == "win32":
        return -1
    import fcntl

    while True:
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            return None
        except OSError:
            if new:  # Possible causes are too many open files, or a umask that forbids reading.
                raise
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Check that the path still refers to the locked folder.
            if os.path.samestat(os.fstat(handle), os.stat(folder)):
                return handle
        except (BlockingIOError, FileNotFoundError):
            wait = False
        except BaseException as error:
            os.close(handle)
            if isinstance(error, OSError):
                return -1
            raise
        os.close(handle)
        if not wait:
            return None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder, if the folder exists and the system supports locks."""
    handle = _lock_folder(folder, wait=True)
    try:
        yield
    finally:
        if handle is not None and handle >= 0:
            os.close(handle)


class Partial:
    """The folder OUTPUT.partial, which stores unfinished work for the next run to continue.

    The folder is locked during the block and remains afterwards unless it is discarded. An existing
    folder is reused if its mark file (partial.json) shows that a run of the same kind created it.
    Folders written by older versions have no mark file. `left` decides from their file names
    whether to reuse them.
    """

    def __init__(self, output: Path, kind: str, left: Callable[[set[str]], bool]) -> None:
        self.folder = output.with_name(f"{output.name}.partial")
        self._mark = {"format": "roget.partial", "kind": kind}
        self._left = left
        self._lock: IO[str] | None = None
        self._was_empty = False

    def __enter__(self) -> Self:
        try:
            while self._lock is None:
                if not self.folder.exists():
                    self._make()
                if self._is_ours():
                    self._lock = self._take_lock()
        except OSError as error:
            reason = error.strerror or error
            raise type(error)(f"cannot write {self.folder}: {reason}") from None
        return self

    def __exit__(self, *error: object) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def advice(self) -> str:
        """Advice for the user on how to continue after an interruption."""
        return f"run the same command again to resume from {self.folder}"

    def kept(self) -> set[str]:
        """Return the names of the files left by earlier runs."""
        return set(os.listdir(self.folder)) - {_MARK, _LOCK}

    def discard(self) -> None:
        """Remove the folder.

        The folder is renamed first, so an interruption does not leave a folder with partial
        content.
        """
        aside = _draft_name(self.folder)
        try:
            os.rename(self.folder, aside)
        except OSError:  # Some systems cannot rename folders with open files.
            aside = self.folder
        _remove(aside)
        if self._was_empty:
            self.folder.mkdir(exist_ok=True)  # Restore the empty folder that was there before.

    def _make(self) -> None:
        """Create the folder with its mark file (partial.json) atomically."""
        clear_drafts(self.folder)
        with _new_draft(self.folder) as draft:
            (draft / _MARK).write_text(json.dumps(self._mark))
            _flush_all(draft)
            try:
                os.rename(draft, self.folder)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise  # Any other error means that another run has just created the folder.

    def _is_ours(self) -> bool:
        """Return True if the folder may be used, or False if it was removed in the meantime."""
        mark, text = self.folder / _MARK, json.dumps(self._mark)
        try:
            before = self.folder.stat()
            names = set(os.listdir(self.folder))
            ours = mark.read_text("utf-8", "replace") == text if _MARK in names else not names
            now = self.folder.stat()
            if (before.st_ino, before.st_ctime_ns) != (now.st_ino, now.st_ctime_ns):
                return False  # The folder may have been removed while it was listed.
            if ours and _MARK in names:
                return True
            if _MARK in names or (names and not self._left(names)):
                raise InputError(
                    f"cannot write {self.folder}: the folder exists and was not created by "
                    f"{self._mark['kind']}; move it, or choose another output",
                    code="not-writable",
                )
            mark.write_text(text)
        except FileNotFoundError:
            return False
        self._was_empty = not names
        return True

    def _take_lock(self) -> IO[str] | None:
        """Return the open lock file. The system releases the lock when this process ends.

        Return None if another run has just ended and removed the folder.
        """
        path = self.folder / _LOCK
        try:
            file = path.open("a+", encoding="utf-8")
        except FileNotFoundError:
            return None
        if not _try_lock(file):
            file.seek(0)
            owner = file.read().strip()
            file.close()
            raise InputError(
                f"{self.folder} is in use: another run{owner and f' (process {owner})'} is writing "
                "the same output; wait until it ends, or choose another output",
                code="not-writable",
            )
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                file.truncate(0)
                file.write(str(os.getpid()))
                file.flush()
                return file
        file.close()
        return None


def _try_lock(file: IO[str]) -> bool:
    if sys.platform == "win32":  # On systems without flock, simultaneous runs are not detected.
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def clear_drafts(target: Path, age: float = STALE) -> None:
    """Remove the drafts of a target that were left behind by killed processes.

    A draft created by this machine is abandoned if it is not locked. A draft created by another
    machine is abandoned if it has not been modified for `age` seconds. If a process was killed
    while it replaced a folder, the old folder is restored.
    """
    begin = f".{target.name}."
    try:
        names = [name for name in os.listdir(target.parent) if name.startswith(begin)]
    except OSError:
        return
    for name in names:
        mark = _DRAFT.fullmatch(name.removeprefix(begin))
        if mark is None:
            continue
        draft = target.parent / name
        handle = _lock_folder(draft) if mark[2].startswith(_machine_id()) else -1
        if handle is None:
            continue
        if handle < 0 and (_is_alive(int(mark[1])) or time.time() - _last_write(draft) < age):
            continue
        if mark[3] and not target.exists():
            with suppress(OSError):
                os.rename(draft, target)
        elif draft.is_dir():
            _remove(draft)
        else:  # Older versions wrote drafts as files.
            with suppress(OSError):
                draft.unlink()
        if handle >= 0:
            os.close(handle)


def _last_write(draft: Path) -> float:
    """Return the time of the last write to a draft, or the current time if it is being removed."""
    try:
        inside = list(draft.iterdir()) if draft.is_dir() else []
        return max(path.lstat().st_mtime for path in (draft, *inside))
    except OSError:
        return time.time()


def _is_alive(process: int) -> bool:
    if sys.platform == "win32":  # On Windows, os.kill would end the process.
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _exchange(draft: Path, target: Path) -> None:
    if not target.exists():
        os.rename(draft, target)
        return
    if _swap(draft, target):
        return
    aside = draft.with_name(f"{draft.name}{_ASIDE}")
    try:
        os.rename(target, aside)
        os.rename(draft, target)
    finally:
        if target.exists():
            _remove(aside)
        else:
            _restore(aside, target)


def _restore(aside: Path, target: Path) -> None:
    """Rename the old folder back. Try twice, because there is no target until this succeeds."""
    try:
        os.rename(aside, target)
    except OSError:
        os.rename(aside, target)


def _swap(one: Path, other: Path) -> bool:
    """Exchange two folders atomically. Return False if the system does not support this."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and not rename(
        here, os.fsencode(one), here, os.fsencode(other), ctypes.c_uint(exchange)
    )


def _locate(path: str | os.PathLike[str]) -> Path:
    """Return the resolved path of an output. Raise an error if it is a URL.

    URLs are also recognised if `Path` has removed a slash (s3:/bucket).
    """
    if _ADDRESS.match(os.fspath(path)) and not Path(path).parent.is_dir():
        raise InputError(
            f"cannot write {path}: only inputs may be URLs; use a local path", code="not-writable"
        )
    return Path(os.path.realpath(path))  # Path.resolve() would raise an error for symlink loops.


def _require_file(target: Path) -> None:
    if target.is_dir():
        raise InputError(f"{target} is a folder; expected a file", code="not-writable")
    _require_folder(target)


def _require_access(target: Path) -> None:
    if not os.access(target.parent, os.W_OK):
        raise InputError(
            f"cannot write {target}: no permission to write to {target.parent}", code="not-writable"
        )


def _require_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise InputError(
            f"cannot write {target}: the folder {target.parent} does not exist", code="not-writable"
        )


def _require_ours(target: Path, ours: Callable[[Path], bool], kind: str) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(
            f"cannot write {target}: a file with this name exists; expected a new name or {kind}",
            code="not-writable",
        )
    if not ours(target):
        raise InputError(
            f"cannot write {target}: the folder exists, but is not {kind}, so it is not replaced",
            code="not-writable",
        )


@contextmanager
def clear_errors(target: Path) -> Iterator[None]:
    """Add the name of the target to the message of an OSError raised in the block."""
    try:
        yield
    except OSError as error:
        reason = str(error) if error.strerror is None else error.strerror
        if error.filename is not None and f".{target.name}." not in str(error.filename):
            reason = f"{reason} ({error.filename})"
        clear = type(error)(f"cannot write {target}: {reason}; nothing was changed there")
        clear.errno = error.errno
        raise clear from error
