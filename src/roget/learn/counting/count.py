"""From corpus to counts: `count`, and `run`, which leaves the result on disk."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roget.core.counts import Counts
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.source import STANDARD_INPUT
from roget.core.options import choose, takes
from roget.errors import InputError
from roget.learn.counting import export
from roget.learn.counting.hashing import Hashes
from roget.learn.counting.options import Options
from roget.learn.counting.origin import Origin
from roget.learn.counting.plan import CountPlan, Inputs, PathLike, plan_count
from roget.learn.counting.recipe import UNITS
from roget.learn.counting.total import Result, Total
from roget.learn.counting.work import Meter, Progress, counted, first
from roget.learn.counting.workspace import Workspace


@dataclass(frozen=True)
class Summary:
    """What was counted, and where it is."""

    output: Path
    words: int
    contexts: int
    entries: int
    total: int | float
    tokens: int
    """Rows of tables, cells of matrices."""
    unit: str
    """What each of those is: token, row or cell."""
    sentences: int
    files: int
    reused: int
    """Files that an earlier run had counted."""
    notes: tuple[str, ...]
    """Choices that were made for the caller."""


@takes(Options)
def count(
    inputs: Inputs,
    *,
    output: PathLike | None = None,
    processes: int | None = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Counts:
    """Count how often each word stands in each context of some files, and load the result.

    What is a word: the lemma in lower case; else its `form`, or with `keep_case`, or with `tags`.
    Names tell the kind of the inputs, then the first bytes; `reader` overrules them. Lists of words
    (`stop`, `vocabulary`, `contexts`) are files or iterables.

    Parameters
    ----------
    inputs
        Files, folders, patterns or "-" (standard input), of one kind: CoNLL-U, plain text, spaCy's
        DocBin, tables of (word, context[, count]), sparse matrices.
    output
        Where to keep the counts as well: a folder, or a .tsv, .tsv.gz or .npz file.
    processes
        How many; None for one on each core. A script that asks for several must guard its calls by
        `if __name__ == "__main__":`, as Python's own pools need; so here the default is 1.
    progress
        Called with bytes done, bytes in all and tokens (0 of tables).

    Returns
    -------
    Counts
        The table of words and contexts.

    Raises
    ------
    InputError
        If an input cannot be read, or the options do not go together.
    """
    asked = Options(processes=processes, **choose(Options, options))
    if output is not None:
        return Counts.read(run(inputs, output, asked, progress=progress).output)
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        place = Path(folder) / "counts"
        return Counts.read(run(inputs, place, asked, keep=False, progress=progress).output)


def run(
    inputs: Inputs | CountPlan,
    output: PathLike,
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
    planned = inputs if isinstance(inputs, CountPlan) else plan_count(inputs, options)
    sources, recipe, tasks = planned.sources, planned.recipe, planned.tasks
    if any(_same(source.path, target) for source in sources):
        raise InputError(f"cannot write {target}: it is one of the inputs")
    with (
        Workspace(target, tasks, keep=keep and recipe.limit is None) as workspace,
        Hashes(sources if recipe.limit is None else []) as hashes,
    ):
        before = workspace.done()
        meter = Meter(tasks, before, progress)
        if recipe.limit is None:
            done = counted(workspace, tasks, recipe, options, meter)
        else:
            done = first(workspace, tasks, recipe, options, meter)
        origin = Origin(sources, recipe, planned.cuts, done, hashes)
        result = _added_up(workspace, target, origin, options.memory)
    return Summary(
        target,
        *result.shape,
        result.entries,
        result.total,
        sum(part.facts.tokens for part in done),
        UNITS.get(recipe.reader, "token"),
        sum(part.facts.sentences for part in done),
        len(sources),
        len({source.path for task in tasks if task.key in before for source in task.sources}),
        (*planned.notes, *dict.fromkeys(part.facts.note for part in done if part.facts.note)),
    )


def _added_up(workspace: Workspace, target: Path, origin: Origin, memory: str | None) -> Result:
    with (
        duck.clear_errors(f"writing {target}"),
        export.draft_of(target, workspace.work) as draft,
        duck.connect(memory, None, workspace.work / "spill") as connection,
    ):
        total = Total(connection, origin.parts, workspace.work)
        result = total.write(draft, origin.cuts, tagged=origin.recipe.tags)
        if not result.entries:
            raise InputError(origin.why_empty(result))
        counts_files.seal(
            draft,
            shape=result.shape,
            entries=result.entries,
            total=result.total,
            dtype=result.dtype,
            relations=origin.recipe.relations,
            provenance=origin.provenance(),
        )
    return result


def _same(path: str, target: Path) -> bool:
    return path != STANDARD_INPUT and target.exists() and os.path.samefile(path, target)
