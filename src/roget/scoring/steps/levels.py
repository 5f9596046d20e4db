"""Score hierarchical labels, with a separate score for every level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from roget.errors import InputError
from roget.scoring.inputs import Inputs, read_side
from roget.scoring.labels import Labels
from roget.scoring.measures.base import Request, list_requests
from roget.scoring.measures.trees import DendrogramPurity
from roget.scoring.notices import reword
from roget.scoring.results import MEAN, TREE, ScoreRow, ScoreTable
from roget.scoring.signature import read_signature, write_signature


@dataclass(frozen=True, eq=False)
class LevelInputs:
    """The inputs for each level, keyed by name, and the numbers of gold and system levels."""

    inputs: Mapping[str, Inputs]
    golds: int
    systems: int

    def join(self, tables: Mapping[str, ScoreTable]) -> ScoreTable:
        """Join the tables of all levels, and add means over levels."""
        if self.golds == self.systems == 1:
            return next(iter(tables.values()))
        return _join(tables, self.golds, self.systems)


def split_levels(inputs: Inputs) -> LevelInputs:
    """Pair every gold level with every system level, or level by level if both have the same
    number.

    A system without levels is scored against every gold level. A system that is a tree is cut
    separately for each gold level.
    """
    options = inputs.options
    [system] = inputs.systems.values()
    _check_options(inputs, system)
    left, right = read_side(inputs.gold, "gold", options), read_side(system, "system", options)
    golds, systems = _list_levels(left), _list_levels(right)
    plain = replace(options, columns=None, levels=None)
    if len(golds) == len(systems) == 1:
        one = replace(inputs, gold=golds[0], systems={"": systems[0]}, options=plain)
        return LevelInputs({"": one}, 1, 1)
    plain = replace(plain, labels=None)
    flat, whole = _split_requests(options.measures, options.entropy, right)
    # Measures of flat clusterings are computed for each pair of levels. A pair is named after the
    # level that varies, or after both levels (1×2).
    parts: dict[str, Inputs] = {}
    numbers = range(len(golds)), range(len(systems))
    paired = len(golds) == len(systems)
    for i, j in zip(*numbers, strict=True) if paired else product(*numbers):
        name = str(i + 1) if len(systems) in (1, len(golds)) else str(j + 1)
        if 1 < len(golds) != len(systems) > 1:
            name = f"{i + 1}×{j + 1}"
        if flat != []:
            cut = options.cut if len(systems) == 1 else None
            own = replace(plain, measures=flat, cut=cut)
            parts[name] = replace(inputs, gold=golds[i], systems={"": systems[j]}, options=own)
    # For measures of whole trees, score the system with all its levels against each gold level.
    for i, labels in enumerate(golds if whole else ()):
        name = TREE if len(golds) == 1 else f"{i + 1}×{TREE}"
        own = replace(plain, measures=whole, cut=options.cut or right.n_labels)
        parts[name] = replace(inputs, gold=labels, systems={"": right}, options=own)
    return LevelInputs(parts, len(golds), len(systems))


def _check_options(inputs: Inputs, system: Any) -> None:
    """Raise InputError if an option cannot be combined with levels."""
    options, code = inputs.options, "conflicting-options"
    counted = options.cells is not None or options.matrix is not None
    if inputs.gold is None or system is None or counted:
        raise InputError(
            "'levels' cannot be combined with 'cells'; pass a gold standard and a system", code=code
        )
    if options.items is not None:
        raise InputError("'items' (per-item scores) cannot be combined with 'levels'", code=code)
    if options.cuts is not None:
        raise InputError("--set cuts cannot be combined with --set levels", code=code)
    if options.engine != "local":
        raise InputError(f"--set levels requires --engine local, not {options.engine}", code=code)


def _list_levels(labels: Labels) -> list[Labels]:
    """Return the labels of each level. Labels without levels are returned as one level."""
    if labels.tree is None or not labels.tree.levels:
        return [labels]
    return [replace(labels, **level._asdict(), tree=None) for level in labels.tree.levels]


def _split_requests(
    measures: Any, entropy: Any, system: Labels
) -> tuple[list[Any] | None, list[Any]]:
    """Return the measures for each level (None for the defaults) and for the whole tree."""
    leveled = system.tree is not None and bool(system.tree.levels)
    if measures is None:
        return None, [DendrogramPurity()] if leveled else []
    requests: Sequence[Request] = list_requests(measures, entropy)
    named = list(dict.fromkeys(measure for measure, _ in requests))
    if not leveled:
        return named, []
    return [m for m in named if "tree" not in m.needs], [m for m in named if m.sees_tree]


def _join(tables: Mapping[str, ScoreTable], golds: int, systems: int) -> ScoreTable:
    """Join the tables of all levels, and add means over levels if the levels are paired."""
    first = next(iter(tables.values()))
    rows = [replace(row, level=name) for name, table in tables.items() for row in table.rows]
    plain = [name for name in tables if name.isdecimal()]
    if len(plain) > 1:
        by_level = [[row for row in rows if row.level == name] for name in plain]
        rows += map(_average, zip(*by_level, strict=True))
    sides = f"{golds}x{systems}"
    # If all levels have the same warning, report it only once. Report other warnings with the name
    # of the level.
    common = [text for text in first.warnings if all(text in t.warnings for t in tables.values())]
    own = [
        reword(text, f"level {name}: {text}")
        for name, table in tables.items()
        for text in table.warnings
        if text not in common
    ]
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
        own_components=None,
        by_group=(),
        scored=None,
        headline=None,
    )


def _average(rows: Sequence[ScoreRow]) -> ScoreRow:
    """Return the mean of one score over levels.

    The mean is undefined if the score is undefined on any level.
    """
    first = rows[0]
    undefined = next((row for row in rows if row.value is None), None)
    known = [row.value for row in rows if row.value is not None]
    baselines = {
        name: float(np.mean([value for value in values if value is not None]))
        for name in first.baselines
        if None not in (values := [row.baselines.get(name) for row in rows])
    }
    return ScoreRow(
        first.measure,
        first.entropy,
        None if undefined is not None else float(np.mean(known)),
        None if undefined is None else f"{undefined.reason} (at level {undefined.level})",
        direction=first.direction,
        baselines=baselines,
        level=MEAN,
    )
