"""Run counting tasks locally or on a cluster, report progress, and resume interrupted runs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import Path
from types import TracebackType

from roget import catalogue
from roget.core.io.source import STANDARD_INPUT
from roget.core.progress import Progress, Report
from roget.core.store import Partial, clear_drafts
from roget.engines.base import Engine, Increment
from roget.errors import InputError
from roget.learn.counting import parts
from roget.learn.counting.extract import Extract
from roget.learn.counting.options import CountOptions
from roget.learn.counting.parts import CountPart, CountTask
from roget.learn.counting.plan import SLOW, CountPlan, measure_size
from roget.learn.counting.recipe import TABULAR, CountRecipe

POOL_FROM = 32 << 20
"""Minimum input size, in bytes, at which worker processes reduce the running time."""

_PARTS, _WORK = "parts", "work"


class Keep(Enum):
    """Policy for keeping the counts of finished tasks on disk after a run."""

    NEVER = "never"
    ON_ERROR = "on error"
    """Keep finished tasks after an error, so the next run with the same recipe can reuse them."""
    ALWAYS = "always"
    """Keep finished tasks even after success. The caller must remove them."""


class Workspace:
    """The folder OUTPUT.partial, with the counts of finished tasks and a lock.

    The folder is removed on success (unless the policy is `Keep.ALWAYS`), and after an error if
    nothing can be reused. Otherwise it is kept, and the error explains how to resume.
    """

    def __init__(
        self, output: Path, tasks: Sequence[CountTask], *, keep: Keep = Keep.ON_ERROR
    ) -> None:
        self._output = output
        self._partial = Partial(output, "a count", lambda names: names <= {"lock", _PARTS, _WORK})
        self.folder = self._partial.folder
        self.parts = self.folder / _PARTS
        self.work = self.folder / _WORK
        self._tasks, self._keep = tasks, keep

    def __enter__(self) -> Workspace:
        """Open or create the folder, and remove unfinished drafts of a killed run."""
        self._partial.__enter__()
        try:
            shutil.rmtree(self.work, ignore_errors=True)
            self.work.mkdir()
            self.parts.mkdir(exist_ok=True)
            # Remove partial outputs. The lock ensures that no other process is writing to them.
            clear_drafts(self._output.absolute(), age=0.0)
            for folder in self.parts.glob(".*"):
                # Remove drafts of tasks. Keep finished tasks of other recipes, which may have taken
                # hours.
                shutil.rmtree(folder, ignore_errors=True)
        except OSError as error:
            self._partial.__exit__()
            reason = error.strerror or error
            raise type(error)(f"cannot write {self.folder}: {reason}") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the folder, or keep the finished tasks and add a note on resuming."""
        done = self.list_done()
        # An input error during the merge would occur again, so nothing can be reused.
        is_hopeless = isinstance(error, InputError) and len(done) == len(self._tasks)
        keeps = self._keep is Keep.ALWAYS if error is None else self._keep is not Keep.NEVER
        if not keeps or not done or is_hopeless:
            self._partial.discard()
        else:
            shutil.rmtree(self.work, ignore_errors=True)
            if error is not None:
                error.add_note(self._describe(done))
        self._partial.__exit__()

    def list_done(self) -> set[str]:
        """Return the keys of the tasks that are finished."""
        return {task.key for task in self._tasks if (self.parts / task.key).is_dir()}

    def load_part(self, task: CountTask) -> CountPart:
        """Load the counts of a finished task.

        If they are damaged, remove them and raise InputError.
        """
        try:
            return parts.load(self.parts / task.key)
        except InputError as error:
            shutil.rmtree(self.parts / task.key, ignore_errors=True)
            raise InputError(
                f"{error}; run the same command again to repeat this count", code=error.code
            ) from None

    def _describe(self, done: set[str]) -> str:
        """Return a note that reports the progress so far and explains how to resume."""
        files = {source.path for task in self._tasks for source in task.sources}
        missing = {
            source.path
            for task in self._tasks
            for source in task.sources
            if task.key not in done or source.path == STANDARD_INPUT
        }
        if not missing:
            progress = "all inputs are counted but not merged"
        elif len(files) > 1:
            progress = f"{len(files) - len(missing)} of {len(files)} files counted"
        else:
            progress = f"{len(done)} of {len(self._tasks)} pieces counted"
        return f"{progress}; {self._partial.advice}"


class Meter:
    """Counter that adds up the progress of all tasks and reports it."""

    def __init__(self, tasks: Sequence[CountTask], done: set[str], progress: Report | None) -> None:
        sizes = {task.key: sum(map(measure_size, task.sources)) for task in tasks}
        self._all, self._done = sum(sizes.values()), sum(sizes[key] for key in done)
        self._tokens, self._progress = 0, progress

    def __call__(self, read: int, tokens: int) -> None:
        """Add the number of bytes read and of tokens counted (0 for tables)."""
        self._done += read
        self._tokens += tokens
        if self._progress is not None:
            facts = {"tokens": self._tokens}
            self._progress(Progress(min(self._done, self._all), self._all, facts))


def count_tasks(
    workspace: Workspace, plan: CountPlan, options: CountOptions, progress: Report | None
) -> list[CountPart]:
    """Count all tasks, and return their counts. Results of an earlier run are reused."""
    meter = Meter(plan.tasks, workspace.list_done(), progress)
    if plan.recipe.limit is not None:
        return _count_first(workspace, plan, options, meter)
    done = workspace.list_done()
    missing = [task for task in plan.tasks if task.key not in done]
    # Start with the largest tasks, so that none of them runs alone at the end.
    missing.sort(key=lambda task: sum(map(measure_size, task.sources)), reverse=True)
    if missing:
        engine = _make_engine(options, plan.recipe, missing)
        try:
            job = _make_job(workspace, plan.recipe, options, shared=engine.shares_disk)
            for at, files in engine.run(job, missing, meter):
                # A worker that cannot write to the disk of this machine returns the contents of its
                # files.
                if files is not None:
                    with parts.new_part(workspace.parts, missing[at].key) as draft:
                        for name, data in files.items():
                            (draft / name).write_bytes(data)
        finally:
            engine.close()
    return [workspace.load_part(task) for task in plan.tasks]


def _count_first(
    workspace: Workspace, plan: CountPlan, options: CountOptions, report: Increment
) -> list[CountPart]:
    """Count task by task until the token limit is reached, and return the counts."""
    done: list[CountPart] = []
    left = plan.recipe.limit or 0
    for task in plan.tasks:
        recipe = replace(plan.recipe, limit=left)
        limited = parts.make_task(task.sources, recipe)
        _make_job(workspace, recipe, options, shared=True)(limited, report)
        done.append(workspace.load_part(limited))
        left -= done[-1].facts.tokens
        if left <= 0:
            break
    return done


def _make_job(
    workspace: Workspace, recipe: CountRecipe, options: CountOptions, *, shared: bool
) -> Extract:
    """Return the callable that workers use to count a task."""
    if recipe.reader in TABULAR and shared:
        # Tables are counted in this process, because DuckDB uses all cores.
        return Extract(recipe, str(workspace.parts), options.memory, threads=None)
    return Extract(recipe, str(workspace.parts) if shared else None, options.memory or "2GB")


def _make_engine(options: CountOptions, recipe: CountRecipe, tasks: Sequence[CountTask]) -> Engine:
    """Return the engine that runs the tasks. Small inputs and tables need no worker processes."""
    make = catalogue.load("engines", options.engine)
    once = any(source.path == STANDARD_INPUT for task in tasks for source in task.sources)
    if options.engine != "local":
        if once:
            raise InputError(
                f"--engine {options.engine} cannot read standard input; save the text to a file, "
                "or count it locally",
                code="conflicting-options",
            )
        engine: Engine = make(options.scheduler, options.processes)
        return engine
    if options.scheduler is not None:
        raise InputError(
            f"--scheduler {options.scheduler} requires --engine dask", code="conflicting-options"
        )
    size = sum(measure_size(source) for task in tasks for source in task.sources)
    small = options.processes is None and size < SLOW.get(recipe.reader, POOL_FROM)
    alone = once or small or recipe.reader in TABULAR
    local: Engine = make(1 if alone else options.processes)
    return local
