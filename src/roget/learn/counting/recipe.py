"""Recipes, which define how to extract pairs from the inputs.

This module drafts a recipe from the options alone, without reading anything. The module `plan` adds
settings that depend on the text, found by the module `inspect`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import lcm
from typing import Any

from roget.core.io.table import split_columns
from roget.errors import InputError, Notice
from roget.learn.corpus.base import ReadContext
from roget.learn.corpus.particles import SEPARABLE
from roget.learn.corpus.relations import RelationSet
from roget.learn.corpus.text import ELISIONS
from roget.learn.counting.options import TAGGERS, CountOptions

UNPARSED, TAGGED = "text", "hanta"
"""Readers for plain text, with and without a tagger."""

RUNNING = (UNPARSED, TAGGED, "spacy")
"""Readers for plain text, including spaCy."""

PARSED = ("conllu", "docbin")
"""Readers for parsed text. They are fast enough to read the text twice."""

TABULAR = ("table", "matrix")
"""Readers for inputs that contain pairs instead of text."""

UNITS = {"table": "row", "matrix": "cell"}
"""Units in which the sizes of tables and matrices are reported. Text is measured in tokens."""

DEFAULT_RELATION = "nouns"
DEFAULT_WINDOW = 3

_CAPITALS = ("de", "lb", "gsw")
"""Languages in which all nouns are capitalised."""

_WINDOW_ONLY = ("sides", "decay", "function_words")
_PARSED_ONLY = ("odd_words", "repair")
_TEXT_ONLY = ("form", "tags", "terms", "evidence", *_WINDOW_ONLY, *_PARSED_ONLY)

_UNUSED: dict[str, tuple[str, ...]] = {
    "conllu": ("model", "lines", "segment", "duplicates"),
    "text": ("model", "tags", *_PARSED_ONLY),
    "hanta": ("segment", "repair"),
    "spacy": ("segment", *_PARSED_ONLY),
    "docbin": ("model", "lines", "segment", "duplicates", "encoding"),
    "table": ("model", "lines", "segment", "duplicates", *_TEXT_ONLY),
    "matrix": ("model", "lines", "segment", "duplicates", *_TEXT_ONLY, "encoding"),
}
"""Mapping from each reader to the options that do not apply to it."""

_APPLIES_TO = {
    "model": "a tagger",
    "lines": "plain text",
    "duplicates": "plain text",
    "segment": "plain text that is not tagged",
    **dict.fromkeys(_TEXT_ONLY, "running text"),
    "tags": "tagged or parsed text",
    **dict.fromkeys(_WINDOW_ONLY, "a window"),
    **dict.fromkeys(_PARSED_ONLY, "relations of parsed text"),
    "encoding": "text and tables",
}
"""The kind of input to which each option applies, for error messages."""


@dataclass(frozen=True)
class CountRecipe:
    """Settings for extracting pairs from the inputs. Counts with equal recipes can be merged."""

    reader: str
    """Name of a reader in the catalogue."""
    reading: ReadContext = field(default_factory=ReadContext)
    relations: RelationSet | None = None
    """Dependency relations, or None if contexts come from a window or the input is a table."""
    window: int | None = None
    """Window size N. Contexts are the words within N positions in the same sentence."""
    sides: str = "both"
    """Neighbours in the window to use as contexts.

    The values are both, left, right, apart (names of contexts begin with left: or right:) and each
    (names of contexts include the position).
    """
    decay: bool = False
    """True to count a neighbour at distance d in the window with the weight 1/d."""
    function_words: tuple[str, ...] | None = None
    """Function words, which are left out of a window. None if all words are counted."""
    terms: tuple[str, ...] = ()
    """Pairs of adjacent words that are joined into one term."""
    left_out: tuple[str, ...] = ()
    """Words wrongly tagged as nouns. They are not counted as nouns."""
    drop_odd: bool = False
    """True to drop nouns in tagged text that look like a number, a letter or a pronoun."""
    repairs: tuple[tuple[str, str, str], ...] = ()
    """Corrections of noun lemmas, as (form, lemma, corrected lemma)."""
    separable: bool = False
    """True if particles are joined to their verbs ("fängt … an" becomes anfangen)."""
    tags: bool = False
    """True if words and contexts include their part of speech (drink/VERB)."""
    columns: tuple[str, ...] = ()
    """Columns of a table: word, context and optionally count, or ROLE=COLUMN for each."""
    transpose: bool | None = False
    """True to exchange words and contexts, or None to infer this from a table's header or name."""
    limit: int | None = None
    """Maximum number of tokens or of table rows. The last sentence is always read to its end."""
    evidence: int = 0
    """Maximum number of example sentences for each pair."""
    evidence_size: float = 2.0
    """Maximum size of the example sentences, relative to the counts. 0 means no limit."""

    @property
    def per_one(self) -> int:
        """Factor that makes all weights integers: lcm(1, …, window) with decay, otherwise 1."""
        return lcm(*range(1, self.window + 1)) if self.decay and self.window else 1

    def to_record(self) -> dict[str, Any]:
        """Return the recipe as a JSON-compatible dictionary, with relations by name."""
        # Remove the relations first, so that asdict does not convert the parsed patterns.
        record = asdict(replace(self, relations=None))
        record["relations"] = self.relations.names if self.relations else ()
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> CountRecipe:
        """Restore a recipe from a record.

        Raise KeyError, TypeError or ValueError if it is invalid.
        """
        known: dict[str, Any] = {
            one.name: record[one.name] for one in fields(cls) if one.name in record
        }
        known["reading"] = ReadContext(**record["reading"])
        for name in ("terms", "left_out", "columns"):
            known[name] = tuple(known.get(name) or ())
        known["repairs"] = tuple(tuple(one) for one in known.get("repairs") or ())
        if known.get("function_words") is not None:
            known["function_words"] = tuple(known["function_words"])
        names = tuple(known.get("relations") or ())
        known["relations"] = RelationSet.from_names(names) if names else None
        return cls(**known)


@dataclass(frozen=True)
class CountCuts:
    """Filters for the counts. The fields have the same names as the options.

    All thresholds apply to the totals before filtering, so the order of the filters does not
    matter.
    """

    min_count: int = 1
    min_context: int = 1
    min_pair: int = 1
    stop: frozenset[str] = frozenset()
    vocabulary: frozenset[str] | None = None
    contexts: frozenset[str] | None = None
    """Context words to keep, without the relation. None keeps all contexts."""
    alphabetic: bool = False
    """True to keep only words and contexts made of letters (and inner hyphens or apostrophes)."""


@dataclass(frozen=True)
class Draft:
    """A recipe drafted from the options. The flags select the properties to infer from the text."""

    recipe: CountRecipe
    notes: tuple[Notice, ...] = ()
    drop_function_words: bool = False
    drop_odd_words: bool = False
    repair_lemmas: bool = False
    join_terms: bool = False

    def apply_language(self, code: str | None, options: CountOptions) -> Draft:
        """Adapt the recipe to the language: elided words, capitalised nouns, separable verbs."""
        recipe, main = self.recipe, (code or "").partition("-")[0].lower()
        if recipe.reader == UNPARSED and main in ELISIONS:
            return replace(
                self, recipe=replace(recipe, reading=replace(recipe.reading, elisions=main))
            )
        if recipe.reader in (UNPARSED, *TABULAR) or recipe.reading.form:
            return self
        notes = self.notes
        if main in _CAPITALS and options.keep_case is None:
            recipe = replace(recipe, reading=replace(recipe.reading, keep_case=True))
            note = "lemmas keep their capitals, which mark nouns in German (--set keep_case=false)"
            notes = (*notes, Notice(note, code="keep-case"))
        separable = recipe.relations is not None and main in SEPARABLE
        return replace(self, recipe=replace(recipe, separable=separable), notes=notes)


def list_changed(options: CountOptions, names: Iterable[str]) -> list[str]:
    """Return the names of the options whose values differ from the defaults."""
    return [name for name in names if getattr(options, name) != getattr(type(options), name)]


def draft_recipe(options: CountOptions, reader: str, *, has_heads: bool = True) -> Draft:
    """Draft the recipe for a reader. Raise InputError for options that do not apply to the reader.

    `has_heads` is False if the tagger finds no heads, so relations cannot be counted.
    """
    reader = _choose_reader(options, reader)
    _check_reader_options(options, reader)
    if reader in TABULAR:
        return Draft(_draft_table(options, reader))
    if options.columns is not None:
        raise InputError(
            f"--columns applies to tables, but the input is read as {reader} (pass --reader table "
            "if it is a table)",
            code="conflicting-options",
        )
    relations, window, notes = _choose_contexts(options, reader, has_heads)
    _check_context_options(options, reader, window)
    recipe = CountRecipe(
        reader,
        ReadContext(
            options.form, bool(options.keep_case), options.model, options.lines, options.segment
        ),
        relations,
        window,
        options.sides,
        window is not None and (options.window is None if options.decay is None else options.decay),
        tags=options.tags or (relations is not None and relations.mixes_tags),
        transpose=bool(options.transpose),
        limit=options.limit,
        evidence=options.evidence,
        evidence_size=options.evidence_size,
    )
    return _choose_findings(Draft(recipe, notes), options)


def _choose_findings(draft: Draft, options: CountOptions) -> Draft:
    """Set the flags for properties to infer from the text."""
    recipe = draft.recipe
    if recipe.window is not None:
        # By default, drop function words and join terms, unless --window is passed.
        default = options.window is None
        keep = not default if options.function_words is None else options.function_words
        join = default if options.terms is None else options.terms
        return replace(draft, drop_function_words=not keep, join_terms=join)
    if recipe.relations is None or recipe.reader not in (*PARSED, TAGGED):
        return draft
    preset = recipe.relations.has_preset
    keep = not preset if options.odd_words is None else options.odd_words
    if recipe.reader == TAGGED:
        # Tagging is too slow to read the text twice by default, so words wrongly tagged as nouns
        # are recognised only by their form. To detect terms, a sample must be read twice.
        recipe = replace(recipe, drop_odd=not keep)
        return replace(draft, recipe=recipe, join_terms=bool(options.terms))
    repair = preset if options.repair is None else options.repair
    return replace(
        draft, drop_odd_words=not keep, repair_lemmas=repair, join_terms=bool(options.terms)
    )


def _choose_reader(options: CountOptions, reader: str) -> str:
    """Return the requested tagger as the reader for plain text.

    Without a tagger, return `reader`.
    """
    if options.tagger is None:
        return reader
    if reader not in (UNPARSED, options.tagger):
        raise InputError(
            f"--tagger {options.tagger} applies to plain text, but the input is read as {reader}",
            code="conflicting-options",
        )
    if options.tagger == "spacy" and options.model is None:
        raise InputError(
            "--tagger spacy requires a pipeline, such as --model en_core_web_sm",
            code="missing-option",
        )
    return options.tagger


def _check_reader_options(options: CountOptions, reader: str) -> None:
    """Raise InputError for options that do not apply to a reader."""
    for name in list_changed(options, _UNUSED.get(reader, ())):
        hint = f"; add --tagger {' or '.join(TAGGERS)}" if reader == UNPARSED else ""
        raise InputError(
            f"{name} applies to {_APPLIES_TO[name]}, but the input is read as {reader}{hint}",
            code="conflicting-options",
        )


def _check_context_options(options: CountOptions, reader: str, window: int | None) -> None:
    """Raise InputError for options that only apply to a window, or only to relations."""
    unused: tuple[str, ...] = _PARSED_ONLY
    why = "applies to relations, not to a window"
    if window is None:
        unused, why = _WINDOW_ONLY, "applies to a window; add one, such as --window 2"
    for name in list_changed(options, unused):
        raise InputError(f"{name} {getattr(options, name)} {why}", code="conflicting-options")
    if window is None and reader not in (*PARSED, TAGGED) and list_changed(options, ["terms"]):
        raise InputError(
            f"--terms does not work with the reader {reader}; use --window, or parsed text",
            code="conflicting-options",
        )


def _choose_contexts(
    options: CountOptions, reader: str, has_heads: bool
) -> tuple[RelationSet | None, int | None, tuple[Notice, ...]]:
    """Return the relations, the window size, and a note if the user chose neither."""
    requested = options.relation
    if options.window is not None:
        if requested is not None:
            raise InputError(
                "--relation and --window cannot be combined; pass one of them",
                code="conflicting-options",
            )
        return None, options.window, ()
    headless = reader == TAGGED and not has_heads
    if reader == UNPARSED or (headless and requested is None):
        if requested is not None:
            listed = requested if isinstance(requested, str) else ", ".join(requested)
            raise InputError(
                f"relation {listed}: plain text has no relations; add --tagger hanta, or use "
                "--window 2 to count neighbours",
                code="not-parsed",
            )
        weight = "" if options.decay is False else ", weighted by 1/distance"
        note = (
            f"contexts are the words within {DEFAULT_WINDOW} positions{weight} (change with "
            f"--window)"
        )
        return None, DEFAULT_WINDOW, (Notice(note, code="default-contexts"),)
    names = (requested,) if isinstance(requested, str) else tuple(requested or [DEFAULT_RELATION])
    relations = RelationSet.from_names(names)
    if requested:
        return relations, None, ()
    note = f"relations: {DEFAULT_RELATION} ({', '.join(relations.list_slots())})"
    return relations, None, (Notice(note, code="default-contexts"),)


def _draft_table(options: CountOptions, reader: str) -> CountRecipe:
    """Draft the recipe for a table or matrix."""
    for name in list_changed(options, ("relation", "window")):
        raise InputError(
            f"{name} does not apply: a {reader} already contains pairs", code="conflicting-options"
        )
    columns = split_columns(options.columns)
    if columns and reader != "table":
        raise InputError(
            f"--columns applies to tables, but the input is a {reader}", code="conflicting-options"
        )
    return CountRecipe(reader, columns=columns, transpose=options.transpose, limit=options.limit)
