"""Merge the counts of all tasks: assign final ids, and sum the counts of identical pairs.

The merge runs in DuckDB, which spills to disk if it runs out of memory. Pairs are grouped by ids,
not by strings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from roget.core.counts import Counts, evidence
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.duck import quoted
from roget.errors import InputError
from roget.learn.counting import fixed_point, parts
from roget.learn.counting.merge_examples import merge_examples
from roget.learn.counting.parts import CountPart
from roget.learn.counting.recipe import CountCuts, CountRecipe

_LETTERS = r"\p{L}[\p{L}\p{M}]*([-'’‐‑]\p{L}[\p{L}\p{M}]*)*"
"""Pattern for words of letters and combining marks, with hyphens and apostrophes inside."""

_LOW = 2**32 - 1
"""Mask for the lower 32 bits of a pair's key, which are the context's id.

The upper bits are the word's id.
"""

_AXES = {
    "words": (parts.WORDS, "SELECT id, word AS name", ""),
    "contexts": (
        parts.CONTEXTS,
        "SELECT id, CASE WHEN slot = '' THEN context ELSE slot || ':' || context END AS name,"
        " slot, context",
        # Different relations can produce the same name: a:b:c is context b:c of relation a, and
        # context c of relation a:b.
        "min(slot) AS slot, arg_min(context, slot) AS context",
    ),
}
"""Settings for words and for contexts.

They are the file of a task, the SQL that reads it, and additional columns to keep.
"""


@dataclass(frozen=True)
class MergeResult:
    shape: tuple[int, int]
    entries: int
    total: int | float
    dtype: str
    before: tuple[int, int]
    examples: Mapping[str, int]
    """Number of rows in each table of examples. Empty if there are no example sentences."""
    covered: int
    """Number of pairs with an example sentence."""


@contextmanager
def open_merger(
    done: Sequence[CountPart],
    recipe: CountRecipe,
    work: Path,
    memory: str | None,
) -> Iterator[CountMerger]:
    """Open a database for merging the counts of all tasks. `work` holds its temporary files."""
    with duck.connect(memory, None, work / "spill") as connection:
        yield CountMerger(connection, done, recipe, work)


class CountMerger:
    """Merge the counts of all tasks in a database."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        done: Sequence[CountPart],
        recipe: CountRecipe,
        work: Path,
    ) -> None:
        self._connection, self._recipe, self._work = connection, recipe, work
        # Counts are stored in units of 1/per_one, so weights 1/d add up exactly.
        self._per_one = recipe.per_one
        self._parts = [part for part in done if part.facts.runs]
        self._fractional = any(part.facts.fractional for part in done)
        self._count = ", ".join(fixed_point.columns(self._fractional))

    def write(self, draft: Path, cuts: CountCuts, *, examples: bool) -> MergeResult:
        """Write words, contexts and entries to a folder, and example sentences if requested."""
        try:
            return self._write(draft, cuts, examples)
        except duckdb.InvalidInputException as error:
            if fixed_point.TOO_MUCH not in str(error):
                raise
            raise InputError(fixed_point.TOO_MUCH, code="too-large") from None

    def _write(self, draft: Path, cuts: CountCuts, examples: bool) -> MergeResult:
        """Merge the counts of all tasks, and write the tables of the counts folder."""
        if not self._parts:
            return MergeResult((0, 0), 0, 0, "int64", (0, 0), {}, 0)
        # 1. Number all words and contexts, beginning with the most frequent.
        for axis in _AXES:
            self._number(axis)
        before = self._count_rows("words"), self._count_rows("contexts")
        # 2. Remove the words and contexts that the filters exclude.
        if cuts != CountCuts():
            words = self._make_condition("name", cuts.min_count, cuts.vocabulary, cuts)
            self._run(f"DELETE FROM words WHERE NOT ({words})")
            contexts = self._make_condition("context", cuts.min_context, cuts.contexts, cuts)
            self._run(f"DELETE FROM contexts WHERE NOT ({contexts})")
        # 3. Sum the counts of identical pairs across all tasks, and remove rare pairs.
        pairs = self._add_up_pairs(cuts)
        if cuts != CountCuts():
            pairs = self._renumber(pairs)
        # 4. Write the tables, with sorted entries.
        entries, total, dtype = self._write_entries(pairs, draft / counts_files.ENTRIES)
        for axis, names, file in (
            ("words", "name AS word", counts_files.WORDS),
            ("contexts", "name AS context, slot", counts_files.CONTEXTS),
        ):
            duck.copy(self._connection, f"SELECT {names} FROM {axis} ORDER BY id", draft / file)
        shape = self._count_rows("words"), self._count_rows("contexts")
        # 5. Choose example sentences for the remaining pairs.
        rows: dict[str, int] = {}
        covered = entries
        if examples and entries:
            rows, covered = merge_examples(
                self._connection, self._parts, draft, self._recipe, self._map_ids
            )
        return MergeResult(shape, entries, total, dtype, before, rows, covered)

    def load(self, draft: Path, result: MergeResult, provenance: Mapping[str, Any]) -> Counts:
        """Read the counts that this process has just written.

        The files are read without checks, and need not be complete.
        """
        names = [*counts_files.TABLES, *result.examples]
        tables = {
            name: self._run(
                f"SELECT * EXCLUDE (file_row_number) FROM"
                f" {duck.parquet(draft / name, numbered=True)} ORDER BY file_row_number"
            ).fetchnumpy()
            for name in names
        }
        relations = self._recipe.relations.names if self._recipe.relations else ()
        counts = counts_files.from_tables(tables, result.shape, relations, provenance, Counts)
        if result.examples:
            counts.evidence = evidence.from_tables(tables, counts)
        return counts

    def _number(self, axis: str) -> None:
        """Create a table of all words or contexts, numbered by descending count, then by name."""
        file, read, also = _AXES[axis]
        rows = self._read(read, *(part.folder / file for part in self._parts))
        summed = fixed_point.summed(rows, "name", self._fractional, also)
        numbered = fixed_point.numbered(summed, "name", self._fractional)
        self._run(f"CREATE TEMP TABLE {axis} AS {numbered}")

    def _read(self, select: str, *files: Path) -> str:
        """Return a query for rows and their counts. Missing fractions are read as 0."""
        table = duck.parquet(*files, by_name=True)
        if not self._fractional:
            return f"{select}, n FROM {table}"
        present = [row[0] for row in self._run(f"DESCRIBE FROM {table}").fetchall()]
        filled = ", ".join(
            f"{f'coalesce({name}, 0)' if name in present else 0}::UBIGINT AS {name}"
            for name in fixed_point.FRACTIONAL[1:]
        )
        return f"{select}, n, {filled} FROM {table}"

    def _add_up_pairs(self, cuts: CountCuts) -> str:
        """Return a query for keys and counts in which every key occurs once."""
        staged = []
        for number, part in enumerate(self._parts):
            query, is_distinct = self._key_pairs(part)
            if is_distinct and len(self._parts) == 1 and cuts == CountCuts():
                return query
            staged.append(self._stage(query, f"keyed-{number}"))
        pairs = fixed_point.summed(f"FROM {duck.parquet(*staged)}", "key", self._fractional)
        if cuts.min_pair > 1:
            pairs = f"FROM ({pairs}) WHERE n >= {cuts.min_pair * self._per_one}"
        file = self._stage(pairs, "pairs")
        for done in staged:
            done.unlink()
        return f"FROM {duck.parquet(file)}"

    def _key_pairs(self, part: CountPart) -> tuple[str, bool]:
        """Return a query for the pairs of a task, and True if no pair occurs twice."""
        runs = [part.folder / parts.pairs_name(run) for run in range(part.facts.runs)]
        query, joins = self._read("SELECT word, context", *runs), ""
        key = {"words": "p.word", "contexts": "p.context"}
        for axis, column in key.items():
            names = self._map_ids(part, axis)
            # Skip the join if the ids are already final, as in the case of a single task.
            every = f"count(*) = (SELECT count(*) FROM {names})"
            if not self._fetch_one(f"SELECT {every} AND bool_and(old = new) FROM {axis}_map"):
                key[axis] = f"{axis}_map.new"
                joins += f" JOIN {axis}_map ON {axis}_map.old = {column}"
        merged = self._fetch_one("SELECT count(*) > count(DISTINCT new) FROM contexts_map")
        keyed = f"{key['words']} << 32 | {key['contexts']} AS key"
        return (
            f"SELECT {keyed}, {self._count} FROM ({query}) p{joins}",
            part.facts.runs == 1 and not merged,
        )

    def _map_ids(self, part: CountPart, axis: str) -> str:
        """Create a table that maps ids of a task to final ids. Return SQL that reads the names."""
        file, read, _ = _AXES[axis]
        names = duck.parquet(part.folder / file)
        self._run(
            f"CREATE OR REPLACE TEMP TABLE {axis}_map AS SELECT f.id AS old, a.id AS new"
            f" FROM ({read} FROM {names}) f JOIN {axis} a USING (name)"
        )
        return names

    def _renumber(self, pairs: str) -> str:
        """Return a query for the pairs with new ids, ordered by the counts after filtering."""
        for axis, number in (("words", "key >> 32"), ("contexts", f"key & {_LOW}")):
            rows = f"SELECT {number} AS old, {self._count} FROM ({pairs})"
            summed = fixed_point.summed(rows, "old", self._fractional)
            names = f"SELECT id AS old, name{', slot' if axis == 'contexts' else ''} FROM {axis}"
            named = f"FROM ({summed}) JOIN ({names}) USING (old)"
            numbered = fixed_point.numbered(named, "name", self._fractional)
            self._run(f"CREATE OR REPLACE TEMP TABLE {axis} AS {numbered}")
        return (
            f"SELECT w.id << 32 | c.id AS key, p.* EXCLUDE (key) FROM ({pairs}) p"
            f" JOIN words w ON w.old = key >> 32 JOIN contexts c ON c.old = key & {_LOW}"
        )

    def _write_entries(self, pairs: str, file: Path) -> tuple[int, int | float, str]:
        """Write the pairs in order. Return their number, the sum of their counts, and its data
        type.
        """
        fractional = self._fractional
        if fractional:
            # Fractional counts of several tasks may add up to whole numbers.
            whole = f"SELECT bool_and(fraction = 0 AND rest = 0) FROM ({pairs})"
            fractional = not self._fetch_one(whole)
        value = fixed_point.value(fractional)
        if self._per_one > 1:
            value, fractional = f"({value} / {self._per_one}::DOUBLE)", True
        duck.copy(
            self._connection,
            f'SELECT CAST(key >> 32 AS INTEGER) AS row, CAST(key & {_LOW} AS INTEGER) AS "column",'
            f" {value} AS count FROM ({pairs}) ORDER BY key",
            file,
        )
        rows = f"SELECT 0 AS key, {self._count} FROM words"
        summed = fixed_point.summed(rows, "key", self._fractional)
        total = self._run(f"SELECT {value} FROM ({summed})").fetchall()
        dtype = "float64" if fractional else "int64"
        return self._count_rows(duck.parquet(file)), total[0][0] if total else 0, dtype

    def _stage(self, query: str, name: str) -> Path:
        """Write the result of a query to a temporary file."""
        file = self._work / f"{name}.parquet"
        duck.copy(self._connection, query, file)
        return file

    def _run(self, query: str) -> duckdb.DuckDBPyConnection:
        return duck.execute(self._connection, query)

    def _count_rows(self, table: str) -> int:
        return int(self._fetch_one(f"SELECT count(*) FROM {table}"))

    def _fetch_one(self, query: str) -> Any:
        return self._run(query).fetchall()[0][0]

    def _make_condition(
        self, column: str, least: int, only: Iterable[str] | None, cuts: CountCuts
    ) -> str:
        """Return the SQL condition for the words or contexts to keep.

        The column `column` holds the strings, and n their counts. `only` lists the allowed strings.
        None allows all.
        """
        plain = f"regexp_replace({column}, '/[^/]*$', '')" if self._recipe.tags else column
        # A threshold of 1 removes nothing, not even a fractional total below 1.
        clauses = [f"n >= {least * self._per_one}" if least > 1 else "true"]
        for name, texts, sign in (("stop", cuts.stop or None, "NOT "), ("listed", only, "")):
            if texts is not None:
                # Add "", which is never a word: DuckDB cannot infer the type of an empty array.
                self._connection.register("texts", {"text": np.array([*texts, ""], np.object_)})
                self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT text::VARCHAR FROM texts")
                self._connection.unregister("texts")
                # With tags, a list may contain drink/VERB or drink.
                clauses.append(f"{sign}({column} IN (FROM {name}) OR {plain} IN (FROM {name}))")
        if cuts.alphabetic:
            clauses.append(f"regexp_full_match({plain}, {quoted(_LETTERS)})")
        return " AND ".join(clauses)
