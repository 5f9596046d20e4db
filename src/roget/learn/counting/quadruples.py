"""Extract PP attachment quadruples from parsed files into a table with five columns."""

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
from roget.learn.corpus.pair_extraction import extract_quadruples
from roget.learn.counting.extract import TokenLimit
from roget.learn.counting.inspect import find_sources
from roget.learn.counting.options import CountOptions
from roget.learn.counting.recipe import TABULAR, UNPARSED, draft_recipe, list_changed

_USED = ("reader", "tagger", "model", "form", "keep_case", "lines", "encoding", "limit")
"""Options for `roget count` that also apply to the extraction of quadruples."""


def write(
    inputs: Sequence[PathLike],
    output: PathLike,
    options: CountOptions | None = None,
    *,
    progress: Report | None = None,
) -> int:
    """Extract quadruples, write them to a table, and return their number.

    The columns are verb, noun1, preposition, noun2 and attachment (N or V).
    """
    written = 0
    name = os.fspath(output)
    if not name.lower().endswith((".tsv", ".tsv.gz")):
        raise InputError(
            f"{output}: unsupported format for quadruples; use .tsv or .tsv.gz",
            code="unsupported-format",
        )
    with new_file(output) as draft, open_output(draft, name) as file:
        for quadruple in read(inputs, options, progress=progress):
            file.write(("\t".join(quadruple) + "\n").encode())
            written += 1
        if not written:
            raise InputError(
                "no quadruples in the inputs: no verb has an object that is followed by a "
                "prepositional phrase",
                code="empty-input",
            )
    return written


def read(
    inputs: Sequence[PathLike],
    options: CountOptions | None = None,
    *,
    progress: Report | None = None,
) -> Iterator[Quadruple]:
    """Yield the quadruples in parsed files (or in tagged text), in text order."""
    options = options or CountOptions()
    for name in list_changed(options, options_of(CountOptions)):
        if name not in _USED:
            raise InputError(
                f"{name} does not apply to quadruples; use only {', '.join(_USED)}",
                code="conflicting-options",
            )
    sources, reader = find_sources(inputs, options.reader, options.encoding, tabular=False)
    if reader in TABULAR or (reader == UNPARSED and options.tagger is None):
        raise InputError(
            f"quadruples require parsed text, but the input is read as {reader}", code="not-parsed"
        )
    recipe = draft_recipe(options, reader).recipe
    read_batches = catalogue.load("readers", recipe.reader)
    everything, before = sum(source.size for source in sources), 0
    limit = TokenLimit(recipe.limit)
    for source in sources:
        tables = Tables()
        for tokens in read_batches(source, tables, recipe.reading):
            yield from extract_quadruples(limit.take(tokens), tables)
            if progress is not None:
                facts = {"tokens": limit.tokens}
                progress(Progress(before + source.read, everything, facts))
            if limit.reached:
                return
        before += source.size
