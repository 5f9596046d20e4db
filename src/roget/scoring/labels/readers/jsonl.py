"""Read JSON Lines, with one object per line (item, label[, weight][, group]), and JSON documents.

A JSON document may be an array of objects or labels, a mapping from item to label, or one of the
layouts that pandas writes (columns, index, records, split, table, values). Lists of ids, or an
object that maps cluster names to lists of ids, are clusters if no id is in two of them.

The keys have the same names as the columns of tables. A label is a string, a number, or an object
with weights: {"item": "d1", "label": {"a": 3, "b": 1}}. null and "" mean no label. With overlapping
clusters (a cover), a label may also be a list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from shlex import quote
from typing import Any

import numpy as np

from roget.core.io.problems import Problems
from roget.core.io.table import Table
from roget.core.io.values import RepeatedKey, parse_json
from roget.errors import FormatError, Notice
from roget.scoring.labels.codes import factorize_objects
from roget.scoring.labels.columns import LABEL_NAMES, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.frames import find_in_frame
from roget.scoring.labels.json_text import JSON_START
from roget.scoring.labels.labels import LabelCodes
from roget.scoring.labels.readers.base import LabelReader
from roget.scoring.labels.table import LabelTable, fault, number


def inspect_json(file: LabelFile, columns: Columns | None, roles: LabelRoles) -> Table:
    """Return the layout of a JSON file. The keys of the first object are the columns."""
    line, first = file.first_line
    table = Table(file.name, file.plain.path, "jsonl", source=file.plain)
    unfolded = _unfold(file, first, roles, columns)
    if unfolded is not None:
        text = "".join(f"{json.dumps(record)}\n" for record in unfolded)
        table = replace(table, path=file.keep(text), source=None)
    elif first.lstrip().startswith("["):
        text = (
            f"{file.name}:{line}: found an array; expected one object per line, or an array of "
            "objects such as {item: ..., label: ...}, an array of clusters that share no item, or "
            "a contingency matrix passed with --matrix"
        )
        raise FormatError(file.name, [Notice(text, code="unsupported-format")])
    for _, text in table.lines():
        record = None
        with suppress(ValueError):
            record = parse_json(text)
        if isinstance(record, dict):
            places = find_in_frame(list(record), roles, columns, file.name)
            return replace(table, names=tuple(record), places=places)
    return table


def _unfold(
    file: LabelFile, first: str, roles: LabelRoles, columns: Columns | None
) -> list[dict[str, Any]] | None:
    """Return the records in a JSON document, or None if the file is JSON Lines."""
    try:
        record = parse_json(first)
    except RepeatedKey as error:
        raise _refuse_repeated(file, file.first_line[0], error) from None
    except ValueError:
        # The line is not complete JSON, so it may be the start of a document that spans several
        # lines.
        if first.strip() not in ("{", "[") and not first.lstrip().startswith(("[", "{\n")):
            return None
    else:
        # If the first object has a label key, the file is in JSON Lines format, unless the object's
        # values are entire columns.
        labelled = isinstance(record, dict) and bool(LABEL_NAMES & _lower_keys(record))
        if labelled and not _has_columns(record):
            return None
    try:
        value = parse_json(file.text())
    except RepeatedKey as error:
        raise _refuse_repeated(file, None, error) from None
    except ValueError:
        return None
    if isinstance(value, dict | list) and not (file.cover or roles.is_pair):
        clusters = value if isinstance(value, dict) else dict(enumerate(value, start=1))
        if _are_clusters(clusters):
            return [
                {"item": item, "label": name} for name, items in clusters.items() for item in items
            ]
    if isinstance(value, dict):
        return _records_from_object(value, file, columns)
    return _records_from_array(value, roles) if isinstance(value, list) else None


def _are_clusters(value: Mapping[Any, Any]) -> bool:
    """Return True if an object or array contains lists of items, each item in a single list.

    Arrays of the same length may also be pairs (item, label) or the rows of a matrix.

    >>> _are_clusters({1: ["a", "b"], 2: ["c"]}), _are_clusters({1: ["a", "x"], 2: ["b", "x"]})
    (True, False)
    >>> _are_clusters({1: ["a", "x"], 2: ["b", "y"]}), _are_clusters({"columns": ["a"], "data": []})
    (False, False)
    """
    lists = list(value.values())
    if len(lists) < 2 or not all(isinstance(one, list) and one for one in lists):
        return False
    items = [item for one in lists for item in one]
    sizes = {len(one) for one in lists}
    texts = all(isinstance(item, str) for item in items)
    if not (texts or all(type(item) is int for item in items)):
        return False
    several = len(sizes) > 1 or (texts and not sizes <= {1, 2})
    return several and len(set(items)) == len(items)


def _refuse_repeated(file: LabelFile, line: int | None, error: RepeatedKey) -> FormatError:
    """Return the error for a JSON object with a repeated key, which gives an item two labels."""
    place = file.name if line is None else f"{file.name}:{line}"
    text = f"{place}: {error}; expected distinct keys"
    return FormatError(file.name, [Notice(text, code="duplicate-item")])


def _lower_keys(record: dict[str, Any]) -> set[str]:
    return {key.lower() for key in record}


def _has_columns(value: dict[str, Any]) -> bool:
    """Return True if the values of an object are columns: lists, or mappings from row to cell."""
    columns = list(value.values())
    if len(columns) < 2 or not LABEL_NAMES & _lower_keys(value):
        return False
    if all(isinstance(column, list) for column in columns):
        return len({len(column) for column in columns}) == 1
    return all(isinstance(column, dict) and [*column] == [*columns[0]] for column in columns)


def _records_from_object(
    value: dict[str, Any], file: LabelFile, columns: Columns | None
) -> list[dict[str, Any]] | None:
    """Return the records in a JSON object.

    The object contains columns, is in pandas' split or index layout, or maps items to labels.
    """
    if _has_columns(value):
        cells = [[*one.values()] if isinstance(one, dict) else one for one in value.values()]
        return [dict(zip(value, row, strict=True)) for row in zip(*cells, strict=True)]
    if {"columns", "data"} <= value.keys() <= {"columns", "index", "data"}:
        names = list(map(str, value["columns"]))
        return [dict(zip(names, row, strict=False)) for row in value["data"]]
    if value.keys() == {"schema", "data"} and isinstance(value["data"], list):
        return value["data"]
    layout = _find_layout(value, file, columns)
    if layout == "columns":
        numbers = next(iter(value.values()))
        value = {row: {name: cells[row] for name, cells in value.items()} for row in numbers}
    if layout is None and (LABEL_NAMES & _lower_keys(value) or len(value) < 2):
        return None
    rows = list(value.values())
    if layout or all(isinstance(row, dict) and LABEL_NAMES & _lower_keys(row) for row in rows):
        # In pandas' "index" layout, the object maps row names to records.
        named = any("item" in _lower_keys(row) or "id" in _lower_keys(row) for row in rows)
        named = named or _has_row_numbers(value)
        return rows if named else [{"item": key, **row} for key, row in value.items()]
    if not file.cover and any(isinstance(label, list) for label in rows):
        return None
    return [{"item": item, "label": label} for item, label in value.items()]


def _find_layout(value: dict[str, Any], file: LabelFile, columns: Columns | None) -> str | None:
    """Return the pandas layout of an object of objects, "columns" or "index".

    Return None if the object maps items to weights, or has another content.
    """
    inner = list(value.values())
    cells = [cell for one in inner if isinstance(one, dict) for cell in one.values()]
    same = all(isinstance(one, dict) and one.keys() == inner[0].keys() for one in inner)
    if not (same and cells) or any(isinstance(cell, dict | list) for cell in cells):
        return None
    keys = list(inner[0])
    requested = {str(name) for name in (columns or {}).values()}
    if requested and requested <= set(value):
        return "columns"
    if requested and requested <= set(keys):
        return "index"
    if len(value) == 1 or (LABEL_NAMES & _lower_keys(value)):
        return "columns" if len(keys) > 1 else None
    if LABEL_NAMES & _lower_keys(inner[0]):
        return "index"
    numeric = all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)
    sums = [sum(one.values()) for one in inner] if numeric else []
    if numeric and np.allclose(sums, sums[0]):
        return None
    if len(keys) == 1:
        return "index"
    is_numbered = keys == [str(at) for at in range(len(keys))]
    if len(keys) > len(value) and (is_numbered or not numeric):
        return "columns"
    if not numeric:
        return "index"
    if file.cover or not all(float(cell).is_integer() for cell in cells):
        return None
    text = (
        f"{file.name}: all objects have the keys {', '.join(keys[:4])}{' …' * (len(keys) > 4)}, "
        "which may be columns of labels or labels with weights; for columns, pass e.g. "
        f"--columns {quote(f'label={keys[0]}')}; for weights, scale them to sum to 1 for each item"
    )
    raise FormatError(file.name, [Notice(text, code="ambiguous-columns")])


def _has_row_numbers(rows: Mapping[str, dict[str, Any]]) -> bool:
    """Return True if the keys are row numbers and the first of several columns contains ids."""
    if [*rows] != [str(at) for at in range(len(rows))]:
        return False
    records = list(rows.values())
    first = [next(iter(record.values())) for record in records if len(record) > 1]
    return len(set(first)) == len(records) and all(isinstance(cell, str) for cell in first)


def _records_from_array(value: list[Any], roles: LabelRoles) -> list[dict[str, Any]] | None:
    """Return the records in an array of objects, labels or pairs.

    A pair is an item and its label or, in a file with both gold and system labels, a gold label and
    a system label.
    """
    if all(isinstance(one, dict) for one in value):
        return value
    scalar = (str, int, float, type(None))
    if not roles.is_pair and all(isinstance(one, scalar) for one in value):
        return [{"label": label} for label in value]
    if all(
        isinstance(one, list) and len(one) == 2 and all(isinstance(cell, scalar) for cell in one)
        for one in value
    ):
        names = ("gold", "system") if roles.is_pair else ("item", "label")
        return [dict(zip(names, row, strict=True)) for row in value]
    return None


def read_json(
    file: LabelFile, columns: Columns | None, roles: LabelRoles, problems: Problems
) -> LabelTable:
    """Read the rows of a JSON file."""
    table = inspect_json(file, columns, roles)
    values: dict[str, list[Any]] = {role: [] for role in table.places}
    numbers: list[int] = []
    for line, cells in table.whole_rows(problems):
        numbers.append(line)
        for role, at in table.places.items():
            values[role].append(cells[at])
    problems.check()
    rows = LabelTable(problems, np.array(numbers, dtype=np.int64))
    if "weight" in values:
        weights = factorize_objects(list(map(_weight, values.pop("weight"))))
        labels = values["label" if "label" in values else "gold"]
        answered = np.array([value not in (None, "") for value in labels], dtype=bool)
        rows.set_weights(weights, answered)
    if "item" in values:
        rows.items = [text or "" for text in _texts(values.pop("item"), "item", rows)]
    several = (dict, list) if file.cover else dict
    if any(isinstance(value, several) for value in values.get("label", ())):
        rows.columns["label"] = _distributions(values.pop("label"), rows, cover=file.cover)
    for role, column in values.items():
        coded = factorize_objects(_texts(column, role, rows))
        rows.columns[role] = coded if role == "group" else coded.drop_empty()
    return rows


def _texts(values: list[Any], role: str, table: LabelTable) -> list[str | None]:
    """Convert strings and numbers to strings, and null and NaN to None. Report other values."""
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
            table.problems.add(int(table.lines[at]), f"{found}; expected a string or a number")
    return texts


def _weight(value: Any) -> Any:
    """Return a hashable weight: a number unchanged, or any other value as JSON text."""
    plain = isinstance(value, int | float) and not isinstance(value, bool) and value == value
    return value if plain or value is None else json.dumps(value)


def _distributions(values: list[Any], table: LabelTable, *, cover: bool) -> LabelCodes:
    """Collect the labels and weights of rows whose labels are objects of the form {label: weight}.

    In a cover, labels may also be lists.
    """
    labels: list[Any] = []
    weights: list[float] = []
    sizes: list[int] = []
    for at, value in enumerate(values):
        line = int(table.lines[at])
        entries: list[tuple[Any, Any]]
        if isinstance(value, list) and cover:
            entries = [(label, 1) for label in value]
        elif isinstance(value, dict):
            entries = list(value.items())
            if table.spread:
                text = "both the label and the row have weights; expected only one of them"
                table.problems.add(line, text, code="bad-weight")
        else:
            entries = [] if value in (None, "") else [(value, 1)]
        for label, weight in entries:
            parsed = number(_weight(weight)) if not isinstance(weight, str) else None
            wrong = fault(parsed)
            if wrong:
                text = f"the weight {weight!r} of {label!r} {wrong}; expected 0 or more"
                table.problems.add(line, text, code="bad-weight")
            labels.append(label)
            weights.append(parsed or 0.0)
        sizes.append(len(entries))
    if table.weights is None:
        table.weights = np.array(weights, dtype=np.float64)
    table.indptr = np.concatenate(([0], np.cumsum(sizes)))
    # Repeat the line number for each entry, so that an invalid label is reported with its line.
    owners = LabelTable(table.problems, np.repeat(table.lines, sizes))
    return factorize_objects(_texts(labels, "label", owners))


def _sniff(lines: Sequence[str]) -> bool:
    return lines[0].lstrip().startswith("{") or bool(JSON_START.match(lines[0]))


READER = LabelReader(
    "One JSON object per line with item, label[, weight][, group], or one JSON document.",
    (".jsonl", ".ndjson", ".json"),
    _sniff,
    table=read_json,
    is_table=True,
)
