"""Load counts: read existing counts, or count a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from roget.core.counts import Counts
from roget.core.counts.files import is_counts
from roget.core.progress import Report
from roget.core.store import Partial
from roget.core.types import PathLike
from roget.data import is_sample
from roget.errors import InputError, Notice
from roget.learn.counting.count import count_in_memory, plan_inputs
from roget.learn.counting.options import CountOptions
from roget.learn.counting.plan import CountPlan, refuse_options
from roget.learn.counting.recipe import CountCuts
from roget.learn.load import open_counts
from roget.learn.options import BuildOptions

_FOR_COUNTS = ("min_count", "min_context", "min_pair", "transpose")
"""Counting options that also apply to existing counts."""

_NO_EFFECT = ("processes", "memory", "engine", "scheduler")
"""Options that do not affect the counts."""


class LoadedCounts(NamedTuple):
    """Counts without rare words."""

    counts: Counts
    rare: int
    """Number of removed words, i.e. words that are rarer than the minimum count."""
    notes: tuple[str, ...]


class GatheredCounts(NamedTuple):
    """The counts of the inputs. `whole` includes rare words, and `counts` does not."""

    whole: Counts
    counts: Counts
    notes: tuple[str, ...]


def read_corpus(
    inputs: Sequence[PathLike], options: BuildOptions, progress: Report | None = None
) -> LoadedCounts:
    """Load or count the words to place in a taxonomy, without rare words."""
    names = [os.fspath(one) for one in inputs]
    if not names:
        raise InputError(
            "there is no text to place words from; pass files, folders or counts",
            code="missing-option",
        )
    gathered = gather(names, None, replace(options, min_count=1), progress)
    counts = gathered.counts.min_count(options.min_count)
    if not len(counts):
        raise refuse_rare(options.min_count)
    return LoadedCounts(counts, len(gathered.counts) - len(counts), gathered.notes)


def refuse_rare(least: int) -> InputError:
    """Return the error for counts that contain only rare words."""
    return InputError(
        f"no word has {least} or more occurrences; lower --min-count, or add text",
        code="too-little-text",
    )


def gather(
    inputs: Sequence[PathLike],
    folder: Path | None,
    options: CountOptions,
    progress: Report | None,
) -> GatheredCounts:
    """Load and merge existing counts, or count a corpus.

    If a folder is passed, intermediate results are kept in it for the next run.
    """
    names = [os.fspath(one) for one in inputs]
    if are_counted(names):
        refuse_options(options, names[0], (*_FOR_COUNTS, *_NO_EFFECT))
        whole, *others = (open_counts(name)[0] for name in names)
        whole = whole.merge(*others) if others else whole
        whole = whole.T if options.transpose else whole
        return GatheredCounts(whole, _cut_existing(whole, options), ())
    plan = plan_inputs(inputs, options)
    if plan.cuts == CountCuts(min_count=options.min_count):
        # Keep rare words, because they may become frequent enough when the thesaurus grows.
        plan = replace(plan, cuts=CountCuts())
    whole, notes = count_once(plan, folder, options, progress)
    return GatheredCounts(whole, _cut_counted(whole, options), notes)


def are_counted(names: Sequence[str]) -> bool:
    """Return True if the inputs are existing counts, False if they are files to count.

    Raise an error if the inputs include both kinds.
    """
    existing = [is_counts(Path(name)) or is_sample(name) for name in names]
    if any(existing) and not all(existing):
        raise InputError(
            "the inputs mix existing counts with text files; count the text files first (roget "
            "count)",
            code="mixed-inputs",
        )
    return any(existing)


def count_once(
    plan: CountPlan, folder: Path | None, options: CountOptions, progress: Report | None
) -> tuple[Counts, tuple[Notice, ...]]:
    """Count the files of a plan, and reuse counts that an interrupted run left in the folder."""
    counts, summary = count_in_memory(plan, options, folder, progress=progress)
    if not summary.reused:
        return counts, summary.notes
    text = f"{summary.reused:,} of {summary.files:,} files were counted by an earlier run"
    return counts, (*summary.notes, Notice(text, code="resumed"))


@contextmanager
def keep_counted(partial: Partial) -> Iterator[None]:
    """Keep finished counts if the block fails, and explain in the error how to resume.

    If the input is invalid, a resumed run would fail again. The counts are then removed, unless
    they are from an earlier run or the error already explains how to resume.
    """
    before = partial.kept()
    try:
        yield
    except BaseException as error:
        kept, is_invalid = partial.kept(), isinstance(error, InputError)
        is_noted = bool(getattr(error, "__notes__", ()))
        if not kept or (is_invalid and not is_noted and not before):
            partial.discard()
        elif not is_noted and not is_invalid:
            error.add_note(partial.advice)
        raise


def _cut_existing(whole: Counts, options: CountOptions) -> Counts:
    """Apply the minimum counts to existing counts."""
    least = (options.min_count, options.min_context, options.min_pair)
    kept = whole.min_count(*least)
    return _record_cuts(kept, kept.provenance, options)


def _cut_counted(whole: Counts, options: CountOptions) -> Counts:
    """Remove rare words, unless counting has already removed them."""
    cuts = whole.provenance.get("cuts") or {}
    if cuts.get("min_count", 1) >= options.min_count:
        return whole
    return _record_cuts(whole.min_count(options.min_count).ranked(), whole.provenance, options)


def _record_cuts(kept: Counts, provenance: dict[str, Any], options: CountOptions) -> Counts:
    """Record the minimum counts in the provenance, unless it already contains higher ones."""
    cuts = dict(provenance.get("cuts") or {})
    for name in ("min_count", "min_context", "min_pair"):
        cuts[name] = max(getattr(options, name), cuts.get(name) or 1)
    kept.provenance = {**provenance, "cuts": cuts}
    return kept
