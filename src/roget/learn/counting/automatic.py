"""How plain text is read if nothing was said: tagged where its language has a tagger, else not.

Windows then leave out the function words, which the text itself tells.
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
from roget.learn.counting.options import Options
from roget.learn.counting.parts import Recipe

HEAD = 1 << 16
"""Bytes that tell the kind and the language of a source."""
_LOOKED_AT = 20
"""Sources, spread over all of them, that tell the language."""
_SAMPLE = 4 << 20
"""Bytes that tell the function words."""
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


def drop_function_words(sources: Sequence[Source], recipe: Recipe) -> tuple[Recipe, list[str]]:
    """The recipe with the words to leave out, and which those are."""
    if any(source.path == STANDARD_INPUT for source in sources):
        said = "function words are counted too: standard input is read only once"
        return recipe, [said]
    tables = Tables()
    batches = list(_sample(sources, recipe, tables))
    if any(tokens.upos is not None for tokens in batches):
        said = "left out: function words, by their tags (--function-words keeps them)"
        return replace(recipe, function_words=()), [said]
    found = find_function_words(batches, tables.words)
    if not found:
        return recipe, ["too little text to tell function words: they are counted too"]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    said = f"left out as function words: {', '.join(found[:_SHOWN])}{more}"
    return replace(recipe, function_words=found), [f"{said} (--function-words keeps them)"]


def _sample(sources: Sequence[Source], recipe: Recipe, tables: Tables) -> Iterator[Tokens]:
    """Batches of tokens from all over the sources."""
    read = catalogue.load("readers", recipe.reader)
    taken = sum(source.size for source in sources)
    share = max(1, -(-taken // _SAMPLE))
    for source in islice(map(replace, sources), 0, None, share):
        for tokens in read(source, tables, recipe.reading):
            yield tokens
            if tokens.upos is not None:
                return
            if source.read >= _SAMPLE:
                break


def _spread(sources: Sequence[Source]) -> Sequence[Source]:
    return sources[:: -(-len(sources) // _LOOKED_AT)]


def head(source: Source) -> bytes:
    """The first bytes of a source."""
    if source.path == STANDARD_INPUT:
        return standard_head(HEAD)
    for block in replace(source).blocks(HEAD):
        return block.data
    return b""
