"""Adding: new text counted by the recipe of a thesaurus, and its counts added to those there."""

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
from roget.core.io.source import STANDARD_INPUT
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.counting.inspect import find_sources
from roget.learn.counting.options import TAGGERS
from roget.learn.counting.options import CountOptions as Counting
from roget.learn.counting.plan import CountPlan, plan_tasks
from roget.learn.counting.recipe import UNPARSED, CountCuts, CountRecipe
from roget.learn.growth.options import GrowOptions
from roget.learn.load import open_counts
from roget.learn.load_counts import are_counted, count_once

_BY_TEXT = ("left_out", "repairs", "terms", "function_words")
"""Parts of a recipe that a text itself tells, so that they differ from text to text."""

_FREE = (*_BY_TEXT, "reading", "limit", "columns", "evidence", "evidence_size")
"""Parts of a recipe in which counts may differ that are added up."""


class Added(NamedTuple):
    """Counts that have grown."""

    counts: Counts
    """Those before come first, words and contexts in their order."""
    new: Any
    """How many tokens of each word are new."""
    whole: Counts
    """All there is, also of words that are still too rare."""


def recipe_of(counts: Counts) -> CountRecipe | None:
    """How text was counted; None if that is not known, as of tables that were counts already."""
    told = counts.provenance.get("recipe")
    if told is None:
        return None
    try:
        return replace(CountRecipe.from_record(told), limit=None)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"the recipe by which the thesaurus was counted: {error!r}") from None


def cuts_of(counts: Counts) -> CountCuts:
    """What was left out of the counts; lists of words are not kept, but numbers are."""
    told = counts.provenance.get("cuts") or {}
    names = ("min_count", "min_context", "min_pair")
    least: dict[str, Any] = {name: told.get(name) or 1 for name in names}
    if not all(isinstance(one, int) and not isinstance(one, bool) for one in least.values()):
        raise InputError(f"the cuts by which the thesaurus was counted: {least}")
    return CountCuts(**least, alphabetic=bool(told.get("alphabetic")))


def read_counts(
    inputs: Sequence[PathLike],
    before: Counts,
    folder: Path,
    options: GrowOptions,
    progress: Report | None,
) -> tuple[Counts, tuple[str, ...]]:
    """The counts of new inputs, by the recipe of those before; `folder` keeps what is done."""
    names = [os.fspath(one) for one in inputs]
    if not names:
        raise InputError("nothing to grow by: name files, folders or counts")
    recipe = recipe_of(before)
    if are_counted(names) or recipe is None:
        found = [open_counts(name) for name in names]
        notes = tuple(note for _, told in found for note in told)
        counts = found[0][0].merge(*(one for one, _ in found[1:]))
        return counts, (*notes, *_check_alike(before, [one for one, _ in found], names, recipe))
    return _count(names, recipe, before, folder, options, progress)


def _check_alike(
    before: Counts, given: Sequence[Counts], names: Sequence[str], recipe: CountRecipe | None
) -> list[str]:
    """Refuse counts of something else; what may be something else is told."""
    notes = []
    for name, counts in zip(names, given, strict=True):
        ours, its = before.relations, counts.relations
        if ours and its and set(ours) != set(its):
            raise InputError(
                f"{name}: counted by {', '.join(its)}, and the thesaurus by {', '.join(ours)}: "
                "count it by the same relations"
            )
        other = recipe_of(counts)
        if recipe is None or other is None:
            continue
        for one in fields(CountRecipe):
            mine, theirs = getattr(recipe, one.name), getattr(other, one.name)
            if one.name not in _FREE and mine != theirs:
                raise InputError(
                    f"{name}: counted with {one.name} {theirs}, and the thesaurus with {mine}: "
                    "count it in the same way, or name the text itself"
                )
        if any(getattr(recipe, part) != getattr(other, part) for part in _BY_TEXT):
            notes.append(
                f"{name}: words were left out and mended as its own text told; name the text "
                "itself to have them as in the thesaurus"
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
    told = before.provenance.get("cuts") or {}
    # Of lists that decided what was counted only the length is known.
    if listed := [name for name in ("stop", "vocabulary", "contexts") if told.get(name)]:
        raise InputError(
            f"the thesaurus was counted with a list of words ({', '.join(listed)}), which it does "
            "not hold: count the new text with the same list (roget count), and grow by the counts"
        )
    tabular = recipe.reader == "table"
    known = None if recipe.reader in TAGGERS else options.reader
    sources, reader = find_sources(names, known, options.encoding, tabular=tabular)
    if reader != recipe.reader and not (reader == UNPARSED and recipe.reader in TAGGERS):
        raise InputError(
            f"{sources[0].name}: read as {reader}, and the thesaurus was counted from "
            f"{recipe.reader}: bring the same kind of input"
        )
    files = dict.fromkeys(source.path for source in sources if source.path != STANDARD_INPUT)
    _refuse_again(before, ((sha256(Path(file)), file) for file in files))
    plan = CountPlan(sources, recipe, CountCuts(), plan_tasks(sources, recipe), ())
    asked = Counting(
        processes=options.processes, memory=options.memory,
        engine=options.engine, scheduler=options.scheduler,
    )  # fmt: skip
    return count_once(plan, folder, asked, progress)


def add(before: Counts, new: Counts, spare: Counts | None = None) -> Added:
    """The counts of before and the new ones together, exactly.

    Words that are there stay; others come in once they are seen as often as the thesaurus asks,
    with what `spare` has kept of them. Of the words that are there every new count is added; a new
    context, or pair, that is seen less often than the thesaurus asks is left out.
    """
    cuts = cuts_of(before)
    _refuse_again(before, _hashes(new).items())
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
    """Without new pairs that are seen too seldom; those that were there stay."""
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


def _refuse_again(before: Counts, given: Iterable[tuple[str, str]]) -> None:
    """Refuse files that the thesaurus was made of, and those that are given twice, by SHA-256."""
    known = _hashes(before)
    twice: dict[str, str] = {}
    for digest, file in given if known else ():
        if digest in known:
            raise InputError(
                f"{file}: is in the thesaurus already, as {known[digest]}: its tokens would count "
                "twice; leave it out"
            )
        if digest in twice:
            raise InputError(f"{file}: the same as {twice[digest]}: leave one of them out")
        twice[digest] = file


def _hashes(counts: Counts) -> dict[str, str]:
    """The files that were counted, by what is in them."""
    return {
        str(one["sha256"]): str(one.get("path", ""))
        for one in counts.provenance.get("inputs", ())
        if isinstance(one, Mapping) and one.get("sha256")
    }


def _provenance(before: Counts, new: Counts) -> dict[str, Any]:
    """What is to be known of counts that have grown: as before, with more inputs."""
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
