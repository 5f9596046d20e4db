"""Adding up parts: words and contexts get their final numbers, and equal pairs one count.

All of it happens in DuckDB, which spills what does not fit in memory. Pairs are grouped by a key
made of the word's number and the context's, never by their texts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from roget.core.counts import evidence
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.duck import quoted
from roget.errors import InputError
from roget.learn.counting import fixed_point, parts
from roget.learn.counting.parts import CountCuts, CountPart

_LETTERS = r"\p{L}[\p{L}\p{M}]*([-'’‐‑]\p{L}[\p{L}\p{M}]*)*"
"""Letters and their marks; hyphens and apostrophes only between them."""

_TEXT, _OCCURRENCE = 35, 4
"""Of a sentence, the percentage of its bytes that it takes when packed, and bytes for each
occurrence: about what English texts take."""

_LOW = 2**32 - 1
"""The context's bits of a key; those above are the word's."""

_AXES = {
    "words": (parts.WORDS, "SELECT id, word AS name", ""),
    "contexts": (
        parts.CONTEXTS,
        "SELECT id, CASE WHEN slot = '' THEN context ELSE slot || ':' || context END AS name,"
        " slot, context",
        # Two slots can give one name: a of b:c, and a:b of c.
        "min(slot) AS slot, arg_min(context, slot) AS context",
    ),
}
"""Tables: their file in a part, how it is read, and what is kept beside names and counts."""


@dataclass(frozen=True)
class Result:
    """What was written, and how many words and contexts there were before the cuts."""

    shape: tuple[int, int]
    entries: int
    total: int | float
    dtype: str
    seen: tuple[int, int]


class CountMerger:
    """Adds up parts in a database; the folder `work` holds what lies between its steps."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        given: Sequence[CountPart],
        work: Path,
        tagged: bool = False,
        per_one: int = 1,
    ) -> None:
        self._connection, self._work, self._tagged = connection, work, tagged
        self._per_one = per_one  # what parts hold is so many times the counts
        self._parts = [part for part in given if part.facts.runs]
        self._fractional = any(part.facts.fractional for part in given)
        self._count = ", ".join(fixed_point.columns(self._fractional))

    def write(self, draft: Path, cuts: CountCuts) -> Result:
        """Write words, contexts and entries to a folder, unless there are none."""
        try:
            return self._write(draft, cuts)
        except duckdb.InvalidInputException as error:
            if fixed_point.TOO_MUCH not in str(error):
                raise
            raise InputError(fixed_point.TOO_MUCH) from None

    def _write(self, draft: Path, cuts: CountCuts) -> Result:
        if not self._parts:
            return Result((0, 0), 0, 0, "int64", (0, 0))
        for axis in _AXES:
            self._number(axis)
        seen = self._size("words"), self._size("contexts")
        if cuts != CountCuts():
            words = self._where("name", cuts.min_count, cuts.vocabulary, cuts)
            self._run(f"DELETE FROM words WHERE NOT ({words})")
            contexts = self._where("context", cuts.min_context, cuts.contexts, cuts)
            self._run(f"DELETE FROM contexts WHERE NOT ({contexts})")
        pairs = self._pairs(cuts)
        if cuts != CountCuts():
            pairs = self._renumber(pairs)
        entries, total, dtype = self._write_entries(pairs, draft / counts_files.ENTRIES)
        for axis, names, file in (
            ("words", "name AS word", counts_files.WORDS),
            ("contexts", "name AS context, slot", counts_files.CONTEXTS),
        ):
            duck.copy(self._connection, f"SELECT {names} FROM {axis} ORDER BY id", draft / file)
        shape = self._size("words"), self._size("contexts")
        return Result(shape, entries, total, dtype, seen)

    def write_evidence(self, draft: Path, most: int, times: float) -> tuple[dict[str, int], int]:
        """Write where the pairs were seen, so many times each; the rows of tables, and the pairs.

        They take so many times the room of the counts, or 0 for any. To be called when all else is
        written. Nothing is, if no reader has told.
        """
        told = [(at, part) for at, part in enumerate(self._parts) if part.facts.witnessed]
        if not told:
            return {}, 0
        sentences: list[str] = []
        entries = duck.parquet(draft / counts_files.ENTRIES, numbered=True)
        self._run(
            "CREATE TEMP TABLE entries AS SELECT file_row_number AS entry,"
            f' "row"::BIGINT << 32 | "column"::BIGINT AS key FROM {entries}'
        )
        for at, part in told:
            names = [parts.seen_names(run) for run in range(part.facts.witnessed)]
            files, texts = (
                [part.folder / name for name in one] for one in zip(*names, strict=True)
            )
            for axis in _AXES:
                self._map(part, axis)
            columns = "rank, word_at, context_at, word_more, context_more"
            query = (
                f"SELECT words_map.new << 32 | contexts_map.new AS key, {columns},"
                f" {at}::BIGINT << 40 | sentence AS sentence FROM {duck.parquet(*files)} p"
                " JOIN words_map ON words_map.old = p.word"
                " JOIN contexts_map ON contexts_map.old = p.context"
            )
            found = f"SELECT * FROM ({query}) JOIN entries USING (key)"
            self._run(f"{'INSERT INTO seen' if sentences else 'CREATE TEMP TABLE seen AS'} {found}")
            sentences.append(
                f"SELECT {at}::BIGINT << 40 | sentence AS sentence,"
                f" {at}::BIGINT << 32 | piece AS piece, line, text FROM {duck.parquet(*texts)}"
            )
        # What `choose` of `witness` does in each part, again for those that several parts have.
        crowded = f"(SELECT entry FROM seen GROUP BY entry HAVING count(*) > {most})"
        again = (
            "SELECT *, row_number() OVER (PARTITION BY entry, rank ORDER BY sentence, word_at,"
            f" context_at) AS again FROM seen WHERE entry IN {crowded}"
        )
        order = "again, rank, sentence, word_at, context_at"
        self._run(
            f"CREATE TEMP TABLE chosen AS SELECT *, 0 AS again FROM seen"
            f" WHERE entry NOT IN {crowded} UNION ALL SELECT * FROM ({again})"
            f" QUALIFY row_number() OVER (PARTITION BY entry ORDER BY {order}) <= {most}"
        )
        self._run(
            "CREATE TEMP TABLE texts AS SELECT * FROM"
            f" ({' UNION ALL '.join(sentences)}) SEMI JOIN chosen USING (sentence)"
        )
        room = sum((draft / name).stat().st_size for name in counts_files.FILES)
        self._use_sentences(int(times * room) if times else None)
        pieces = ", ".join(
            f"({at << 32 | piece}, {quoted(name)}, {before})"
            for at, piece, name, before in _list_pieces(told)
        )
        written = {
            evidence.SENTENCES: "SELECT source, (line + before) AS line, text"
            " FROM texts JOIN used USING (sentence)"
            f" JOIN (VALUES {pieces}) AS pieces (piece, source, before) USING (piece) ORDER BY id",
            evidence.SEEN: "SELECT entry, id AS sentence, word_at AS word, word_more,"
            " context_at::INTEGER - word_at AS context, context_more FROM chosen"
            f" JOIN used USING (sentence) ORDER BY entry, {order}",
        }
        for name, query in written.items():
            types = evidence.TABLES[name].items()
            cast = ", ".join(f'"{one}"::{kind} AS "{one}"' for one, kind in types)
            duck.copy(self._connection, f"SELECT {cast} FROM ({query})", draft / name, packed=True)
        covered = "SELECT count(DISTINCT entry) FROM chosen SEMI JOIN used USING (sentence)"
        rows = {name: self._size(duck.parquet(draft / name)) for name in written}
        return rows, int(self._one(covered))

    def _use_sentences(self, room: int | None) -> None:
        """Number the sentences that are kept: all, or what there is room for, about so many bytes.

        A pair tells the more, the more often its word and its context were seen (the logarithm of
        the smaller of the two); a sentence is worth what its pairs tell, each shared out among its
        sentences, by the room it takes. Whole numbers only, so that sums do not depend on order.
        """
        number = "row_number() OVER (ORDER BY sentence) - 1 AS id"
        cost = f"{_TEXT} * any_value(bytes) // 100 + {_OCCURRENCE} * count(*)"
        sizes = "(SELECT sentence, strlen(text) AS bytes FROM texts)"
        every = f"SELECT sentence, {cost} AS cost FROM chosen JOIN {sizes} USING (sentence)"
        total = f"SELECT sum(cost) FROM ({every} GROUP BY sentence)"
        if room is None or self._one(total) <= room:
            query = f"SELECT sentence, {number} FROM texts"
        else:
            seen = f"least(w.n, c.n)::DOUBLE / {self._per_one}"
            # Nothing is like anything by what was seen once.
            self._run(
                f"CREATE OR REPLACE TEMP TABLE chosen AS SELECT p.*, (16 * log2({seen}))::BIGINT"
                " AS told FROM chosen p JOIN words w ON w.id = p.key >> 32"
                f" JOIN contexts c ON c.id = p.key & {_LOW} WHERE {seen} > 1"
            )
            shared = "(SELECT entry, count(*) AS many FROM chosen GROUP BY entry)"
            worth = (
                f"SELECT sentence, {cost} AS cost, sum(told // many) AS told FROM chosen"
                f" JOIN {sizes} USING (sentence) JOIN {shared} USING (entry) GROUP BY sentence"
            )
            order = "1000000 * told // cost DESC, sentence ROWS UNBOUNDED PRECEDING"
            upto = f"SELECT sentence, sum(cost) OVER (ORDER BY {order}) AS upto FROM ({worth})"
            query = f"SELECT sentence, {number} FROM ({upto}) WHERE upto <= {room}"
        self._run(f"CREATE TEMP TABLE used AS {query}")

    def _number(self, axis: str) -> None:
        """Make a table of all names, numbered by count, then by text."""
        file, read, also = _AXES[axis]
        rows = self._read(read, *(part.folder / file for part in self._parts))
        summed = fixed_point.summed(rows, "name", self._fractional, also)
        numbered = fixed_point.numbered(summed, "name", self._fractional)
        self._run(f"CREATE TEMP TABLE {axis} AS {numbered}")

    def _read(self, select: str, *files: Path) -> str:
        """Rows of some files with their counts, also where only other files have fractions."""
        table = duck.parquet(*files, by_name=True)
        if not self._fractional:
            return f"{select}, n FROM {table}"
        there = [row[0] for row in self._run(f"DESCRIBE FROM {table}").fetchall()]
        filled = ", ".join(
            f"{f'coalesce({name}, 0)' if name in there else 0}::UBIGINT AS {name}"
            for name in fixed_point.FRACTIONAL[1:]
        )
        return f"{select}, n, {filled} FROM {table}"

    def _pairs(self, cuts: CountCuts) -> str:
        """The pairs as a query of key and count, each key once."""
        staged = []
        for number, part in enumerate(self._parts):
            query, distinct = self._key_pairs(part)
            if distinct and len(self._parts) == 1 and cuts == CountCuts():
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
        """A part's pairs by their final numbers, and whether no key can come twice."""
        runs = [part.folder / parts.pairs_name(run) for run in range(part.facts.runs)]
        query, joins = self._read("SELECT word, context", *runs), ""
        key = {"words": "p.word", "contexts": "p.context"}
        for axis, column in key.items():
            names = self._map(part, axis)
            every = f"count(*) = (SELECT count(*) FROM {names})"
            if not self._one(f"SELECT {every} AND bool_and(old = new) FROM {axis}_map"):
                key[axis] = f"{axis}_map.new"
                joins += f" JOIN {axis}_map ON {axis}_map.old = {column}"
        merged = self._one("SELECT count(*) > count(DISTINCT new) FROM contexts_map")
        keyed = f"{key['words']} << 32 | {key['contexts']} AS key"
        return (
            f"SELECT {keyed}, {self._count} FROM ({query}) p{joins}",
            part.facts.runs == 1 and not merged,
        )

    def _map(self, part: CountPart, axis: str) -> str:
        """Make a table of a part's numbers and the final ones; the SQL that reads its names."""
        file, read, _ = _AXES[axis]
        names = duck.parquet(part.folder / file)
        self._run(
            f"CREATE OR REPLACE TEMP TABLE {axis}_map AS SELECT f.id AS old, a.id AS new"
            f" FROM ({read} FROM {names}) f JOIN {axis} a USING (name)"
        )
        return names

    def _renumber(self, pairs: str) -> str:
        """The pairs by new numbers, for what the cuts have left: by its counts without the rest."""
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
        """Write the pairs in order; their number, their sum, and the type of the counts."""
        fractional = self._fractional
        if fractional:
            fractional = not self._one(f"SELECT bool_and(fraction = 0 AND rest = 0) FROM ({pairs})")
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
        total = self._run(f"SELECT {value} FROM ({summed})")
        found = total.fetchall()
        dtype = "float64" if fractional else "int64"
        return self._size(duck.parquet(file)), found[0][0] if found else 0, dtype

    def _stage(self, query: str, name: str) -> Path:
        file = self._work / f"{name}.parquet"
        duck.copy(self._connection, query, file)
        return file

    def _run(self, query: str) -> duckdb.DuckDBPyConnection:
        return duck.execute(self._connection, query)

    def _size(self, table: str) -> int:
        return int(self._one(f"SELECT count(*) FROM {table}"))

    def _one(self, query: str) -> Any:
        return self._run(query).fetchall()[0][0]

    def _where(self, column: str, least: int, only: Iterable[str] | None, cuts: CountCuts) -> str:
        """Which words or contexts stay: the column holds their texts, n their counts."""
        plain = f"regexp_replace({column}, '/[^/]*$', '')" if self._tagged else column
        # A fractional total may be less than 1, which cuts nothing.
        clauses = [f"n >= {least * self._per_one}" if least > 1 else "true"]
        for name, texts, wanted in (("stop", cuts.stop or None, "NOT "), ("listed", only, "")):
            if texts is not None:
                # An array of texts must not be empty, and no text is.
                self._connection.register("texts", {"text": np.array([*texts, ""], np.object_)})
                self._run(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT text::VARCHAR FROM texts")
                self._connection.unregister("texts")
                # With tags, drink/VERB is listed as such or as drink.
                clauses.append(f"{wanted}({column} IN (FROM {name}) OR {plain} IN (FROM {name}))")
        if cuts.alphabetic:
            clauses.append(f"regexp_full_match({plain}, {quoted(_LETTERS)})")
        return " AND ".join(clauses)


def _list_pieces(told: Iterable[tuple[int, CountPart]]) -> Iterator[tuple[int, int, str, int]]:
    """Of each piece its part, its number there, its source and the lines before it.

    Sources go by the names of their files alone, where these tell them apart.
    """
    pieces = [
        (path, start, at, number, lines)
        for at, part in told
        for number, (path, start, lines) in enumerate(part.facts.pieces)
    ]
    paths = {path for path, *_ in pieces}
    plain = len({os.path.basename(path) for path in paths}) == len(paths)
    before: dict[str, int] = {}
    for path, _, at, number, lines in sorted(pieces):
        yield at, number, os.path.basename(path) if plain else path, before.get(path, 0)
        before[path] = before.get(path, 0) + lines
