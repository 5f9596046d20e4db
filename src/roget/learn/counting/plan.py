"""What a caller asks for → the sources, the recipe, the cuts and the tasks."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from roget.core.io.source import Source
from roget.core.io.table import split_columns
from roget.errors import InputError
from roget.learn.corpus.base import Reading, Tables
from roget.learn.counting.extract import TABULAR, drawer
from roget.learn.counting.inputs import UNPARSED, plan_tasks, sources_of
from roget.learn.counting.options import TAGGERS, Options, Words
from roget.learn.counting.parts import Cuts, Recipe, Task

PathLike: TypeAlias = str | os.PathLike[str]
Inputs: TypeAlias = PathLike | Sequence[PathLike]

DEFAULT_RELATION = "obj"
DEFAULT_WINDOW = 2

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
class CountPlan:
    """All that decides a count, settled before anything is read."""

    sources: list[Source]
    recipe: Recipe
    cuts: Cuts
    tasks: list[Task]
    notes: tuple[str, ...]
    """Choices that were made for the caller."""

    @property
    def key(self) -> str:
        """A name for what is counted and how; another one each time for standard input."""
        said = [task.key for task in self.tasks]
        for name, cut in asdict(self.cuts).items():
            said.append(f"{name}={sorted(cut) if isinstance(cut, frozenset) else cut}")
        return hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()


def plan_count(inputs: Inputs, options: Options) -> CountPlan:
    """Find the sources, and settle how they are read and what is left out."""
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    sources, reader = sources_of(
        listed, options.reader, options.encoding, tabular=options.columns is not None
    )
    recipe, notes = recipe_of(options, reader)
    return CountPlan(
        sources, recipe, cuts_of(options, recipe), plan_tasks(sources, recipe), tuple(notes)
    )


def recipe_of(options: Options, reader: str) -> tuple[Recipe, list[str]]:
    """The recipe for a kind of input, and what to tell about choices made for the caller."""
    reader = _with_tagger(options, reader)
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
