"""Count new text with the settings of a thesaurus, and add the new counts to its counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from roget._version import __version__
from roget.core.counts import Counts
from roget.core.folder import sha256
from roget.core.io.source import STANDARD_INPUT, Source
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError, Notice
from roget.learn.counting.inspect import find_sources
from roget.learn.counting.options import TAGGERS
from roget.learn.counting.options import CountOptions as Counting
from roget.learn.counting.plan import CountPlan, plan_tasks
from roget.learn.counting.recipe import UNPARSED, CountCuts, CountRecipe
from roget.learn.growth.options import GrowOptions
from roget.learn.load import open_counts
from roget.learn.load_counts import are_counted, count_once

_BY_TEXT = ("left_out", "repairs", "terms", "function_words")
"""Recipe fields (counting settings) that are inferred from a text, so they may differ between
texts."""

_FREE = (*_BY_TEXT, "reading", "limit", "columns", "evidence", "evidence_size")
"""Recipe fields (counting settings) that may differ between counts that are added together."""


class Added(NamedTuple):
    """The counts of a thesaurus plus the counts of new text."""

    counts: Counts
    """The summed counts. The words and contexts of the thesaurus come first, in their original
    order."""
    new: Any
    """Number of new tokens of each word, in the order of `counts`."""
    whole: Counts
    """The summed counts of all words, including words that are still too rare for the thesaurus."""


def read_recipe(counts: Counts) -> CountRecipe | None:
    """Return the settings with which text was counted, or None if unknown, e.g. for tables."""
    record = counts.provenance.get("recipe")
    if record is None:
        return None
    try:
        return replace(CountRecipe.from_record(record), limit=None)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"the provenance of the thesaurus contains an invalid recipe: {error!r}",
            code="damaged-folder",
        ) from None


def read_cuts(counts: Counts) -> CountCuts:
    """Return the filters that were applied to the counts, except word lists (not stored)."""
    cuts = counts.provenance.get("cuts") or {}
    names = ("min_count", "min_context", "min_pair")
    least: dict[str, Any] = {name: cuts.get(name) or 1 for name in names}
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in least.values()):
        raise InputError(
            f"the provenance of the thesaurus contains invalid filters: {least}",
            code="damaged-folder",
        )
    return CountCuts(**least, alphabetic=bool(cuts.get("alphabetic")))


def read_counts(
    inputs: Sequence[PathLike],
    before: Counts,
    folder: Path,
    options: GrowOptions,
    progress: Report | None,
) -> tuple[Counts, tuple[str, ...]]:
    """Read or count new inputs. Text is counted with the settings of the thesaurus.

    Intermediate results are written to `folder`.
    """
    names = [os.fspath(one) for one in inputs]
    if not names:
        raise InputError("no inputs; pass files, folders or counts", code="missing-option")
    recipe = read_recipe(before)
    if are_counted(names) or recipe is None:
        found = [open_counts(name) for name in names]
        notes = tuple(note for _, some in found for note in some)
        counts = found[0][0].merge(*(one for one, _ in found[1:]))
        return counts, (
            *notes,
            *_check_compatible(before, [one for one, _ in found], names, recipe),
        )
    return _count(names, recipe, before, folder, options, progress)


def _check_compatible(
    before: Counts, new: Sequence[Counts], names: Sequence[str], recipe: CountRecipe | None
) -> list[str]:
    """Raise an error for counts made with other settings, or return notes on other differences."""
    notes: list[str] = []
    for name, counts in zip(names, new, strict=True):
        ours, its = before.relations, counts.relations
        if ours and its and set(ours) != set(its):
            raise InputError(
                f"{name} has the relations {', '.join(its)}, but the thesaurus has "
                f"{', '.join(ours)}; count both with the same relations",
                code="incompatible-counts",
            )
        other = read_recipe(counts)
        if recipe is None or other is None:
            continue
        for one in fields(CountRecipe):
            mine, theirs = getattr(recipe, one.name), getattr(other, one.name)
            if one.name not in _FREE and mine != theirs:
                raise InputError(
                    f"{name} was counted with {one.name} {theirs}, but the thesaurus with {mine}; "
                    "use the same settings, or pass the text instead of the counts",
                    code="incompatible-counts",
                )
        if any(getattr(recipe, part) != getattr(other, part) for part in _BY_TEXT):
            notes.append(
                Notice(
                    f"{name} was counted with lemma repairs and stop words inferred from this "
                    "text; to apply the settings of the thesaurus, pass the text instead of "
                    "counts",
                    code="incompatible-counts",
                )
            )
    return notes


def _count(
    names: Sequence[str],
    recipe: CountRecipe,
    before: Counts,
    folder: Path,
    options: GrowOptions,
    progress: Report | None,
) -> tuple[Counts, tuple[str, ...]]:
    """Count new text with the settings of the thesaurus."""
    cuts = before.provenance.get("cuts") or {}
    # The thesaurus stores only the lengths of word lists, so the lists cannot be applied to the new
    # text.
    if listed := [name for name in ("stop", "vocabulary", "contexts") if cuts.get(name)]:
        raise InputError(
            f"the thesaurus was counted with a word list ({', '.join(listed)}), which "
            "is not stored in it; count the new text with the same list (roget "
            "count), and pass the counts",
            code="incompatible-counts",
        )
    tabular = recipe.reader == "table"
    known = None if recipe.reader in TAGGERS else options.reader
    sources, reader = find_sources(names, known, options.encoding, tabular=tabular)
    if reader != recipe.reader and not (reader == UNPARSED and recipe.reader in TAGGERS):
        raise InputError(
            f"{sources[0].name} was read as {reader}, but the text of the thesaurus as "
            f"{recipe.reader}; use the same kind of input",
            code="incompatible-counts",
        )
    sources, notes = _skip_known(sources, before)
    plan = CountPlan(sources, recipe, CountCuts(), plan_tasks(sources, recipe), ())
    counting = Counting(
        processes=options.processes, memory=options.memory,
        engine=options.engine, scheduler=options.scheduler,
    )  # fmt: skip
    counts, more = count_once(plan, folder, counting, progress)
    return counts, (*notes, *more)


def _skip_known(
    sources: Sequence[Source], before: Counts
) -> tuple[list[Source], tuple[Notice, ...]]:
    """Return the files to count, and a note on skipped files.

    Files that are already in the thesaurus and copies of other files are skipped.
    """
    known, kept = set(_hashes(before)), []
    for source in sources:
        digest = "" if source.path == STANDARD_INPUT else sha256(Path(source.path))
        if known and digest:
            if digest in known:
                continue
            known.add(digest)
        kept.append(source)
    if len(kept) == len(sources):
        return list(sources), ()
    skipped = len(sources) - len(kept)
    if not kept:
        raise InputError(
            f"{sources[0].name} is already in the thesaurus; pass other text",
            code="duplicate-input",
        )
    text = (
        f"{skipped:,} of {len(sources):,} files skipped, because they are already in the "
        "thesaurus or copies of other files"
    )
    return kept, (Notice(text, code="copies"),)


def add(before: Counts, new: Counts, spare: Counts | None = None) -> Added:
    """Add new counts to the counts of a thesaurus.

    Words of the thesaurus are kept. Other words are added if their new counts and their counts in
    `spare` together reach the minimum count of the thesaurus. All new counts of known words are
    added. New contexts and pairs below the minimum counts of the thesaurus are left out.
    """
    cuts = read_cuts(before)
    _refuse_duplicates(before, _hashes(new).items())
    whole = before.merge(*([new] if spare is None else [spare, new]))
    known = set(before.words.tolist())
    others = [word for word in whole.words.tolist() if word not in known]
    totals = dict(zip(whole.words.tolist(), whole.word_totals.tolist(), strict=True))
    seen = set(new.words.tolist())
    entering = [word for word in others if word in seen and totals[word] >= cuts.min_count]
    words = [*before.words.tolist(), *entering]
    grown = whole.select(words)
    there = set(before.contexts.tolist())
    columns = [
        name
        for name, total in zip(whole.contexts.tolist(), grown.context_totals.tolist(), strict=True)
        if name not in there and total >= max(cuts.min_context, 1e-300)
    ]
    grown = whole.select(words, [*before.contexts.tolist(), *columns])
    if cuts.min_pair > 1:
        grown = _cut_pairs(grown, before, cuts.min_pair)
    grown.relations = before.relations
    grown.provenance = _provenance(before, new)
    fresh = dict(zip(new.words.tolist(), new.word_totals.tolist(), strict=True))
    return Added(grown, np.array([fresh.get(word, 0) for word in words]), whole)


def _cut_pairs(grown: Counts, before: Counts, least: int) -> Counts:
    """Drop new pairs with less than the minimum count. Pairs of the thesaurus are kept."""
    matrix = grown.matrix.copy()
    n, m = before.shape
    there = matrix[:n, :m].astype(bool).multiply(before.matrix.astype(bool))
    there.resize(matrix.shape)
    kept = matrix.multiply(there)
    often = matrix.copy()
    often.data[often.data < least] = 0
    often.eliminate_zeros()
    return Counts(
        kept.maximum(often).tocsr(), grown.words, grown.contexts,
        slots=grown.slots, relations=grown.relations,
    )  # fmt: skip


def _refuse_duplicates(before: Counts, files: Iterable[tuple[str, str]]) -> None:
    """Raise an error if a file is already in the thesaurus, or was passed twice.

    Files are identified by pairs (SHA-256, name).
    """
    known = _hashes(before)
    twice: dict[str, str] = {}
    for digest, file in files if known else ():
        if digest in known:
            raise InputError(
                f"{file} is already in the thesaurus as {known[digest]}; leave it out",
                code="duplicate-input",
            )
        if digest in twice:
            raise InputError(
                f"{file} has the same content as {twice[digest]}; pass only one of them",
                code="duplicate-input",
            )
        twice[digest] = file


def _hashes(counts: Counts) -> dict[str, str]:
    """Return a dictionary from the SHA-256 of each counted file to the file's name."""
    return {
        str(one["sha256"]): str(one.get("path", ""))
        for one in counts.provenance.get("inputs", ())
        if isinstance(one, Mapping) and one.get("sha256")
    }


def _provenance(before: Counts, new: Counts) -> dict[str, Any]:
    """Return the provenance of the thesaurus, extended by the new inputs."""
    held, more = before.provenance, new.provenance
    sums = {
        name: held[name] + more[name]
        for name in ("tokens", "sentences")
        if isinstance(held.get(name), int) and isinstance(more.get(name), int)
    }
    return {
        **held,
        "roget": __version__,
        "inputs": [*held.get("inputs", ()), *more.get("inputs", ())],
        **sums,
        "steps": [*held.get("steps", ()), f"grown by {new.total:,} tokens"],
    }
