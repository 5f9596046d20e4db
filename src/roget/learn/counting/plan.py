"""Plan a count: determine the recipe, the filters and the tasks.

This module reads no input. A plan determines the result completely, so equal plans give equal
counts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from roget import catalogue
from roget.core.io.source import PIECE, Source
from roget.core.options import options_of
from roget.errors import InputError, Notice
from roget.learn.corpus.lemma_repair import is_wordless
from roget.learn.counting.inspect import Findings, Nouns, WindowWords, list_odd, list_repairs
from roget.learn.counting.options import CountOptions
from roget.learn.counting.parts import CountTask, make_task
from roget.learn.counting.recipe import (
    TABULAR,
    TAGGED,
    UNPARSED,
    CountCuts,
    CountRecipe,
    Draft,
    list_changed,
)

BUNDLE = 8 << 20
"""Maximum total size in bytes of small files that form one task."""

SLOW = {TAGGED: 1 << 20, "spacy": 1 << 20}
"""Minimum input size in bytes for running a slow reader in a separate process."""

_SHOWN = 12
"""Maximum number of words listed in a note."""


@dataclass(frozen=True)
class CountPlan:
    """The inputs, the recipe, the filters and the tasks of a count."""

    sources: list[Source]
    recipe: CountRecipe
    cuts: CountCuts
    tasks: list[CountTask]
    notes: tuple[Notice, ...]
    """Notes on options that were chosen automatically."""
    language: str | None = None
    """BCP 47 code of the text's language, or None if it is unknown or the input is not text."""

    @property
    def key(self) -> str:
        """Digest of the inputs, the recipe and the filters. It is unique for standard input."""
        parts = [task.key for task in self.tasks]
        for name, cut in asdict(self.cuts).items():
            parts.append(f"{name}={sorted(cut) if isinstance(cut, frozenset) else cut}")
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def make_plan(findings: Findings, options: CountOptions) -> CountPlan:
    """Complete the recipe with findings from the text, and split the inputs into tasks."""
    recipe, notes = complete_recipe(findings)
    return CountPlan(
        findings.sources,
        recipe,
        make_cuts(options, recipe, findings.lists),
        plan_tasks(findings.sources, recipe),
        (*findings.draft.notes, *notes),
        findings.language,
    )


def refuse_options(options: CountOptions, name: str, allowed: Sequence[str]) -> None:
    """Raise InputError for options that do not apply to existing counts."""
    for one in list_changed(options, options_of(CountOptions)):
        if one not in allowed:
            raise InputError(
                f"{one} {getattr(options, one)} does not apply to {name}, which already contains "
                "counts",
                code="conflicting-options",
            )


# ---- the recipe


def complete_recipe(findings: Findings) -> tuple[CountRecipe, list[Notice]]:
    """Return the recipe with all properties inferred from the text, and notes on them."""
    draft, notes = findings.draft, []
    recipe = draft.recipe
    if recipe.reader == UNPARSED:
        notes += _note_segmentation(findings)
    if findings.read_once:
        kept = (
            "function words and terms are not detected"
            if recipe.window
            else "nouns are not corrected"
        )
        notes.append(Notice(f"standard input can be read only once: {kept}", code="read-once"))
    elif findings.words is not None:
        recipe, more = _apply_words(draft, findings.words)
        notes += more
    elif findings.nouns is not None:
        recipe, more = _apply_nouns(draft, findings.nouns)
        notes += more
    return recipe, notes


def _note_segmentation(findings: Findings) -> list[Notice]:
    """Return a note on the words that the segmenter learnt.

    Without a segmenter, the note warns that characters are counted as words.
    """
    if findings.lexicon is not None:
        ordered = sorted((-n, word) for word, n in findings.lexicon if len(word) > 1)
        listed = _list_first([word for _, word in ordered]) or "none"
        text = f"words learnt from the text: {listed} (chosen by --segment)"
        return [Notice(text, code="segmentation")]
    if findings.is_spaceless and findings.draft.recipe.reading.segment is None:
        text = "each character is counted as a word; use --segment learnt to detect longer words"
        return [Notice(text, code="segmentation")]
    return []


def _apply_words(draft: Draft, words: WindowWords) -> tuple[CountRecipe, list[Notice]]:
    """Add function words and terms to the recipe for window contexts. Return notes on them."""
    recipe, notes = draft.recipe, []
    if not (words.tagged or words.function_words):
        text = "too little text to detect function words, so all words are counted"
        return recipe, [Notice(text, code="too-little-text")]
    if draft.drop_function_words:
        recipe = replace(recipe, function_words=words.function_words)
        which = "by tag" if words.tagged else _list_first(words.function_words)
        listed = f"function words and numbers left out: {which}"
        text = f"{listed} (--set function_words=true keeps them)"
        notes.append(Notice(text, code="function-words"))
    if words.terms:
        text = (
            f"terms counted as single words: {_list_first(words.terms)} (disable with --no-terms)"
        )
        notes.append(Notice(text, code="terms"))
    return replace(recipe, terms=words.terms), notes


def _apply_nouns(draft: Draft, nouns: Nouns) -> tuple[CountRecipe, list[Notice]]:
    """Add corrected, dropped and joined nouns to the recipe for relations. Return notes on them."""
    notes = []
    for kind, words in nouns.odd.items():
        if words:
            listed = f"{words.total():,} tokens left out as {kind}: {list_frequent(words)}"
            text = f"{listed} (--set odd_words=true keeps them)"
            notes.append(Notice(text, code="odd-words"))
    changes = Counter[str]()
    for (_, lemma), (word, n) in nouns.repairs.items():
        # If the corrected lemma is a single letter such as "s", its tokens are left out as
        # non-words.
        if not is_wordless(word):
            changes[f"{lemma} → {word}"] += n
    if changes:
        listed = f"lemmas of {changes.total():,} tokens corrected: {list_frequent(changes)}"
        text = f"{listed} (disable with --set repair=false)"
        notes.append(Notice(text, code="lemma-repair"))
    if draft.join_terms:
        text = f"terms counted as single words: {_list_first(nouns.terms) or 'none'}"
        notes.append(Notice(text, code="terms"))
    recipe = replace(
        draft.recipe,
        # Read word forms only if some lemmas must be corrected.
        reading=replace(draft.recipe.reading, both=bool(nouns.repairs)),
        left_out=list_odd(nouns.odd),
        repairs=list_repairs(nouns.repairs),
        terms=nouns.terms,
    )
    return recipe, notes


def _list_first(words: Sequence[str]) -> str:
    """Return the first words as a comma-separated string, with the number of further words."""
    more = f" and {len(words) - _SHOWN:,} more" if len(words) > _SHOWN else ""
    return f"{', '.join(words[:_SHOWN])}{more}"


def list_frequent(words: Counter[str]) -> str:
    """Return the most frequent words as a comma-separated string."""
    ordered = sorted(words.items(), key=lambda one: (-one[1], one[0]))
    return _list_first([word for word, _ in ordered])


def make_cuts(
    options: CountOptions, recipe: CountRecipe, lists: Mapping[str, Iterable[str]]
) -> CountCuts:
    """Return the filters. Word lists are converted to lower case if the text is."""
    fold = recipe.reader not in TABULAR and not recipe.reading.keep_case
    cuts = {
        name: frozenset((word.lower() if fold else word).strip() for word in words) - {""}
        for name, words in lists.items()
    }
    return CountCuts(
        options.min_count,
        options.min_context,
        options.min_pair,
        cuts.get("stop", frozenset()),
        cuts.get("vocabulary"),
        cuts.get("contexts"),
        options.alphabetic,
    )


# ---- the tasks


def plan_tasks(sources: Sequence[Source], recipe: CountRecipe) -> list[CountTask]:
    """Split the inputs into tasks: pieces of large sources and bundles of small sources.

    Each task is counted by one process. Tasks depend only on the inputs and the recipe, so a later
    run creates the same tasks and can reuse their counts.
    """
    if recipe.reader in TABULAR:
        return [make_task((source,), recipe) for source in sources]
    pieces = [piece for source in sources for piece in _split(source, recipe.reader)]
    bundles = _bundle(pieces, SLOW.get(recipe.reader, BUNDLE))
    return [make_task(bundle, recipe) for bundle in bundles]


def _split(source: Source, reader: str) -> list[Source]:
    """Return the pieces of a source, or the source itself if its reader needs the whole file."""
    # Readers of formats without blank lines have the attribute `whole`. Their files cannot be
    # split.
    if reader == "docbin" or getattr(catalogue.load("readers", reader), "whole", False):
        return [source]
    return source.pieces(SLOW.get(reader, PIECE))


def _bundle(sources: Sequence[Source], size: int) -> Iterator[tuple[Source, ...]]:
    """Yield bundles of consecutive sources with at most `size` bytes in total."""
    bundle: list[Source] = []
    full = 0
    for source in sources:
        if bundle and full + measure_size(source) > size:
            yield tuple(bundle)
            bundle, full = [], 0
        bundle.append(source)
        full += measure_size(source)
    if bundle:
        yield tuple(bundle)


def measure_size(source: Source) -> int:
    """Return the size, in bytes, of a source or a piece of a source."""
    return (source.size if source.stop is None else source.stop) - source.start
