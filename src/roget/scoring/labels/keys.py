"""Senseval and SemEval keys: `group item label[/weight] ...`, with `!!` before a comment.

Fields are parted by blanks or tabs. A number after the last slash of a label is its weight
(`common%3:00:01::/4`); without one the weight is 1. What begins like a number must be one, so
that `a/0,7` is not taken for a label; `and/or` is one. A line with a group and an item alone is an
item without an answer. A label named twice in one answer has its weights added.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from roget.core.io.problems import Problems
from roget.core.io.table import split_blanks
from roget.core.types import Floats, Ints
from roget.scoring.labels.labels import Factors, Labels, code_texts
from roget.scoring.labels.read import BEGIN, LISTED, refuse_columns
from roget.scoring.labels.table import Columns, LabelTable, fault, make_reader, number

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile


def read_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> LabelTable:
    """The lines of a key."""
    refuse_columns(file, columns, "a key", "group item label[/weight] ...")
    lines: list[int] = []
    items: list[str] = []
    groups: list[str] = []
    tokens: list[str] = []
    sizes: list[int] = []
    top, first = file.first_line()
    if first.startswith("#"):
        problems.hint = LISTED
    for line, text in file.lines():
        row = split_blanks(text)
        if "!!" in text:
            row = list(takewhile(lambda cell: not cell.startswith("!!"), row))
        if len(row) > 1:
            lines.append(line)
            groups.append(row[0])
            items.append(row[1])
            tokens += row[2:]
            sizes.append(len(row) - 2)
        elif row:
            if file.source.suffix != ".key":
                problems.hint = LISTED
            problems.add(line, f"1 field, {row[0]!r}; expected group item label[/weight] ...")
    rows = LabelTable(problems, np.array(lines, dtype=np.int64), items, {})
    if first.startswith("#"):
        said = f"{first.strip()!r:.60} is read as a group, an item and its labels"
        rows.warnings.append(f"{file.name}:{top}: {said}; {LISTED}")
    if lines:
        places = np.repeat(rows.lines, sizes)
        rows.columns["group"] = code_texts(groups)
        rows.columns["label"], rows.weights = _labels_and_weights(tokens, places, problems)
        if set(sizes) != {1}:
            rows.indptr = np.concatenate(([0], np.cumsum(sizes)))
    return rows


def read(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The answers of a key; scorers of coreference call a file of gold's mentions a key too."""
    if BEGIN.match(file.first_line()[1]):
        from roget.scoring.labels.mentions import read_conll

        return read_conll(file, columns=columns, gold=gold)
    return make_reader(read_table)(file, columns=columns, gold=gold)


_BEGINS_A_WEIGHT = ("", *"0123456789+-.")


def _labels_and_weights(
    tokens: list[str], lines: Ints, problems: Problems
) -> tuple[Factors, Floats]:
    """Part `label/weight` once for each distinct token, then look every entry up."""
    distinct = code_texts(tokens)
    entries = distinct.codes
    labels: list[str] = []
    weights = np.ones(distinct.n_labels)
    faults: dict[int, str] = {}
    for code, token in enumerate(distinct.values()):
        label, slash, tail = token.rpartition("/")
        value = number(tail) if slash else None
        if value is None and slash and tail[:1] in _BEGINS_A_WEIGHT:
            faults[code] = f"the weight {tail!r} is not a number in {token!r}; expected label/0.7"
        elif value is None:
            label = token
        else:
            weights[code] = value
            wrong = fault(value)
            if wrong:
                faults[code] = f"the weight {tail!r} of {label!r} {wrong}; expected 0 or more"
        if not label:
            faults[code] = f"{token!r} is a weight without a label; expected label/weight"
            label = token
        labels.append(label)
    if faults:
        for at in np.flatnonzero(np.isin(entries, list(faults))).tolist():
            problems.add(lines[at], faults[int(entries[at])])
    factors = code_texts(labels)
    return factors._replace(codes=factors.codes[entries]), weights[entries]
