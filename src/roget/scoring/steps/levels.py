"""Labels with levels, from general to special: every level is scored for itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from roget.errors import InputError
from roget.scoring.labels import Labels
from roget.scoring.measures.base import Request, list_requests
from roget.scoring.measures.trees import DendrogramPurity
from roget.scoring.results import MEAN, TREE, ScoreRow, ScoreTable, read_signature
from roget.scoring.score import ReadOptions, score, write_signature


def score_levels(options: Mapping[str, Any]) -> ScoreTable:
    """Scores of each level of gold beside each of the system; of as many, each beside its own.

    A system without levels is scored beside every level of gold, a tree at its best cut there.
    `options` are all those of `roget.score`.
    """
    given = dict(options)
    gold, system, levels = (given.pop(name) for name in ("gold", "system", "levels"))
    columns, progress = given.pop("columns"), given.pop("progress")
    if gold is None or system is None or given["cells"] is not None:
        raise InputError("levels are those of gold and of a system: give both, not cells")
    if given["items"] is not None:
        raise InputError("scores of each item are those of one level: give one label for each item")
    if given["cuts"] is not None:
        raise InputError("cuts are scored beside one level: give gold with one label for each item")
    if given["engine"] != "local":
        raise InputError(f"engine {given['engine']}: levels need the items; use local")
    reading = ReadOptions(labels=given["labels"], columns=columns, levels=levels,
                      answers=given["answers"])  # fmt: skip
    left, right = reading.read(gold, "gold"), reading.read(system, "system")
    golds, systems = _list_levels(left), _list_levels(right)
    if len(golds) == len(systems) == 1:
        return score(golds[0], systems[0], **{**given, "columns": None, "progress": progress})
    flat, whole = _part_requests(given["measures"], given["entropy"], right)
    given |= {"columns": None, "labels": None, "progress": None}
    tables: dict[str, ScoreTable] = {}
    level = range(len(golds)), range(len(systems))
    for i, j in zip(*level, strict=True) if len(golds) == len(systems) else product(*level):
        name = str(i + 1) if len(systems) in (1, len(golds)) else str(j + 1)
        if 1 < len(golds) != len(systems) > 1:
            name = f"{i + 1}×{j + 1}"
        if flat != []:
            own = {**given, "measures": flat, "cut": given["cut"] if len(systems) == 1 else None}
            tables[name] = score(golds[i], systems[j], **own)
    for i, labels in enumerate(golds if whole else ()):
        name = TREE if len(golds) == 1 else f"{i + 1}×{TREE}"
        own = {**given, "measures": whole, "cut": given["cut"] or right.n_labels}
        tables[name] = score(labels, right, **own)
    return _join(tables, len(golds), len(systems))


def _list_levels(labels: Labels) -> list[Labels]:
    """The labels of each level; of a side without levels, its own."""
    if labels.tree is None or not labels.tree.levels:
        return [labels]
    return [replace(labels, **level._asdict(), tree=None) for level in labels.tree.levels]


def _part_requests(
    measures: Any, entropy: Any, system: Labels
) -> tuple[list[Any] | None, list[Any]]:
    """Measures of each level, None for the usual ones; and those of the whole tree."""
    leveled = system.tree is not None and bool(system.tree.levels)
    if measures is None:
        return None, [DendrogramPurity()] if leveled else []
    asked: Sequence[Request] = list_requests(measures, entropy)
    named = list(dict.fromkeys(measure for measure, _ in asked))
    if not leveled:
        return named, []
    return [m for m in named if "tree" not in m.needs], [m for m in named if m.sees_tree]


def _join(tables: Mapping[str, ScoreTable], golds: int, systems: int) -> ScoreTable:
    """One table of all levels, with means over them where each has its own."""
    first = next(iter(tables.values()))
    rows = [replace(row, level=name) for name, table in tables.items() for row in table.rows]
    plain = [name for name in tables if name.isdecimal()]
    if len(plain) > 1:
        of_level = {name: [row for row in rows if row.level == name] for name in plain}
        rows += map(_average, zip(*of_level.values(), strict=True))
    sides = f"{golds}x{systems}"
    warnings = [
        f"level {name}: {text}" for name, table in tables.items() for text in table.warnings
    ]
    common = [text for text in first.warnings if all(text in t.warnings for t in tables.values())]
    own = [text for text in warnings if text.partition(": ")[2] not in common]
    measures = list(dict.fromkeys(row.measure for row in rows))
    signed = [read_signature(table.signature) for table in tables.values()]
    parts = signed[0] | {"measures": ",".join(measures), "levels": sides}
    if "cut" in parts:
        parts["cut"] = "+".join(one.get("cut", "") for one in signed)
    return replace(
        first,
        signature=write_signature(parts),
        classes=float(np.mean([table.classes for table in tables.values()])),
        clusters=float(np.mean([table.clusters for table in tables.values()])),
        warnings=(*common, *own),
        rows=tuple(rows),
        details=None,
        outline=None,
        by_group=(),
        answered=None,
    )


def _average(rows: Sequence[ScoreRow]) -> ScoreRow:
    """The mean of one score over levels; undefined where it is undefined at one."""
    first = rows[0]
    lost = next((row for row in rows if row.value is None), None)
    known = [row.value for row in rows if row.value is not None]
    baselines = {
        name: float(np.mean([value for value in found if value is not None]))
        for name in first.baselines
        if None not in (found := [row.baselines.get(name) for row in rows])
    }
    return ScoreRow(
        first.measure,
        first.entropy,
        None if lost is not None else float(np.mean(known)),
        None if lost is None else f"{lost.reason} (at level {lost.level})",
        direction=first.direction,
        baselines=baselines,
        level=MEAN,
    )
