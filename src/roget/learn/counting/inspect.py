"""Inspect the inputs: find the files to count, and infer unspecified options from them.

No other stage before counting reads the inputs. The first bytes of some sources show their kind and
language. A sample of tokens shows function words, terms, wrong lemmas and words wrongly tagged as
nouns. The module `plan` makes a plan from the result, a `Findings` object.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import regex

from roget import catalogue
from roget.core.counts.files import is_counts
from roget.core.io.paths import find
from roget.core.io.source import FORMATS, STANDARD_INPUT, Source, source_of, standard_head
from roget.core.types import PathLike
from roget.data import is_sample
from roget.errors import InputError, Notice
from roget.learn.corpus import language, segmenting, spacy_reader, tagger, text
from roget.learn.corpus.base import NONE, Tables, Tokens
from roget.learn.corpus.function_words import find_function_words
from roget.learn.corpus.lemma_repair import LemmaRepair, NounStatistics
from roget.learn.corpus.terms import find_terms
from roget.learn.counting.options import CountOptions, Words
from roget.learn.counting.recipe import (
    RUNNING,
    TABULAR,
    TAGGED,
    UNPARSED,
    CountRecipe,
    Draft,
    draft_recipe,
    list_changed,
)

Inputs: TypeAlias = PathLike | Sequence[PathLike]
Lexicon: TypeAlias = tuple[tuple[str, int], ...]
T = TypeVar("T")

HEAD = 1 << 16
"""Number of bytes to read from a source to detect its kind and language."""
_HEADS = 20
"""Maximum number of sources whose first bytes are read to detect kind and language.

They are evenly spaced among all sources.
"""
_SAMPLE, _SLOW_SAMPLE = 4 << 20, 1 << 19
"""Size in bytes of the sample of plain text, without and with a tagger."""
_PARSED_SAMPLE = 64 << 20
"""Size in bytes of the sample of parsed text."""
_LARGE = 16 << 20
"""Maximum size in bytes of files that are compared to detect duplicates."""
_SPACELESS = 0.3
"""Minimum share of letters in scripts without spaces for a note on segmentation."""

_SETTLED = ("reader", "tagger", "model", "window", "sides", "decay", "segment")
"""Options that determine how plain text is read.

If one of them is set, no tagger is chosen automatically.
"""

_LISTS = ("stop", "vocabulary", "contexts")
"""Options whose value is a list of words or a file of words."""

_FORM = regex.compile(r"(?m)^\d+\t([^\t\n]+)\t")
"""Pattern for a CoNLL-U token line up to the form, which is group 1."""
_TOKEN = re.compile(rb"\d+([-.]\d+)?\t([^\t\n]*\t){8}[^\t\n]*")
"""Pattern for a CoNLL-U token line, which has an id and nine more columns."""
_CODE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
"""Pattern for a BCP 47 language code."""


class WindowWords(NamedTuple):
    """Function words and terms of a text to be counted with window contexts."""

    tagged: bool
    """True if the text has tags, from which function words are then recognised."""
    function_words: tuple[str, ...]
    """Function words of a text without tags. Empty if there is too little text."""
    terms: tuple[str, ...] = ()


class Nouns(NamedTuple):
    """Findings about the nouns of parsed text."""

    odd: dict[str, Counter[str]]
    """Words wrongly tagged as nouns, with their counts, grouped by kind of error."""
    repairs: dict[tuple[str, str], tuple[str, int]]
    """Corrected lemmas with their counts, keyed by (form, lemma)."""
    terms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Findings:
    """The sources to count, and properties inferred from a sample of their text."""

    sources: list[Source]
    draft: Draft
    """The recipe as known so far from the options, the tagger and the language."""
    language: str | None = None
    """BCP 47 code of the language, or None if it is unknown or the input is not text."""
    is_spaceless: bool = False
    """True if much of the plain text is in scripts without spaces."""
    lexicon: Lexicon | None = None
    """Words that the segmenter learnt from the text, or None."""
    words: WindowWords | None = None
    nouns: Nouns | None = None
    read_once: bool = False
    """True if a required sample was not read, because standard input can be read only once."""
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Word lists by the name of the option with which they were passed."""


def inspect_inputs(inputs: Inputs, options: CountOptions) -> Findings:
    """Find the files to count, and infer unspecified options from their text."""
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    sources, kind = find_sources(
        listed, options.reader, options.encoding, tabular=options.columns is not None
    )
    heads = Heads(sources)
    # 1. Choose a tagger for plain text if there is one for its language.
    notes: tuple[Notice, ...] = ()
    if kind == UNPARSED and not list_changed(options, _SETTLED):
        options, notes = choose_tagger(heads.detect_tagger(), options)
    draft = draft_recipe(options, kind, has_heads=_has_heads(options, kind))
    draft = replace(draft, notes=(*notes, *draft.notes))
    # 2. Determine the language, which decides how capitalisation and separable verbs are handled.
    code = _choose_language(options, heads, draft.recipe)
    draft = draft.apply_language(code, options)
    if options.duplicates == "drop" and draft.recipe.reader in RUNNING:
        sources, more = drop_duplicates(sources)
        draft = replace(draft, notes=(*draft.notes, *more))
    findings = Findings(sources, draft, code, lists=read_lists(options))
    # 3. Read a sample of the text to complete the recipe.
    return _inspect_text(findings, heads)


def drop_duplicates(sources: list[Source]) -> tuple[list[Source], tuple[Notice, ...]]:
    """Return the sources without copies of earlier sources, and a note on the copies.

    Texts are copies if they differ only in spaces and capitals. Large files, remote files and
    standard input are not compared.
    """
    first: dict[bytes, Source] = {}
    kept, copies = [], []
    for source in sources:
        can = source.path != STANDARD_INPUT and not source.is_remote and source.size <= _LARGE
        words = b""
        with suppress(InputError, OSError):  # Counting will raise the same error.
            if can and len(sources) > 1:
                blocks = (block.data for block in replace(source).blocks(HEAD))
                words = b" ".join(b"".join(blocks).lower().split())
        digest = hashlib.sha256(words).digest()
        if words and digest in first:
            copies.append((source, first[digest]))
            continue
        first.setdefault(digest, source)
        kept.append(source)
    if not copies:
        return sources, ()
    one, other = copies[0]
    text = (
        f"{len(copies):,} of {len(sources):,} files were skipped as copies of other files, e.g. "
        f"{one.name} of {other.name} (count them with --duplicates keep)"
    )
    return kept, (Notice(text, code="copies"),)


def _inspect_text(findings: Findings, heads: Heads) -> Findings:
    """Complete the findings with properties inferred from a sample of the text."""
    draft, sources = findings.draft, findings.sources
    once = any(source.path == STANDARD_INPUT for source in sources)
    if draft.recipe.reader == UNPARSED:
        findings = replace(findings, is_spaceless=heads.is_spaceless)
        lexicon = learn_lexicon(sources, draft.recipe, once)
        if lexicon is not None:
            # Segment the sample with the words that were learnt above.
            reading = replace(draft.recipe.reading, lexicon=lexicon)
            draft = replace(draft, recipe=replace(draft.recipe, reading=reading))
            findings = replace(findings, draft=draft, lexicon=lexicon)
    needs_words = draft.recipe.window is not None and (
        draft.drop_function_words or draft.join_terms
    )
    needs_nouns = draft.recipe.relations is not None and (
        draft.drop_odd_words or draft.repair_lemmas or draft.join_terms
    )
    if once:
        return replace(findings, read_once=needs_words or needs_nouns)
    if needs_words:
        return replace(findings, words=inspect_words(sources, draft))
    if needs_nouns:
        return replace(findings, nouns=inspect_nouns(sources, draft))
    return findings


def read_lists(options: CountOptions) -> dict[str, tuple[str, ...]]:
    """Read the word lists passed as options, from files or iterables."""
    values: dict[str, Words] = {name: getattr(options, name) for name in _LISTS}
    return {name: _read_list(value, name) for name, value in values.items() if value is not None}


def _read_list(value: str | os.PathLike[str] | Iterable[str], name: str) -> tuple[str, ...]:
    """Read the word list passed as the option `name`, from a file or an iterable."""
    if isinstance(value, str | os.PathLike):
        path = os.fspath(value)
        try:
            words = tuple(line for _, line in source_of(path).lines())
        except OSError as error:
            raise InputError(
                f"{name} {path}: {error.strerror or error}", code="file-not-found"
            ) from None
        except InputError as error:
            raise InputError(f"{name} {error}", code=error.code) from None
    else:
        words = tuple(value)
    if not any(map(str.strip, words)):
        raise InputError(
            f"{name}: the list is empty; write one word on each line", code="empty-input"
        )
    return words


# ---- sources and their formats


def find_sources(
    inputs: Sequence[PathLike], reader: str | None, encoding: str, tabular: bool
) -> tuple[list[Source], str]:
    """Return the sources denoted by the inputs, and the reader for all of them.

    If `reader` is None, it is inferred from the file names or the first bytes. `tabular` means that
    columns were specified, so a text file is read as a table.
    """
    for path in inputs:
        if is_counts(Path(path)) or is_sample(os.fspath(path)):
            raise InputError(
                f"{os.fspath(path)} already contains counts; use Counts.read to filter or merge "
                f"them",
                code="already-counted",
            )
    known = _list_suffixes()
    suffixes = [suffix for suffix, name in known.items() if reader in (None, name)]
    sources = find(inputs, suffixes or list(known), encoding)
    if reader is not None:
        return sources, reader
    first: dict[str, Source] = {}
    for source in sources:
        # With --columns, read a file as a table unless its suffix belongs to another reader.
        is_table = tabular and known.get(source.suffix, UNPARSED) == UNPARSED
        first.setdefault("table" if is_table else detect_kind(source), source)
    if len(first) > 1:
        (one, a), (other, b) = list(first.items())[:2]
        raise InputError(
            f"the inputs have different formats: {a.name} is {one}, {b.name} is {other}; count "
            f"them separately, "
            "or pass --reader for all",
            code="mixed-inputs",
        )
    return sources, next(iter(first))


def detect_kind(source: Source) -> str:
    """Return the reader for a source, inferred from its suffix or its first bytes."""
    return _list_suffixes().get(source.suffix) or (
        "conllu" if is_conllu(read_head(source)) else UNPARSED
    )


def _list_suffixes() -> dict[str, str]:
    """Return a mapping from file suffixes to readers. Suffixes of tables map to "table"."""
    return {**catalogue.suffixes("readers"), **dict.fromkeys(FORMATS, "table")}


def is_conllu(head: bytes) -> bool:
    """Return True if the first line that is not a comment is a token line with ten columns.

    >>> is_conllu(b"# a comment\\n1" + b"\\t_" * 9 + b"\\n"), is_conllu(b"1 cat")
    (True, False)
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    return _TOKEN.fullmatch(first.rstrip(b"\r")) is not None


def read_head(source: Source) -> bytes:
    """Return up to `HEAD` bytes from the beginning of a source."""
    if source.path == STANDARD_INPUT:
        return standard_head(HEAD)
    for block in replace(source).blocks(HEAD):
        return block.data
    return b""


# ---- language and tagger


class Heads:
    """The first bytes of up to `_HEADS` sources. They are read when they are first needed."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    @cached_property
    def heads(self) -> list[bytes]:
        """The first bytes of up to `_HEADS` sources."""
        return [read_head(source) for source in spread(self._sources)]

    @cached_property
    def texts(self) -> list[str]:
        """The first bytes as text. An incomplete character at the end is dropped."""
        return [head.decode("utf-8", "ignore") for head in self.heads]

    @property
    def is_spaceless(self) -> bool:
        """True if much of the text is in scripts without spaces."""
        return segmenting.measure_spaceless_share("".join(self.texts)) >= _SPACELESS

    def detect_tagger(self) -> str | None:
        """Return the catalogue name of the language of plain text, or None if it is unclear."""
        return tagger.detect("\n".join(self.texts))

    def detect_language(self, recipe: CountRecipe) -> str | None:
        """Return the BCP 47 code of the language of running text.

        The tagger determines the language. If there is no tagger, the language is detected from the
        text.
        """
        reader, model = recipe.reader, recipe.reading.model
        if reader == TAGGED:
            code: str | None = tagger.get_attribute(model or "english", "code")
            return code
        if reader == "spacy":
            return spacy_reader.get_language(model or "")
        if reader == UNPARSED:
            return language.detect_language("\n".join(self.texts))
        if reader == "conllu":
            named = next(filter(None, map(language.read_language_comment, self.heads)), None)
            forms = " ".join(_FORM.findall("\n".join(self.texts)))
            return named or language.detect_language(forms)
        return self._detect_in_tokens(recipe)

    def _detect_in_tokens(self, recipe: CountRecipe) -> str | None:
        """Detect the language from word forms, for readers of files that are not plain text."""
        if any(source.path == STANDARD_INPUT for source in self._sources):
            return None
        tables, forms = Tables(), replace(recipe, reading=replace(recipe.reading, form=True))
        with suppress(InputError, OSError):  # Counting will report the same error.
            for tokens in read_sample(spread(self._sources), forms, tables):
                words = tokens.word[tokens.word != NONE]
                if len(words) >= language.LEAST:
                    texts = map(tables.words.texts.__getitem__, words.tolist())
                    return language.detect_language(" ".join(texts))
        return None


def spread(sources: Sequence[Source]) -> Sequence[Source]:
    """Return up to `_HEADS` of the sources, evenly spaced."""
    return sources[:: -(-len(sources) // _HEADS)]


def choose_tagger(
    detected: str | None, options: CountOptions
) -> tuple[CountOptions, tuple[Notice, ...]]:
    """Return the options with a tagger for the detected language, and a note on the choice."""
    if detected is None:
        known = ", ".join(name.title() for name in catalogue.names("languages"))
        note = f"plain text is read without a tagger: its language is not one of {known}"
        return options, (Notice(note, code="language"),)
    name, package = detected.title(), tagger.get_attribute(detected, "needs")
    if package is not None and find_spec(package) is None:
        install = f"pip install 'roget[learn]' to tag it with {package}"
        note = f"read as {name} without a tagger; {install}"
        return options, (Notice(note, code="missing-extra"),)
    by = f" by {package}" if package else ""
    note = f"read as {name}, tagged{by}; use --reader text for windows without a tagger"
    return replace(options, tagger=TAGGED, model=detected), (Notice(note, code="tagger"),)


def _has_heads(options: CountOptions, kind: str) -> bool:
    """Return False if the tagger's language has no rules for heads, so there are no relations."""
    if TAGGED not in (options.tagger, kind):
        return True
    return bool(tagger.get_attribute(options.model or "english", "has_heads", True))


def _choose_language(options: CountOptions, heads: Heads, recipe: CountRecipe) -> str | None:
    """Return the specified or detected language, or None if it is unclear."""
    if options.language is None:
        return None if recipe.reader in TABULAR else heads.detect_language(recipe)
    if not _CODE.fullmatch(options.language):
        raise InputError(
            f"language {options.language!r} is not a language code such as de or pt-BR",
            code="invalid-option",
        )
    return options.language


# ---- samples of the text


def learn_lexicon(sources: Sequence[Source], recipe: CountRecipe, once: bool) -> Lexicon | None:
    """Return the words that the segmenter learns from the text, or None if it learns none."""
    name = recipe.reading.segment
    learn = name and getattr(catalogue.load("segmenters", name), "learn", None)
    if not learn:
        return None
    if once:
        raise InputError(
            f"--segment {name} reads the text twice, which standard input does not allow; pass a "
            f"file instead",
            code="conflicting-options",
        )
    passages = _sample(sources, _SAMPLE, text.passages)
    return tuple(learn(run for _, part in passages for run in segmenting.RUNS.findall(part)))


def inspect_words(sources: Sequence[Source], draft: Draft) -> WindowWords:
    """Find the function words and terms in a sample of the text."""
    tables = Tables()
    batches = list(read_sample(sources, draft.recipe, tables))
    tagged = any(tokens.upos is not None for tokens in batches)
    function_words = () if tagged else find_function_words(batches, tables.words)
    if function_words and (code := draft.recipe.reading.elisions):
        elided = (f"{word}'" for word in text.ELISIONS[code].split())
        function_words = tuple(dict.fromkeys((*function_words, *elided)))
    enough = tagged or bool(function_words)
    terms = find_terms(batches, tables, function_words) if enough and draft.join_terms else ()
    return WindowWords(tagged, function_words, terms)


def inspect_nouns(sources: Sequence[Source], draft: Draft) -> Nouns:
    """Find wrong lemmas, words wrongly tagged as nouns, and terms in a sample of parsed text."""
    tables = Tables()
    statistics = NounStatistics(tables)
    # Read both forms and lemmas, to compare them.
    both = draft.repair_lemmas and not draft.recipe.reading.form
    recipe = replace(draft.recipe, reading=replace(draft.recipe.reading, both=both))
    # Use a smaller sample of tagged text, because tagging is slow.
    read = read_sample if recipe.reader == TAGGED else _read_parsed_sample
    batches = list(read(sources, recipe, tables))
    for tokens in batches:
        statistics.add(tokens)
    odd = statistics.find_odd() if draft.drop_odd_words else {}
    repairs = statistics.find_repairs()
    if not draft.join_terms:
        return Nouns(odd, repairs)
    # Find terms in the corrected text, because corrected words will be counted.
    repair = LemmaRepair(tables, list_odd(odd), list_repairs(repairs))
    return Nouns(odd, repairs, find_terms(map(repair, batches), tables, chained=True))


def list_odd(odd: dict[str, Counter[str]]) -> tuple[str, ...]:
    """Return all words that are wrongly tagged as nouns, in alphabetical order."""
    return tuple(sorted(word for words in odd.values() for word in words))


def list_repairs(
    repairs: dict[tuple[str, str], tuple[str, int]],
) -> tuple[tuple[str, str, str], ...]:
    """Return (form, lemma, corrected lemma) triples in alphabetical order."""
    return tuple(sorted((*pair, word) for pair, (word, _) in repairs.items()))


def _read_parsed_sample(
    sources: Sequence[Source], recipe: CountRecipe, tables: Tables
) -> Iterator[Tokens]:
    """Yield batches of parsed text from evenly spaced sources.

    Errors are ignored here. Counting will report them.
    """
    read = catalogue.load("readers", recipe.reader)
    size = sum(source.size for source in sources)
    for source in islice(map(replace, sources), 0, None, max(1, size // _PARSED_SAMPLE)):
        with suppress(InputError, OSError):
            for tokens in read(source, tables, recipe.reading):
                yield tokens
                if source.read >= _PARSED_SAMPLE:
                    break


def read_sample(sources: Sequence[Source], recipe: CountRecipe, tables: Tables) -> Iterator[Tokens]:
    """Yield batches of tokens from evenly spaced sources."""
    read = catalogue.load("readers", recipe.reader)
    most = _SLOW_SAMPLE if recipe.reader == TAGGED else _SAMPLE
    return _sample(sources, most, lambda source: read(source, tables, recipe.reading))


def _sample(
    sources: Sequence[Source], most: int, read: Callable[[Source], Iterator[T]]
) -> Iterator[T]:
    """Yield batches from evenly spaced sources until `most` bytes are read."""
    step = max(1, -(-sum(source.size for source in sources) // most))
    left = most
    for source in islice(map(replace, sources), 0, None, step):
        for batch in read(source):
            yield batch
            if source.read >= left:
                return
        left -= source.read
