"""Atomic writes of files and folders: a reader never sees half of one, even after a power cut.

Data are flushed to disk (fsync) before the draft is renamed, and the rename is flushed before the
writer returns. A draft is locked by the process that writes it. An unlocked draft was left by a
killed process; the next writer of the same target removes it.
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
"""Seconds after which a draft of another machine counts as abandoned."""

DRAFT_ATTEMPTS = 5
"""Number of names tried for a draft."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")

_SUFFIX, _ASIDE = ".draft", ".old"
_MARK, _LOCK = "partial.json", "lock"
_DRAFT = re.compile(rf"(\d+)\.(\w+){re.escape(_SUFFIX)}({re.escape(_ASIDE)})?")
"""Suffix of a draft's name: process id, machine id with a random word, and ".old" for the folder
that was replaced."""


def write_atomic(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file atomically: write a draft next to it, then rename it."""
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
    """Refuse a file that could not be written, before the work starts."""
    target = _locate(path)
    _require_file(target)
    _require_access(target)


def check_directory(path: str | os.PathLike[str], ours: Callable[[Path], bool], kind: str) -> None:
    """Refuse a folder that `new_directory` would refuse, before the work starts."""
    target = _locate(path)
    _require_folder(target)
    _require_ours(target, ours, kind)
    _require_access(target)


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Open a draft next to the file; it replaces the file if the block succeeds."""
    target = _locate(path)
    _require_file(target)
    if target.exists() and not target.is_file():
        # Pipes and devices are written to, never replaced.
        yield target
        return
    clear_drafts(target)
    with clear_errors(target), _new_draft(target) as folder:
        folder.chmod(0o700)
        draft = folder / "draft"
        draft.touch()
        yield draft
        _take_rights(draft, target)
        _flush(draft)
        os.replace(draft, target)
        _flush(target.parent)


@contextmanager
def new_directory(
    path: str | os.PathLike[str], ours: Callable[[Path], bool], kind: str
) -> Iterator[Path]:
    """Make a draft folder next to the path; it replaces the folder if the block succeeds.

    An existing folder is replaced only if `ours` accepts it, at the start and again at the end,
    while the folder is `locked`. The old folder stays until the new one is complete, and it is
    restored if the exchange fails.
    """
    target = _locate(path)
    _require_folder(target)
    clear_drafts(target)
    _require_ours(target, ours, kind)
    with clear_errors(target), _new_draft(target) as draft:
        if target.exists():
            draft.chmod(0o700)  # until it gets the permissions of the folder it replaces
        yield draft
        _flush_all(draft)
        with locked(target):
            # Filling the draft may have taken hours: check the existing folder again.
            _require_ours(target, ours, kind)
            _take_rights(draft, target)
            _exchange(draft, target)
        _flush(target.parent)


def _take_rights(draft: Path, target: Path) -> None:
    """Copy the permissions of the target, if it exists."""
    with suppress(OSError):  # no target, or a file system without permissions
        shutil.copymode(target, draft)


def _flush_all(folder: Path) -> None:
    """Flush all files of a folder to disk."""
    for place, _, names in os.walk(folder):
        for name in names:
            _flush(Path(place, name))
        _flush(Path(place))


def _flush(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk."""
    is_folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    except OSError:
        if is_folder:  # not readable, or a system that cannot open folders
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
    """Make a locked folder next to the target; what the block leaves of it is removed."""
    for _ in range(DRAFT_ATTEMPTS):
        draft = _draft_name(target)
        try:
            os.mkdir(draft)
        except FileExistsError:
            continue
        try:
            handle = _hold(draft, new=True)
        except OSError:
            os.rmdir(draft)
            raise
        # Another process may remove the folder as abandoned before it is locked: try again.
        if handle is not None:
            break
    else:
        raise OSError(errno.EAGAIN, "no draft folder could be made", str(target.parent))
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if handle >= 0:
            os.close(handle)


def _draft_name(target: Path) -> Path:
    word = f"{_machine()}{os.urandom(4).hex()}"
    return target.with_name(f".{target.name}.{os.getpid()}.{word}{_SUFFIX}")


@cache
def _machine() -> str:
    """Return an id of this machine since its start, as disks may be shared."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    except OSError:
        return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _hold(folder: Path, *, wait: bool = False, new: bool = False) -> int | None:
    """Lock a folder; return an open handle that holds the lock.

    Return None if the folder is gone or locked by another process (unless `wait`), and -1 where the
    system has no locks. With `new`, failing to open the folder is an error.
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
            if new:  # e.g. no file descriptor is left, or the umask forbids reading
                raise
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another folder may have taken the name meanwhile.
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
    """Hold an exclusive lock on a folder, if it exists and the system has locks."""
    handle = _hold(folder, wait=True)
    try:
        yield
    finally:
        if handle is not None and handle >= 0:
            os.close(handle)


class Partial:
    """The folder OUTPUT.partial: unfinished work of a run, from which the next run continues.

    The folder is locked during the block and remains afterwards unless it is discarded. An existing
    folder is used only if a run of the same kind made it, as its mark shows; `left` decides by the
    file names for folders of older versions, which have no mark.
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
        """How to continue after an interruption."""
        return f"run the same command again to continue from {self.folder}"

    def kept(self) -> set[str]:
        """Return the names of the files that earlier runs left."""
        return set(os.listdir(self.folder)) - {_MARK, _LOCK}

    def discard(self) -> None:
        """Remove the folder, by renaming it first so that no half of it is left."""
        aside = _draft_name(self.folder)
        try:
            os.rename(self.folder, aside)
        except OSError:  # systems that cannot rename folders with open files
            aside = self.folder
        shutil.rmtree(aside, ignore_errors=True)
        if self._was_empty:
            self.folder.mkdir(exist_ok=True)  # it was there before, empty

    def _make(self) -> None:
        """Make the folder with its mark atomically."""
        clear_drafts(self.folder)
        with _new_draft(self.folder) as draft:
            (draft / _MARK).write_text(json.dumps(self._mark))
            _flush_all(draft)
            try:
                os.rename(draft, self.folder)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise  # otherwise another run was faster

    def _is_ours(self) -> bool:
        """Return whether the folder may be used; False if it disappeared meanwhile."""
        mark, text = self.folder / _MARK, json.dumps(self._mark)
        try:
            before = self.folder.stat()
            names = set(os.listdir(self.folder))
            ours = mark.read_text("utf-8", "replace") == text if _MARK in names else not names
            now = self.folder.stat()
            if (before.st_ino, before.st_ctime_ns) != (now.st_ino, now.st_ctime_ns):
                return False  # the folder may have been listed while it was removed
            if ours and _MARK in names:
                return True
            if _MARK in names or (names and not self._left(names)):
                raise InputError(
                    f"cannot write {self.folder}: the folder exists and was not made by "
                    f"{self._mark['kind']}; move it away, or choose another output",
                    code="not-writable",
                )
            mark.write_text(text)
        except FileNotFoundError:
            return False
        self._was_empty = not names
        return True

    def _take_lock(self) -> IO[str] | None:
        """Return a locked file; the system releases the lock when this process ends.

        Return None if the previous run has just ended and removed its folder.
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
                f"{self.folder} is in use: another run{owner and f' (process {owner})'} writes the "
                "same output; wait for it, or choose another output",
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
    if sys.platform == "win32":  # no such locks: two simultaneous runs are not detected
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def clear_drafts(target: Path, age: float = STALE) -> None:
    """Remove drafts of a target that killed processes left.

    A draft of this machine is abandoned if it is not locked; one of another machine, if nothing was
    written to it for `age` seconds. A replaced folder is restored if its replacement is missing.
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
        handle = _hold(draft) if mark[2].startswith(_machine()) else -1
        if handle is None:
            continue
        if handle < 0 and (_alive(int(mark[1])) or time.time() - _touched(draft) < age):
            continue
        if mark[3] and not target.exists():
            with suppress(OSError):
                os.rename(draft, target)
        elif draft.is_dir():
            shutil.rmtree(draft, ignore_errors=True)
        else:  # drafts of older versions are files
            with suppress(OSError):
                draft.unlink()
        if handle >= 0:
            os.close(handle)


def _touched(draft: Path) -> float:
    """Return when a draft was last written to; now, if it is being removed."""
    try:
        inside = list(draft.iterdir()) if draft.is_dir() else []
        return max(path.lstat().st_mtime for path in (draft, *inside))
    except OSError:
        return time.time()


def _alive(process: int) -> bool:
    if sys.platform == "win32":  # os.kill would end the process
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
            shutil.rmtree(aside, ignore_errors=True)
        else:
            os.rename(aside, target)


def _swap(one: Path, other: Path) -> bool:
    """Exchange two folders atomically; return False if the system cannot."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and not rename(
        here, os.fsencode(one), here, os.fsencode(other), ctypes.c_uint(exchange)
    )


def _locate(path: str | os.PathLike[str]) -> Path:
    """Return the path of an output; URLs are refused, also if Path has removed a slash."""
    if _ADDRESS.match(os.fspath(path)) and not Path(path).parent.is_dir():
        raise InputError(
            f"cannot write {path}: only inputs may be URLs; use a local path", code="not-writable"
        )
    return Path(os.path.realpath(path))  # resolve() raises other errors for symlink loops


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
            f"cannot write {target}: it is a file; expected a new name or {kind}",
            code="not-writable",
        )
    if not ours(target):
        raise InputError(
            f"cannot write {target}: the existing folder is not {kind} and is not replaced",
            code="not-writable",
        )


@contextmanager
def clear_errors(target: Path) -> Iterator[None]:
    """Raise an OSError of the block again with a message that names the target."""
    try:
        yield
    except OSError as error:
        reason = str(error) if error.strerror is None else error.strerror
        if error.filename is not None and f".{target.name}." not in str(error.filename):
            reason = f"{reason} ({error.filename})"
        clear = type(error)(f"cannot write {target}: {reason}; nothing was changed there")
        clear.errno = error.errno
        raise clear from error
