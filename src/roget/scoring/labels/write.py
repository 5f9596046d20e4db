"""Write labels to files in such a way that the same items, groups and labels can be read back.

Text formats have restrictions, e.g. spaces around names are lost. If a format cannot represent the
labels, an error is raised and nothing is written.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from roget.core.io.source import STANDARD_INPUT, Source
from roget.core.io.values import format_json
from roget.core.store import new_file, write_atomic
from roget.core.types import Floats, Ints
from roget.errors import InputError, UnknownName
from roget.scoring.labels.columns import Columns
from roget.scoring.labels.formats import list_suffixes
from roget.scoring.labels.json_text import JSON_START
from roget.scoring.labels.labels import Labels, warn_unlabelled
from roget.scoring.labels.read import as_labels

Cell = str | None

_SURROGATE = r"[\ud800-\udfff]"
_ENDS = r"^\s|\s\Z"
_FORBIDDEN = {
    "key": re.compile(rf"{_SURROGATE}|\s|^!!|^\Z"),
    "tsv": re.compile(rf"{_SURROGATE}|[\t\n\r]|{_ENDS}|^\Z"),
    "csv": re.compile(rf"{_SURROGATE}|\r|{_ENDS}|^\Z"),
    "lines": re.compile(rf"{_SURROGATE}|[\n\r]|{_ENDS}|^\Z"),
    "jsonl": re.compile(rf"{_SURROGATE}|^\Z"),
    "parquet": re.compile(rf"{_SURROGATE}|^\Z"),
}
"""Patterns of forbidden characters in names, which readers would change, keyed by format.
"""

_BREAKS_TSV = re.compile(r"[\t\n\r]")

FORMATS = tuple(_FORBIDDEN)
_NOUNS = {"key": "a key", "lines": "a file of one label per line"}


@dataclass(frozen=True)
class _LabelTexts:
    """Labels as strings.

    Entry e consists of the item `owners[e]`, the label `labels[e]` and the weight `weights[e]`.
    """

    target: str
    size: int
    items: Sequence[str] | None
    groups: list[str] | None
    owners: Ints
    labels: list[str]
    weights: Floats
    cover: bool = False
    """True for overlapping clusters with full membership (a cover), which have no weights."""

    @property
    def several(self) -> bool:
        """True if at least one item has more than one label."""
        return bool(np.any(self.owners[1:] == self.owners[:-1]))

    def refuse(self, why: str) -> NoReturn:
        raise InputError(f"cannot write {self.target}: {why}", code="not-writable")


def write_labels(labels: Labels, path: str | os.PathLike[str], format: str) -> None:
    """Write labels in one of `FORMATS`, or raise an error if the format cannot represent them."""
    if format not in FORMATS:
        raise UnknownName("label format", format, FORMATS)
    answers = _answers(labels, os.fspath(path), format)
    if not answers.size:
        answers.refuse(f"{labels.source}: no items")
    if format == "parquet":
        columns = _columns(answers)
        kinds = {name: "DOUBLE" if name == "weight" else "VARCHAR" for name in columns}
        _write_parquet(columns, kinds, Path(path).resolve())
        return
    text = _TEXT[format](answers)
    if text.startswith("\ufeff"):
        answers.refuse("the first name begins with a byte order mark, which readers remove")
    write_atomic(path, text)


def _answers(labels: Labels, target: str, format: str) -> _LabelTexts:
    """Convert labels to strings after checking every name."""
    size, known = len(labels), labels.n_labels - labels.made
    # Do not write the codes that were added for items without a label.
    chosen = (labels.codes >= 0) & (labels.codes < known)
    owners, codes, weights = labels.entries()
    codes, owners, weights = codes[chosen], owners[chosen], weights[chosen]
    used = np.unique(codes).tolist()
    names = {code: labels.label(code) for code in used}
    groups = None
    if labels.groups is not None and labels.group_names is not None:
        groups = [labels.group_names[code] for code in labels.groups.tolist()]
    texts = [names[code] for code in codes.tolist()]
    answers = _LabelTexts(target, size, labels.items, groups, owners, texts, weights, labels.cover)
    _refuse_names(answers, "label", names.values(), format)
    _refuse_names(answers, "group", dict.fromkeys(groups or ()), format)
    _refuse_names(answers, "item", labels.items or (), format)
    if len(set(names.values())) < len(names):
        _refuse_equal_texts(answers, labels, used)
    return answers


def _refuse_names(answers: _LabelTexts, role: str, names: Iterable[str], format: str) -> None:
    search = _FORBIDDEN[format].search
    for name in names:
        found = search(name)
        if found:
            noun = _NOUNS.get(format, format.upper())
            what = (
                f"the {role} {name!r} {_describe_fault(name, found[0])}, which is not allowed in "
                f"{noun}"
            )
            others = [other for other in FORMATS if not _FORBIDDEN[other].search(name)]
            hint = f"; use the format {' or '.join(others)}" if others else ""
            answers.refuse(what + hint)


def _describe_fault(name: str, found: str) -> str:
    if not found:
        return "is empty"
    if found == "!!":
        return "begins with !!, like a comment"
    if "\ud800" <= found <= "\udfff":
        return f"contains an invalid character ({found!r})"
    sign = {"\t": "a tab", "\n": "a line break", "\r": "a carriage return"}.get(found, "a space")
    ends = name != name.strip() and found not in "\t\n\r"
    verb = "begins or ends with" if ends and not name.strip().count(found) else "contains"
    return f"{verb} {sign}"


def _refuse_equal_texts(answers: _LabelTexts, labels: Labels, used: list[int]) -> None:
    """Raise an error if different labels, such as 1 and "1", would be written as equal strings."""
    seen: dict[str, Any] = {}
    for code in used:
        text, label = labels.label(code), code if labels.names is None else labels.names[code]
        if text in seen:
            both = f"{seen[text]!r} and {label!r}"
            answers.refuse(f"the different labels {both} would both be written as {text}")
        seen[text] = label


def _key(answers: _LabelTexts) -> str:
    if answers.items is None or answers.groups is None:
        lacking = "item ids" if answers.items is None else "groups"
        answers.refuse(
            f"a key requires a group and an id for each item, but the labels have no {lacking}; "
            f"name the column with --columns {'item' if answers.items is None else 'group'}=NAME, "
            "or choose the format tsv, csv, jsonl or parquet"
        )
    lines = [f"{group} {item}" for group, item in zip(answers.groups, answers.items, strict=True)]
    entries = zip(answers.owners.tolist(), answers.labels, answers.weights.tolist(), strict=True)
    for owner, label, weight in entries:
        # Readers interpret a number after the last slash as a weight, so write a weight after every
        # label that contains a slash.
        weight = 1 if answers.cover else weight
        plain = weight == 1 and "/" not in label
        lines[owner] += f" {label}" if plain else f" {label}/{_number(weight)}"
    return _refuse_lookalike(answers, lines)


def _lines(answers: _LabelTexts) -> str:
    lost = {
        "item ids": answers.items is not None,
        "groups": answers.groups is not None,
        "several labels per item": answers.several,
    }
    if any(lost.values()):
        names = ", ".join(name for name, there in lost.items() if there)
        answers.refuse(f"a file with one label per line cannot store {names}")
    lines = [""] * answers.size
    for owner, label in zip(answers.owners.tolist(), answers.labels, strict=True):
        lines[owner] = label
    return _refuse_lookalike(answers, lines)


def _refuse_lookalike(answers: _LabelTexts, lines: list[str]) -> str:
    """Join the lines into one string, or raise an error if the first line looks like JSON."""
    content = (line for line in lines if line.strip() and not line.startswith("!!"))
    first = next(content, "")
    if JSON_START.match(first):
        answers.refuse(
            f"the first line {first!r:.60} would be read as JSON; choose the format jsonl"
        )
    return "".join(f"{line}\n" for line in lines)


def tsv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Format columns as TSV. None becomes an empty cell."""
    rows = zip(*columns.values(), strict=True)
    lines = ["\t".join(["" if cell is None else str(cell) for cell in row]) for row in rows]
    return "\n".join(["\t".join(columns), *lines, ""])


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Format columns as CSV. None becomes an empty cell."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def _columns(answers: _LabelTexts) -> dict[str, list[Cell]]:
    """Return a table in long format, with one row per item and label.

    An item without a label also has one row.
    """
    several = answers.several
    if several and answers.items is None:
        answers.refuse(
            "some items have several labels, and tables with one row per label require item ids; "
            "add ids, or choose the format jsonl"
        )
    gaps = np.setdiff1d(np.arange(answers.size), answers.owners)
    owners = np.concatenate((answers.owners, gaps))
    order = np.argsort(owners, kind="stable").tolist()
    rows = owners[order].tolist()
    labels: list[Cell] = [*answers.labels, *([None] * gaps.size)]
    columns: dict[str, list[Cell]] = {}
    if answers.items is not None:
        columns["item"] = [answers.items[row] for row in rows]
    columns["label"] = [labels[at] for at in order]
    if several and not answers.cover:
        weights = [*map(_number, answers.weights.tolist()), *([None] * gaps.size)]
        columns["weight"] = [weights[at] for at in order]
    if answers.groups is not None:
        columns["group"] = [answers.groups[row] for row in rows]
    return columns


def _jsonl(answers: _LabelTexts) -> str:
    found: list[dict[str, float]] = [{} for _ in range(answers.size)]
    entries = zip(answers.owners.tolist(), answers.labels, answers.weights.tolist(), strict=True)
    for owner, label, weight in entries:
        found[owner][label] = weight
    lines = []
    for row, answer in enumerate(found):
        record: dict[str, Any] = {}
        if answers.items is not None:
            record["item"] = answers.items[row]
        record["label"] = answer if len(answer) > 1 else next(iter(answer), None)
        if answers.cover and len(answer) > 1:
            record["label"] = list(answer)
        if answers.groups is not None:
            record["group"] = answers.groups[row]
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return "".join(lines)


def _write_parquet(
    columns: Mapping[str, Sequence[Any]], kinds: Mapping[str, str], target: Path
) -> None:
    from roget.core.io.duck import database, write_parquet

    if target.exists() and not target.is_file() and not target.is_dir():
        raise InputError(
            f"cannot write {target}: Parquet requires a regular file, not a pipe or a device",
            code="not-writable",
        )
    arrays = {name: np.array(cells, dtype=object) for name, cells in columns.items()}
    with new_file(target) as draft, database() as connection:
        write_parquet(connection, arrays, kinds, draft)


def jsonl_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Format columns as JSON lines, with one object per row."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _list_rows(columns))


def _json_text(columns: Mapping[str, Sequence[Any]]) -> str:
    return format_json(list(_list_rows(columns))) + "\n"


def _list_rows(columns: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


COLUMN_FORMATS: dict[str, Callable[[Mapping[str, Sequence[Any]]], str] | None] = {
    ".csv": csv_text,
    ".tsv": tsv_text,
    ".jsonl": jsonl_text,
    ".json": _json_text,
    ".parquet": None,
}
"""Functions that format columns, keyed by file suffix, or None for Parquet (written by DuckDB).
"""


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix of an output table, or raise an error if it is not supported."""
    suffix = Path(path).suffix.lower()
    if suffix not in COLUMN_FORMATS:
        known = ", ".join(COLUMN_FORMATS)
        raise InputError(
            f"{os.fspath(path)}: unsupported file format; expected one of {known}",
            code="unsupported-format",
        )
    return suffix


def write_columns(columns: Mapping[str, Sequence[Any]], path: str | os.PathLike[str]) -> None:
    """Write columns of strings and numbers, in the format given by the file suffix."""
    suffix = check_suffix(path)
    as_text = COLUMN_FORMATS[suffix]
    if as_text is not None:
        for name, cells in columns.items():
            if suffix == ".tsv" and any(_BREAKS_TSV.search(c) for c in cells if isinstance(c, str)):
                raise InputError(
                    f"cannot write {os.fspath(path)}: the column {name} contains a tab or a line "
                    "break, which is not allowed in TSV; choose .csv, .jsonl or .parquet",
                    code="not-writable",
                )
        write_atomic(path, as_text(columns))
        return
    _write_parquet(columns, {n: _kind(cells) for n, cells in columns.items()}, Path(path).resolve())


def _kind(cells: Sequence[Any]) -> str:
    """Return the SQL type of a column."""
    known = [cell for cell in cells if cell is not None]
    if not known or not all(isinstance(cell, Real) for cell in known):
        return "VARCHAR"
    return "BIGINT" if all(isinstance(cell, Integral) for cell in known) else "DOUBLE"


def _number(weight: float) -> str:
    """Return the shortest string that is parsed as the same weight."""
    return repr(weight).removesuffix(".0")


_TEXT: dict[str, Callable[[_LabelTexts], str]] = {
    "key": _key,
    "tsv": lambda answers: tsv_text(_columns(answers)),
    "csv": lambda answers: csv_text(_columns(answers)),
    "jsonl": _jsonl,
    "lines": _lines,
}


def convert(
    source: Any,
    target: str | os.PathLike[str],
    from_: str | None = None,
    to: str | None = None,
    columns: Columns | None = None,
) -> Labels:
    """Convert labels to another format, and return the labels.

    The source is any input that `roget.score` accepts. Formats are inferred from the file names,
    unless `from_` and `to` specify them. `columns` specifies the columns of the source. The target
    contains all items, groups, labels and weights. If its format cannot represent them, an error is
    raised and nothing is written.
    """
    form = choose_format(target, to)
    labels = as_labels(source, labels=from_, columns=columns, name="the labels")
    write_labels(labels, target, form)
    if not labels.answered().any():
        labels = replace(labels, warnings=(*labels.warnings, warn_unlabelled(labels.source)))
    return labels


def choose_format(target: str | os.PathLike[str], to: str | None) -> str:
    """Return the output format `to`, or infer it from the suffix of the file."""
    place = Source(os.fspath(target))
    if place.path == STANDARD_INPUT:
        raise InputError(
            "labels cannot be written to standard output ('-'); pass a file name",
            code="not-writable",
        )
    if place.compression:
        raise InputError(
            f"{place.name}: compressed files can be read but not written; omit {place.compression}",
            code="unsupported-format",
        )
    form = to or list_suffixes().get(place.suffix)
    if form is None:
        raise InputError(
            f"{place.name}: unknown file format; use one of the suffixes "
            f"{', '.join(list_suffixes())}, or pass --to with one of {', '.join(FORMATS)}",
            code="unsupported-format",
        )
    return form
