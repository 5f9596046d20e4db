"""Main functions for counting a corpus: inspect the inputs, plan the tasks, count and merge.

`run` writes the counts to disk and `count_in_memory` returns them. Both follow the same steps:

1. `inspect_inputs` finds the input files and reads a sample of their text.
2. `make_plan` determines the recipe, the filters and the tasks from the options and the sample.
3. `count_tasks` counts each task and writes its counts to disk. Tasks that an earlier run
   finished are skipped.
4. `CountMerger` adds up the counts, applies the filters and chooses example sentences.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from roget.core import folder as folders
from roget.core.counts import Counts, formats
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.frames import is_frame, is_lazy
from roget.core.io.source import STANDARD_INPUT
from roget.core.io.values import parse_json
from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError, Notice
from roget.learn.counting.inspect import Inputs, inspect_inputs
from roget.learn.counting.merge import MergeResult, open_merger
from roget.learn.counting.options import CountOptions
from roget.learn.counting.parts import CountPart
from roget.learn.counting.plan import CountPlan, list_frequent, make_plan
from roget.learn.counting.provenance import describe_origin, hash_sources
from roget.learn.counting.recipe import TABULAR, UNITS, CountCuts, CountRecipe
from roget.learn.counting.scheduler import Keep, Workspace, count_tasks

_SHOWN = 12
"""Maximum number of tags, and of labels, to list in the error message if no pairs were found."""


@dataclass(frozen=True)
class Summary:
    """The size of the finished counts, and the inputs they were made from."""

    words: int
    contexts: int
    entries: int
    total: int | float
    tokens: int
    """Number of tokens in a text, rows in a table, or cells in a matrix."""
    unit: str
    """Unit of `tokens`: "token", "row" or "cell"."""
    sentences: int
    files: int
    reused: int
    """Number of files whose counts were reused from an earlier run."""
    notes: tuple[Notice, ...]
    """Notes on options that were chosen automatically."""


@with_options(CountOptions)
def count(
    inputs: Inputs,
    *,
    output: PathLike | None = None,
    processes: int | None = 1,
    progress: Report | None = None,
    **options: Any,
) -> Counts:
    """Count how often each word occurs in each context, and return the counts.

    By default, words are lower-cased lemmas (see `form`, `keep_case` and `tags`). The kind of input
    is inferred from the file names or the first bytes, unless `reader` is passed. Lists of words
    (`stop`, `vocabulary`, `contexts`) may be files or iterables.

    Parameters
    ----------
    inputs
        Files, folders, glob patterns or "-" (standard input), all of one kind: CoNLL-U, plain
        text, spaCy DocBin, tables of (word, context[, count]), or sparse matrices.
        A data frame with these columns is also accepted.
    output
        Also write the counts to this folder, .tsv, .tsv.gz or .npz file.
    processes
        Number of worker processes; None for one per core. The default is 1, because a script that
        uses several processes must guard its calls with `if __name__ == "__main__":`, as Python's
        process pools require.
    progress
        Function called with a `Progress`: bytes done, total bytes, and "tokens" (0 for tables).

    Returns
    -------
    Counts
        The table of words and contexts.

    Raises
    ------
    InputError
        If an input cannot be read or options conflict.
    """
    if is_frame(inputs) or is_lazy(inputs):
        with tempfile.TemporaryDirectory(prefix="roget.") as folder:
            table = Path(folder) / "frame.tsv"
            Counts.from_pandas(inputs, options.pop("columns", None)).write(table)
            named = {"columns": "word=word,context=context,count=count", **options}
            return count(table, output=output, processes=processes, progress=progress, **named)
    checked = CountOptions(processes=processes, **choose(CountOptions, options))
    if output is not None:
        run(inputs, output, checked, progress=progress)
        return Counts.read(output)
    counts, _ = count_in_memory(plan_inputs(inputs, checked), checked, progress=progress)
    return counts


def plan_inputs(inputs: Inputs, options: CountOptions) -> CountPlan:
    """Inspect the inputs, and return a plan for counting them."""
    return make_plan(inspect_inputs(inputs, options), options)


def run(
    inputs: Inputs | CountPlan,
    output: PathLike,
    options: CountOptions | None = None,
    *,
    keep: bool = True,
    progress: Report | None = None,
) -> Summary:
    """Count the inputs, and write a counts folder or a .tsv, .tsv.gz or .npz file.

    The output is written completely or not at all. If a run is interrupted, the counts of finished
    tasks stay in OUTPUT.partial (unless `keep` is False). The error then explains how to resume.
    The next run with the same recipe reuses these counts.
    """
    options = options or CountOptions()
    target = Path(output)
    _check_output(target)
    plan = inputs if isinstance(inputs, CountPlan) else plan_inputs(inputs, options)
    _check_output_differs(plan, target)
    keeps = keep and plan.recipe.limit is None
    to_file = formats.is_file(target)
    with (
        Workspace(target, plan.tasks, keep=Keep.ON_ERROR if keeps else Keep.NEVER) as workspace,
        hash_sources(plan) as get_hashes,
    ):
        before = workspace.list_done()
        done = count_tasks(workspace, plan, options, progress)
        with (
            duck.clear_errors(f"writing {target}"),
            _open_output(target, workspace.work) as draft,
            open_merger(done, plan.recipe, workspace.work, options.memory) as merger,
        ):
            examples = plan.recipe.evidence > 0 and not to_file
            result = merger.write(draft, plan.cuts, examples=examples)
            _require_entries(plan, done, result)
            counts_files.seal(
                draft,
                shape=result.shape,
                entries=result.entries,
                total=result.total,
                dtype=result.dtype,
                relations=plan.recipe.relations.names if plan.recipe.relations else (),
                provenance=describe_origin(plan, done, get_hashes()),
                evidence=result.examples,
            )
    return _summarise(plan, done, result, before, target.name if to_file else None)


def count_in_memory(
    plan: CountPlan,
    options: CountOptions,
    folder: Path | None = None,
    *,
    progress: Report | None = None,
) -> tuple[Counts, Summary]:
    """Count the inputs of a plan and return the counts, without writing a counts folder.

    If `folder` is passed, the counts of all tasks stay in it, and the caller's next run can reuse
    them. The caller must remove the folder.
    """
    with _open_scratch(folder) as scratch:
        output = scratch / "counts"
        keeps = folder is not None and plan.recipe.limit is None
        with (
            Workspace(output, plan.tasks, keep=Keep.ALWAYS if keeps else Keep.NEVER) as workspace,
            hash_sources(plan) as get_hashes,
        ):
            before = workspace.list_done()
            done = count_tasks(workspace, plan, options, progress)
            with (
                duck.clear_errors("merging counts"),
                open_merger(done, plan.recipe, workspace.work, options.memory) as merger,
            ):
                draft = workspace.work / "counts"
                draft.mkdir()
                result = merger.write(draft, plan.cuts, examples=plan.recipe.evidence > 0)
                _require_entries(plan, done, result)
                # Convert the record to JSON and back, so it equals one that was read from disk
                # (tuples become lists).
                origin = parse_json(json.dumps(describe_origin(plan, done, get_hashes())))
                counts = merger.load(draft, result, origin)
    return counts, _summarise(plan, done, result, before)


# ---- outputs


def _check_output(target: Path) -> None:
    """Raise InputError, before anything is counted, if the output cannot be written."""
    if target.name == STANDARD_INPUT:
        raise InputError(
            "counts cannot be written to standard output; name a folder or a .tsv file",
            code="not-writable",
        )
    formats.check(target)


def _check_output_differs(plan: CountPlan, target: Path) -> None:
    """Raise InputError if the output would overwrite an input."""
    files = [source.path for source in plan.sources if os.path.exists(source.path)]
    if target.exists() and any(os.path.samefile(file, target) for file in files):
        raise InputError(f"cannot write {target}: it is one of the inputs", code="input-is-output")


@contextmanager
def _open_output(target: Path, work: Path) -> Iterator[Path]:
    """Yield a draft folder. If counting succeeds, rename or convert it to the output."""
    if not formats.is_file(target):
        with folders.draft_of(target, counts_files.KIND) as draft:
            yield draft
        return
    draft = work / "counts"
    draft.mkdir()
    yield draft
    formats.convert(draft, target, Counts)


@contextmanager
def _open_scratch(folder: Path | None) -> Iterator[Path]:
    """Yield the folder, or a temporary folder if it is None."""
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="roget.") as temporary:
        yield Path(temporary)


# ---- reports


def _summarise(
    plan: CountPlan,
    done: Sequence[CountPart],
    result: MergeResult,
    before: set[str],
    file: str | None = None,
) -> Summary:
    """Return the summary of a finished count."""
    notes = [Notice(part.facts.note, code="columns") for part in done if part.facts.note]
    notes += _note_names(done)
    reused = {source.path for task in plan.tasks if task.key in before for source in task.sources}
    return Summary(
        *result.shape,
        result.entries,
        result.total,
        sum(part.facts.tokens for part in done),
        UNITS.get(plan.recipe.reader, "token"),
        sum(part.facts.sentences for part in done),
        len(plan.sources),
        len(reused),
        (*plan.notes, *_note_examples(plan.recipe, result, file), *dict.fromkeys(notes)),
    )


def _note_names(done: Sequence[CountPart]) -> list[Notice]:
    """Return a note if names and acronyms were left out."""
    names = sum((Counter(part.facts.names) for part in done), Counter[str]())
    if not names:
        return []
    text = f"{names.total():,} tokens left out as names and acronyms: {list_frequent(names)}"
    return [Notice(f"{text} (--relation nouns --relation names keeps them)", code="names")]


def _note_examples(recipe: CountRecipe, result: MergeResult, file: str | None) -> list[Notice]:
    """Return a note if some or all pairs lack the requested example sentences."""
    share = result.covered / max(result.entries, 1)
    if not recipe.evidence or (result.examples and share >= 1):
        return []
    if result.examples:
        limit = f"{recipe.evidence_size:g} × the size of the counts"
        text = f"example sentences kept for {share:.0%} of pairs (size limit: {limit}; "
        return [Notice(f"{text}--set evidence_size=0 removes the limit)", code="examples")]
    if file is not None:
        text = f"{file} holds counts only; write a folder to keep example sentences"
        return [Notice(text, code="examples")]
    text = f"no example sentences kept: the reader {recipe.reader} does not provide sentences"
    return [Notice(text, code="examples")]


def _require_entries(plan: CountPlan, done: Sequence[CountPart], result: MergeResult) -> None:
    """Raise an error that explains the reason if no pairs were counted."""
    if not result.entries:
        raise InputError(explain_empty(plan, done, result), code="empty-input")


def explain_empty(plan: CountPlan, done: Sequence[CountPart], result: MergeResult) -> str:
    recipe, defaults = plan.recipe, asdict(CountCuts())
    if all(result.before):
        used = [name for name, cut in asdict(plan.cuts).items() if cut and cut != defaults[name]]
        words, contexts = result.before
        return (
            f"no counts left: the options {', '.join(used)} remove all {words:,} words and "
            f"{contexts:,} contexts"
        )
    if recipe.reader in TABULAR:
        return "no pairs in the inputs: no row has a positive count"
    tokens = sum(part.facts.tokens for part in done)
    if not tokens:
        return "the inputs contain no words"
    if recipe.relations is None:
        sentences = sum(part.facts.sentences for part in done)
        return (
            f"no pairs in the inputs: {tokens:,} tokens in {sentences:,} sentences, but no two "
            "words are neighbours"
        )
    names = recipe.relations.describe()
    return (
        f"no pairs in the inputs: none of the {tokens:,} tokens matches {names}{_list_labels(done)}"
    )


def _list_labels(done: Sequence[CountPart]) -> str:
    """Return the most frequent tags and labels of texts without pairs, as lines for a message."""
    sums: dict[str, Counter[str]] = {}
    for part in done:
        for name, counts in (part.facts.seen or {}).items():
            sums.setdefault(name, Counter()).update(counts)
    lines = ""
    for name, summed in sums.items():
        first = sorted(summed.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN]
        listed = ", ".join(f"{text} {n:,}" for text, n in first) or "none"
        lines += f"\n  {name} found: {listed}"
    return lines
