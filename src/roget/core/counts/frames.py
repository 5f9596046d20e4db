"""Counts from data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.counts.matrix import from_cells
from roget.core.io.table import Columns, split_columns
from roget.errors import InputError

if TYPE_CHECKING:
    from roget.core.counts.counts import Counts

NAMES = ("word", "context", "count")


def from_frame(frame: Any, columns: Columns, make: type[Counts]) -> Counts:
    """Return the counts in a data frame with columns for word, context and, optionally, count."""
    import narwhals.stable.v2 as nw

    table = nw.from_native(frame).lazy().collect()
    chosen = _choose_columns(table.columns, columns)
    words, contexts = (table[name].to_numpy() for name in chosen[:2])
    for name, values in zip(chosen, (words, contexts), strict=False):
        if any(value is None or value != value for value in values.tolist()):
            raise InputError(
                f"column {name!r} has missing values; remove these rows", code="invalid-input"
            )
    numbers = np.ones(words.size)
    if len(chosen) > 2:
        try:
            numbers = np.asarray(table[chosen[2]].to_numpy(), dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"column {chosen[2]!r} has values that are not numbers", code="invalid-input"
            ) from None
        if not (np.isfinite(numbers).all() and (numbers >= 0).all()):
            raise InputError(
                f"column {chosen[2]!r} has missing, infinite or negative counts",
                code="invalid-input",
            )
    rows, at_row = np.unique(words.astype(str), return_inverse=True)
    names, at_column = np.unique(contexts.astype(str), return_inverse=True)
    cells = from_cells(at_row, at_column, numbers, (rows.size, names.size))
    return make(cells, rows.tolist(), names.tolist())


def _choose_columns(known: list[str], columns: Columns) -> list[str]:
    """Return the names of the columns for words, contexts and, if there is one, counts."""
    if columns is None:
        if set(NAMES[:2]) <= set(known):
            return [name for name in NAMES if name in known]
        if len(known) > len(NAMES):
            raise InputError(
                f"the frame has {len(known):,} columns ({', '.join(map(str, known[:3]))}, …); "
                "expected columns named word, context and, optionally, count. Pass "
                'columns="word=…,context=…,count=…", or, if the frame has one row per word and '
                "one column per context, Counts(frame)",
                code="ambiguous-columns",
            )
        chosen = list(known[:3])
    else:
        parts = [part.partition("=") for part in split_columns(columns)]
        by_name = {role: name for role, equals, name in parts if equals}
        chosen = (
            [by_name[role] for role in NAMES if role in by_name]
            if by_name
            else [name for name, _, _ in parts]
        )
    unknown = [name for name in chosen if name not in known]
    if unknown or not 2 <= len(chosen) <= 3:
        raise InputError(
            f"columns {', '.join(map(str, chosen))}: expected two or three of the columns "
            f"{', '.join(map(str, known))}, for word, context and count",
            code="invalid-input",
        )
    return chosen
