"""JSON lines: an object per line with item, label[, weight][, group].

The keys go by the same names as table columns. The label is text or a number, null or "" for no
answer, or an object of labels and their weights: {"item": "d1", "label": {"a": 3, "b": 1}}.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.io.problems import Problems
from roget.errors import FormatError
from roget.scoring.labels.codes import factorize_objects
from roget.scoring.labels.labels import Factors, without_empty
from roget.scoring.labels.table import (
    Columns,
    Table,
    by_name,
    fault,
    make_reader,
    number,
    read_weights,
)
from roget.scoring.labels.text import BATCH

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile


def read_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> Table:
    """The rows of a file of JSON lines; the first object says which keys matter."""
    line, first = file.first_line()
    if first.lstrip().startswith("["):
        text = f"{file.name}:{line}: expected one JSON object per line, found an array"
        raise FormatError(file.name, [text])
    keys: dict[str, str] = {}
    values: dict[str, list[Any]] = {}
    numbers: list[int] = []
    for lines, records in _records(file, problems):
        if records and not keys:
            names = list(records[0])
            places = by_name(names, roles, columns, file.name)
            keys = {role: names[at] for role, at in places.items()}
            values = {role: [] for role in keys}
        for role, key in keys.items():
            values[role].extend([record.get(key) for record in records])
        numbers.extend(lines)
    problems.check()
    table = Table(problems, np.array(numbers, dtype=np.int64), None, {})
    if "weight" in values:
        weights = factorize_objects(list(map(_weight, values.pop("weight"))))
        answered = np.array([value not in (None, "") for value in values["label"]], dtype=bool)
        table.weights = read_weights(weights, table.lines, problems, answered)
        table.spread = True
    if "item" in values:
        table.items = [text or "" for text in _texts(values.pop("item"), "item", table)]
    if any(isinstance(value, dict) for value in values.get("label", ())):
        table.columns["label"] = _distributions(values.pop("label"), table)
    for role, column in values.items():
        factors = factorize_objects(_texts(column, role, table))
        table.columns[role] = factors if role == "group" else without_empty(factors)
    return table


read = make_reader(read_table)


def _records(file: LabelFile, problems: Problems) -> Iterator[tuple[list[int], list[Any]]]:
    """Some objects at a time, and their lines."""
    for start, text in file.blocks():
        rows = text.split("\n")
        for first in range(0, len(rows), BATCH):
            batch = rows[first : first + BATCH]
            lines = [start + first + at for at, row in enumerate(batch) if row.strip()]
            batch = [row for row in batch if row.strip()]
            try:
                records = json.loads(f"[{','.join(batch)}]")
            except ValueError:
                records = []
            if len(records) == len(batch) and set(map(type, records)) <= {dict}:
                yield lines, records
            else:
                yield _one_by_one(lines, batch, problems)


def _one_by_one(
    lines: list[int], rows: list[str], problems: Problems
) -> tuple[list[int], list[Any]]:
    """The objects of some lines of which at least one is broken."""
    good: dict[int, Any] = {}
    for line, row in zip(lines, rows, strict=True):
        try:
            record = json.loads(row)
        except ValueError as error:
            problems.add(line, f"not JSON ({error}); expected an object")
            continue
        if isinstance(record, dict):
            good[line] = record
        else:
            problems.add(line, f"found {row.strip()!r:.40}; expected a JSON object")
    return list(good), list(good.values())


def _texts(values: list[Any], role: str, table: Table) -> list[str | None]:
    """Text and numbers as text, null and NaN as None; anything else is a problem."""
    if set(map(type, values)) <= {str}:
        return values
    texts: list[str | None] = []
    for at, value in enumerate(values):
        if value is None or isinstance(value, str):
            texts.append(value)
        elif isinstance(value, bool | int | float):
            texts.append(None if value != value else json.dumps(value))
        else:
            texts.append(None)
            found = f"the {role} is {json.dumps(value)!r:.60}"
            table.problems.add(int(table.lines[at]), f"{found}; expected text or a number")
    return texts


def _weight(value: Any) -> Any:
    """A weight that can be looked up: anything but a number as its JSON text."""
    plain = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return value if plain or value is None else json.dumps(value)


def _distributions(values: list[Any], table: Table) -> Factors:
    """Labels where some are objects {label: weight}: the entries of all rows, one after another."""
    labels: list[Any] = []
    weights: list[float] = []
    sizes: list[int] = []
    for at, value in enumerate(values):
        line = int(table.lines[at])
        if isinstance(value, dict):
            answer = list(value.items())
            if table.spread:
                table.problems.add(line, "a label with weights of its own, and a weight beside it")
        else:
            answer = [] if value in (None, "") else [(value, 1)]
        for label, weight in answer:
            found = number(_weight(weight)) if not isinstance(weight, str) else None
            wrong = fault(found)
            if wrong:
                text = f"the weight {weight!r} of {label!r} {wrong}; expected 0 or more"
                table.problems.add(line, text)
            labels.append(label)
            weights.append(found or 0.0)
        sizes.append(len(answer))
    if table.weights is None:
        table.weights = np.array(weights, dtype=np.float64)
    table.indptr = np.concatenate(([0], np.cumsum(sizes)))
    # One line per entry, so that a faulty label is reported where it stands.
    owners = Table(table.problems, np.repeat(table.lines, sizes), None, {})
    return factorize_objects(_texts(labels, "label", owners))
