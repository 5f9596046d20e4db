"""From corpus to counts: `count`, and `run`, which leaves the result on disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roget.core import folder as folders
from roget.core.counts import Counts, formats
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.source import STANDARD_INPUT
from roget.core.options import choose, takes
from roget.core.progress import Report
from roget.errors import InputError
from roget.learn.counting.options import Options
from roget.learn.counting.origin import Hashes, provenance, why_empty
from roget.learn.counting.parts import UNITS
from roget.learn.counting.plan import CountPlan, Inputs, PathLike, plan_count
from roget.learn.counting.total import Total
from roget.learn.counting.work import Meter, Workspace, counted, first


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
    progress: Report | None = None,
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
        Called with a `Progress`: bytes done, bytes in all, and "tokens" (0 of tables).

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
    progress: Report | None = None,
) -> Summary:
    """Count inputs into a counts directory, or a .tsv, .tsv.gz or .npz file, by its name.

    The output is written whole or not at all. What is done when a run is stopped is kept in
    OUTPUT.partial for the next run with the same recipe (unless `keep` is false); the error then
    carries a note on that.
    """
    options = options or Options()
    target = Path(output)
    if target.name == STANDARD_INPUT:
        raise InputError("counts are not written to standard output: name a folder or a .tsv file")
    formats.check(target)
    planned = inputs if isinstance(inputs, CountPlan) else plan_count(inputs, options)
    sources, recipe, tasks = planned.sources, planned.recipe, planned.tasks
    files = [source.path for source in sources if source.path != STANDARD_INPUT]
    if target.exists() and any(os.path.samefile(file, target) for file in files):
        raise InputError(f"cannot write {target}: it is one of the inputs")
    with (
        Workspace(target, tasks, keep=keep and recipe.limit is None) as workspace,
        Hashes(sources if recipe.limit is None else []) as hashes,
    ):
        before = workspace.done()
        meter = Meter(tasks, before, progress)
        count_tasks = counted if recipe.limit is None else first
        done = count_tasks(workspace, tasks, recipe, options, meter)
        with (
            duck.clear_errors(f"writing {target}"),
            _draft_of(target, workspace.work) as draft,
            duck.connect(options.memory, None, workspace.work / "spill") as connection,
        ):
            total = Total(connection, done, workspace.work, recipe.tags, recipe.per_one)
            result = total.write(draft, planned.cuts)
            if not result.entries:
                raise InputError(why_empty(planned, done, result))
            counts_files.seal(
                draft,
                shape=result.shape,
                entries=result.entries,
                total=result.total,
                dtype=result.dtype,
                relations=recipe.relations,
                provenance=provenance(planned, done, hashes),
            )
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


@contextmanager
def _draft_of(target: Path, work: Path) -> Iterator[Path]:
    """A folder for counts, which becomes the output, or is made into it, if the block ends well."""
    if not formats.is_file(target):
        with folders.draft_of(target, counts_files.KIND) as draft:
            yield draft
        return
    draft = work / "counts"
    draft.mkdir()
    yield draft
    formats.convert(draft, target)
