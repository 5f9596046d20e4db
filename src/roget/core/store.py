"""Writing files and folders so that a reader never meets half of one, also after a power cut.

What is written is on the disk (fsync) before it takes its name, and its name is there before the
writer is told so. A draft is locked by the process that writes it; one that nobody has locked any
more was left by a process that was killed, and the next one that writes there removes it.
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
"""Seconds after which a draft is nobody's whose writer cannot be asked: on another machine, say."""

DRAFT_ATTEMPTS = 5
"""Number of names tried for a draft."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")

_SUFFIX, _ASIDE = ".draft", ".old"
_MARK, _LOCK = "partial.json", "lock"
_DRAFT = re.compile(rf"(\d+)\.(\w+){re.escape(_SUFFIX)}({re.escape(_ASIDE)})?")
"""What follows the target's name in the name of a draft: the process, and machine and a random
word in one; and whether it is what was there before."""


def write_atomic(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file whole or not at all: a neighbour is written first, then renamed."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        wrong = text[error.start : error.end]
        said = f"cannot write {path}: it would hold {wrong!r}, which is no text"
        raise InputError(said) from None
    with new_file(path) as draft:
        draft.write_bytes(data)


def check_file(path: str | os.PathLike[str]) -> None:
    """Refuse a file that could not be written: better before the work than after."""
    target = _locate(path)
    _need_file(target)
    _need_access(target)


def check_directory(path: str | os.PathLike[str], ours: Callable[[Path], bool], kind: str) -> None:
    """Refuse a folder that `new_directory` would refuse: better before the work than after."""
    target = _locate(path)
    _need_folder(target)
    _need_ours(target, ours, kind)
    _need_access(target)


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft beside the file, to be written; it takes the file's name if the block ends well."""
    target = _locate(path)
    _need_file(target)
    if target.exists() and not target.is_file():
        # A pipe or device is written to, never replaced.
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
    """A draft folder beside the path, to be filled; it takes its name if the block ends well.

    A folder that is there already is replaced only if `ours` says it is of this kind; it is asked
    at the beginning, and at the end again, while nobody else has the folder `locked`. It stays
    as it is until the new one is whole, and comes back if the new one cannot take its place.
    """
    target = _locate(path)
    _need_folder(target)
    clear_drafts(target)
    _need_ours(target, ours, kind)
    with clear_errors(target), _new_draft(target) as draft:
        if target.exists():
            draft.chmod(0o700)  # until it takes the rights of what it replaces
        yield draft
        _flush_all(draft)
        with locked(target):
            # Filling the draft may have taken hours: look again at what is to be replaced.
            _need_ours(target, ours, kind)
            _take_rights(draft, target)
            _exchange(draft, target)
        _flush(target.parent)


def _take_rights(draft: Path, target: Path) -> None:
    """Let those read what is new who may read what it replaces, and nobody else."""
    with suppress(OSError):  # nothing is there, or its file system knows no rights
        shutil.copymode(target, draft)


def _flush_all(folder: Path) -> None:
    """Have all that is in a folder on the disk before anything that comes later."""
    for place, _, names in os.walk(folder):
        for name in names:
            _flush(Path(place, name))
        _flush(Path(place))


def _flush(path: Path) -> None:
    """Have the content of a file, or the names in a folder, on the disk."""
    is_folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    except OSError:
        if is_folder:  # one that may be written to but not listed, or a system that opens none
            return
        raise
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems know no such thing for folders.
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
    """What tells this machine, since it was started, from others that may share its disks."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    except OSError:
        return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _hold(folder: Path, *, wait: bool = False, new: bool = False) -> int | None:
    """A handle that locks a folder as long as it is open; None if it is gone or somebody has it.

    -1 where there are no locks. Whoever waits for others has it in the end, if it is there.
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
            # Meanwhile another folder may have taken the name.
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
    """Keep others who ask for the same from a folder; where the system can, and it is there."""
    handle = _hold(folder, wait=True)
    try:
        yield
    finally:
        if handle is not None and handle >= 0:
            os.close(handle)


class Partial:
    """OUTPUT.partial: what a run has done of an output that is not whole yet, for the next run.

    While the block lasts, no other run can have it. A folder of that name is taken over only if a
    run of the same kind has made it, as its mark tells; `left` says of the names in a folder
    without a mark whether they are those that runs of an older roget leave. It stays when the
    block ends, unless it is discarded.
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
            said = error.strerror or error
            raise type(error)(f"cannot write {self.folder}: {said}") from None
        return self

    def __exit__(self, *error: object) -> None:
        if self._lock is not None:
            self._lock.close()

    @property
    def advice(self) -> str:
        """How to go on after a run that was stopped."""
        return f"run the same command again to go on ({self.folder} keeps what is done)"

    def kept(self) -> set[str]:
        """The names of what runs have left."""
        return set(os.listdir(self.folder)) - {_MARK, _LOCK}

    def discard(self) -> None:
        """Remove the folder; at one stroke, so that no half of it is ever left."""
        aside = _draft_name(self.folder)
        try:
            os.rename(self.folder, aside)
        except OSError:  # where open files keep their folders
            aside = self.folder
        shutil.rmtree(aside, ignore_errors=True)
        if self._was_empty:
            self.folder.mkdir(exist_ok=True)  # somebody else's

    def _make(self) -> None:
        """Make the folder with its mark, at one stroke."""
        clear_drafts(self.folder)
        with _new_draft(self.folder) as draft:
            (draft / _MARK).write_text(json.dumps(self._mark))
            _flush_all(draft)
            try:
                os.rename(draft, self.folder)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise  # else another run was quicker

    def _is_ours(self) -> bool:
        """Whether the folder may be taken over; False if it went away meanwhile, with its run."""
        mark, text = self.folder / _MARK, json.dumps(self._mark)
        try:
            before = self.folder.stat()
            names = set(os.listdir(self.folder))
            ours = mark.read_text("utf-8", "replace") == text if _MARK in names else not names
            now = self.folder.stat()
            if (before.st_ino, before.st_ctime_ns) != (now.st_ino, now.st_ctime_ns):
                return False  # what was listed may have been half of what goes away
            if ours and _MARK in names:
                return True
            if _MARK in names or (names and not self._left(names)):
                raise InputError(
                    f"cannot write {self.folder}: the folder is there and was not left by "
                    f"{self._mark['kind']}, so it is not touched; move it away, or name another "
                    "output"
                )
            mark.write_text(text)
        except FileNotFoundError:
            return False
        self._was_empty = not names
        return True

    def _take_lock(self) -> IO[str] | None:
        """An open file that no other process can have; the system frees it when this one dies.

        None if the run before has just ended and taken its folder along.
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
                "same output; wait for it, or choose another name"
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
    if sys.platform == "win32":  # has no such locks; two runs at once are not told apart there
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def clear_drafts(target: Path, age: float = STALE) -> None:
    """Remove drafts of a target that were left behind by processes that were killed.

    A draft of this machine is nobody's if nobody has locked it; of others, which cannot be asked,
    if nothing was written there for so long. Whoever knows that nobody else writes the target, on
    no other machine either, needs no age. A folder that was put aside comes back if the one that
    was to replace it is not there.
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
        else:  # as an older roget has them
            with suppress(OSError):
                draft.unlink()
        if handle >= 0:
            os.close(handle)


def _touched(draft: Path) -> float:
    """When anything in a draft was last written; of one that is going away, now."""
    try:
        inside = list(draft.iterdir()) if draft.is_dir() else []
        return max(path.lstat().st_mtime for path in (draft, *inside))
    except OSError:
        return time.time()


def _alive(process: int) -> bool:
    if sys.platform == "win32":  # to ask would be to end it
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
    """Let two folders change names at one stroke, where the system can; whether it could."""
    import ctypes

    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and not rename(
        here, os.fsencode(one), here, os.fsencode(other), ctypes.c_uint(exchange)
    )


def _locate(path: str | os.PathLike[str]) -> Path:
    """Where an output goes; an address, also one that lost a stroke in a Path, is refused."""
    if _ADDRESS.match(os.fspath(path)) and not Path(path).parent.is_dir():
        raise InputError(f"cannot write {path}: only inputs may be elsewhere; name a place here")
    return Path(os.path.realpath(path))  # resolve() has an error of its own for loops of links


def _need_file(target: Path) -> None:
    if target.is_dir():
        raise InputError(f"{target} is a folder: expected the name of a file to write")
    _need_folder(target)


def _need_access(target: Path) -> None:
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {target}: {target.parent} may not be written to")


def _need_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}")


def _need_ours(target: Path, ours: Callable[[Path], bool], kind: str) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(f"cannot write {target}: it is a file; expected a new name or {kind}")
    if not ours(target):
        raise InputError(
            f"cannot write {target}: the folder holds something else: it is not {kind}, so it is "
            "not replaced"
        )


@contextmanager
def clear_errors(target: Path) -> Iterator[None]:
    """A full disk or a closed folder said in words, as an error of the same class."""
    try:
        yield
    except OSError as error:
        said = str(error) if error.strerror is None else error.strerror
        if error.filename is not None and f".{target.name}." not in str(error.filename):
            said = f"{said} ({error.filename})"
        clear = type(error)(f"cannot write {target}: {said}; nothing was changed there")
        clear.errno = error.errno
        raise clear from error
