"""Tables in memory: data frames of other libraries and dictionaries of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from roget.scoring.labels.base import Labels
from roget.scoring.labels.columns import LABEL_ROLES, SINGLE, Columns, by_name
from roget.scoring.labels.factorize import Factors, factorize, is_missing, without_empty
from roget.scoring.labels.foreign import factorize_column, frame_columns, is_column
from roget.scoring.labels.gather import read_weights
from roget.scoring.labels.problems import Problems
from roget.scoring.labels.table import Table, to_labels


def read_frame(frame: Any, columns: Columns | None, source: str, *, gold: bool) -> Labels:
    """The labels of a data frame with columns item, label[, weight][, group]."""
    problems = Problems(source)
    table = table_of(frame_columns(frame), columns, SINGLE, source, problems)
    return to_labels(table, problems, gold=gold)


def table_of(
    columns_by_name: Mapping[str, Any],
    columns: Columns | None,
    roles: Sequence[str],
    source: str,
    problems: Problems,
) -> Table:
    """A table from named columns; rows count from 1, as lines do."""
    names = list(columns_by_name)
    places = by_name(names, roles, columns, source)
    chosen = {role: columns_by_name[names[at]] for role, at in places.items()}
    items = _items(chosen.pop("item")) if "item" in chosen else None
    found = {role: _factors(column) for role, column in chosen.items()}
    found |= {role: without_empty(found[role]) for role in LABEL_ROLES if role in found}
    lines = np.arange(1, len(next(iter(found.values())).codes) + 1)
    table = Table(source, lines, items, found)
    weight = found.pop("weight", None)
    if weight is not None:
        table.weights = read_weights(weight, lines, problems, found["label"].codes >= 0)
        table.spread = True
    return table


def _factors(column: Any) -> Factors:
    return factorize_column(column) if is_column(column) else factorize(column)


def _items(column: Any) -> list[str]:
    """The text of each value, empty where there is none."""
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            values = getattr(column, method)()
            break
    else:
        values = list(column)
    if set(map(type, values)) <= {str}:
        return cast(list[str], values)
    return ["" if is_missing(value) else str(value) for value in values]
