"""PP quadruples of parsed files, written as a table of five columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from roget import catalogue
from roget.core.io.source import open_output
from roget.core.options import options_of
from roget.core.progress import Progress, Report
from roget.core.quadruple import Quadruple
from roget.core.store import new_file
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.corpus.base import Tables
from roget.learn.corpus.relations import quadruples
from roget.learn.counting.extract import TABULAR, Limit
from roget.learn.counting.options import CountOptions
from roget.learn.counting.plan import UNPARSED, list_asked, recipe_of, sources_of

_HEEDED = ("reader", "tagger", "model", "form", "keep_case", "lines", "encoding", "limit")


def write(
    inputs: Sequence[PathLike],
    output: PathLike,
    options: CountOptions | None = None,
    *,
    progress: Report | None = None,
) -> int:
    """Write verb, noun1, preposition, noun2 and attachment (N or V), one per line; how many."""
    written = 0
    name = os.fspath(output)
    if not name.lower().endswith((".tsv", ".tsv.gz")):
        raise InputError(f"cannot write {output}: quadruples are written as .tsv or .tsv.gz")
    with new_file(output) as draft, open_output(draft, name) as file:
        for quadruple in read(inputs, options, progress=progress):
            file.write(("\t".join(quadruple) + "\n").encode())
            written += 1
        if not written:
            raise InputError("no quadruple in the inputs: no verb with an object and a phrase")
    return written


def read(
    inputs: Sequence[PathLike],
    options: CountOptions | None = None,
    *,
    progress: Report | None = None,
) -> Iterator[Quadruple]:
    """The quadruples of parsed files (or text with a tagger), in the order of the text."""
    options = options or CountOptions()
    for name in list_asked(options, options_of(CountOptions)):
        if name not in _HEEDED:
            raise InputError(
                f"{name}: quadruples are drawn whole, in one process; there is nothing to choose"
            )
    sources, reader = sources_of(inputs, options.reader, options.encoding, tabular=False)
    if reader in TABULAR or (reader == UNPARSED and options.tagger is None):
        raise InputError(f"quadruples are drawn from parsed text; this is {reader}")
    recipe, _ = recipe_of(options, reader)
    draw = catalogue.load("readers", recipe.reader)
    everything, before = sum(source.size for source in sources), 0
    left = Limit(recipe.limit)
    for source in sources:
        tables = Tables()
        for tokens in draw(source, tables, recipe.reading):
            yield from quadruples(left.take(tokens), tables)
            if progress is not None:
                facts = {"tokens": left.tokens}
                progress(Progress(before + source.read, everything, facts))
            if left.reached:
                return
        before += source.size
