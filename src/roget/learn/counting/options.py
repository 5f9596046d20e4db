"""What a caller asks for → the recipe and the cuts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from roget.core.io.table import Columns, split_columns
from roget.errors import InputError, UnknownName
from roget.learn.corpus.base import Reading, Tables
from roget.learn.counting.extract import TABULAR, drawer
from roget.learn.counting.inputs import UNPARSED
from roget.learn.counting.recipe import Cuts, Recipe

Words: TypeAlias = str | os.PathLike[str] | Iterable[str] | None

DEFAULT_RELATION = "obj"
DEFAULT_WINDOW = 2
TAGGERS = ("hanta", "spacy")

_UNHEEDED: dict[str, tuple[str, ...]] = {
    "conllu": ("model", "lines"),
    "text": ("model", "tags"),
    "docbin": ("model", "lines", "encoding"),
    "table": ("model", "lines", "form", "tags", "sides"),
    "matrix": ("model", "lines", "form", "tags", "sides", "encoding"),
}
"""Options that mean nothing to a reader."""
_MEANT_FOR = {
    "model": "a tagger",
    "lines": "plain text",
    "form": "running text",
    "tags": "tagged or parsed text",
    "sides": "a window",
    "encoding": "text and tables",
}


@dataclass(frozen=True)
class Options:
    """All that `roget.count` can be asked for; see there."""

    relation: str | Sequence[str] | None = None
    window: int | None = None
    sides: str = "both"
    reader: str | None = None
    tagger: str | None = None
    model: str | None = None
    columns: Columns = None
    form: bool = False
    keep_case: bool = False
    tags: bool = False
    lines: bool = False
    encoding: str = "utf-8"
    transpose: bool | None = None
    """None for no; or of tables, for words and contexts as header or name have them."""
    min_count: int = 1
    min_context: int = 1
    min_pair: int = 1
    stop: Words = None
    vocabulary: Words = None
    contexts: Words = None
    alphabetic: bool = False
    limit: int | None = None
    processes: int | None = None
    memory: str | None = None
    engine: str = "local"
    scheduler: str | None = None


def recipe_of(options: Options, reader: str) -> tuple[Recipe, list[str]]:
    """The recipe for a kind of input, and what to tell about choices made for the caller."""
    reader = _with_tagger(options, reader)
    if options.limit is not None and options.limit < 1:
        raise InputError(f"limit {options.limit}: expected 1 or more")
    _check_heeded(options, reader)
    if reader in TABULAR:
        return _tabular(options, reader), []
    if options.columns is not None:
        raise InputError(f"columns are for tables; this is {reader} (or name the reader: table)")
    relations, window, notes = _relations(options, reader)
    if window is None and is_asked(options, "sides"):
        raise InputError(f"sides {options.sides}: for a window only; name one, such as --window 2")
    recipe = Recipe(
        reader,
        Reading(options.form, options.keep_case, options.model, options.lines),
        relations,
        window,
        options.sides,
        options.tags,
        transpose=bool(options.transpose),
        limit=options.limit,
    )
    drawer(recipe, Tables())  # says so if a relation or the window makes no sense
    return recipe, notes


def is_asked(options: Options, name: str) -> bool:
    """Whether an option is other than it would be unasked."""
    return bool(getattr(options, name) != getattr(Options, name))


def cuts_of(options: Options, recipe: Recipe) -> Cuts:
    """The cuts; lists are folded as the words are."""
    for name in ("min_count", "min_context", "min_pair"):
        if getattr(options, name) < 1:
            raise InputError(f"{name} {getattr(options, name)}: expected 1 or more")
    fold = recipe.reader not in TABULAR and not options.keep_case
    return Cuts(
        options.min_count,
        options.min_context,
        options.min_pair,
        _words(options.stop, "stop", fold) or frozenset(),
        _words(options.vocabulary, "vocabulary", fold),
        _words(options.contexts, "contexts", fold),
        options.alphabetic,
    )


def _with_tagger(options: Options, reader: str) -> str:
    if options.tagger is None:
        return reader
    if options.tagger not in TAGGERS:
        raise UnknownName("tagger", options.tagger, TAGGERS)
    if reader not in (UNPARSED, options.tagger):
        raise InputError(f"tagger {options.tagger}: for plain text only; this is {reader}")
    if options.tagger == "spacy" and options.model is None:
        raise InputError("tagger spacy: name a pipeline too, such as --model en_core_web_sm")
    return options.tagger


def _check_heeded(options: Options, reader: str) -> None:
    for name in _UNHEEDED.get(reader, ()):
        if is_asked(options, name):
            said = f"{name}: for {_MEANT_FOR[name]} only; this is {reader}"
            if reader == UNPARSED:
                said += f" (name a tagger: {' or '.join(TAGGERS)})"
            raise InputError(said)


def _relations(options: Options, reader: str) -> tuple[tuple[str, ...], int | None, list[str]]:
    """Relations or a window, and a note where the choice was ours."""
    asked = options.relation
    if options.window is not None:
        if asked is not None:
            raise InputError("a relation and a window: expected one of them")
        return (), options.window, []
    if reader == UNPARSED:
        if asked is not None:
            raise InputError(
                f"relation {asked if isinstance(asked, str) else ', '.join(asked)}: plain text has "
                "no relations; add --tagger hanta, or count neighbours with --window 2"
            )
        note = f"plain text: contexts are the words up to {DEFAULT_WINDOW} places away (--window)"
        return (), DEFAULT_WINDOW, [note]
    names = (asked,) if isinstance(asked, str) else tuple(asked or [DEFAULT_RELATION])
    return names, None, []


def _tabular(options: Options, reader: str) -> Recipe:
    given = [name for name in ("relation", "window") if getattr(options, name) is not None]
    if given:
        raise InputError(f"{given[0]}: a {reader} holds pairs already")
    columns = split_columns(options.columns)
    if columns and reader != "table":
        raise InputError(f"columns are for tables; this is a {reader}")
    return Recipe(reader, columns=columns, transpose=options.transpose, limit=options.limit)


def _words(given: Words, what: str, fold: bool) -> frozenset[str] | None:
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        try:
            texts: Iterable[str] = Path(given).read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise InputError(f"{what} {given}: not UTF-8 text ({error.reason})") from None
        except OSError as error:
            raise InputError(f"{what} {os.fspath(given)}: {error.strerror or error}") from None
    else:
        texts = given
    words = frozenset((text.lower() if fold else text).strip() for text in texts) - {""}
    if not words:
        raise InputError(f"{what}: the list is empty; expected one word per line")
    return words
