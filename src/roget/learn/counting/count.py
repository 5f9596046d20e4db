"""From corpus to counts: `count`, and `run`, which leaves the result on disk."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from roget._version import __version__
from roget.core import folder as folders
from roget.core.counts import Counts, formats
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.paths import spell
from roget.core.io.source import STANDARD_INPUT, Source, show_address, state_of
from roget.core.options import choose, with_options
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.corpus.relations import meaning_of
from roget.learn.counting.extract import TABULAR
from roget.learn.counting.merge import CountMerger, Result
from roget.learn.counting.options import CountOptions
from roget.learn.counting.parts import UNITS, CountCuts, CountPart, CountRecipe
from roget.learn.counting.plan import CountPlan, Inputs, plan_count
from roget.learn.counting.scheduler import Meter, Workspace, counted, first

_BLOCK = 4 << 20

_SHOWN = 12
"""Tags, and labels, that are told where no pair was found."""


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


@with_options(CountOptions)
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
    asked = CountOptions(processes=processes, **choose(CountOptions, options))
    if output is not None:
        return Counts.read(run(inputs, output, asked, progress=progress).output)
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        place = Path(folder) / "counts"
        return load(run(inputs, place, asked, keep=False, progress=progress).output)


def load(place: Path) -> Counts:
    """Counts that are all in memory, since their folder will go."""
    counts = Counts.read(place)
    if counts.evidence is not None:
        counts.evidence.load()
    return counts


def run(
    inputs: Inputs | CountPlan,
    output: PathLike,
    options: CountOptions | None = None,
    *,
    keep: bool = True,
    progress: Report | None = None,
) -> Summary:
    """Count inputs into a counts directory, or a .tsv, .tsv.gz or .npz file, by its name.

    The output is written whole or not at all. What is done when a run is stopped is kept in
    OUTPUT.partial for the next run with the same recipe (unless `keep` is false); the error then
    carries a note on that.
    """
    options = options or CountOptions()
    target = Path(output)
    if target.name == STANDARD_INPUT:
        raise InputError("counts are not written to standard output: name a folder or a .tsv file")
    formats.check(target)
    planned = inputs if isinstance(inputs, CountPlan) else plan_count(inputs, options)
    sources, recipe, tasks = planned.sources, planned.recipe, planned.tasks
    files = [source.path for source in sources if os.path.exists(source.path)]
    if target.exists() and any(os.path.samefile(file, target) for file in files):
        raise InputError(f"cannot write {target}: it is one of the inputs")
    with (
        Workspace(target, tasks, keep=keep and recipe.limit is None) as workspace,
        _hash(sources if recipe.limit is None else []) as hashes,
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
            total = CountMerger(connection, done, workspace.work, recipe.tags, recipe.per_one)
            result = total.write(draft, planned.cuts)
            rows: dict[str, int] = {}
            covered = result.entries
            if recipe.evidence and result.entries and not formats.is_file(target):
                rows, covered = total.write_evidence(draft, recipe.evidence, recipe.evidence_size)
            if not result.entries:
                raise InputError(why_empty(planned, done, result))
            counts_files.seal(
                draft,
                shape=result.shape,
                entries=result.entries,
                total=result.total,
                dtype=result.dtype,
                relations=recipe.relations,
                provenance=provenance(planned, done, hashes()),
                evidence=rows,
            )
    notes = [part.facts.note for part in done if part.facts.note]
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
        (
            *planned.notes,
            *_tell_evidence(recipe, target, rows, covered / max(result.entries, 1)),
            *dict.fromkeys(notes),
        ),
    )


def _tell_evidence(
    recipe: CountRecipe, target: Path, rows: Mapping[str, int], covered: float
) -> list[str]:
    """What there is to say where sentences were asked for and are not kept, or not all."""
    if rows and covered < 1:
        times = f"{recipe.evidence_size:g} times the room of the counts"
        return [f"sentences of {covered:.0%} of the pairs are kept, in {times} (--evidence-size)"]
    if not recipe.evidence or rows:
        return []
    if formats.is_file(target):
        return [f"{target.name}: keeps no evidence, only counts; a directory does"]
    return [f"the reader {recipe.reader} does not tell how sentences are written: no evidence"]


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


@contextmanager
def _hash(sources: Sequence[Source]) -> Iterator[Callable[[], dict[str, str]]]:
    """SHA-256 of files, computed in a thread that stops when the block is left.

    Gives what waits for the hashes, by path; a file that was changed meanwhile is an error then.
    """
    files = [source for source in sources if source.path != STANDARD_INPUT]
    found: dict[str, str] = {}
    stop = threading.Event()

    def work() -> None:
        for source in files:
            if source.is_remote:
                continue  # it would have to come a second time
            digest = hashlib.sha256()
            # Whoever reads the file for its contents will say why it cannot be read.
            with suppress(OSError), open(source.path, "rb") as file:
                while block := file.read(_BLOCK):
                    if stop.is_set():
                        return
                    digest.update(block)
                found[source.path] = digest.hexdigest()

    def wait() -> dict[str, str]:
        thread.join()
        for source in files:
            if state_of(source.path) != (source.size, source.modified):
                raise InputError(f"{source.name}: was changed while it was being counted")
        return found

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield wait
    finally:
        stop.set()
        thread.join()


def provenance(
    plan: CountPlan, parts: Sequence[CountPart], hashes: dict[str, str]
) -> dict[str, Any]:
    """All that decides the result, ready for JSON."""
    sizes = {source.path: source.size for source in plan.sources}
    found = dict(hashes)
    once = next((part.facts for part in parts if part.facts.read), None)
    if once is not None:
        sizes[STANDARD_INPUT] = once.read
        if once.sha256 is not None:
            found[STANDARD_INPUT] = once.sha256
    cuts = asdict(plan.cuts)
    for name, listed in cuts.items():
        if isinstance(listed, frozenset):
            # Lists may be long; this is enough to tell whether another is the same.
            digest = hashlib.sha256("\n".join(sorted(listed)).encode()).hexdigest()
            cuts[name] = {"words": len(listed), "sha256": digest} if listed else None
    return {
        "roget": __version__,
        "inputs": [
            {"path": show_address(spell(path)), "bytes": size, "sha256": found.get(path)}
            for path, size in sizes.items()
        ],
        "language": plan.language,
        "recipe": asdict(plan.recipe),
        "cuts": cuts,
        "tokens": sum(part.facts.tokens for part in parts),
        "sentences": sum(part.facts.sentences for part in parts),
    }


def why_empty(plan: CountPlan, parts: Sequence[CountPart], result: Result) -> str:
    """The reason for which there are no counts."""
    recipe, unasked = plan.recipe, asdict(CountCuts())
    if all(result.seen):
        asked = [name for name, cut in asdict(plan.cuts).items() if cut and cut != unasked[name]]
        words, contexts = result.seen
        cuts = ", ".join(asked)
        return f"of {words:,} words in {contexts:,} contexts the cuts leave none ({cuts})"
    if recipe.reader in TABULAR:
        return "no pair in the inputs: no row has a count above 0"
    tokens = sum(part.facts.tokens for part in parts)
    if not tokens:
        return "no words in the inputs"
    said = f"no pair in the inputs: of {tokens:,} tokens"
    if not recipe.relations:
        sentences = sum(part.facts.sentences for part in parts)
        return f"{said} in {sentences:,} sentences no two stand side by side"
    sought = ", ".join(map(_relation, recipe.relations))
    return f"{said} no two stand in the relation {sought}{_tell_seen(parts)}"


def _tell_seen(parts: Sequence[CountPart]) -> str:
    """What texts without a pair hold, in a line for tags and one for labels."""
    sums: dict[str, Counter[str]] = {}
    for part in parts:
        for name, counts in (part.facts.seen or {}).items():
            sums.setdefault(name, Counter()).update(counts)
    said = ""
    for name, summed in sums.items():
        first = sorted(summed.items(), key=lambda one: (-one[1], one[0]))[:_SHOWN]
        said += f"\n  {name} seen: " + (", ".join(f"{text} {n:,}" for text, n in first) or "none")
    return said


def _relation(name: str) -> str:
    """A relation, with its pattern if that is not its name."""
    meant = meaning_of(name)
    return f"{name} ({meant})" if isinstance(meant, str) and meant != name else name
