"""Getting all tasks done, here or elsewhere, keeping what is done, and telling how far it is."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roget import catalogue
from roget.core.io.source import STANDARD_INPUT
from roget.core.progress import Progress, Report
from roget.core.store import Partial, clear_drafts
from roget.engines.base import Engine, Increment
from roget.errors import InputError
from roget.learn.counting import parts
from roget.learn.counting.extract import TABULAR, Extract
from roget.learn.counting.options import CountOptions
from roget.learn.counting.parts import CountPart, CountRecipe, CountTask
from roget.learn.counting.plan import SLOW, stored

POOL_FROM = 32 << 20
"""Bytes below which starting processes takes longer than they save."""

_PARTS, _WORK = "parts", "work"


class Workspace:
    """OUT.partial: the parts that are done, a lock, and room to work in.

    It goes away when the block ends well, or when nothing in it is worth keeping. Otherwise the
    parts stay, and the error that ended the block has a note on how to go on.
    """

    def __init__(self, output: Path, tasks: Sequence[CountTask], *, keep: bool = True) -> None:
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

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
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

    def part(self, task: CountTask) -> CountPart:
        """A finished task's part; one that was damaged is put away, to be counted again."""
        try:
            return parts.load(self.parts / task.key)
        except InputError as error:
            shutil.rmtree(self.parts / task.key, ignore_errors=True)
            raise InputError(f"{error}; run the same command again to count it again") from None

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
        return f"{counted}; {self._partial.advice}"


class Meter:
    """Adds up what jobs report and tells the caller."""

    def __init__(self, tasks: Sequence[CountTask], done: set[str], progress: Report | None) -> None:
        sizes = {task.key: sum(map(stored, task.sources)) for task in tasks}
        self._all, self._done = sum(sizes.values()), sum(sizes[key] for key in done)
        self._tokens, self._progress = 0, progress

    def __call__(self, read: int, tokens: int) -> None:
        self._done += read
        self._tokens += tokens
        if self._progress is not None:
            facts = {"tokens": self._tokens}  # tables have none
            self._progress(Progress(min(self._done, self._all), self._all, facts))


def counted(
    workspace: Workspace,
    tasks: Sequence[CountTask],
    recipe: CountRecipe,
    options: CountOptions,
    report: Increment,
) -> list[CountPart]:
    """The parts of all tasks; those that an earlier run has left are not counted again."""
    done = workspace.done()
    missing = [task for task in tasks if task.key not in done]
    # The largest first, so that none of them is left for the end.
    missing.sort(key=lambda task: sum(map(stored, task.sources)), reverse=True)
    if missing:
        engine = _engine(options, recipe, missing)
        try:
            job = _job(workspace, recipe, options, shared=engine.shares_disk)
            for at, files in engine.run(job, missing, report):
                if files is not None:  # sent from where there is no shared disk
                    with parts.new_part(workspace.parts, missing[at].key) as draft:
                        for name, data in files.items():
                            (draft / name).write_bytes(data)
        finally:
            engine.close()
    return [workspace.part(task) for task in tasks]


def first(
    workspace: Workspace,
    tasks: Sequence[CountTask],
    recipe: CountRecipe,
    options: CountOptions,
    report: Increment,
) -> list[CountPart]:
    """The parts of the first tasks, up to the limit: one after the other, in this process."""
    done: list[CountPart] = []
    left = recipe.limit or 0
    for task in tasks:
        rest = replace(recipe, limit=left)
        again = parts.task(task.sources, rest)
        _job(workspace, rest, options, shared=True)(again, report)
        done.append(workspace.part(again))
        left -= done[-1].facts.tokens
        if left <= 0:
            break
    return done


def _job(
    workspace: Workspace, recipe: CountRecipe, options: CountOptions, *, shared: bool
) -> Extract:
    if recipe.reader in TABULAR and shared:
        # Runs in this process, where DuckDB has all cores.
        return Extract(recipe, str(workspace.parts), options.memory, threads=None)
    return Extract(recipe, str(workspace.parts) if shared else None, options.memory or "2GB")


def _engine(options: CountOptions, recipe: CountRecipe, tasks: Sequence[CountTask]) -> Engine:
    make = catalogue.load("engines", options.engine)
    once = any(source.path == STANDARD_INPUT for task in tasks for source in task.sources)
    if options.engine != "local":
        if once:
            raise InputError("standard input can be read here only: save it, or count it locally")
        engine: Engine = make(options.scheduler, options.processes)
        return engine
    if options.scheduler is not None:
        raise InputError(f"scheduler {options.scheduler}: for the engine dask only")
    size = sum(stored(source) for task in tasks for source in task.sources)
    small = options.processes is None and size < SLOW.get(recipe.reader, POOL_FROM)
    alone = once or small or recipe.reader in TABULAR
    local: Engine = make(1 if alone else options.processes)
    return local
