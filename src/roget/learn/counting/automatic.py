"""How plain text is read if nothing was said: tagged where its language has a tagger, else not.

Windows then leave out function words and join terms, which the text itself tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from typing import Any

from roget import catalogue
from roget.core.io.source import STANDARD_INPUT, Source, standard_head
from roget.learn.corpus.base import Tables, Tokens
from roget.learn.corpus.detect import detect
from roget.learn.corpus.function_words import find_function_words
from roget.learn.corpus.terms import find_terms
from roget.learn.counting.options import Options
from roget.learn.counting.parts import Recipe

HEAD = 1 << 16
"""Bytes that tell the kind and the language of a source."""
_LOOKED_AT = 20
"""Sources, spread over all of them, that tell the language."""
_SAMPLE, _SLOW_SAMPLE = 4 << 20, 1 << 19
"""Bytes that tell function words and terms; those that a tagger has to read for it."""
_SHOWN = 12


def choose_tagger(sources: Sequence[Source], options: Options) -> tuple[Options, list[str]]:
    """The options with the tagger for the language of plain text, and what to tell of that."""
    text = "\n".join(head(source).decode("utf-8", "ignore") for source in _spread(sources))
    found = detect(text)
    if found is None:
        known = ", ".join(name.title() for name in catalogue.names("languages"))
        return options, [f"plain text, not told as one of {known}: read without a tagger"]
    name, needs = found.title(), language(found, "needs", None)
    if needs is not None and find_spec(needs) is None:
        install = f"pip install 'roget[learn]' to have it tagged by {needs}"
        return options, [f"read as {name}, but without a tagger: {install}"]
    by = f" by {needs}" if needs else ""
    note = f"read as {name}, tagged{by}; --reader text for plain windows"
    return replace(options, tagger="hanta", model=found), [note]


def language(name: str, attribute: str, default: Any) -> Any:
    """What an entry of the catalogue's languages says of itself."""
    return getattr(catalogue.load("languages", name), attribute, default)


def look_at_words(
    sources: Sequence[Source], recipe: Recipe, options: Options
) -> tuple[Recipe, list[str]]:
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
    batches = list(_sample(sources, recipe, tables))
    tagged = any(tokens.upos is not None for tokens in batches)
    found = () if tagged else find_function_words(batches, tables.words)
    if not (tagged or found):
        return recipe, ["too little text to tell function words: all words are counted"]
    if drop:
        recipe = replace(recipe, function_words=found)
        by = (
            ": function words, by their tags" if tagged else f" as function words: {_listed(found)}"
        )
        notes.append(f"left out{by} (--function-words keeps them)")
    terms = find_terms(batches, tables, found) if join else ()
    if terms:
        notes.append(f"counted as one word: {_listed(terms)} (--no-terms)")
    return replace(recipe, terms=terms), notes


def _listed(words: Sequence[str]) -> str:
    """The first of some words, and how many there are."""
    more = f" and {len(words) - _SHOWN:,} more" if len(words) > _SHOWN else ""
    return f"{', '.join(words[:_SHOWN])}{more}"


def _sample(sources: Sequence[Source], recipe: Recipe, tables: Tables) -> Iterator[Tokens]:
    """Batches of tokens from all over the sources."""
    read = catalogue.load("readers", recipe.reader)
    most = _SLOW_SAMPLE if recipe.reader == "hanta" else _SAMPLE
    step = max(1, -(-sum(source.size for source in sources) // most))
    left = most
    for source in islice(map(replace, sources), 0, None, step):
        for tokens in read(source, tables, recipe.reading):
            yield tokens
            if source.read >= left:
                return
        left -= source.read


def _spread(sources: Sequence[Source]) -> Sequence[Source]:
    return sources[:: -(-len(sources) // _LOOKED_AT)]


def head(source: Source) -> bytes:
    """The first bytes of a source."""
    if source.path == STANDARD_INPUT:
        return standard_head(HEAD)
    for block in replace(source).blocks(HEAD):
        return block.data
    return b""
