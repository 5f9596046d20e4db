"""PP quadruples of parsed files, written as a table of five columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from roget import catalogue
from roget.core.quadruple import Quadruple
from roget.core.store import new_file
from roget.errors import InputError
from roget.learn.corpus.base import Tables
from roget.learn.corpus.quadruples import quadruples
from roget.learn.counting.extract import TABULAR, Limit
from roget.learn.counting.inputs import sources_of
from roget.learn.counting.options import UNPARSED, Options, recipe_of


def write(
    inputs: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    options: Options | None = None,
    *,
    progress: Callable[[int, int, int], None] | None = None,
) -> int:
    """Write verb, noun1, preposition, noun2 and attachment (N or V), one per line; how many."""
    written = 0
    with new_file(output) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
        for quadruple in read(inputs, options, progress=progress):
            file.write("\t".join(quadruple) + "\n")
            written += 1
        if not written:
            raise InputError("no quadruple in the inputs: no verb with an object and a phrase")
    return written


def read(
    inputs: Sequence[str | os.PathLike[str]],
    options: Options | None = None,
    *,
    progress: Callable[[int, int, int], None] | None = None,
) -> Iterator[Quadruple]:
    """The quadruples of parsed files (or text with a tagger), in the order of the text."""
    options = options or Options()
    sources, reader = sources_of(inputs, options.reader, options.encoding, tabular=False)
    if reader in TABULAR or (reader == UNPARSED and options.tagger is None):
        raise InputError(f"quadruples are drawn from parsed text; this is {reader}")
    recipe, _ = recipe_of(replace(options, relation=None, window=None), reader)
    draw = catalogue.load("readers", recipe.reader)
    everything, before = sum(source.size for source in sources), 0
    left = Limit(recipe.limit)
    for source in sources:
        tables = Tables()
        for tokens in draw(source, tables, recipe.reading):
            yield from quadruples(left.take(tokens), tables)
            if progress is not None:
                progress(before + source.read, everything, left.tokens)
            if left.reached:
                return
        before += source.size
