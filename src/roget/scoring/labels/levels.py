"""Hierarchical labels, from general to specific: strings a/b/c, lists or several columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from roget.core.io.values import parse_json
from roget.errors import FormatError, InputError
from roget.scoring.labels.columns import ColumnMap, Columns, has_several
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.hierarchy import build_tree
from roget.scoring.labels.json_text import JSON_START
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.read import as_labels

LISTS = "lists"
"""Value of the option `levels` for labels that are lists."""


def split_labels(labels: Labels, separator: str) -> Labels:
    """Split hierarchical labels such as a/b/c at a separator, and attach the tree that they form.

    If no label contains the separator, the labels have one level and are returned unchanged.
    """
    if labels.weighted:
        raise _refuse_weights(labels)
    texts = [labels.label(code) for code in range(labels.n_labels)]
    if not any(separator in text for text in texts):
        return labels
    parts = [[part.strip() for part in text.split(separator)] for text in texts]
    return _attach(labels, [parts[code] for code in _require_all(labels)], separator)


def _refuse_weights(labels: Labels) -> InputError:
    return InputError(
        f"{labels.source}: levels require one label per item, without weights",
        code="conflicting-options",
    )


def _require_all(labels: Labels) -> list[int]:
    codes: list[int] = labels.codes.tolist()
    if not labels.complete and min(codes, default=0) < 0:
        raise InputError(
            f"{labels.source}: an item has no label; levels require one label per item",
            code="missing-label",
        )
    return codes


def _attach(
    labels: Labels, paths: Sequence[Sequence[str]], separator: str, *, alone: bool = False
) -> Labels:
    kind = f"levels({separator})"
    tree = build_tree(
        paths, labels.items, leveled=True, kind=kind, source=labels.source, alone=alone
    )
    found = tree.to_labels()
    return replace(
        labels, codes=found.codes, n_labels=found.n_labels, names=found.names, offset=0, tree=tree
    )


def read_levels(
    source: Any,
    separator: str | None,
    labels: str | None,
    columns: Columns,
    *,
    gold: bool,
    header: bool | None = None,
) -> Labels:
    """Read gold or system labels.

    Labels with several levels are returned with the tree that they form. The levels of a label may
    be separated by a delimiter, stored as a list, or spread over several columns
    (label=coarse+fine).
    """
    read = partial(as_labels, labels=labels, gold=gold, header=header)
    if has_several(columns):
        try:
            return read(source, columns=columns)
        except InputError:
            # There is no column named "a+b", so "a" and "b" are two columns.
            return _join_columns(source, columns, read)
    if separator is None or hasattr(type(source), "to_labels"):
        return read(source, columns=columns)
    if separator != LISTS:
        return split_labels(read(source, columns=columns), separator)
    if isinstance(source, str | os.PathLike):
        with LabelFile(os.fspath(source)) as file:
            is_json = bool(JSON_START.match(file.first_line[1]))
            found = _read_json_lists(file) if is_json else None
    else:
        found = read_lists(source, "the gold labels" if gold else "the system labels")
    return read(source, columns=columns) if found is None else found


def _join_columns(source: Any, columns: Columns, read: Callable[..., Labels]) -> Labels:
    """Read hierarchical labels from several columns, from general to specific."""
    chosen = str(columns["label"])
    parts = []
    for name in chosen.split("+"):
        one = ColumnMap({**columns, "label": name.strip()})
        one.side = getattr(columns, "side", "")
        parts.append(read(source, columns=one))
    first = parts[0]
    for part in parts:
        if part.weighted:
            raise _refuse_weights(part)
        _require_all(part)
    texts = [[part.label(code) for code in range(part.n_labels)] for part in parts]
    columns_read = [
        [names[code] for code in part.codes.tolist()]
        for names, part in zip(texts, parts, strict=True)
    ]
    return _attach(first, list(zip(*columns_read, strict=True)), "columns", alone=True)


def read_lists(source: Any, name: str) -> Labels | None:
    """Convert a sequence of lists of labels, or a mapping to such lists, to hierarchical labels.

    Return None if no item has a list.
    """
    items, values = None, source
    if isinstance(source, Mapping):
        items, values = [str(key) for key in source], list(source.values())
    if not isinstance(values, list | tuple) or not values:
        return None
    if not any(isinstance(value, list | tuple) for value in values):
        return None
    for at, value in enumerate(values):
        if not isinstance(value, list | tuple) or not value:
            shown = repr(value) if items is None else f"{value!r} of item {items[at]!r}"
            raise InputError(
                f"{name}: found {shown:.80}; expected a list of labels for each item",
                code="broken-lines",
            )
    tree = build_tree(values, items, leveled=True, kind="levels(lists)", source=name, alone=True)
    return tree.to_labels()


def _read_json_lists(file: LabelFile) -> Labels | None:
    """Read hierarchical labels from JSON: an array of lists, or objects with lists of labels."""
    try:
        value = parse_json(file.text())
    except ValueError:
        value = [_parse_line(file.name, line, text) for line, text in file.lines() if text.strip()]
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        keys = {key.lower(): key for key in value[0]}
        label = next((keys[k] for k in ("label", "labels") if k in keys), None)
        item = next((keys[k] for k in ("item", "id", "instance") if k in keys), None)
        if label is None:
            return None
        if item is None:
            return read_lists([one.get(label) for one in value], file.name)
        mapped = {str(one.get(item)): one.get(label) for one in value}
        if len(mapped) < len(value):
            raise InputError(f"{file.name}: an item occurs twice", code="duplicate-item")
        return read_lists(mapped, file.name)
    return read_lists(value, file.name)


def _parse_line(name: str, line: int, text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        message = f"{name}:{line}: not JSON: {error}; expected one value per line"
        raise FormatError(name, [message]) from None
