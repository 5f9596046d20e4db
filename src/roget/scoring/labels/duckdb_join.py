"""Count the contingency cells of two large label tables with DuckDB, which reads and joins them.

This path is fast because labels are not converted to Python strings. It only handles plain tables
with one label per row. Missing and extra items are found by an outer join. In all other cases
(items without an id or a label, repeated items, malformed lines) `count_files` returns None, and
slower readers handle these items or report the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.io.duck import execute, quoted
from roget.core.io.table import BLANKS, Table
from roget.core.types import Array, BoolArray, Ints
from roget.errors import Notice
from roget.scoring.labels.align import (
    AlignedLabels,
    handle_missing,
    is_called,
    mark_noise,
    warn_extra,
)
from roget.scoring.labels.columns import PAIR, SINGLE, Columns, LabelRoles, choose_side
from roget.scoring.labels.files import LabelFile, name_files
from roget.scoring.labels.formats import detect_format
from roget.scoring.labels.labels import Coder, Labels, fill, take
from roget.scoring.labels.readers.base import refuse_json
from roget.scoring.labels.readers.delimited import (
    describe_first_row,
    inspect_delimited,
    warn_of_header,
)
from roget.scoring.labels.readers.jsonl import inspect_json
from roget.scoring.labels.readers.lines import warn_first_line
from roget.scoring.labels.readers.parquet import inspect_parquet_file
from roget.scoring.labels.table import may_be_header, varies, warn_unused_weights

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_STRIPPED = ("tsv", "csv", "lines")

_BLANK = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""All characters that `str.strip` removes."""

_DIGITS = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""Regular expression for a number, in DuckDB's syntax."""


def count_files(
    paths: Sequence[Sequence[str]],
    missing: str,
    labels: str | None,
    columns: Columns | None,
    noise: str | None,
    extra: str,
    memory: str | None = None,
    header: bool | None = None,
) -> AlignedLabels | None:
    """Return the contingency cells of two tables, or of one table with gold and system columns.

    `paths` contains the files of each table. Return None if DuckDB cannot handle the files.
    """
    import duckdb

    from roget.core.io.duck import database, lacks_room

    with ExitStack() as opened:
        tables = inspect_sides(paths, labels, columns, header, opened)
        if tables is None:
            return None
        connection = opened.enter_context(database(memory))
        try:
            counting = Counting(connection, noise, *tables)
            return counting.pair(missing) if len(paths) == 1 else counting.join(missing, extra)
        except duckdb.Error as error:
            if lacks_room(error):
                raise
            # The slower readers will report which line cannot be read.
            return None


def inspect_sides(
    paths: Sequence[Sequence[str]],
    labels: str | None,
    columns: Columns | None,
    header: bool | None,
    opened: ExitStack,
) -> list[Table] | None:
    """Return the layouts of the gold and system files, or None if they are not tables.

    The files stay open until `opened` is closed.
    """
    roles = PAIR if len(paths) == 1 else SINGLE
    tables = []
    for side, name in zip(paths, ("gold", "system"), strict=False):
        chosen = columns if len(paths) == 1 else choose_side(columns, name)
        files = [opened.enter_context(LabelFile(path, header=header)) for path in side]
        found = (inspect_file(file, labels, chosen, roles) for file in files)
        plain = [table for table in found if table is not None]
        if len(plain) < len(files) or len(set(map(get_layout, plain))) > 1:
            return None
        more = tuple(table.path for table in plain[1:])
        tables.append(replace(plain[0], name=name_files(side), more=more))
    return tables


def get_layout(table: Table) -> tuple[Any, ...]:
    """Return the properties in which all files of a table must agree."""
    names = table.names if table.header else ()
    return (table.format, names, table.delimiter, table.types, tuple(table.places.items()))


def inspect_file(
    file: LabelFile, labels: str | None, columns: Columns | None, roles: LabelRoles
) -> Table | None:
    """Return the layout of a file, or None if it is not a table with one label per item."""
    format = labels or detect_format(file)
    table: Table | None = None
    if format == "parquet":
        table = inspect_parquet_file(file, columns, roles)
    elif format == "jsonl":
        table = inspect_json(file, columns, roles)
    elif format in ("tsv", "csv"):
        table = inspect_delimited(format, file, columns, roles)
        if table is None or table.delimiter == BLANKS or file.first_line[0] > 1:
            return None
    elif format == "lines" and roles is SINGLE and not columns and not file.header:
        refuse_json(file, "one label per line")
        table = Table(file.name, file.plain.path, format, ("1",), delimiter="\x01")
        table = replace(table, places={"label": 0}, note=warn_first_line(file) or "")
    if table is None or "third" in table.places:
        return None
    return table if roles is not SINGLE or "label" in table.places else None


class Nullable(NamedTuple):
    """A column of a query result. numpy.ma has the same, but takes 10 ms to import."""

    data: Array
    mask: BoolArray
    """True where the value is NULL."""

    def filled(self, value: Any) -> Array:
        """Return the values, with `value` in place of NULL."""
        return np.where(self.mask, value, self.data) if self.mask.any() else self.data

    def known(self) -> Array:
        """Return the values that are not NULL."""
        return self.data[~self.mask]

    def take(self, rows: Array) -> Nullable:
        """Return the selected rows."""
        return Nullable(self.data[rows], self.mask[rows])


class Counting:
    """The contingency cells of one or two label tables, counted in a database."""

    def __init__(self, connection: DuckDBPyConnection, noise: str | None, *tables: Table) -> None:
        self.connection = connection
        self.noise = noise
        self.tables = tables

    def join(self, missing: str, rule: str) -> AlignedLabels | None:
        """Return the contingency cells of two tables, or None if DuckDB cannot handle them.

        The tables are joined by item and, if both have groups, by group. `rule` is the option
        `extra` of `align`.
        """
        gold, system = self.tables
        by_group = "group" in gold.places and "group" in system.places
        named = "item" in gold.places
        if ("group" in system.places and not by_group) or named != ("item" in system.places):
            return None
        # First try a fast join without stripping white space. Repeat the join with stripping if
        # some items are blank or have no match.
        found = self._join(by_group, careful=False)
        odd = bool(found["odd"].data.any())
        if odd or found["gold"].mask.any() or found["system"].mask.any():
            if all(table.format == "parquet" for table in self.tables):
                if odd:
                    return None
            else:
                found = self._join(by_group, careful=True)
        counts = found["n"].data.astype(np.int64)
        extra, absent = found["gold"].mask, found["system"].mask
        if not named and (extra.any() or absent.any()):
            return None
        # If the counts add up to more than the number of rows, some items are repeated.
        rows = [found[last].filled(0).max(initial=0) for last in ("gold_rows", "system_rows")]
        if counts[~extra].sum() > rows[0] or counts[~absent].sum() > rows[1]:
            return None
        if np.all(extra | absent) or (missing == "error" and absent.any()):
            return None
        if absent.any() and self._repeats(gold, system, by_group):
            return None
        if extra.any() and self._repeats(system, gold, by_group):
            return None
        if rule == "count":
            return self._cells(found, int(counts[extra].sum()), 0, missing)
        kept = {name: values.take(~extra) for name, values in found.items()}
        noise, known = self.noise, kept["system"].known().tolist()
        near = {name for name in known if name and (noise is None or not is_called(name, noise))}
        lone = zip(found["system"].data[extra].tolist(), counts[extra].tolist(), strict=True)
        shared = sum(n for name, n in lone if name in near)
        return self._cells(kept, int(counts[extra].sum()), shared, missing)

    def pair(self, missing: str) -> AlignedLabels | None:
        """Return the contingency cells of a table with gold and system columns."""
        (table,) = self.tables
        grouped = "group" in table.places
        keys = [role for role in ("group", "item") if role in table.places]
        if "item" in keys:
            cells = ", ".join(self._cell(table, role, careful=True) for role in keys)
            query = f"SELECT count(*), count(DISTINCT ({cells})) FROM {table.sql}"
            rows, distinct = self._fetch(query)
            if rows != distinct:
                return None
        group = self._cell(table, "group") if grouped else "''"
        weight = self._weight(table)
        query = (
            f"SELECT {group} AS name, coalesce({self._cell(table, 'gold')}, '') AS gold,"
            f" coalesce({self._cell(table, 'system')}, '') AS system, count(*) AS n,{weight}"
            ' min("roget row") AS gold_first, min("roget row") AS system_first'
            f' FROM (SELECT *, row_number() OVER () AS "roget row" FROM {table.sql}) GROUP BY ALL'
        )
        found = fetch_arrays(self.connection, query)
        return self._cells(found, 0, 0, missing) if found["n"].data.size else None

    def _join(self, by_group: bool, *, careful: bool) -> dict[str, Nullable]:
        """Return the contingency cells with label names, row counts and a flag `odd`.

        A label is NULL if the item is missing from gold or system, and '' if the label is empty. If
        `careful` is False, items are compared without stripping white space. This is faster and
        gives the same result if all items match. The flag `odd` marks cells with blank items.
        """
        sides = [self.rows(table, careful=careful) for table in self.tables]
        blank = "g.item = ''" if all(t.format == "parquet" for t in self.tables) else "g.item < '!'"
        blank = blank if "item" in self.tables[0].places else "false"
        query = join_cells(*sides, by_group=by_group, blank=blank, weighed=self.weighed)
        return fetch_arrays(self.connection, query)

    @property
    def weighed(self) -> list[bool]:
        """One flag per table, which is True if the table has weights."""
        return ["weight" in table.places for table in self.tables]

    def rows(self, table: Table, *, careful: bool, chosen: str = "true") -> str:
        """Return SQL that selects the row number, item, weight (if any), label and group name."""
        name = "''"
        if "group" in table.places:
            name = self._cell(table, "group", careful=careful)
            name = name if careful else f"coalesce({name}, '')"
        # Items without ids are identified by position.
        item = "row_number() OVER ()"
        if "item" in table.places:
            item = self._cell(table, "item", careful=careful)
        return (
            f"SELECT row_number() OVER () AS r, {item} AS item,{self._weight(table)}"
            f" coalesce({self._cell(table, 'label')}, '') AS label, {name} AS name"
            f" FROM {table.sql} WHERE {chosen}"
        )

    def _repeats(self, one: Table, other: Table, by_group: bool) -> bool:
        """Return True if any item that occurs only in table `one` has a repeated or empty id."""
        sides = (self.rows(table, careful=True) for table in (one, other))
        rows, with_name, distinct = self._fetch(count_lone(*sides, by_group=by_group))
        return not rows == with_name == distinct

    def _cell(self, table: Table, role: str, *, careful: bool = False) -> str:
        """Return an SQL expression for the text in the column of a role.

        With `careful`, white space is stripped, and an empty cell becomes NULL.
        """
        cell = table.cell(role)
        if table.format == "jsonl":
            raw = quoted(table.names[table.places[role]], '"')
            nested = f"json_type({raw}) IN ('OBJECT', 'ARRAY')"
            cell = f"CASE WHEN {nested} THEN error('nested') ELSE {cell} END"
        if not careful:
            return cell
        if table.format not in _STRIPPED:
            return f"nullif({cell}, '')"
        # DuckDB's trim parses its character list for every cell, so calling it only for cells that
        # begin or end with white space is ten times faster.
        ends = " OR ".join(f"contains({quoted(_BLANK)}, {cell}[{at}])" for at in (1, -1))
        return f"nullif(CASE WHEN {ends} THEN trim({cell}, {quoted(_BLANK)}) ELSE {cell} END, '')"

    def _weight(self, table: Table) -> str:
        """Return an SQL expression for the weight, or "" if there are no weights.

        Invalid weights become -1.
        """
        if "weight" not in table.places:
            return ""
        cell = self._cell(table, "weight", careful=True)
        if table.format == "jsonl":
            raw = quoted(table.names[table.places["weight"]], '"')
            cell = f"CASE WHEN json_type({raw}) <> 'VARCHAR' THEN {cell} END"
        number = f"TRY_CAST({cell} AS DOUBLE)"
        return (
            f" CASE WHEN regexp_full_match({cell}, {quoted(_DIGITS)}) AND {number} > 0"
            f" AND isfinite({number}) THEN {number} ELSE -1 END AS w,"
        )

    def _fetch(self, query: str) -> tuple[int, ...]:
        return tuple(execute(self.connection, query).fetchall()[0])

    def _cells(
        self, found: dict[str, Nullable], extra: int, shared: int, missing: str
    ) -> AlignedLabels | None:
        """Convert contingency cells to label codes, and add the same notices as other readers.

        Return None if gold items lack labels. Cells with the gold label NULL contain items that
        gold does not contain. Each of these items becomes a separate class.
        """
        order = np.argsort(found["gold_first"].filled(np.iinfo(np.int64).max), kind="stable")
        found = {name: values.take(order) for name, values in found.items()}
        counts = found["n"].data.astype(np.int64)
        one, other = self.tables[0], self.tables[-1]
        in_order = np.arange(order.size)
        classes, class_names = _number(found["gold"], in_order, one)
        clusters, cluster_names = _number(found["system"], found["system_first"].filled(0), other)
        groups = group_names = None
        if "group" in one.places:
            groups, group_names = _number(found["name"], in_order, one)
        new = found["gold"].mask
        if np.any(classes[~new] < 0) or (groups is not None and np.any(groups[~new] < 0)):
            return None
        masses = found["w"].filled(1) if "w" in found else np.ones(1)
        ends = [found[end].known() for end in ("least", "most") if end in found]
        unused = np.concatenate(ends) if ends else masses
        if min(masses.min(), unused.min(initial=1)) < 0:
            return None
        roles = ("gold", "system") if len(self.tables) == 1 else ("label", "label")
        warnings: list[str] = [*warn_of_header(one, {roles[0]: class_names})]
        begins = int(counts[classes == 0].sum()), int(counts[~new].sum())
        if may_be_header(class_names[0], *begins):
            warnings += _warn_first_row(one)
        warnings += warn_of_header(other, {roles[1]: cluster_names})
        if ends and varies(unused):
            warnings.append(warn_unused_weights(other.name))
        if len(self.tables) == 2 and self._share_header(begins, class_names, found):
            return None
        gold = Labels(
            classes,
            len(class_names),
            class_names,
            groups=groups,
            group_names=group_names,
            item_weights=masses if "w" in found and varies(masses[~new]) else None,
            source=one.name,
        )
        complete = bool(np.all(clusters >= 0))
        system = Labels(
            clusters, len(cluster_names), cluster_names, source=other.name, complete=complete
        )
        if self.noise is not None:
            system = mark_noise(system, self.noise)
        if missing == "error" and not system.complete:
            return None
        if new.any():
            warnings += warn_extra(gold, system, extra, 0, "counted as one class each")
            gold, system, counts = _split_unknown(gold, system, counts, new)
        else:
            warnings += warn_extra(gold, system, extra, shared)
        return handle_missing(gold, system, counts, extra, warnings, missing, self.noise)

    def _share_header(
        self, begins: tuple[int, int], class_names: Sequence[str], found: dict[str, Nullable]
    ) -> bool:
        """Return True if both files begin with the same row, which may then be a header."""
        one, other = self.tables
        if not (one.first and other.first and "item" in one.places and "item" in other.places):
            return False
        fields = [table.first[table.places["item"]].lower() for table in self.tables]
        if fields[0] != fields[1] or (one.header and other.header):
            return False
        if one.header or other.header:
            return True
        here = found["system"].filled("") == other.first[other.places["label"]]
        answered = ~found["system"].mask
        counts = found["n"].data
        clusters = int(counts[here].sum()), int(counts[answered].sum())
        first_cluster = other.first[other.places["label"]]
        return may_be_header(class_names[0], *begins) and may_be_header(first_cluster, *clusters)


def _warn_first_row(table: Table) -> list[Notice]:
    """Return a notice if the first row, which was read as data, may be a header."""
    if table.format not in ("tsv", "csv"):
        return [table.note] if isinstance(table.note, Notice) else []
    doubt = describe_first_row(table, 1).doubt
    return [] if doubt is None else [doubt]


def _split_unknown(
    gold: Labels, system: Labels, counts: Ints, new: BoolArray
) -> tuple[Labels, Labels, Ints]:
    """Split the cells of items that are missing from gold, making each item a separate class."""
    known, unknown = np.flatnonzero(~new), np.flatnonzero(new)
    if gold.groups is not None:
        # There is one contingency table per gold group, so drop items in groups that gold does not
        # contain.
        here = int(gold.groups[known].max()) + 1
        unknown = unknown[(gold.groups[unknown] >= 0) & (gold.groups[unknown] < here)]
        gold = replace(gold, group_names=(gold.group_names or ())[:here])
    unknown = unknown[np.argsort(system.codes[unknown], kind="stable")]
    rows = np.concatenate((known, np.repeat(unknown, counts[unknown])))
    gold, system = take(gold, rows), take(system, rows)
    gold = fill(replace(gold, complete=False), new[rows], together=False)
    return gold, system, np.where(new[rows], 1, counts[rows])


def join_cells(
    gold: str,
    system: str,
    *,
    by_group: bool,
    blank: str = "false",
    weighed: Sequence[bool] = (False, False),
) -> str:
    """Return SQL that joins gold and system and counts contingency cells.

    If gold has weights, cells are counted separately for each weight.
    """
    answered = "FILTER (s.label <> '')"
    weights = " g.w AS w," if weighed[0] else ""
    if weighed[1]:
        weights += f" min(s.w) {answered} AS least, max(s.w) {answered} AS most,"
    on = "g.item = s.item" + (" AND g.name = s.name" if by_group else "")
    name = "coalesce(g.name, s.name)" if by_group else "g.name"
    return (
        f"SELECT {name} AS name, g.label AS gold, s.label AS system,"
        f" count(*) AS n,{weights} min(g.r) AS gold_first, min(s.r) AS system_first,"
        " max(g.r) AS gold_rows, max(s.r) AS system_rows,"
        f" coalesce(bool_or({blank}), false) AS odd"
        f" FROM ({gold}) g FULL JOIN ({system}) s ON {on} GROUP BY ALL"
    )


def count_lone(one: str, other: str, *, by_group: bool) -> str:
    """Return SQL that counts the rows found only in `one`.

    The query returns the numbers of rows, of rows with an item id, and of distinct rows.
    """
    keys = ["item", "name"] if by_group else ["item"]
    on = " AND ".join(f"a.{key} = b.{key}" for key in keys)
    names = ", ".join(f"a.{key}" for key in keys)
    named = " AND ".join(f"a.{key} IS NOT NULL" for key in keys)
    return (
        f"SELECT count(*), count_if({named}), count(DISTINCT ({names}))"
        f" FROM ({one}) a ANTI JOIN ({other}) b ON {on}"
    )


def fetch_arrays(connection: DuckDBPyConnection, query: str) -> dict[str, Nullable]:
    """Run a query and return its columns."""
    found = {}
    for name, values in execute(connection, query).fetchnumpy().items():
        # DuckDB returns a masked array, and imports numpy.ma, only if some values are NULL.
        mask: Any = getattr(values, "mask", False)
        data: Array = np.asarray(values)
        found[name] = Nullable(data, np.broadcast_to(mask, data.shape))
    return found


def _number(values: Nullable, firsts: Ints, table: Table) -> tuple[Ints, tuple[str, ...]]:
    """Assign codes to names in order of first occurrence. The empty name gets the code −1."""
    strip = table.format in _STRIPPED
    texts = map(str, values.filled("").tolist())
    names = [name.strip() if strip else name for name in texts]
    order = np.argsort(firsts, kind="stable")
    coder = Coder()
    # Add the empty name first. Its code is then 0, which becomes −1 below.
    coder.codes([""], 1)
    codes = np.empty(order.size, dtype=np.int64)
    codes[order] = coder.codes((names[at] for at in order.tolist()), order.size)
    return codes - 1, tuple(coder)[1:]
