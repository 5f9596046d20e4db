"""How text is read if nothing was said: plain text tagged where its language has a tagger.

Windows leave out function words and join terms, presets of relations leave out nouns that are none
and mend lemmas; the text itself tells all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

import regex

from roget import catalogue
from roget.core.io.source import STANDARD_INPUT, Source, standard_head
from roget.errors import InputError
from roget.learn.corpus import language, segmenting, spacy_reader, text
from roget.learn.corpus.base import NONE, Tables, Tokens
from roget.learn.corpus.function_words import find_function_words
from roget.learn.corpus.lemma_repair import LemmaRepair, NounStatistics
from roget.learn.corpus.particles import SEPARABLE
from roget.learn.corpus.relations import meaning_of
from roget.learn.corpus.tagger import detect, find_name
from roget.learn.corpus.terms import find_terms
from roget.learn.counting.options import CountOptions
from roget.learn.counting.parts import CountRecipe

T = TypeVar("T")

HEAD = 1 << 16
"""Bytes that tell the kind and the language of a source."""
_LOOKED_AT = 20
"""Sources, spread over all of them, that tell the language."""
_SAMPLE, _SLOW_SAMPLE = 4 << 20, 1 << 19
"""Bytes that tell function words and terms; those that a tagger has to read for it."""
_EVIDENCE = 64 << 20
"""Bytes that tell which nouns are none, and which lemmas are wrong."""
_SHOWN = 12
_SPACELESS = 0.3
"""How much of a text must be in scripts without blanks to be told so."""
_CAPITALS = ("de", "lb", "gsw")
"""Languages that write nouns with a capital."""
_FORM = regex.compile(r"(?m)^\d+\t([^\t\n]+)\t")
"""The form of a token in CoNLL-U."""


def choose_tagger(
    sources: Sequence[Source], options: CountOptions
) -> tuple[CountOptions, list[str]]:
    """The options with the tagger for the language of plain text, and what to tell of that."""
    found = detect("\n".join(_decode(_read_heads(sources))))
    if found is None:
        known = ", ".join(name.title() for name in catalogue.names("languages"))
        return options, [f"plain text, not told as one of {known}: read without a tagger"]
    name, needs = found.title(), ask_language(found, "needs", None)
    if needs is not None and find_spec(needs) is None:
        install = f"pip install 'roget[learn]' to have it tagged by {needs}"
        return options, [f"read as {name}, but without a tagger: {install}"]
    by = f" by {needs}" if needs else ""
    note = f"read as {name}, tagged{by}; --reader text for plain windows"
    return replace(options, tagger="hanta", model=found), [note]


def ask_language(name: str, attribute: str, default: Any) -> Any:
    """What an entry of the catalogue's languages says of itself."""
    return getattr(catalogue.load("languages", find_name(name)), attribute, default)


def tell_language(sources: Sequence[Source], recipe: CountRecipe) -> str | None:
    """The language of running text as a BCP 47 code: of its tagger, or told by the text."""
    reader, model = recipe.reader, recipe.reading.model
    if reader == "hanta":
        code: str | None = ask_language(model or "english", "code", None)
        return code
    if reader == "spacy":
        return spacy_reader.ask_language(model or "")
    if reader == "text":
        return language.tell("\n".join(_decode(_read_heads(sources))))
    if reader == "conllu":
        heads = _read_heads(sources)
        said = next(filter(None, map(language.tell_from_comment, heads)), None)
        return said or language.tell(" ".join(_FORM.findall("\n".join(_decode(heads)))))
    if any(source.path == STANDARD_INPUT for source in sources):
        return None
    tables, forms = Tables(), replace(recipe, reading=replace(recipe.reading, form=True))
    with suppress(InputError, OSError):
        for tokens in _read_sample(_spread(sources), forms, tables):
            if len(words := tokens.word[tokens.word != NONE]) >= language.LEAST:
                return language.tell(" ".join(map(tables.words.texts.__getitem__, words.tolist())))
    return None


def heed_language(
    recipe: CountRecipe, options: CountOptions, code: str | None
) -> tuple[CountRecipe, list[str]]:
    """The recipe as the orthography of a language wants it, and what to tell of that."""
    main = (code or "").partition("-")[0].lower()
    if recipe.reader in ("text", "table", "matrix") or recipe.reading.form:
        return recipe, []
    notes = []
    if main in _CAPITALS and options.keep_case is None:
        recipe = replace(recipe, reading=replace(recipe.reading, keep_case=True))
        notes.append("lemmas keep their capitals, which tell German nouns (--no-keep-case)")
    return replace(recipe, separable=bool(recipe.relations) and main in SEPARABLE), notes


def _spread(sources: Sequence[Source]) -> Sequence[Source]:
    """Some of the sources, from all over them."""
    return sources[:: -(-len(sources) // _LOOKED_AT)]


def _read_heads(sources: Sequence[Source]) -> list[bytes]:
    return [read_head(source) for source in _spread(sources)]


def _decode(heads: Iterable[bytes]) -> list[str]:
    return [head.decode("utf-8", "ignore") for head in heads]


def look_for_words(sources: Sequence[Source], recipe: CountRecipe) -> tuple[CountRecipe, list[str]]:
    """The recipe with the words of scripts without blanks, if they are asked for."""
    name = recipe.reading.segment
    if name is None:
        mostly = segmenting.share_of("".join(_decode(_read_heads(sources)))) >= _SPACELESS
        said = "each character of a script without blanks is a word; --segment learnt finds longer"
        return recipe, [said] if mostly else []
    learn = getattr(catalogue.load("segmenters", name), "learn", None)
    if learn is None:
        return recipe, []
    if any(source.path == STANDARD_INPUT for source in sources):
        raise InputError(f"segment {name}: standard input is read only once; name a file")
    parts = _sample(sources, _SAMPLE, text.passages)
    lexicon = tuple(learn(run for _, part in parts for run in segmenting.RUNS.findall(part)))
    found = sorted((-n, word) for word, n in lexicon if len(word) > 1)
    listed = _list_first([word for _, word in found]) or "none"
    return (
        replace(recipe, reading=replace(recipe.reading, lexicon=lexicon)),
        [f"words learnt from the text itself: {listed} (--segment)"],
    )


def look_at_words(
    sources: Sequence[Source], recipe: CountRecipe, options: CountOptions
) -> tuple[CountRecipe, list[str]]:
    """The recipe of a window with the words to leave out and those to join, and which they are."""
    ours = options.window is None
    drop = ours if options.function_words is None else not options.function_words
    join = ours if options.terms is None else options.terms
    if not (drop or join):
        return recipe, []
    if any(source.path == STANDARD_INPUT for source in sources):
        return recipe, [
            "standard input is read only once: function words and terms stay as they are"
        ]
    tables, notes = Tables(), []
    batches = list(_read_sample(sources, recipe, tables))
    tagged = any(tokens.upos is not None for tokens in batches)
    found = () if tagged else find_function_words(batches, tables.words)
    if not (tagged or found):
        return recipe, ["too little text to tell function words: all words are counted"]
    if drop:
        recipe = replace(recipe, function_words=found)
        by = (
            ": function words, by their tags"
            if tagged
            else f" as function words: {_list_first(found)}"
        )
        notes.append(f"left out{by} (--function-words keeps them)")
    terms = find_terms(batches, tables, found) if join else ()
    if terms:
        notes.append(f"counted as one word: {_list_first(terms)} (--no-terms)")
    return replace(recipe, terms=terms), notes


def _list_first(words: Sequence[str]) -> str:
    """The first of some words, and how many there are."""
    more = f" and {len(words) - _SHOWN:,} more" if len(words) > _SHOWN else ""
    return f"{', '.join(words[:_SHOWN])}{more}"


def vet_nouns(
    sources: Sequence[Source], recipe: CountRecipe, options: CountOptions
) -> tuple[CountRecipe, list[str]]:
    """The recipe of relations with nouns to leave out, to mend and to join, and what those are."""
    preset = not all(isinstance(meaning_of(name), str) for name in recipe.relations)
    odd_words = not preset if options.odd_words is None else options.odd_words
    repair = preset if options.repair is None else options.repair
    if odd_words and not (repair or options.terms):
        return recipe, []
    if any(source.path == STANDARD_INPUT for source in sources):
        return recipe, ["standard input is read only once: nouns are counted as they are tagged"]
    tables, notes = Tables(), []
    evidence = NounStatistics(tables)
    both = replace(recipe.reading, both=repair and not recipe.reading.form)
    batches = [*_read_evidence(sources, replace(recipe, reading=both), tables)]
    for tokens in batches:
        evidence.add(tokens)
    odd = {} if odd_words else evidence.odd()
    for name, words in odd.items():
        if words:
            notes.append(f"left out as {name}, {_list_frequent(words)} (--odd-words keeps them)")
    mended = evidence.repairs()
    if mended:
        said = Counter[str]()
        for (_, lemma), (word, n) in mended.items():
            said[f"{lemma} → {word}"] += n
        notes.append(f"lemmas mended, {_list_frequent(said)} (--no-repair)")
    recipe = replace(
        recipe,
        reading=replace(recipe.reading, both=bool(mended)),
        left_out=tuple(sorted(word for words in odd.values() for word in words)),
        repairs=tuple(sorted((*pair, word) for pair, (word, _) in mended.items())),
    )
    if options.terms:
        vet = LemmaRepair(tables, recipe.left_out, recipe.repairs)
        recipe = replace(recipe, terms=find_terms(map(vet, batches), tables, chained=True))
        notes.append(f"counted as one word: {_list_first(recipe.terms)}")
    return recipe, notes


def _read_evidence(
    sources: Sequence[Source], recipe: CountRecipe, tables: Tables
) -> Iterator[Tokens]:
    """Batches of parsed text from all over the sources; what is broken is told when counted."""
    read = catalogue.load("readers", recipe.reader)
    size = sum(source.size for source in sources)
    for source in islice(map(replace, sources), 0, None, max(1, size // _EVIDENCE)):
        with suppress(InputError, OSError):
            for tokens in read(source, tables, recipe.reading):
                yield tokens
                if source.read >= _EVIDENCE:
                    break


def _list_frequent(words: Counter[str]) -> str:
    ordered = sorted(words.items(), key=lambda one: (-one[1], one[0]))
    return f"{words.total():,} tokens: {_list_first([word for word, _ in ordered])}"


def _read_sample(
    sources: Sequence[Source], recipe: CountRecipe, tables: Tables
) -> Iterator[Tokens]:
    """Batches of tokens from all over the sources."""
    read = catalogue.load("readers", recipe.reader)
    most = _SLOW_SAMPLE if recipe.reader == "hanta" else _SAMPLE
    return _sample(sources, most, lambda source: read(source, tables, recipe.reading))


def _sample(
    sources: Sequence[Source], most: int, read: Callable[[Source], Iterator[T]]
) -> Iterator[T]:
    """What is read of some sources, from all over them, until there are so many bytes."""
    step = max(1, -(-sum(source.size for source in sources) // most))
    left = most
    for source in islice(map(replace, sources), 0, None, step):
        for found in read(source):
            yield found
            if source.read >= left:
                return
        left -= source.read


def read_head(source: Source) -> bytes:
    """The first bytes of a source."""
    if source.path == STANDARD_INPUT:
        return standard_head(HEAD)
    for block in replace(source).blocks(HEAD):
        return block.data
    return b""
