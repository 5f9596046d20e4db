"""Arrange scores in a table with shape (systems, tasks), and apply the rule for missing scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roget.core.io.problems import join_names, plural
from roget.core.types import BoolArray, Floats
from roget.errors import InputError, Notice, UnknownName
from roget.scoring.options import RankOptions
from roget.scoring.ranks.read import Records


@dataclass(frozen=True, eq=False)
class TaskScores:
    """The scores of systems on tasks, as arrays of shape (systems, tasks)."""

    systems: list[str]
    tasks: list[str]
    values: Floats
    """The scores, averaged over runs."""
    lower: BoolArray
    """True for tasks on which lower scores are better."""
    errors: Floats | None = None
    """Standard errors of the scores, if they are known."""
    freedom: Floats | None = None
    """Degrees of freedom of standard errors that were computed from repeated scores, else None."""
    runs: list[Floats] | None = None
    """The scores of each system in complete runs over all tasks, with shape (runs, tasks)."""
    notes: tuple[Notice, ...] = ()

    @property
    def goodness(self) -> Floats:
        """The scores, negated on tasks where lower is better."""
        return np.where(self.lower, -self.values, self.values)


def assemble(records: Records, errors: Records | None, options: RankOptions) -> TaskScores:
    """Return the scores as arrays. `errors` are standard errors from a separate table."""
    systems = list(dict.fromkeys(score.system for score in records.scores))
    tasks = list(dict.fromkeys(score.task for score in records.scores))
    if len(systems) < 2:
        raise InputError(
            f"{records.name}: a ranking requires at least two systems, but found "
            f"{plural(len(systems), 'system')}",
            code="empty-input",
        )
    rows, columns = ({name: at for at, name in enumerate(one)} for one in (systems, tasks))
    cells: list[list[list[float]]] = [[[] for _ in tasks] for _ in systems]
    runs: dict[tuple[int, str], Floats] = {}
    se = np.full((len(systems), len(tasks)), np.nan)
    for one in records.scores:
        i, j = rows[one.system], columns[one.task]
        if one.error is not None:
            se[i, j] = one.error
        if one.value is not None:
            cells[i][j].append(one.value)
        # In a wide table without a run column, each row of a system is one run.
        label = one.run if one.run is not None else one.place.partition(", column")[0]
        row = runs.setdefault((i, label), np.full(len(tasks), np.nan))
        if not np.isnan(row[j]):
            raise InputError(
                f"{one.place}: run {label!r} has two scores for {one.system!r} on {one.task!r}",
                code="duplicate-item",
            )
        row[j] = np.nan if one.value is None else one.value
    for one in (*records.errors, *([] if errors is None else errors.scores)):
        if one.system not in rows or one.task not in columns:
            raise InputError(
                f"{one.place}: found a standard error but no score for {one.system!r} on "
                f"{one.task!r}",
                code="missing-items",
            )
        if one.value is not None:
            se[rows[one.system], columns[one.task]] = one.value
    if (se < 0).any():
        i, j = np.argwhere(se < 0)[0]
        raise InputError(
            f"{records.name}: the standard error of {systems[i]!r} on {tasks[j]!r} is negative",
            code="bad-weight",
        )
    values = np.array([[np.mean(c) if c else np.nan for c in row] for row in cells])
    counts = np.array([[len(c) for c in row] for row in cells])
    table = TaskScores(
        systems,
        tasks,
        values,
        _find_lower(tasks, options) | np.isin(tasks, list(records.lower)),
        *_errors_of(cells, se, counts),
        _complete_runs(runs, len(systems)),
        (*records.notes, *_note_repeats(systems, counts)),
    )
    return _fill(table, records, options)


def _find_lower(tasks: Sequence[str], options: RankOptions) -> BoolArray:
    listed = [options.lower] if isinstance(options.lower, str) else options.lower or ()
    lower = {part.strip() for text in listed for part in str(text).split(",") if part.strip()}
    if lower == {"all"} and "all" not in tasks:
        return np.ones(len(tasks), dtype=bool)
    for name in lower:
        if name not in tasks:
            raise UnknownName("task", name, tasks)
    return np.array([task in lower for task in tasks])


def _errors_of(
    cells: list[list[list[float]]], se: Floats, counts: np.ndarray
) -> tuple[Floats | None, Floats | None]:
    """Return standard errors, from the table or from repeated scores, and degrees of freedom."""
    if not np.isnan(se).all():
        return se, None
    if counts.min() < 2:
        return None, None
    spread = [[np.std(c, ddof=1) / np.sqrt(len(c)) for c in row] for row in cells]
    return np.array(spread), counts - 1.0


def _complete_runs(runs: dict[tuple[int, str], Floats], systems: int) -> list[Floats] | None:
    """Return the complete runs of each system, or None if any system has fewer than two."""
    found: list[list[Floats]] = [[] for _ in range(systems)]
    for (i, _), row in runs.items():
        if np.isnan(row).any():
            return None
        found[i].append(row)
    return [np.array(rows) for rows in found] if min(map(len, found)) > 1 else None


def _note_repeats(systems: Sequence[str], counts: np.ndarray) -> list[Notice]:
    repeated = [name for name, row in zip(systems, counts, strict=True) if row.max() > 1]
    if not repeated:
        return []
    verb = "has" if len(repeated) == 1 else "have"
    text = f"{join_names(repeated)} {verb} several scores per task, which are averaged as repeats"
    return [Notice(text, code="repeated-scores")]


def _fill(table: TaskScores, records: Records, options: RankOptions) -> TaskScores:
    """Drop or fill in missing scores, according to the rule for missing scores."""
    gaps = np.isnan(table.values)
    if not gaps.any():
        return table
    i, j = np.argwhere(gaps)[0]
    cell = table.systems[i], table.tasks[j]
    places = (one.place for one in records.scores if (one.system, one.task) == cell)
    where = next(places, records.name)
    what = f"no score of {table.systems[i]!r} on {table.tasks[j]!r}"
    if options.missing == "error":
        more = f" ({int(gaps.sum()):,} scores are missing)" if gaps.sum() > 1 else ""
        raise InputError(
            f"{where}: {what}{more}; pass --missing drop-task, --missing drop-system or "
            "--missing worst",
            code="missing-scores",
        )
    rows, columns = np.arange(len(table.systems)), np.arange(len(table.tasks))
    values = table.values
    if options.missing == "drop-task":
        columns = columns[~gaps.any(axis=0)]
    elif options.missing == "drop-system":
        rows = rows[~gaps.any(axis=1)]
    else:
        columns = columns[~gaps.all(axis=0)]
        worst = np.where(gaps, np.inf, table.goodness).min(axis=0)
        values = np.where(gaps, np.where(table.lower, -worst, worst), values)
    if rows.size < 2 or not columns.size:
        left = "tasks" if not columns.size else "systems"
        raise InputError(
            f"{where}: {what}, and --missing {options.missing} leaves no {left} to rank; choose "
            "another rule",
            code="missing-scores",
        )
    text = _describe(table, options.missing, int(gaps.sum()), rows.size, columns.size)
    pick = np.ix_(rows, columns)
    return TaskScores(
        [table.systems[at] for at in rows],
        [table.tasks[at] for at in columns],
        values[pick],
        table.lower[columns],
        None if table.errors is None else table.errors[pick],
        None if table.freedom is None else table.freedom[pick],
        None,
        (*table.notes, Notice(text, code="missing-scores")),
    )


def _describe(table: TaskScores, rule: str, gaps: int, rows: int, columns: int) -> str:
    """Describe how missing scores were treated."""
    missing = plural(gaps, "missing score", ",")
    if rule == "worst":
        return f"{missing}: replaced by the worst score of the task (--missing worst)"
    dropped = (
        plural(len(table.tasks) - columns, "task")
        if rule == "drop-task"
        else plural(len(table.systems) - rows, "system")
    )
    return f"{missing}: excluded {dropped} (--missing {rule})"
