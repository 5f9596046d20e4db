"""Read Senseval and SemEval key files: `group item label[/weight] ...`, with comments after `!!`.

Fields are separated by spaces or tabs. A number after the last slash of a label is its weight
(`common%3:00:01::/4`); the default is 1. If the text after the slash begins like a number, it must
be a number: `a/0,7` is an error, but `and/or` is a label. A line with only a group and an item is
an item without a label. If a line contains a label twice, its weights are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from roget.core.io.problems import Problems
from roget.core.io.table import split_blanks
from roget.core.types import Floats, Ints
from roget.errors import Notice
from roget.scoring.labels.columns import SINGLE, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.labels import LabelCodes, Labels, code_texts
from roget.scoring.labels.readers.base import CLUSTERS_HINT, LabelReader, refuse_columns
from roget.scoring.labels.readers.delimited import sniff_csv, sniff_tsv
from roget.scoring.labels.readers.mentions import BEGIN, read_conll
from roget.scoring.labels.table import LabelTable, fault, number, to_labels

_SEVERAL = (
    "Remove one of the lines. If an item has several labels, list them on one line with their "
    "weights: group item label/weight label/weight."
)


def read_key(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read a key file. A file with this suffix may also contain coreference mentions."""
    if BEGIN.match(file.first_line[1]):
        return read_conll(file, columns, gold)
    return to_labels(read_rows(file, columns, SINGLE, Problems(file.name)), gold=gold)


def read_rows(
    file: LabelFile, columns: Columns | None, roles: LabelRoles, problems: Problems
) -> LabelTable:
    """Read the lines of a key file."""
    refuse_columns(file, columns, "a key", "group item label[/weight] ...")
    lines: list[int] = []
    items: list[str] = []
    groups: list[str] = []
    tokens: list[str] = []
    sizes: list[int] = []
    top, first = file.first_line
    if first.startswith("#"):
        problems.hint = CLUSTERS_HINT
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
            if file.suffix != ".key":
                problems.hint = CLUSTERS_HINT
            problems.add(
                line, f"found only one field, {row[0]!r}; expected group item label[/weight] ..."
            )
    rows = LabelTable(problems, np.array(lines, dtype=np.int64), items, several=_SEVERAL)
    rows.is_key = True
    rows.spread = file.cover
    if first.startswith("#"):
        text = f"{first.strip()!r:.60} is read as a group, an item and its labels"
        notice = f"{file.name}:{top}: {text}; {CLUSTERS_HINT}"
        rows.warnings.append(Notice(notice, code="ambiguous-header"))
    if lines:
        places = np.repeat(rows.lines, sizes)
        rows.columns["group"] = code_texts(groups)
        rows.columns["label"], rows.weights = _split_weights(tokens, places, problems)
        if set(sizes) != {1}:
            rows.indptr = np.concatenate(([0], np.cumsum(sizes)))
    return rows


_BEGINS_A_WEIGHT = ("", *"0123456789+-.")


def _split_weights(tokens: list[str], lines: Ints, problems: Problems) -> tuple[LabelCodes, Floats]:
    """Split `label/weight` tokens. Each distinct token is parsed only once."""
    distinct = code_texts(tokens)
    entries = distinct.codes
    labels: list[str] = []
    weights = np.ones(distinct.n_labels)
    faults: dict[int, str] = {}
    for code, token in enumerate(distinct.values()):
        label, slash, tail = token.rpartition("/")
        value = number(tail) if slash else None
        if value is None and slash and tail[:1] in _BEGINS_A_WEIGHT:
            faults[code] = (
                f"the weight {tail!r} of {token!r} is not a number; expected e.g. label/0.7"
            )
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
            problems.add(lines[at], faults[int(entries[at])], code="bad-weight")
    coded = code_texts(labels)
    return coded._replace(codes=coded.codes[entries]), weights[entries]


def _sniff(lines: Sequence[str]) -> bool:
    """Return True if lines have three or more fields and are not a TSV or CSV table."""
    fields = len(lines[0].split())
    if fields < 2 or sniff_tsv(lines) or sniff_csv(lines):
        return False
    # The first items may have no labels.
    return fields > 2 or max(len(line.split()) for line in lines) > 2


READER = LabelReader(
    "Senseval and SemEval keys: group item label[/weight] ...",
    (".key",),
    _sniff,
    labels=read_key,
    is_general=True,
)
