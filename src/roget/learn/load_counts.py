"""Gathering: the counts of some inputs, which are there already or have to be counted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from roget.core.counts import Counts
from roget.core.counts.files import is_counts
from roget.core.progress import Report
from roget.core.store import Partial, write_atomic
from roget.core.types import PathLike
from roget.data import is_sample
from roget.errors import InputError
from roget.learn.counting import count as counting
from roget.learn.counting.options import CountOptions as Counting
from roget.learn.counting.parts import CountCuts
from roget.learn.counting.plan import CountPlan, plan_count, refuse_asked
from roget.learn.load import open_counts
from roget.learn.options import Placing

_READY = ("min_count", "min_context", "min_pair", "transpose")
"""What can be asked of counts that are there already."""

_HOW = ("processes", "memory", "engine", "scheduler")
"""What is no matter to the result."""


class LoadedCounts(NamedTuple):
    """Counts of the words that are seen often enough."""

    counts: Counts
    rare: int
    """How many words are not."""
    notes: tuple[str, ...]


def read_corpus(
    inputs: Sequence[PathLike], options: Placing, progress: Report | None = None
) -> LoadedCounts:
    """The words that may be placed into a taxonomy: rare ones are left out, and counted."""
    names = [os.fspath(one) for one in inputs]
    if not names:
        raise InputError("nothing to place: name files, folders or counts")
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        _, whole, notes = gather(names, Path(folder), replace(options, min_count=1), progress)
    counts = whole.min_count(options.min_count)
    if not len(counts):
        raise InputError(
            f"no word is seen {options.min_count} times: lower --min-count, or bring more text"
        )
    return LoadedCounts(counts, len(whole) - len(counts), notes)


def gather(
    inputs: Sequence[PathLike], folder: Path, options: Counting, progress: Report | None
) -> tuple[Counts, Counts, tuple[str, ...]]:
    """All that was counted, what is seen often enough of it, and what there is to tell.

    Counts that are there already are added up; others are counted, and kept in the folder.
    """
    names = [os.fspath(one) for one in inputs]
    if not (ready := are_counted(names)):
        planned = plan_count(inputs, options)
        if planned.cuts == CountCuts(min_count=options.min_count):
            # Words that are too rare are kept for the next text, which may have more of them.
            planned = replace(planned, cuts=CountCuts())
        whole, notes = count_once(planned, folder, options, progress)
    else:
        refuse_asked(options, names[0], (*_READY, *_HOW))
        whole, *others = (open_counts(name)[0] for name in names)
        whole, notes = whole.merge(*others) if others else whole, ()
        whole = whole.T if options.transpose else whole
    return whole, _cut(whole, options, ready=ready), notes


def are_counted(names: Sequence[str]) -> bool:
    """Whether inputs are counts that are there already; not all or none of them is an error."""
    ready = [is_counts(Path(name)) or is_sample(name) for name in names]
    if any(ready) and not all(ready):
        raise InputError("inputs of two kinds: counts that are there, and what is to be counted")
    return any(ready)


def count_once(
    planned: CountPlan, folder: Path, options: Counting, progress: Report | None
) -> tuple[Counts, tuple[str, ...]]:
    """Count into a folder, unless that was done by a run that was stopped later."""
    place, mark, key = folder / "counts", folder / "counts.key", planned.key
    if is_counts(place) and mark.is_file() and mark.read_text() == key:
        return counting.load(place), ("counted before",)
    done = counting.run(planned, place, options, progress=progress)
    write_atomic(mark, key)
    return counting.load(place), done.notes


@contextmanager
def keep_counted(partial: Partial) -> Iterator[None]:
    """Keep what was counted, with advice on how to go on, if the block fails; not of mistakes."""
    before = partial.kept()
    try:
        yield
    except BaseException as error:
        kept, mistake = partial.kept(), isinstance(error, InputError)
        halfway = "counts.partial" in kept  # has told so itself
        if not kept or (mistake and not halfway and not before):
            partial.discard()
        elif not halfway and not mistake:
            error.add_note(partial.advice)
        raise


def _cut(whole: Counts, options: Counting, *, ready: bool) -> Counts:
    """The counts without what is seen less often than asked, unless counting has left it out."""
    asked = (options.min_count, options.min_context, options.min_pair)
    cuts = whole.provenance.get("cuts") or {}
    if not ready and cuts.get("min_count", 1) >= options.min_count:
        return whole
    kept = whole.min_count(*asked) if ready else whole.min_count(options.min_count).ranked()
    said = dict(zip(("min_count", "min_context", "min_pair"), asked, strict=True))
    kept.provenance = {
        **(kept.provenance if ready else whole.provenance),
        "cuts": cuts | {name: max(least, cuts.get(name) or 1) for name, least in said.items()},
    }
    return kept
