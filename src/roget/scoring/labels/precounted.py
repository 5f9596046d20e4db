"""Cells that were counted elsewhere, and frames whose rows are better counted where they are.

Hard scoring needs no more than (group, gold, system, count), whoever did the GROUP BY: a database,
a cluster, or the library behind a lazy frame, which narwhals asks to do it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from roget.core.io.problems import Problems, plural
from roget.core.types import CountArray
from roget.errors import InputError
from roget.scoring.labels.align import (
    AlignedLabels,
    about_extra,
    is_called,
    mark_noise,
    settle,
)
from roget.scoring.labels.frames import choose_rows, frame_columns, is_frame, library, rows_of
from roget.scoring.labels.labels import Factors, Labels, whole_counts
from roget.scoring.labels.read import name_files, read_rows
from roget.scoring.labels.table import (
    CELLS,
    PAIR,
    SINGLE,
    Columns,
    LabelTable,
    choose_side,
    find_by_name,
    read_groups,
    read_weights,
    to_labels,
    to_pair,
    varies,
)

_LAZY = ("polars", "duckdb", "_duckdb", "ibis", "dask", "pyspark", "sqlframe", "modin", "cudf")
"""Libraries whose frames narwhals knows; frames in memory that are known here go without it."""

LARGE = 100_000
"""Rows of a frame from which its own library joins it faster."""


def read_cells(
    source: Any,
    missing: str,
    labels: str | None = None,
    columns: Columns | None = None,
    noise: str | None = None,
) -> AlignedLabels:
    """The cells of a table with columns gold, system, count[, group], in files or in memory."""
    if isinstance(source, str | os.PathLike):
        parts = read_rows(source, labels, columns, CELLS)
        if len(parts) > 1:
            raise InputError(f"{name_files([p.source for p in parts])}: expected one file of cells")
        return to_cells(parts[0], missing, noise)
    named = gather_lazy(source) if is_lazy(source) else None
    if named is None:
        if not is_frame(source):
            found = type(source).__name__
            raise InputError(f"cells: found a {found}; expected a path or a table")
        named = frame_columns(source)
    return to_cells(choose_rows(named, CELLS, columns, "the cells"), missing, noise)


def to_cells(
    rows: LabelTable,
    missing: str,
    noise: str | None,
    extra: tuple[int, int] = (0, 0),
    sources: Sequence[str] = (),
) -> AlignedLabels:
    """Rows with a count as aligned sides; raises what is wrong with them.

    Beside them there were `extra` items of the system, some of them in clusters that rows have.
    """
    problems, found = rows.problems, rows.columns
    if "count" not in found:
        raise InputError(f"{rows.source}: no count column; expected gold, system, count[, group]")
    everywhere = np.ones(len(rows.lines), dtype=bool)
    numbers = read_weights(found["count"], rows.lines, problems, everywhere, "count")
    for line in rows.lines[found["gold"].codes < 0]:
        problems.add(line, "no label; every item of the gold standard needs one")
    groups, group_names = read_groups(rows)
    problems.check()
    if rows.weights is not None and not np.all(rows.weights > 0):
        raise InputError(f"{rows.source}: a weight is 0; expected weights above 0")
    kept = np.flatnonzero(numbers > 0)
    if not kept.size:
        raise InputError(f"{rows.source}: no items")
    counts: CountArray = whole_counts(numbers[kept])
    if counts.dtype.kind == "f" and missing == "singletons":
        raise InputError(f"{rows.source}: fractions of items cannot be clusters of their own")
    weights = None if rows.weights is None else rows.weights[kept]
    gold = Labels.of(
        found["gold"]._replace(codes=found["gold"].codes[kept]),
        groups=None if groups is None else groups[kept],
        group_names=group_names,
        item_weights=weights if weights is not None and varies(weights) else None,
        source=sources[0] if sources else rows.source,
    )
    codes = found["system"].codes[kept]
    system = Labels.of(
        found["system"]._replace(codes=codes, complete=bool(np.all(codes >= 0))),
        source=sources[1] if sources else rows.source,
    )
    if noise is not None:
        system = mark_noise(system, noise)
    if missing == "error" and not system.complete:
        lost = plural(int(counts[~system.answered()].sum()), "item")
        raise InputError(f"{rows.source}: {lost} without an answer; missing items are an error")
    warnings = [*rows.warnings, *about_extra(gold, system, *extra)]
    return settle(gold, system, counts, extra[0], warnings, missing, noise)


def is_lazy(value: object) -> bool:
    """Whether a value is a frame whose rows are not, or not known to be, in memory."""
    if library(value) not in _LAZY or is_frame(value):
        return False
    import narwhals.stable.v2 as nw

    frame = nw.from_native(value, pass_through=True)
    return isinstance(frame, nw.LazyFrame | nw.DataFrame)


def gather_lazy(frame: Any) -> dict[str, Any]:
    """The columns of a lazy frame, as it is or as narwhals has it, brought into memory."""
    import narwhals.stable.v2 as nw

    lazy = nw.from_native(frame).lazy()
    native = lazy.to_native()
    if hasattr(native, "fetchnumpy"):
        # DuckDB gives arrays itself; narwhals would ask for arrow.
        return dict(native.fetchnumpy())
    return frame_columns(lazy.collect().to_native())


def count_frame(
    frame: Any, missing: str, columns: Columns | None, noise: str | None
) -> AlignedLabels:
    """The cells of a lazy frame with columns gold and system, grouped by the frame's library."""
    import narwhals.stable.v2 as nw

    lazy, chosen = _look_at(frame, PAIR, columns, "the table")
    if "item" in chosen:
        keys = [chosen[role] for role in ("group", "item") if role in chosen]
        repeats = _count_rows(lazy) - _count_keys(lazy, keys)
        if repeats:
            repeated = f"{plural(repeats, 'row')} with an item that came before, or without one"
            raise InputError(f"the table: {repeated}; expected an id of its own for every item")
    roles = [role for role in ("group", "gold", "system") if role in chosen]
    # Apart by weight, so that sums do not depend on the order in which they are taken.
    keys = [chosen[role] for role in (*roles, "weight") if role in chosen]
    cells = lazy.group_by(keys).agg(nw.len().alias("roget count"))
    found = gather_lazy(cells)
    by_role = {role: found[chosen[role]] for role in chosen if role != "item"}
    by_role |= {"count": found["roget count"]}
    return to_cells(rows_of(by_role, Problems("the table")), missing, noise)


def _look_at(
    frame: Any, roles: Sequence[str], columns: Columns | None, source: str
) -> tuple[Any, dict[str, str]]:
    """A lazy frame as narwhals has it, and the column of each role."""
    import narwhals.stable.v2 as nw

    lazy = nw.from_native(frame).lazy()
    names = lazy.collect_schema().names()
    places = find_by_name(names, roles, columns, source)
    return lazy, {role: names[at] for role, at in places.items()}


def _count_rows(lazy: Any) -> int:
    import narwhals.stable.v2 as nw

    return int(np.asarray(gather_lazy(lazy.select(nw.len().alias("n")))["n"])[0])


def _count_keys(lazy: Any, keys: Sequence[str]) -> int:
    """How many different keys there are, leaving out those that are empty."""
    import narwhals.stable.v2 as nw

    chosen = lazy.select(keys).drop_nulls()
    texts = [key for key, kind in chosen.collect_schema().items() if kind in (nw.String, nw.Object)]
    for key in texts:
        chosen = chosen.filter(nw.col(key) != "")
    return _count_rows(chosen.unique())


def join_frames(
    gold: Any, system: Any, missing: str, columns: Columns | None, noise: str | None
) -> AlignedLabels | None:
    """The cells of two frames of one library, which joins and groups them.

    None where there is more to say than cells can, or the frames are too small to ask for it.
    """
    import narwhals.stable.v2 as nw

    frames = {"gold": gold, "system": system}
    if library(gold) != library(system) or not all(map(_is_large, frames.values())):
        return None
    sides, schemas = [], []
    for side, frame in frames.items():
        lazy, roles = _look_at(frame, SINGLE, choose_side(columns, side), f"the {side} labels")
        picked = [nw.col(name).alias(side if r == "label" else r) for r, name in roles.items()]
        sides.append(lazy.select(*picked, nw.lit(1).alias(f"in_{side}")))
        schemas.append(sides[-1].collect_schema())
    keys = ["item", *(["group"] if all("group" in schema for schema in schemas) else [])]
    alike = all("item" in s and "weight" not in s for s in schemas) and all(
        schemas[0][key] == schemas[1][key] for key in keys
    )
    if not alike or ("group" in schemas[1] and len(keys) < 2):
        return None
    for side in sides:
        rows = _count_rows(side)
        if not rows or rows != _count_keys(side, keys):
            return None
    try:
        joined = sides[0].join(sides[1], on=keys, how="full", suffix=" of the system")
        by = [name for name in ("group", "gold", "system") if name in joined.collect_schema()]
        counted = joined.group_by([*by, "in_gold", "in_system"]).agg(nw.len().alias("count"))
        found = gather_lazy(counted)
    except Exception:  # of whatever library: relations with parameters, for one, are joined here
        return None
    cells = rows_of(found, Problems("the labels"))
    columns_found = {role: _sort_codes(factors) for role, factors in cells.columns.items()}
    one, other = (columns_found.pop(f"in_{side}").codes >= 0 for side in frames)
    counts = columns_found["count"]
    numbers = np.array(counts.values(), dtype=np.int64)[counts.codes]
    given = columns_found["gold"].codes[one], columns_found["system"].codes
    odd = np.any(given[0] < 0) or not np.any(one & other)
    if odd or (missing == "error" and np.any(given[1][one] < 0)):
        return None
    names = columns_found["system"].values()
    called = [code for code, name in enumerate(names) if noise and is_called(str(name), noise)]
    clusters = (given[1] >= 0) & ~np.isin(given[1], called)
    lone = ~one & np.isin(given[1], given[1][one & clusters])
    extra = int(numbers[~one].sum()), int(numbers[lone].sum())
    order = np.lexsort([factors.codes[one] for factors in columns_found.values()])
    kept = {r: f._replace(codes=f.codes[one][order]) for r, f in columns_found.items()}
    rows_kept = LabelTable(cells.problems, np.arange(1, order.size + 1), None, kept)
    return to_cells(rows_kept, missing, noise, extra, [f"the {side} labels" for side in frames])


def _is_large(frame: Any) -> bool:
    in_memory = is_frame(frame) and not isinstance(frame, dict)
    return len(frame) > LARGE if in_memory else is_lazy(frame)


def _sort_codes(factors: Factors) -> Factors:
    """The same factors numbered in the order of their names, whoever found them in which order."""
    names = list(factors.values())
    order = sorted(range(len(names)), key=lambda code: str(names[code]))
    # The last place is that of code −1, which stays.
    lookup = np.append(np.argsort(order), -1)
    return Factors(lookup[factors.codes], [names[code] for code in order], len(names))


def read_both(data: Any, columns: Columns | None) -> tuple[Labels, Labels] | None:
    """Gold and system labels of a frame in memory with a column for each, or of AnnData's `obs`.

    Items of `obs` that no one has labelled are left out. None where there is no frame.
    """
    if is_frame(data):
        return to_pair(choose_rows(frame_columns(data), PAIR, columns, "the table"))
    if not is_frame(getattr(data, "obs", None)):
        return None
    named = frame_columns(data.obs)
    if not columns:
        raise InputError(
            f"obs: which columns are gold and system? Say columns={{'gold': …, 'system': …}}; "
            f"there are: {', '.join(named)}"
        )
    return to_pair(choose_rows(named, PAIR, columns, "obs"), gold=False)


def collect_side(frame: Any, columns: Columns | None, name: str, *, gold: bool) -> Labels:
    """One side's labels of a lazy frame; only the columns that matter are brought into memory."""
    lazy, chosen = _look_at(frame, SINGLE, columns, name)
    found = gather_lazy(lazy.select(*dict.fromkeys(chosen.values())))
    by_role = {role: found[column] for role, column in chosen.items()}
    return to_labels(rows_of(by_role, Problems(name)), gold=gold)


_MAPPINGS = "; to count what is missing, give mappings: gold.to_dict(), system.to_dict()"


def _have_index(*sides: Any) -> bool:
    """Whether all are Series of pandas, which are joined by their index."""
    return all(
        library(side) == "pandas" and hasattr(side, "reindex") and not hasattr(side, "columns")
        for side in sides
    )


def list_index(gold: Any, system: Any) -> list[Any] | None:
    """The ids of items that two Series are joined by; None where they are known by position."""
    if not _have_index(gold, system):
        return None
    items = [item if isinstance(item, int | str) else str(item) for item in gold.index.tolist()]
    # Of equal indices no one has asked whether they tell items apart.
    return items if len(set(items)) == len(items) else None


def match_index(gold: Any, system: Any, what: str = "system labels") -> Any:
    """A Series in the order of gold's index; refused where the two have other items."""
    if not _have_index(gold, system) or gold.index.equals(system.index):
        return system
    word = what.partition(" ")[0]
    cure = f"; if both are in the same order, give gold.to_numpy() and {word}.to_numpy()"
    for name, side in (("gold labels", gold), (what, system)):
        if not side.index.is_unique:
            twice = side.index[side.index.duplicated()][0]
            said = f"the index of the {name} has {twice!r} twice"
            raise InputError(f"{said}, so that items cannot be joined by it{cure}")
    other = gold.index.symmetric_difference(system.index, sort=False)
    if len(other):
        where = "gold" if other[0] in gold.index else word
        said = f"{plural(len(other), 'item')} of the indices are on one side only"
        raise InputError(
            f"two Series are joined by their index, and {said}, such as {other[0]!r} of {where}"
            f"{cure}{_MAPPINGS if word == 'system' else ''}"
        )
    return system.reindex(gold.index)
