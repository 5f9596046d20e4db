"""One label per line: the item is the line. An empty line is an item without an answer."""

from __future__ import annotations

import numpy as np

from roget.errors import InputError
from roget.scoring.labels.base import Labels
from roget.scoring.labels.columns import Columns
from roget.scoring.labels.factorize import Coder, Factors
from roget.scoring.labels.files import Source
from roget.scoring.labels.lookalike import refuse_json
from roget.scoring.labels.problems import Problems
from roget.scoring.labels.table import Table, to_labels


def read(source: Source, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """Read one label per line; in a gold file no line may be empty."""
    if columns:
        raise InputError(f"{source.name}: columns cannot be chosen in a file of one label per line")
    refuse_json(source, "one label per line")
    coder = Coder()
    # Known before any label, so that empty lines have code 0, which becomes −1.
    coder.codes([""], 1)
    parts = []
    for _, text in source.blocks():
        rows = text.split("\n")
        parts.append(coder.codes(map(str.strip, rows), len(rows)))
    codes = np.concatenate(parts) - 1 if parts else np.empty(0, dtype=np.int32)
    complete = bool(np.all(codes >= 0))
    labels = Factors(codes, coder.names()[1:], len(coder) - 1, complete=complete)
    table = Table(source.name, np.arange(1, codes.size + 1), None, {"label": labels})
    return to_labels(table, Problems(source.name), gold=gold)
