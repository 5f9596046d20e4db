"""Corpus: the words that may be placed into a taxonomy, from whatever can be counted."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from roget.core.counts import Counts
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.build import gather
from roget.learn.options import Placing


class Corpus(NamedTuple):
    """Counts of the words that are seen often enough."""

    counts: Counts
    rare: int
    """How many words are not."""
    notes: tuple[str, ...]


def read_corpus(
    inputs: Sequence[PathLike], options: Placing, progress: Report | None = None
) -> Corpus:
    """Count some inputs, or take counts that are there; rare words are left out, and counted."""
    names = [os.fspath(one) for one in inputs]
    if not names:
        raise InputError("nothing to place: name files, folders or counts")
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        whole, notes = gather(names, Path(folder), replace(options, min_count=1), progress)
    counts = whole.min_count(options.min_count)
    if not len(counts):
        raise InputError(
            f"no word is seen {options.min_count} times: lower --min-count, or bring more text"
        )
    return Corpus(counts, len(whole) - len(counts), notes)
