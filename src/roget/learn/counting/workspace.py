"""The folder beside an output in which a count keeps what it has done, to go on after a break."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from roget.core.io.source import STANDARD_INPUT
from roget.core.store import Partial, clear_drafts
from roget.errors import InputError
from roget.learn.counting import parts
from roget.learn.counting.parts import Part, Task

_PARTS, _WORK = "parts", "work"


class Workspace:
    """OUT.partial: the parts that are done, a lock, and room to work in.

    It goes away when the block ends well, or when nothing in it is worth keeping. Otherwise the
    parts stay, and the error that ended the block has a note on how to go on.
    """

    def __init__(self, output: Path, tasks: Sequence[Task], *, keep: bool = True) -> None:
        self._output = output
        self._partial = Partial(output, "a count", lambda names: names <= {"lock", _PARTS, _WORK})
        self.folder = self._partial.folder
        self.parts = self.folder / _PARTS
        self.work = self.folder / _WORK
        self._tasks, self._keep = tasks, keep

    def __enter__(self) -> Workspace:
        self._partial.__enter__()
        try:
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir()
            self.parts.mkdir(exist_ok=True)
            # What a run that was killed has left of its output: nobody else writes it now.
            clear_drafts(self._output.absolute(), age=0.0)
            for folder in self.parts.glob(".*"):
                # Drafts of such a run. Parts of other recipes stay: they cost hours.
                shutil.rmtree(folder, ignore_errors=True)
        except OSError as error:
            self._partial.__exit__()
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
            self._partial.discard()
        else:
            shutil.rmtree(self.work, ignore_errors=True)
            error.add_note(self._note(done))
        self._partial.__exit__()

    def done(self) -> set[str]:
        """The keys of the tasks that are done."""
        return {task.key for task in self._tasks if (self.parts / task.key).is_dir()}

    def part(self, task: Task) -> Part:
        """A finished task's part."""
        return parts.load(self.parts / task.key)

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
