"""The class `LabelReader`, which defines how a label format is detected and read.

To add a format, write a module with a `LabelReader` and add one line to the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from roget.core.io.frames import frame_columns
from roget.core.io.problems import Problems
from roget.errors import FormatError, InputError, Notice
from roget.scoring.labels.columns import SINGLE, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.frames import select_columns
from roget.scoring.labels.json_text import JSON_START
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.table import LabelTable, fill_table, to_labels

ReadRows: TypeAlias = Callable[[LabelFile, Problems], Iterable[tuple[int, Mapping[str, str]]]]
"""A function that yields the line number of each row, and a map from roles (item, …) to strings.

All rows have the same roles. Invalid lines are added to the problems and not yielded.
"""

ReadTable: TypeAlias = Callable[[LabelFile, Columns | None, LabelRoles, Problems], LabelTable]
"""A function that reads a table.

Its arguments are the file, the specified columns, the roles and the problems.
"""

ReadLabels: TypeAlias = Callable[[LabelFile, Columns | None, bool], Labels]
"""A function that reads labels.

Its arguments are the file, the specified columns, and True for gold.
"""

LoadFrame: TypeAlias = Callable[[LabelFile], Any]
"""A function that loads all columns of a file: a map from names to columns, or a data frame."""

CLUSTERS_HINT = "if each line lists the items of one cluster, pass --labels clusters"


def _never(lines: Sequence[str]) -> bool:
    return False


@dataclass(frozen=True)
class LabelReader:
    """A label format. Calling it reads a file: `reader(file, columns=..., gold=...)`."""

    about: str
    """One-sentence description, shown by `roget list label-formats`."""
    suffixes: tuple[str, ...] = ()
    """File name suffixes in lower case, which may be followed by a compression suffix."""
    sniff: Callable[[Sequence[str]], bool] = _never
    """Function that returns True if the first lines of a file are in this format."""
    table: ReadTable | None = None
    """Function that reads tabular formats, which may have both gold and system columns."""
    frame: LoadFrame | None = None
    """Function that loads a binary table as columns. It takes the place of `table`."""
    labels: ReadLabels | None = None
    """Function that reads labels in a format that is not tabular."""
    rows: ReadRows | None = None
    """Function that yields the rows of a text file. Most formats define only this function."""
    is_tree: bool = False
    """True if the format stores trees, which are allowed for systems but not for gold."""
    is_table: bool = False
    """True if the user can specify columns."""
    is_binary: bool = False
    """True if the format is binary rather than text."""
    inside: tuple[str, ...] = ()
    """Formats that use the same file suffixes. `sniff` distinguishes them from this format."""
    is_general: bool = False
    """True if `sniff` also matches other formats, which are then checked first.
    """

    def __post_init__(self) -> None:
        # Set the docstring, because `inspect.getdoc` and `roget list` show it for a catalogue
        # entry.
        object.__setattr__(self, "__doc__", self.about)
        if self.frame is not None and self.table is None:
            object.__setattr__(self, "table", partial(_read_frame, self.frame))

    def __call__(
        self, file: LabelFile, *, columns: Columns | None = None, gold: bool = False
    ) -> Labels:
        """Read gold or system labels. Every item in a gold file must have a label."""
        if self.labels is not None:
            return self.labels(file, columns, gold)
        problems = Problems(file.name)
        if self.rows is not None:
            if columns:
                raise InputError(
                    f"{file.name}: --columns does not apply to this format",
                    code="conflicting-options",
                )
            rows = _collect(self.rows(file, problems), problems)
        else:
            assert self.table is not None
            rows = self.table(file, columns, SINGLE, problems)
        rows.spread |= file.cover
        return to_labels(rows, gold=gold)


def _read_frame(
    load: LoadFrame,
    file: LabelFile,
    columns: Columns | None,
    roles: LabelRoles,
    problems: Problems,
) -> LabelTable:
    """Select the columns of a binary table."""
    rows = select_columns(frame_columns(load(file)), roles, columns, file.name)
    rows.warnings += file.warnings
    return rows


def _collect(rows: Iterable[tuple[int, Mapping[str, str]]], problems: Problems) -> LabelTable:
    """Collect the rows that a reader yields into a table."""
    lines: list[int] = []
    texts: dict[str, list[str]] = {}
    for line, row in rows:
        lines.append(line)
        for role, text in row.items():
            texts.setdefault(role, []).append(text)
    table = LabelTable(problems, np.array(lines, dtype=np.int64))
    return fill_table(table, texts) if lines else table


def refuse_columns(file: LabelFile, columns: Columns | None, what: str, expected: str) -> None:
    """Raise an error if columns are specified for a format without columns, or for a JSON file."""
    if columns:
        raise InputError(
            f"{file.name}: --columns does not apply to {what}", code="conflicting-options"
        )
    refuse_json(file, expected)


def refuse_json(file: LabelFile, expected: str) -> None:
    """Raise an error if a file looks like JSON but another format is expected."""
    line, first = file.first_line
    if JSON_START.match(first) and not ("tab" in expected and "\t" in first):
        shown = first.strip() if len(first) <= 40 else f"{first.strip()[:40]}…"
        text = (
            f"{file.name}:{line}: expected {expected}, found {shown!r}, which looks like JSON; "
            "pass --labels jsonl"
        )
        raise FormatError(file.name, [Notice(text, code="unsupported-format")])
