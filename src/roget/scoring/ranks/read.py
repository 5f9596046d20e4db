"""Read tables of scores: one row per system and one column per task, or one row per score."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from roget.core.io.frames import frame_columns, is_frame, is_lazy, library
from roget.core.io.header import parse_number
from roget.core.io.problems import Problems, join_names
from roget.core.io.source import FORMATS
from roget.core.io.table import Roles, Table, guess_format, inspect_parquet, inspect_text
from roget.core.io.values import parse_json
from roget.errors import InputError, Notice, UnknownName
from roget.scoring.labels.codes import is_missing
from roget.scoring.labels.files import LabelFile
from roget.scoring.options import RankOptions
from roget.scoring.results import Comparison, none_if_nan

LONG = Roles(
    {
        "system": ("model", "method", "submission", "team", "name", "algorithm"),
        "task": ("dataset", "benchmark", "data_set", "test_set", "subset"),
        "score": ("value", "result", "metric_value"),
    },
    {
        "se": ("stderr", "std_error", "standard_error", "sem", "score_se", "score_stderr"),
        "run": ("repeat", "seed", "trial", "fold", "replicate"),
    },
)
"""Map from roles to the usual column names in tables with one row per score."""

ERRORS = ("_se", "_stderr", "_sem", " se", " stderr")
"""Suffixes of column names that mark standard errors, e.g. f1_se for the task f1."""

SUMMARIES = frozenset(
    {"rank", "average", "avg", "avg.", "mean", "overall", "total", "mean score", "average score"}
)
"""Names of columns that contain summaries over tasks, such as means. They are not tasks."""

_EMPTY = frozenset({"", "-", "–", "—", "na", "n/a", "nan", "none", "null", "?"})
"""Cell texts that mark a missing score, in lower case."""


class Score(NamedTuple):
    """One score, or standard error, of a system on a task."""

    system: str
    task: str
    run: str | None
    value: float | None
    place: str
    """The location of the cell, for messages."""
    error: float | None = None
    """The standard error, if the same row contains it."""


@dataclass
class Records:
    """The scores read from a table, in input order."""

    name: str
    scores: list[Score] = field(default_factory=list)
    errors: list[Score] = field(default_factory=list)
    """Standard errors, read from separate columns."""
    notes: list[Notice] = field(default_factory=list)
    lower: set[str] = field(default_factory=set)
    """Tasks on which lower scores are better, if the table specifies them."""


class _Row(NamedTuple):
    """A row of a table: its location for messages, and its cells keyed by column name."""

    place: str
    cells: Mapping[str, Any]


def read_records(table: Any, options: RankOptions, name: str = "the table") -> Records:
    """Read scores from a file, a data frame or a mapping."""
    if isinstance(table, str | os.PathLike):
        with LabelFile(os.fspath(table)) as file:
            return _arrange(file.name, *_load_file(file), options)
    if isinstance(table, Comparison):
        return _read_comparison(table)
    if isinstance(table, Mapping) and not is_frame(table):
        return _arrange(name, *_load_mapping(table), options)
    if not is_frame(table):
        from roget.scoring.labels.precounted import gather_lazy

        if not is_lazy(table):
            raise InputError(
                f"{name}: expected a path, a data frame or a mapping from systems to scores; got "
                f"{type(table).__name__}",
                code="unsupported-format",
            )
        return _arrange(name, *_from_columns(gather_lazy(table)), options)
    columns = frame_columns(table)
    if library(table) == "pandas" and not all(type(one) is int for one in table.index[:1]):
        # If a pandas frame has a named index, the index contains the systems.
        columns = {str(table.index.name or "system"): table.index, **columns}
    return _arrange(name, *_from_columns(columns), options)


def _read_comparison(table: Comparison) -> Records:
    """Return the main score of each system in each group of a comparison. Groups are tasks."""
    if table.groups < 2 or not table.scored:
        raise InputError(
            "a ranking of a comparison requires groups, which are the tasks", code="needs-groups"
        )
    at = table.scores.index(table.main)
    found = Records("the comparison")
    for one in table.scored:
        for group, value in zip(one.group_names, one.values[at].tolist(), strict=True):
            place = f"system {one.name!r}, group {group!r}"
            found.scores.append(Score(one.name, group, None, none_if_nan(value), place))
    main = next(row for row in table.rows if (row.measure, row.entropy) == table.main)
    if main.direction == "lower":
        found.lower = {one.task for one in found.scores}
    return found


Loaded = tuple[list[str], list[_Row]]
"""The column names and the rows of a table."""


def _from_columns(columns: Mapping[str, Any]) -> Loaded:
    lists = {name: _to_list(column) for name, column in columns.items()}
    rows = zip(*lists.values(), strict=True)
    return list(lists), [
        _Row(f"row {at}", dict(zip(lists, cells, strict=True))) for at, cells in enumerate(rows, 1)
    ]


def _to_list(column: Any) -> list[Any]:
    methods = [name for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name)]
    return list(getattr(column, methods[0])() if methods else column)


def _from_records(records: Iterable[tuple[str, Any]], name: str) -> Loaded:
    """Convert JSON objects to rows. The columns are the union of the keys."""
    names: dict[str, None] = {}
    rows = []
    for place, record in records:
        if not isinstance(record, Mapping):
            raise InputError(
                f"{place}: found {record!r:.60}; expected an object with a system and its scores",
                code="broken-lines",
            )
        names |= dict.fromkeys(map(str, record))
        rows.append(_Row(place, {str(key): value for key, value in record.items()}))
    if not rows:
        raise InputError(f"{name}: no scores", code="empty-input")
    return list(names), rows


def _load_mapping(table: Mapping[Any, Any], name: str = "the table") -> Loaded:
    """Convert a mapping to rows: {system: {task: score}}, {system: scores} or {column: values}."""
    if all(isinstance(value, Mapping) for value in table.values()):
        records = ((repr(key), {"system": str(key), **value}) for key, value in table.items())
        return _from_records(records, name)
    lists = {str(key): _to_list(value) for key, value in table.items()}
    lengths = {len(cells) for cells in lists.values()}
    if len(lengths) > 1:
        raise InputError(
            f"{name}: the lists have different lengths ({min(lengths)} and {max(lengths)})",
            code="length-mismatch",
        )
    if any(isinstance(cell, str) for cells in lists.values() for cell in cells):
        return _from_columns(lists)
    records = (
        (repr(key), {"system": key, **{f"task {at}": cell for at, cell in enumerate(cells, 1)}})
        for key, cells in lists.items()
    )
    return _from_records(records, name)


def _load_file(file: LabelFile) -> Loaded:
    """Return the column names and rows of a file."""
    suffix = file.suffix
    if suffix in (".xlsx", ".arrow", ".feather"):
        from roget.scoring.labels.readers.sheets import load_arrow, load_workbook

        load = load_workbook if suffix == ".xlsx" else load_arrow
        names, rows = _from_columns(frame_columns(load(file)))
        return names, [row._replace(place=f"{file.name}, {row.place}") for row in rows]
    format = FORMATS.get(suffix)
    if format is None:
        with open(file.plain.path, "rb") as head:
            format = guess_format(head.read(1 << 16))
    if format == "jsonl":
        return _load_json(file)
    table = Table(file.name, file.plain.path, format, source=file.plain)
    if format == "parquet":
        table = inspect_parquet(table, held=True)
    else:
        table, _ = inspect_text(table, LONG, header=True)
    if len(set(table.names)) < len(table.names):
        twice = next(name for name in table.names if table.names.count(name) > 1)
        raise InputError(f"{file.name}: two columns have the name {twice!r}", code="duplicate-name")
    problems = Problems(file.name)
    rows = [
        _Row(table.place(number), dict(zip(table.names, cells, strict=True)))
        for number, cells in table.whole_rows(problems)
        if any(not is_missing(cell) and str(cell).strip() for cell in cells)
    ]
    problems.check()
    return list(table.names), rows


def _load_json(file: LabelFile) -> Loaded:
    """Load rows from JSON Lines, a list of objects, or {system: {task: score}}."""
    text = file.text()
    try:
        whole = parse_json(text)
    except ValueError:
        return _from_records(_parse_lines(file), file.name)
    if isinstance(whole, Mapping) and all(isinstance(v, Mapping) for v in whole.values()):
        names, rows = _load_mapping(whole, file.name)
        return names, [row._replace(place=f"{file.name}, {row.place}") for row in rows]
    records = whole if isinstance(whole, list) else [whole]
    places = ((f"{file.name}, object {at}", one) for at, one in enumerate(records, 1))
    return _from_records(places, file.name)


def _parse_lines(file: LabelFile) -> Iterator[tuple[str, Any]]:
    for number, line in file.lines():
        if line.strip():
            try:
                yield f"{file.name}:{number}", parse_json(line)
            except ValueError as error:
                raise InputError(
                    f"{file.name}:{number}: not JSON ({error}); expected an object",
                    code="broken-lines",
                ) from None


def _arrange(name: str, names: list[str], rows: list[_Row], options: RankOptions) -> Records:
    """Return the scores from a table in wide or long form."""
    if not rows:
        raise InputError(f"{name}: no scores", code="empty-input")
    if not options.tasks and options.system is None:
        if set(names) >= _BY_GROUP:
            return _arrange_groups(name, names, rows, options)
        if set(names) >= _BY_SCORE and not options.columns:
            return _arrange_scores(name, rows)
    requested = {str(role): str(column) for role, column in (options.columns or {}).items()}
    for role, column in requested.items():
        if role not in LONG.all:
            raise UnknownName("column role", role, LONG.all)
        _require(column, names, name)
    places = {role: names[at[0]] for role, at in LONG.find(names).items()} | requested
    if options.system is not None:
        places["system"] = _require(options.system, names, name)
    if LONG.needed.keys() <= places.keys():
        return _arrange_long(name, rows, places)
    return _arrange_wide(name, names, rows, places, options)


_BY_GROUP = frozenset({"system", "group", "items", "classes", "clusters", "signature"})
"""Columns of the scores by group that `roget compare --set by=group` writes."""

_BY_SCORE = frozenset({"system", "trivial", "measure", "entropy", "value", "better", "signature"})
"""Columns of the scores that `roget compare` writes."""


def _arrange_groups(name: str, names: list[str], rows: list[_Row], options: RankOptions) -> Records:
    """Return scores by group, where each group is a task. Prefer a bias-corrected score."""
    scores = [one for one in names if one not in _BY_GROUP]
    corrected = [one for one in scores if not one.endswith("@ml")]
    requested = (options.columns or {}).get("score")
    column = _require(str(requested), scores, name) if requested else [*corrected, *scores][0]
    found = _arrange_long(name, rows, {"system": "system", "task": "group", "score": column})
    if len(scores) > 1 and not requested:
        text = f"the tasks are the groups, and the scores are {column}; choose another score with "
        found.notes.append(Notice(f"{text}--columns score=COLUMN", code="ignored-columns"))
    return found


def _arrange_scores(name: str, rows: list[_Row]) -> Records:
    """Return the scores of systems, where each score is a task. Skip baselines."""
    ours = [row for row in rows if _text(row.cells["trivial"]).lower() != "true"]
    named = []
    for row in ours:
        measure, entropy = (_text(row.cells[column]) for column in ("measure", "entropy"))
        task = f"{measure}@{entropy}" if entropy else measure
        named.append(row._replace(cells={**row.cells, "task": task}))
    found = _arrange_long(name, named, {"system": "system", "task": "task", "score": "value"})
    found.lower |= {row.cells["task"] for row in named if _text(row.cells["better"]) == "lower"}
    return found


def _require(column: str, names: Sequence[str], source: str) -> str:
    """Return a column name, or raise an error if there is no such column."""
    if column not in names:
        raise InputError(
            f"{source}: no column {column!r}; the columns are {join_names(names, 12)}",
            code="missing-column",
        )
    return column


def _arrange_long(name: str, rows: list[_Row], places: Mapping[str, str]) -> Records:
    found = Records(name)
    problems = Problems(name)
    for place, cells in rows:
        texts = {role: _text(cells.get(column)) for role, column in places.items()}
        for role in ("system", "task"):
            if not texts[role]:
                problems.add(0, f"no {role}", place, code="missing-label")
        value, error = (
            _number(cells.get(places[role]), place, places[role], problems)
            if role in places
            else None
            for role in ("score", "se")
        )
        run = texts.get("run") or None
        found.scores.append(Score(texts["system"], texts["task"], run, value, place, error))
    problems.check()
    return found


def _arrange_wide(
    name: str,
    names: list[str],
    rows: list[_Row],
    places: Mapping[str, str],
    options: RankOptions,
) -> Records:
    """Return the scores from a table with one column per task."""
    numeric = [one for one in names if _is_numeric(row.cells.get(one) for row in rows)]
    system = places.get("system") or next((one for one in names if one not in numeric), names[0])
    run = places.get("run")
    others = [one for one in names if one not in (system, run)]
    errors = {
        one: task
        for one in others
        for ending in ERRORS
        if one.lower().endswith(ending) and (task := one[: -len(ending)]) in others
    }
    tasks, notes = _choose_tasks(name, [o for o in others if o not in errors], numeric, options)
    found = Records(name, notes=notes)
    problems = Problems(name)
    for place, cells in rows:
        called = _text(cells.get(system))
        if not called:
            problems.add(
                0, f"the system name is missing in column {system!r}", place, code="missing-label"
            )
        which = _text(cells.get(run)) or None if run else None
        for target, columns in (
            (found.scores, {task: task for task in tasks}),
            (found.errors, {one: task for one, task in errors.items() if task in tasks}),
        ):
            for column, task in columns.items():
                value = _number(cells.get(column), place, column, problems)
                target.append(Score(called, task, which, value, f"{place}, column {column!r}"))
    problems.check()
    return found


def _choose_tasks(
    name: str, others: list[str], numeric: list[str], options: RankOptions
) -> tuple[list[str], list[Notice]]:
    """Return the columns that are tasks, and a note about the columns that are not."""
    if options.tasks:
        listed = [options.tasks] if isinstance(options.tasks, str) else options.tasks
        wanted = [part.strip() for text in listed for part in str(text).split(",")]
        return [_require(column, others, name) for column in dict.fromkeys(wanted)], []
    tasks = [one for one in others if one in numeric and one.strip().lower() not in SUMMARIES]
    if not tasks:
        raise InputError(
            f"{name}: none of the columns {join_names(others, 12)} contains scores; expected a "
            "column of system names and a column of numbers for each task",
            code="missing-column",
        )
    ignored = [one for one in others if one not in tasks]
    if not ignored:
        return tasks, []
    text = (
        f"ignored {'column' if len(ignored) == 1 else 'columns'} {join_names(ignored)}, which "
        f"contain no scores of a task; choose the columns with --tasks"
    )
    return tasks, [Notice(text, code="ignored-columns")]


def _is_numeric(cells: Iterable[Any]) -> bool:
    """Return True if most of a column's non-empty cells are numbers."""
    known = [cell for cell in cells if not is_missing(cell) and _text(cell).lower() not in _EMPTY]
    numbers = sum(_parse(cell) is not None for cell in known)
    return bool(known) and 2 * numbers > len(known)


def _text(cell: Any) -> str:
    return "" if is_missing(cell) else str(cell).strip()


def _parse(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return None
    return parse_number(_text(cell).removesuffix("%").rstrip())


def _number(cell: Any, place: str, column: str, problems: Problems) -> float | None:
    """Return the number in a cell, or None if the cell is empty. Infinite numbers are invalid."""
    if is_missing(cell) or _text(cell).lower() in _EMPTY:
        return None
    value = _parse(cell)
    if value is None or value in (float("inf"), float("-inf")):
        problems.add(0, f"{_text(cell)!r:.60} in column {column!r} is not a number", place)
        return None
    return value
