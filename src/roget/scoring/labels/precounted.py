"""Read contingency cells that were counted in advance, or count them with a data frame library.

Only the cells (group, gold, system, count) are needed to score hard labels. They may be counted by
a database, a compute cluster or, through narwhals, the library of a lazy frame.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from roget.core.io.frames import FrameColumns, frame_columns, is_frame, is_lazy, library
from roget.core.io.problems import Problems, plural
from roget.core.types import CountArray
from roget.errors import InputError
from roget.scoring.labels.align import (
    AlignedLabels,
    handle_missing,
    is_called,
    mark_noise,
    warn_extra,
    warn_unlabelled_gold,
)
from roget.scoring.labels.columns import CELLS, PAIR, SINGLE, Columns, LabelRoles, choose_side
from roget.scoring.labels.files import name_files
from roget.scoring.labels.frames import find_in_frame, select_columns, table_from_columns
from roget.scoring.labels.labels import LabelCodes, Labels, NoItems, whole_counts
from roget.scoring.labels.read import read_tables
from roget.scoring.labels.table import (
    LabelTable,
    read_groups,
    read_weights,
    to_labels,
    to_pair,
    varies,
)

LARGE = 100_000
"""Number of rows above which data frame libraries join tables faster than roget."""


def read_cells(
    source: Any,
    missing: str,
    labels: str | None = None,
    columns: Columns | None = None,
    noise: str | None = None,
    header: bool | None = None,
) -> AlignedLabels:
    """Read contingency cells from a table.

    Its columns are gold, system, count and, optionally, group.
    """
    if isinstance(source, str | os.PathLike):
        parts = read_tables(source, labels, columns, CELLS, header)
        if len(parts) > 1:
            name = name_files([part.source for part in parts])
            raise InputError(
                f"{name}: expected a single file with cells", code="unsupported-format"
            )
        return to_cells(parts[0], missing, noise)
    named = gather_lazy(source) if is_lazy(source) else None
    if named is None:
        if not is_frame(source):
            found = type(source).__name__
            raise InputError(
                f"cells: expected a path or a table; got {found}", code="unsupported-format"
            )
        named = frame_columns(source)
    return to_cells(select_columns(named, CELLS, columns, "the cells"), missing, noise)


def to_cells(
    rows: LabelTable,
    missing: str,
    noise: str | None,
    extra: tuple[int, int] = (0, 0),
    sources: Sequence[str] = (),
) -> AlignedLabels:
    """Convert rows with counts to aligned labels, or raise one error that lists all problems.

    `extra` contains two numbers: the system items that gold does not contain, and those among them
    that share a cluster with scored items. `sources` are the names of gold and system in messages.
    """
    problems, found = rows.problems, rows.columns
    if "count" not in found:
        raise InputError(
            f"{rows.source}: no column with counts; expected gold, system, count[, group]",
            code="missing-column",
        )
    everywhere = np.ones(len(rows.lines), dtype=bool)
    numbers = read_weights(found["count"], rows.lines, problems, everywhere, "count")
    groups, group_names = read_groups(rows)
    problems.check()
    answered = found["gold"].codes >= 0
    kept = np.flatnonzero((numbers > 0) & answered)
    if not kept.size:
        raise NoItems(f"{rows.source}: no items")
    unlabelled = round(float(numbers[~answered].sum()))
    if unlabelled:
        rows.warnings.append(warn_unlabelled_gold(unlabelled, rows.source))
    counts: CountArray = whole_counts(numbers[kept])
    if counts.dtype.kind == "f" and missing == "singletons":
        raise InputError(
            f"{rows.source}: --missing singletons requires integer counts",
            code="conflicting-options",
        )
    weights = None if rows.weights is None else rows.weights[kept]
    if weights is not None and weights.all() and not varies(weights):
        weights = None
    gold = Labels(
        **found["gold"]._replace(codes=found["gold"].codes[kept], complete=True)._asdict(),
        groups=None if groups is None else groups[kept],
        group_names=group_names,
        item_weights=weights,
        source=sources[0] if sources else rows.source,
    )
    codes = found["system"].codes[kept]
    system = Labels(
        **found["system"]._replace(codes=codes, complete=bool(np.all(codes >= 0)))._asdict(),
        source=sources[1] if sources else rows.source,
    )
    if noise is not None:
        system = mark_noise(system, noise)
    if missing == "error" and not system.complete:
        lost = plural(int(counts[~system.answered()].sum()), "item")
        raise InputError(
            f"{rows.source}: found {lost} without a system label, which --missing error does not "
            f"allow",
            code="missing-items",
        )
    warnings: list[str] = [*rows.warnings, *warn_extra(gold, system, *extra)]
    return handle_missing(gold, system, counts, extra[0], warnings, missing, noise)


def gather_lazy(frame: Any) -> dict[str, Any]:
    """Load a lazy frame (a native frame or a narwhals frame) into memory."""
    import narwhals.stable.v2 as nw

    lazy = nw.from_native(frame).lazy()
    native = lazy.to_native()
    if hasattr(type(native), "fetchnumpy"):
        # DuckDB can return arrays directly, whereas narwhals would require pyarrow.
        return dict(native.fetchnumpy())
    try:
        return frame_columns(lazy.collect().to_native())
    except Exception as error:
        first = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{library(native)} could not run the query: {first}; collect the columns first, e.g. "
            "as a pandas frame",
            code="unsupported-format",
        ) from error


def count_frame(
    frame: Any, missing: str, columns: Columns | None, noise: str | None
) -> AlignedLabels:
    """Count contingency cells in a lazy frame with gold and system columns.

    The cells are counted by the library of the frame.
    """
    import narwhals.stable.v2 as nw

    lazy, chosen = _inspect_lazy(frame, PAIR, columns, "the table")
    if "item" in chosen:
        keys = [chosen[role] for role in ("group", "item") if role in chosen]
        repeats = _count_rows(lazy) - _count_keys(lazy, keys)
        if repeats:
            rows = f"{plural(repeats, 'row')} with a repeated or empty item"
            raise InputError(
                f"the table has {rows}; expected a unique id for every item", code="duplicate-item"
            )
    roles = [role for role in ("group", "gold", "system") if role in chosen]
    # Also group by weight, because sums of weights would depend on the order of rows.
    keys = [chosen[role] for role in (*roles, "weight") if role in chosen]
    cells = lazy.group_by(keys).agg(nw.len().alias("roget count"))
    found = gather_lazy(cells)
    by_role = {role: found[chosen[role]] for role in chosen if role != "item"}
    by_role |= {"count": found["roget count"]}
    return to_cells(table_from_columns(by_role, Problems("the table")), missing, noise)


def _inspect_lazy(
    frame: Any, roles: LabelRoles, columns: Columns | None, source: str
) -> tuple[Any, dict[str, str]]:
    """Return a narwhals lazy frame, and the column name for each role."""
    import narwhals.stable.v2 as nw

    lazy = nw.from_native(frame).lazy()
    names = lazy.collect_schema().names()
    places = find_in_frame(names, roles, columns, source)
    return lazy, {role: names[at] for role, at in places.items()}


def _count_rows(lazy: Any) -> int:
    import narwhals.stable.v2 as nw

    return int(np.asarray(gather_lazy(lazy.select(nw.len().alias("n")))["n"])[0])


def _count_keys(lazy: Any, keys: Sequence[str]) -> int:
    """Return the number of distinct non-empty keys."""
    import narwhals.stable.v2 as nw

    chosen = lazy.select(keys).drop_nulls()
    texts = [key for key, kind in chosen.collect_schema().items() if kind in (nw.String, nw.Object)]
    for key in texts:
        chosen = chosen.filter(nw.col(key) != "")
    return _count_rows(chosen.unique())


def join_frames(
    gold: Any, system: Any, missing: str, columns: Columns | None, noise: str | None
) -> AlignedLabels | None:
    """Join two frames and count contingency cells, using the data frame library of the frames.

    Return None if the frames are small, have different libraries, or cannot be joined in this way.
    """
    import narwhals.stable.v2 as nw

    frames = {"gold": gold, "system": system}
    if library(gold) != library(system) or not all(map(_is_large, frames.values())):
        return None
    sides, schemas = [], []
    for side, frame in frames.items():
        lazy, roles = _inspect_lazy(frame, SINGLE, choose_side(columns, side), f"the {side} labels")
        picked = [nw.col(name).alias(side if r == "label" else r) for r, name in roles.items()]
        sides.append(lazy.select(*picked, nw.lit(1).alias(f"in_{side}")))
        schemas.append(sides[-1].collect_schema())
    keys = ["item", *(["group"] if all("group" in schema for schema in schemas) else [])]
    is_plain = all("item" in s and "weight" not in s for s in schemas) and all(
        schemas[0][key] == schemas[1][key] for key in keys
    )
    if not is_plain or ("group" in schemas[1] and len(keys) < 2):
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
    # Libraries raise various exceptions, e.g. for DuckDB relations with parameters.
    except Exception:
        return None
    cells = table_from_columns(found, Problems("the labels"))
    columns_found = {role: _sort_codes(coded) for role, coded in cells.columns.items()}
    one, other = (columns_found.pop(f"in_{side}").codes >= 0 for side in frames)
    counts = columns_found["count"]
    numbers = np.array(counts.values(), dtype=np.int64)[counts.codes]
    gold_codes, system_codes = columns_found["gold"].codes[one], columns_found["system"].codes
    odd = np.any(gold_codes < 0) or not np.any(one & other)
    if odd or (missing == "error" and np.any(system_codes[one] < 0)):
        return None
    names = columns_found["system"].values()
    called = [code for code, name in enumerate(names) if noise and is_called(str(name), noise)]
    clusters = (system_codes >= 0) & ~np.isin(system_codes, called)
    lone = ~one & np.isin(system_codes, system_codes[one & clusters])
    extra = int(numbers[~one].sum()), int(numbers[lone].sum())
    order = np.lexsort([coded.codes[one] for coded in columns_found.values()])
    kept = {r: f._replace(codes=f.codes[one][order]) for r, f in columns_found.items()}
    rows_kept = LabelTable(cells.problems, np.arange(1, order.size + 1), None, kept)
    return to_cells(rows_kept, missing, noise, extra, [f"the {side} labels" for side in frames])


def _is_large(frame: Any) -> bool:
    in_memory = is_frame(frame) and not isinstance(frame, dict)
    return len(frame) > LARGE if in_memory else is_lazy(frame)


def _sort_codes(coded: LabelCodes) -> LabelCodes:
    """Renumber codes in alphabetical order of their names.

    This makes the result independent of the data frame library.
    """
    names = list(coded.values())
    order = sorted(range(len(names)), key=lambda code: str(names[code]))
    # The last element of the lookup table maps code −1 to −1.
    lookup = np.append(np.argsort(order), -1)
    return LabelCodes(lookup[coded.codes], len(names), [names[code] for code in order])


def read_both(data: Any, columns: Columns | None) -> tuple[Labels, Labels] | None:
    """Return the gold and system labels from two columns of a frame or of AnnData's `obs`.

    Items of `obs` without a gold label are excluded. Return None if the data are not a frame.
    """
    if is_frame(data):
        return to_pair(select_columns(frame_columns(data), PAIR, columns, "the table"))
    if not is_frame(getattr(data, "obs", None)):
        return None
    named = frame_columns(data.obs)
    if not columns:
        raise InputError(
            "obs: the gold and system columns are not specified; pass columns={'gold': …, "
            f"'system': …}} with two of the columns {', '.join(named)}",
            code="ambiguous-columns",
        )
    return to_pair(select_columns(named, PAIR, columns, "obs"), gold=False)


def collect_side(frame: Any, columns: Columns | None, name: str, *, gold: bool) -> Labels:
    """Return the labels of a lazy frame. Only the required columns are loaded."""
    lazy, chosen = _inspect_lazy(frame, SINGLE, columns, name)
    found = gather_lazy(lazy.select(*dict.fromkeys(chosen.values())))
    by_role = {role: found[column] for role, column in chosen.items()}
    return to_labels(table_from_columns(by_role, Problems(name)), gold=gold)


_MAPPINGS = "; to allow missing items, pass mappings: gold.to_dict(), system.to_dict()"


def _have_index(*sides: Any, columns: Columns | None = None) -> bool:
    """Return True if all inputs can be joined by index.

    These are pandas Series, and pandas frames without a column of item ids.
    """
    return all(
        library(side) == "pandas"
        and hasattr(side, "reindex")
        and hasattr(side, "index")
        and not (hasattr(side, "columns") and _has_item_column(side, choose_side(columns, name)))
        for name, side in zip(("gold", "system"), sides, strict=True)
    )


def _has_item_column(frame: Any, columns: Columns | None) -> bool:
    """Return True if a column of a frame contains item ids."""
    try:
        return "item" in find_in_frame(list(frame_columns(frame)), SINGLE, columns, "")
    except InputError:
        # The columns are ambiguous, which is reported when the labels are read.
        return False


def list_index(gold: Any, system: Any, columns: Columns | None = None) -> list[Any] | None:
    """Return the ids by which both inputs are joined, or None if they are joined by position."""
    if not _have_index(gold, system, columns=columns):
        return None
    items = [item if isinstance(item, int | str) else str(item) for item in gold.index.tolist()]
    # Even if both indices are equal, they may contain duplicates.
    return items if len(set(items)) == len(items) else None


def keep_index(gold: Any, system: Any, columns: Columns | None) -> tuple[Any, Any]:
    """Return both sides, with the index of a frame as its item ids if the other side has ids."""
    sides = {"gold": gold, "system": system}
    unique = all(is_indexed(side) and side.index.is_unique for side in sides.values())
    if _have_index(gold, system, columns=columns) and not unique:
        return gold, system
    chosen = [(side, choose_side(columns, name)) for name, side in sides.items()]
    keyed = [
        unique
        or isinstance(side, Mapping | str | os.PathLike)
        or (isinstance(side, Labels) and side.items is not None)
        or is_lazy(side)
        or (is_frame(side) and _has_item_column(side, own))
        for side, own in chosen
    ]
    with_index = [
        # As in CSV files, the index is a first column without a name.
        FrameColumns({"": side.index, **frame_columns(side)})
        if other_keyed and is_indexed(side) and not _has_item_column(side, own)
        else side
        for (side, own), other_keyed in zip(chosen, reversed(keyed), strict=True)
    ]
    return with_index[0], with_index[1]


def is_indexed_series(side: Any) -> bool:
    """Return True if a pandas Series has an index of unique ids, not merely the row number."""
    if library(side) != "pandas" or hasattr(side, "columns") or not hasattr(side, "index"):
        return False
    index = side.index
    return index.nlevels == 1 and type(index).__name__ != "RangeIndex" and index.is_unique


def has_ids(side: Any, columns: Columns | None) -> bool:
    """Return True if labels, a mapping or a frame identify their items by ids."""
    if isinstance(side, Labels):
        return side.items is not None
    if is_frame(side):
        return _has_item_column(side, columns)
    return isinstance(side, Mapping)


def index_series(side: Any) -> FrameColumns:
    """Return a Series as a table of ids and labels."""
    return FrameColumns({"id": side.index, "label": side})


def is_indexed(frame: Any) -> bool:
    """Return True if the index of a pandas frame is not merely the row number."""
    if library(frame) != "pandas" or not hasattr(frame, "columns"):
        return False
    return frame.index.nlevels == 1 and type(frame.index).__name__ != "RangeIndex"


def match_index(
    gold: Any, system: Any, what: str = "system labels", columns: Columns | None = None
) -> Any:
    """Reorder a Series or a frame to match the index of gold.

    Raise InputError if the items differ.
    """
    if not _have_index(gold, system, columns=columns) or gold.index.equals(system.index):
        return system
    word = what.partition(" ")[0]
    hint = f"; if both are in the same order, pass gold.to_numpy() and {word}.to_numpy()"
    for name, side in (("gold labels", gold), (what, system)):
        if not side.index.is_unique:
            twice = side.index[side.index.duplicated()][0]
            raise InputError(
                f"the index of the {name} contains {twice!r} twice, so it cannot identify items"
                f"{hint}",
                code="index-mismatch",
            )
    other = gold.index.symmetric_difference(system.index, sort=False)
    if len(other):
        where = "gold" if other[0] in gold.index else word
        example = other[:1].tolist()[0]
        raise InputError(
            f"two Series or frames without a column of ids are joined by their index, but "
            f"{plural(len(other), 'item')} {'is' if len(other) == 1 else 'are'} in only one of "
            f"them, e.g. {example!r} in {where}{hint}"
            f"{_MAPPINGS if word == 'system' else ''}",
            code="index-mismatch",
        )
    return system.reindex(gold.index)
