"""What a caller asks for → the sources, the recipe, the cuts and the tasks."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from roget import catalogue
from roget.core.counts.files import is_counts
from roget.core.io.paths import find
from roget.core.io.source import FORMATS, PIECE, Source, source_of
from roget.core.io.table import split_columns
from roget.core.options import options_of
from roget.core.types import PathLike
from roget.data import is_sample
from roget.errors import InputError
from roget.learn.corpus.base import ReadContext, Tables
from roget.learn.corpus.relations import ALL, slots_of
from roget.learn.counting import infer_recipe, parts
from roget.learn.counting.extract import TABULAR, drawer
from roget.learn.counting.options import TAGGERS, CountOptions, Words
from roget.learn.counting.parts import CountCuts, CountRecipe, CountTask

Inputs: TypeAlias = PathLike | Sequence[PathLike]

UNPARSED, TAGGED = "text", "hanta"
"""The readers of what is neither parsed nor a table, and of the same with a tagger."""

PARSED = ("conllu", "docbin")
"""Readers of what was parsed before, which may be read twice: it takes no time."""

BUNDLE = 8 << 20
"""Small files are counted together until they have so many bytes."""

SLOW = {TAGGED: 1 << 20, "spacy": 1 << 20}
"""Readers so slow that even so many bytes are worth a process."""

_TOKEN = re.compile(rb"\d+([-.]\d+)?\t([^\t\n]*\t){8}[^\t\n]*")

_CODE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")

DEFAULT_RELATION = "nouns"
DEFAULT_WINDOW = 3

_SETTLED = ("reader", "tagger", "model", "window", "sides", "decay", "segment")
"""Options that say how plain text is to be read."""

_WINDOWED = ("sides", "decay", "function_words")
_VETTED = ("odd_words", "repair")
_RUNNING = ("form", "tags", "terms", "evidence", *_WINDOWED, *_VETTED)

_UNHEEDED: dict[str, tuple[str, ...]] = {
    "conllu": ("model", "lines", "segment"),
    "text": ("model", "tags", *_VETTED),
    "hanta": ("segment", *_VETTED),
    "spacy": ("segment", *_VETTED),
    "docbin": ("model", "lines", "segment", "encoding"),
    "table": ("model", "lines", "segment", *_RUNNING),
    "matrix": ("model", "lines", "segment", *_RUNNING, "encoding"),
}
"""Options that mean nothing to a reader."""
_MEANT_FOR = {
    "model": "a tagger",
    "lines": "plain text",
    "segment": "plain text that is not tagged",
    **dict.fromkeys(_RUNNING, "running text"),
    "tags": "tagged or parsed text",
    **dict.fromkeys(_WINDOWED, "a window"),
    **dict.fromkeys(_VETTED, "relations of parsed text"),
    "encoding": "text and tables",
}


@dataclass(frozen=True)
class CountPlan:
    """All that decides a count, settled before anything is read."""

    sources: list[Source]
    recipe: CountRecipe
    cuts: CountCuts
    tasks: list[CountTask]
    notes: tuple[str, ...]
    """Choices that were made for the caller."""
    language: str | None = None
    """Of the text, as a BCP 47 code; None if it is not known, or if there is no text."""

    @property
    def key(self) -> str:
        """A name for what is counted and how; another one each time for standard input."""
        said = [task.key for task in self.tasks]
        for name, cut in asdict(self.cuts).items():
            said.append(f"{name}={sorted(cut) if isinstance(cut, frozenset) else cut}")
        return hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()


def plan_count(inputs: Inputs, options: CountOptions) -> CountPlan:
    """Find the sources, and settle how they are read and what is left out."""
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    sources, reader = sources_of(
        listed, options.reader, options.encoding, tabular=options.columns is not None
    )
    told: list[str] = []
    if reader == UNPARSED and not list_asked(options, _SETTLED):
        options, told = infer_recipe.choose_tagger(sources, options)
    recipe, notes = recipe_of(options, reader)
    language = _language(options, sources, recipe)
    recipe, found = infer_recipe.heed_language(recipe, options, language)
    notes += found
    if recipe.reader == UNPARSED:
        recipe, found = infer_recipe.look_for_words(sources, recipe)
        notes += found
    if recipe.window:
        recipe, found = infer_recipe.look_at_words(sources, recipe, options)
        notes += found
    if recipe.relations and recipe.reader in PARSED:
        recipe, found = infer_recipe.vet_nouns(sources, recipe, options)
        notes += found
    return CountPlan(
        sources,
        recipe,
        cuts_of(options, recipe),
        plan_tasks(sources, recipe),
        (*told, *notes),
        language,
    )


def refuse_asked(options: CountOptions, name: str, heeded: Sequence[str]) -> None:
    """Raise an error if more than the heeded options are asked of counts that are there."""
    for one in list_asked(options, options_of(CountOptions)):
        if one not in heeded:
            raise InputError(f"{one} {getattr(options, one)}: {name} is counted already")


def recipe_of(options: CountOptions, reader: str) -> tuple[CountRecipe, list[str]]:
    """The recipe for a kind of input, and what to tell about choices made for the caller."""
    reader = _with_tagger(options, reader)
    _check_heeded(options, reader)
    if reader in TABULAR:
        return _tabular(options, reader), []
    if options.columns is not None:
        raise InputError(f"columns are for tables; this is {reader} (or name the reader: table)")
    relations, window, notes = _relations(options, reader)
    unheeded: tuple[str, ...] = _VETTED
    why = "for relations only, not a window"
    if window is None:
        unheeded, why = _WINDOWED, "for a window only; name one, such as --window 2"
    for name in list_asked(options, unheeded):
        raise InputError(f"{name} {getattr(options, name)}: {why}")
    if window is None and reader not in PARSED and list_asked(options, ["terms"]):
        raise InputError(f"terms {options.terms}: for a window or parsed text; this is {reader}")
    recipe = CountRecipe(
        reader,
        ReadContext(
            options.form, bool(options.keep_case), options.model, options.lines, options.segment
        ),
        relations,
        window,
        options.sides,
        window is not None and (options.window is None if options.decay is None else options.decay),
        tags=options.tags or any(name.removeprefix("~") == ALL for name in relations),
        transpose=bool(options.transpose),
        limit=options.limit,
        evidence=options.evidence,
        evidence_size=options.evidence_size,
    )
    drawer(recipe, Tables())  # says so if a relation or the window makes no sense
    return recipe, notes


def _language(options: CountOptions, sources: Sequence[Source], recipe: CountRecipe) -> str | None:
    """The language asked for, or that of running text, if it is known."""
    if options.language is None:
        return None if recipe.reader in TABULAR else infer_recipe.tell_language(sources, recipe)
    if not _CODE.fullmatch(options.language):
        raise InputError(f"language {options.language!r}: expected a code, such as de or pt-BR")
    return options.language


def list_asked(options: CountOptions, names: Iterable[str]) -> list[str]:
    """Those of some options that are other than they would be unasked."""
    return [name for name in names if getattr(options, name) != getattr(type(options), name)]


def cuts_of(options: CountOptions, recipe: CountRecipe) -> CountCuts:
    """The cuts; lists are folded as the words are."""
    fold = recipe.reader not in TABULAR and not recipe.reading.keep_case
    return CountCuts(
        options.min_count,
        options.min_context,
        options.min_pair,
        _words(options.stop, "stop", fold) or frozenset(),
        _words(options.vocabulary, "vocabulary", fold),
        _words(options.contexts, "contexts", fold),
        options.alphabetic,
    )


def _with_tagger(options: CountOptions, reader: str) -> str:
    if options.tagger is None:
        return reader
    if reader not in (UNPARSED, options.tagger):
        raise InputError(f"tagger {options.tagger}: for plain text only; this is {reader}")
    if options.tagger == "spacy" and options.model is None:
        raise InputError("tagger spacy: name a pipeline too, such as --model en_core_web_sm")
    return options.tagger


def _check_heeded(options: CountOptions, reader: str) -> None:
    for name in list_asked(options, _UNHEEDED.get(reader, ())):
        said = f"{name}: for {_MEANT_FOR[name]} only; this is {reader}"
        if reader == UNPARSED:
            said += f" (name a tagger: {' or '.join(TAGGERS)})"
        raise InputError(said)


def _relations(options: CountOptions, reader: str) -> tuple[tuple[str, ...], int | None, list[str]]:
    """Relations or a window, and a note where the choice was ours."""
    asked = options.relation
    if options.window is not None:
        if asked is not None:
            raise InputError("a relation and a window: expected one of them")
        return (), options.window, []
    headless = reader == TAGGED and not infer_recipe.ask_language(
        options.model or "english", "has_heads", True
    )
    if reader == UNPARSED or (headless and asked is None):
        if asked is not None:
            raise InputError(
                f"relation {asked if isinstance(asked, str) else ', '.join(asked)}: plain text has "
                "no relations; add --tagger hanta, or count neighbours with --window 2"
            )
        less = "" if options.decay is False else ", those d places away counting 1/d"
        note = f"contexts are the words up to {DEFAULT_WINDOW} places away{less} (--window)"
        return (), DEFAULT_WINDOW, [note]
    names = (asked,) if isinstance(asked, str) else tuple(asked or [DEFAULT_RELATION])
    if asked:
        return names, None, []
    return names, None, [f"relations: {DEFAULT_RELATION} ({', '.join(slots_of(names))})"]


def _tabular(options: CountOptions, reader: str) -> CountRecipe:
    for name in list_asked(options, ("relation", "window")):
        raise InputError(f"{name}: a {reader} holds pairs already")
    columns = split_columns(options.columns)
    if columns and reader != "table":
        raise InputError(f"columns are for tables; this is a {reader}")
    return CountRecipe(reader, columns=columns, transpose=options.transpose, limit=options.limit)


def _words(given: Words, what: str, fold: bool) -> frozenset[str] | None:
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        try:
            source = source_of(os.fspath(given))
            texts: Iterable[str] = [text for _, text in source.lines()]
        except OSError as error:
            raise InputError(f"{what} {os.fspath(given)}: {error.strerror or error}") from None
        except InputError as error:
            raise InputError(f"{what} {error}") from None
    else:
        texts = given
    words = frozenset((text.lower() if fold else text).strip() for text in texts) - {""}
    if not words:
        raise InputError(f"{what}: the list is empty; expected one word per line")
    return words


def sources_of(
    inputs: Sequence[PathLike], reader: str | None, encoding: str, tabular: bool
) -> tuple[list[Source], str]:
    """The sources that inputs stand for, and the reader they all need.

    Without a reader, names tell it, then the first bytes; `tabular` says that columns were named.
    """
    for given in inputs:
        if is_counts(Path(given)) or is_sample(os.fspath(given)):
            raise InputError(
                f"{os.fspath(given)}: is counted already; Counts.read can cut and merge it"
            )
    known = _suffixes()
    wanted = [suffix for suffix, name in known.items() if reader in (None, name)]
    sources = find(inputs, wanted or list(known), encoding)
    if reader is not None:
        return sources, reader
    first: dict[str, Source] = {}
    for source in sources:
        # Columns make a table of what might be text; what the name says otherwise stays so.
        table = tabular and known.get(source.suffix, UNPARSED) == UNPARSED
        first.setdefault("table" if table else kind_of(source), source)
    if len(first) > 1:
        (one, a), (other, b) = list(first.items())[:2]
        raise InputError(
            f"inputs of two kinds: {a.name} is {one}, {b.name} is {other}; count them apart, or "
            "name the --reader for all"
        )
    return sources, next(iter(first))


def kind_of(source: Source) -> str:
    """The reader for a source."""
    return _suffixes().get(source.suffix) or (
        "conllu" if is_conllu(infer_recipe.read_head(source)) else UNPARSED
    )


def _suffixes() -> dict[str, str]:
    """Readers by suffix, those of tables as well."""
    return {**catalogue.suffixes("readers"), **dict.fromkeys(FORMATS, "table")}


def is_conllu(head: bytes) -> bool:
    """Whether the first line that is no comment is a token's, with ten columns.

    >>> is_conllu(b"# a comment\\n1" + b"\\t_" * 9 + b"\\n"), is_conllu(b"1 cat")
    (True, False)
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    return _TOKEN.fullmatch(first.rstrip(b"\r")) is not None


def plan_tasks(sources: Sequence[Source], recipe: CountRecipe) -> list[CountTask]:
    """Tasks that one process each can do: pieces of large sources, bundles of small ones.

    They depend on the inputs and the recipe only, so that they are the same whenever the same is
    counted again.
    """
    if recipe.reader in TABULAR:
        return [parts.task((source,), recipe) for source in sources]
    pieces = [piece for source in sources for piece in _pieces(source, recipe.reader)]
    bundles = _bundles(pieces, SLOW.get(recipe.reader, BUNDLE))
    return [parts.task(bundle, recipe) for bundle in bundles]


def _pieces(source: Source, reader: str) -> list[Source]:
    # Files without blank lines cannot be cut: a reader of such ones says so.
    if reader == "docbin" or getattr(catalogue.load("readers", reader), "whole", False):
        return [source]
    return source.pieces(SLOW.get(reader, PIECE))


def _bundles(sources: Sequence[Source], size: int) -> Iterator[tuple[Source, ...]]:
    bundle: list[Source] = []
    full = 0
    for source in sources:
        if bundle and full + stored(source) > size:
            yield tuple(bundle)
            bundle, full = [], 0
        bundle.append(source)
        full += stored(source)
    if bundle:
        yield tuple(bundle)


def stored(source: Source) -> int:
    """The bytes of a source or of its piece."""
    return (source.size if source.stop is None else source.stop) - source.start
