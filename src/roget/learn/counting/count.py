"""From corpus to counts: `count`, and `run`, which leaves the result on disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from roget import catalogue
from roget._version import __version__
from roget.core import counts_files
from roget.core.counts import Counts
from roget.engines import duck
from roget.engines.base import Engine, Report
from roget.errors import InputError
from roget.learn.corpus.sources import STANDARD_INPUT, Source
from roget.learn.counting import export, parts
from roget.learn.counting.extract import TABULAR, Extract
from roget.learn.counting.hashing import Hashes
from roget.learn.counting.inputs import SLOW, plan, sources_of, stored
from roget.learn.counting.options import Options, Words, cuts_of, recipe_of
from roget.learn.counting.parts import Part, Task
from roget.learn.counting.recipe import Cuts, Recipe
from roget.learn.counting.total import Result, Total
from roget.learn.counting.workspace import Workspace

Path_: TypeAlias = str | os.PathLike[str]
Inputs: TypeAlias = Path_ | Sequence[Path_]
Progress: TypeAlias = Callable[[int, int, int], None]

POOL_FROM = 32 << 20
"""Bytes below which starting processes takes longer than they save."""


@dataclass(frozen=True)
class Summary:
    """What was counted, and where it is."""

    output: Path
    words: int
    contexts: int
    entries: int
    total: int | float
    tokens: int
    """Rows, of tables."""
    sentences: int
    files: int
    reused: int
    """Files that an earlier run had counted."""
    notes: tuple[str, ...]
    """Choices that were made for the caller."""


def count(
    inputs: Inputs,
    *,
    output: Path_ | None = None,
    relation: str | Sequence[str] | None = None,
    window: int | None = None,
    sides: str = "both",
    reader: str | None = None,
    tagger: str | None = None,
    model: str | None = None,
    columns: Sequence[str | int] | None = None,
    form: bool = False,
    keep_case: bool = False,
    tags: bool = False,
    lines: bool = False,
    encoding: str = "utf-8",
    transpose: bool = False,
    min_count: int = 1,
    min_context: int = 1,
    min_pair: int = 1,
    stop: Words = None,
    vocabulary: Words = None,
    contexts: Words = None,
    alphabetic: bool = False,
    limit: int | None = None,
    processes: int | None = None,
    memory: str | None = None,
    engine: str = "local",
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Count how often each word stands in each context of some files, and load the result.

    Inputs: files, folders, patterns or "-" (standard input), of one kind: CoNLL-U, plain text,
    spaCy's DocBin, tables of (word, context[, count]), sparse matrices. Names tell the kind, then
    the first bytes; `reader` overrules them. With `output` the counts are kept there as well.

    What is a pair: of parsed text, `relation` (obj, subj, all, … or a pattern; default obj); of
    any text, `window`, the words up to so many places away on both `sides` (or left, right,
    apart, each). Plain text is parsed roughly by the `tagger` hanta, well by spacy with a `model`;
    of a table, `columns` names word, context and count. `transpose` swaps words and contexts.

    What is a word: the lemma in lower case; else its `form`, or with `keep_case`, or with `tags`.
    Plain text has sentences by Unicode's rules, or one per line (`lines`).

    What is left out: words, contexts and pairs seen less often than `min_count`, `min_context`,
    `min_pair`; those on the list `stop`; those not in `vocabulary` or `contexts` (a file with one
    per line, or an iterable); and what is not `alphabetic`. Reading ends after `limit` tokens.

    How: in so many `processes` with so much `memory` ("2GB") for adding up, or on the `engine`
    dask, at a `scheduler`'s address. `progress` is called with bytes done, bytes in all and tokens.
    """
    given = locals()
    options = Options(**{name: given[name] for name in Options.__dataclass_fields__})
    if output is not None:
        return Counts.read(run(inputs, output, options, progress=progress).output)
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        place = Path(folder) / "counts"
        return Counts.read(run(inputs, place, options, keep=False, progress=progress).output)


def run(
    inputs: Inputs,
    output: Path_,
    options: Options | None = None,
    *,
    keep: bool = True,
    progress: Progress | None = None,
) -> Summary:
    """Count inputs into a counts directory, or a .tsv, .tsv.gz or .npz file, by its name.

    The output is written whole or not at all. What is done when a run is stopped is kept in
    OUTPUT.partial for the next run with the same recipe (unless `keep` is false); the error then
    carries a note on that.
    """
    options = options or Options()
    target = export.checked(Path(output))
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    sources, reader = sources_of(
        listed, options.reader, options.encoding, tabular=options.columns is not None
    )
    recipe, notes = recipe_of(options, reader)
    cuts = cuts_of(options, recipe)
    tasks = plan(sources, recipe)
    with (
        Workspace(target, tasks, keep=keep and recipe.limit is None) as workspace,
        Hashes(sources if recipe.limit is None else []) as hashes,
    ):
        before = workspace.done()
        meter = _Meter(tasks, before, progress)
        if recipe.limit is None:
            done = _counted(workspace, tasks, recipe, options, meter)
        else:
            done = _first(workspace, tasks, recipe, options, meter)
        made = _Made(sources, recipe, cuts, done, hashes)
        result = _added_up(workspace, target, made, options.memory)
    return Summary(
        target,
        *result.shape,
        result.entries,
        result.total,
        sum(part.facts.tokens for part in done),
        sum(part.facts.sentences for part in done),
        len(sources),
        len({source.path for task in tasks if task.key in before for source in task.sources}),
        tuple(notes),
    )


class _Meter:
    """Adds up what jobs report and tells the caller."""

    def __init__(self, tasks: Sequence[Task], done: set[str], progress: Progress | None) -> None:
        sizes = {task.key: sum(map(stored, task.sources)) for task in tasks}
        self._all, self._done = sum(sizes.values()), sum(sizes[key] for key in done)
        self._tokens, self._progress = 0, progress

    def __call__(self, read: int, tokens: int) -> None:
        self._done += read
        self._tokens += tokens
        if self._progress is not None:
            self._progress(min(self._done, self._all), self._all, self._tokens)


def _counted(
    workspace: Workspace, tasks: Sequence[Task], recipe: Recipe, options: Options, report: Report
) -> list[Part]:
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
                if files is not None:
                    parts.unpack(files, workspace.parts, missing[at].key)
        finally:
            engine.close()
    return [workspace.part(task) for task in tasks]


def _first(
    workspace: Workspace, tasks: Sequence[Task], recipe: Recipe, options: Options, report: Report
) -> list[Part]:
    """The parts of the first tasks, up to the limit: one after the other, in this process."""
    done: list[Part] = []
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


def _job(workspace: Workspace, recipe: Recipe, options: Options, *, shared: bool) -> Extract:
    if recipe.reader in TABULAR and shared:
        # Runs in this process, where DuckDB has all cores.
        return Extract(recipe, str(workspace.parts), options.memory, threads=None)
    return Extract(recipe, str(workspace.parts) if shared else None, options.memory or "2GB")


def _engine(options: Options, recipe: Recipe, tasks: Sequence[Task]) -> Engine:
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


@dataclass(frozen=True)
class _Made:
    """Where counts come from."""

    sources: Sequence[Source]
    recipe: Recipe
    cuts: Cuts
    parts: Sequence[Part]
    hashes: Hashes

    def provenance(self) -> dict[str, Any]:
        """All that decides the result, ready for JSON."""
        found = self.hashes.results()
        once = next((part.facts for part in self.parts if part.facts.read), None)
        if once is not None and once.sha256 is not None:
            found[STANDARD_INPUT] = once.sha256
        cuts = asdict(self.cuts)
        for name, listed in cuts.items():
            if isinstance(listed, frozenset):
                # Lists may be long; this is enough to tell whether another is the same.
                digest = sha256("\n".join(sorted(listed)).encode()).hexdigest()
                cuts[name] = {"words": len(listed), "sha256": digest} if listed else None
        return {
            "roget": __version__,
            "inputs": [
                {
                    "path": source.path,
                    "bytes": once.read if once and source.path == STANDARD_INPUT else source.size,
                    "sha256": found.get(source.path),
                }
                for source in self.sources
            ],
            "recipe": asdict(self.recipe),
            "cuts": cuts,
            "tokens": sum(part.facts.tokens for part in self.parts),
            "sentences": sum(part.facts.sentences for part in self.parts),
        }


def _added_up(workspace: Workspace, target: Path, made: _Made, memory: str | None) -> Result:
    with (
        duck.clear_errors(f"writing {target}"),
        export.draft_of(target, workspace.work) as draft,
        duck.connect(memory, None, workspace.work / "spill") as connection,
    ):
        total = Total(connection, made.parts, workspace.work)
        result = total.write(draft, made.cuts, tagged=made.recipe.tags)
        if not result.entries:
            raise InputError(_why_empty(result, made))
        counts_files.seal(
            draft,
            shape=result.shape,
            entries=result.entries,
            total=result.total,
            dtype=result.dtype,
            relations=made.recipe.relations,
            provenance=made.provenance(),
        )
    return result


def _why_empty(result: Result, made: _Made) -> str:
    if all(result.seen):
        cuts = ", ".join(
            name
            for name, value in asdict(made.cuts).items()
            if value != Cuts.__dataclass_fields__[name].default and value
        )
        words, contexts = result.seen
        return f"of {words:,} words in {contexts:,} contexts the cuts leave none ({cuts})"
    tokens = sum(part.facts.tokens for part in made.parts)
    recipe = made.recipe
    if recipe.reader in TABULAR:
        return "no pair in the inputs: no row has a count above 0"
    if not tokens:
        return "no words in the inputs"
    sought = (
        f"in the relation {', '.join(recipe.relations)}" if recipe.relations else "side by side"
    )
    return f"no pair in the inputs: of {tokens:,} tokens no two stand {sought}"
