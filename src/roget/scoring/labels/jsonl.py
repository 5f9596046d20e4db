"""JSON lines: an object per line with item, label[, weight][, group].

An array of such objects and a mapping from item to label are read too.

The keys go by the same names as table columns. The label is text or a number, null or "" for no
answer, or an object of labels and their weights: {"item": "d1", "label": {"a": 3, "b": 1}}; in a
cover it may be a list of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.io.problems import Problems
from roget.core.io.table import Table
from roget.core.io.values import parse_json
from roget.errors import FormatError
from roget.scoring.labels.codes import factorize_objects
from roget.scoring.labels.labels import Factors, without_empty
from roget.scoring.labels.table import (
    LABEL_NAMES,
    Columns,
    LabelTable,
    fault,
    find_by_name,
    make_reader,
    number,
)

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile


def look(file: LabelFile, columns: Columns | None, roles: Sequence[str]) -> Table:
    """A file of JSON lines; the first object says which keys matter."""
    line, first = file.first_line()
    table = Table(file.name, file.plain.path, "jsonl", source=file.plain)
    unfolded = _unfold(file, first)
    if unfolded is not None:
        table = replace(table, path=file.keep(unfolded), source=None)
    elif first.lstrip().startswith("["):
        text = f"{file.name}:{line}: expected one JSON object per line, found an array"
        raise FormatError(file.name, [text])
    for _, text in table.lines():
        record = None
        with suppress(ValueError):
            record = parse_json(text)
        if isinstance(record, dict):
            places = find_by_name(list(record), roles, columns, file.name)
            return replace(table, names=tuple(record), places=places)
    return table


def _unfold(file: LabelFile, first: str) -> str | None:
    """An array of objects, or a mapping from item to label, as one object per line."""
    try:
        record = parse_json(first)
        if isinstance(record, dict) and (LABEL_NAMES & {key.lower() for key in record}):
            return None
    except ValueError:
        # Not whole: most likely a value over many lines.
        if first.strip() not in ("{", "[") and not first.lstrip().startswith(("[{", "[\n")):
            return None
    try:
        value = parse_json(file.text())
    except ValueError:
        return None
    if isinstance(value, dict):
        plain = not LABEL_NAMES & {key.lower() for key in value} and len(value) > 1
        whole = file.cover or all(not isinstance(label, list) for label in value.values())
        value = [{"item": k, "label": v} for k, v in value.items()] if plain and whole else None
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return None
    return "".join(f"{json.dumps(one)}\n" for one in value)


def read_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> LabelTable:
    """The rows of a file of JSON lines."""
    table = look(file, columns, roles)
    values: dict[str, list[Any]] = {role: [] for role in table.places}
    numbers: list[int] = []
    for line, cells in table.cells():
        if isinstance(cells, str):
            problems.add(line, cells)
            continue
        numbers.append(line)
        for role, at in table.places.items():
            values[role].append(cells[at])
    problems.check()
    rows = LabelTable(problems, np.array(numbers, dtype=np.int64), None, {})
    if "weight" in values:
        weights = factorize_objects(list(map(_weight, values.pop("weight"))))
        told = values["label" if "label" in values else "gold"]
        answered = np.array([value not in (None, "") for value in told], dtype=bool)
        rows.take_weights(weights, answered)
    if "item" in values:
        rows.items = [text or "" for text in _texts(values.pop("item"), "item", rows)]
    several = (dict, list) if file.cover else dict
    if any(isinstance(value, several) for value in values.get("label", ())):
        rows.columns["label"] = _distributions(values.pop("label"), rows, cover=file.cover)
    for role, column in values.items():
        factors = factorize_objects(_texts(column, role, rows))
        rows.columns[role] = factors if role == "group" else without_empty(factors)
    return rows


read = make_reader(read_table)


def _texts(values: list[Any], role: str, table: LabelTable) -> list[str | None]:
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


def _distributions(values: list[Any], table: LabelTable, *, cover: bool) -> Factors:
    """Labels where some are objects {label: weight}: the entries of all rows, one after another.

    In a cover they may be lists as well.
    """
    labels: list[Any] = []
    weights: list[float] = []
    sizes: list[int] = []
    for at, value in enumerate(values):
        line = int(table.lines[at])
        answer: list[tuple[Any, Any]]
        if isinstance(value, list) and cover:
            answer = [(label, 1) for label in value]
        elif isinstance(value, dict):
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
    owners = LabelTable(table.problems, np.repeat(table.lines, sizes), None, {})
    return factorize_objects(_texts(labels, "label", owners))
