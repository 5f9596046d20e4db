"""From corpus to counts: `count`, and `run`, which leaves the result on disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from roget.core.counts import Counts
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.source import STANDARD_INPUT
from roget.core.io.table import Columns
from roget.errors import InputError
from roget.learn.counting import export
from roget.learn.counting.hashing import Hashes
from roget.learn.counting.inputs import plan, sources_of
from roget.learn.counting.options import Options, Words, cuts_of, recipe_of
from roget.learn.counting.origin import Origin
from roget.learn.counting.recipe import UNITS
from roget.learn.counting.total import Result, Total
from roget.learn.counting.work import Meter, Progress, counted, first
from roget.learn.counting.workspace import Workspace

PathLike: TypeAlias = str | os.PathLike[str]
Inputs: TypeAlias = PathLike | Sequence[PathLike]


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


def count(
    inputs: Inputs,
    *,
    output: PathLike | None = None,
    relation: str | Sequence[str] | None = None,
    window: int | None = None,
    sides: str = "both",
    reader: str | None = None,
    tagger: str | None = None,
    model: str | None = None,
    columns: Columns = None,
    form: bool = False,
    keep_case: bool = False,
    tags: bool = False,
    lines: bool = False,
    encoding: str = "utf-8",
    transpose: bool | None = None,
    min_count: int = 1,
    min_context: int = 1,
    min_pair: int = 1,
    stop: Words = None,
    vocabulary: Words = None,
    contexts: Words = None,
    alphabetic: bool = False,
    limit: int | None = None,
    processes: int | None = 1,
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
    of a table, `columns` names word, context and count ("word=noun,context=verb", or in that
    order, by name or number); else header or name tell (verb_object.tsv), if `transpose` does not:
    false for words in the first column. Of other inputs, true swaps words and contexts.

    What is a word: the lemma in lower case; else its `form`, or with `keep_case`, or with `tags`.
    Plain text has sentences by Unicode's rules, or one per line (`lines`).

    What is left out: words, contexts and pairs seen less often than `min_count`, `min_context`,
    `min_pair`; those on the list `stop`; those not in `vocabulary` or `contexts` (a file with one
    per line, or an iterable); and what is not `alphabetic`. Reading ends after `limit` tokens.

    How: in so many `processes` (None: one for each core; a script that asks for several must
    guard its calls by `if __name__ == "__main__":`, as Python's own pools need), with so much
    `memory` ("2GB") for adding up, or on the `engine` dask, at a `scheduler`'s address.
    `progress` is called with bytes done, bytes in all and tokens (0 of tables).
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
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    sources, reader = sources_of(
        listed, options.reader, options.encoding, tabular=options.columns is not None
    )
    if any(_same(source.path, target) for source in sources):
        raise InputError(f"cannot write {target}: it is one of the inputs")
    recipe, notes = recipe_of(options, reader)
    cuts = cuts_of(options, recipe)
    tasks = plan(sources, recipe)
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
        origin = Origin(sources, recipe, cuts, done, hashes)
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
        (*notes, *dict.fromkeys(part.facts.note for part in done if part.facts.note)),
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
