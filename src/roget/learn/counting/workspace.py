"""The folder beside an output in which a count keeps what it has done, to go on after a break."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from roget.core.io.source import STANDARD_INPUT
from roget.errors import InputError
from roget.learn.counting import parts
from roget.learn.counting.parts import Part, Task

_LOCK, _PARTS, _WORK = "lock", "parts", "work"


class Workspace:
    """OUT.partial: the parts that are done, a lock, and room to work in.

    It goes away when the block ends well, or when nothing in it is worth keeping. Otherwise the
    parts stay, and the error that ended the block has a note on how to go on.
    """

    def __init__(self, output: Path, tasks: Sequence[Task], *, keep: bool = True) -> None:
        self._output = output
        self.folder = output.with_name(f"{output.name}.partial")
        self.parts = self.folder / _PARTS
        self.work = self.folder / _WORK
        self._tasks, self._keep = tasks, keep
        self._lock: IO[str] | None = None

    def __enter__(self) -> Workspace:
        try:
            self._lock = _locked(self.folder / _LOCK)
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir()
            self.parts.mkdir(exist_ok=True)
            self._remove_drafts()
            for folder in self.parts.glob(".*"):
                # Drafts of a run that was killed. Parts of other recipes stay: they cost hours.
                shutil.rmtree(folder, ignore_errors=True)
        except OSError as error:
            self._unlock()
            said = error.strerror or error
            raise type(error)(f"cannot write {self.folder}: {said}") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        done = self.done()
        # Faulty input that shows only when parts are added up would show again.
        hopeless = isinstance(error, InputError) and len(done) == len(self._tasks)
        if error is None or not done or hopeless or not self._keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            shutil.rmtree(self.work, ignore_errors=True)
            error.add_note(self._note(done))
        self._unlock()

    def done(self) -> set[str]:
        """The keys of the tasks that are done."""
        return {task.key for task in self._tasks if (self.parts / task.key).is_dir()}

    def part(self, task: Task) -> Part:
        """A finished task's part."""
        return parts.load(self.parts / task.key)

    def _remove_drafts(self) -> None:
        """Clear away what a run that was killed has left of its output; the lock is ours."""
        draft = re.compile(rf"\.{re.escape(self._output.name)}\.[a-z0-9_]{{8}}")
        for path in self._output.absolute().parent.iterdir():
            if draft.fullmatch(path.name):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()

    def _note(self, done: set[str]) -> str:
        files = {source.path for task in self._tasks for source in task.sources}
        missing = {
            source.path
            for task in self._tasks
            for source in task.sources
            if task.key not in done or source.path == STANDARD_INPUT
        }
        if not missing:
            counted = "everything is counted but not added up"
        elif len(files) > 1:
            counted = f"{len(files) - len(missing)} of {len(files)} files counted"
        else:
            counted = f"{len(done)} of {len(self._tasks)} pieces counted"
        return f"{counted}; run the same command again to go on ({self.folder} keeps it)"

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()


def _locked(path: Path) -> IO[str]:
    """An open file that no other process can have; the system frees it when this one dies."""
    while True:
        path.parent.mkdir(exist_ok=True)
        try:
            file = path.open("a+", encoding="utf-8")
        except FileNotFoundError:
            continue  # the run before has just ended and taken its folder along
        if not _lock(file):
            file.seek(0)
            owner = file.read().strip()
            file.close()
            raise InputError(
                f"{path.parent} is in use: another run{owner and f' (process {owner})'} writes the "
                "same output; wait for it, or choose another name"
            )
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            return file
        file.close()


def _lock(file: IO[str]) -> bool:
    if sys.platform == "win32":  # has no such locks; two runs at once are not told apart there
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
