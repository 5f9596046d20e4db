"""Merge the example sentences of all tasks, and keep the best ones up to a maximum size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from roget.core.counts import evidence
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.duck import quoted
from roget.learn.counting import parts
from roget.learn.counting.parts import CountPart
from roget.learn.counting.recipe import CountRecipe

_TEXT, _OCCURRENCE = 35, 4
"""Compressed size of a sentence in percent, and bytes per occurrence.

Both were measured on English texts. They are used to estimate the size on disk.
"""

_LOW = 2**32 - 1
"""Mask for the lower 32 bits of a pair's key, which are the context's id.

The upper bits are the word's id.
"""

_ORDER = "again, rank, sentence, word_at, context_at"
"""Columns by which the occurrences of a pair are sorted, best first."""


def merge_examples(
    connection: duckdb.DuckDBPyConnection,
    done: Sequence[CountPart],
    draft: Path,
    recipe: CountRecipe,
    map_ids: Callable[[CountPart, str], str],
) -> tuple[dict[str, int], int]:
    """Write the tables of example sentences next to the tables of counts.

    Return the number of rows of each table, and the number of pairs with an example. If no task has
    sentences, nothing is written. `map_ids(part, axis)` creates the table of final ids (words_map
    or contexts_map) for a task.
    """
    recorded = [(at, part) for at, part in enumerate(done) if part.facts.witnessed]
    if not recorded:
        return {}, 0
    merger = _ExampleMerger(connection, draft, recipe)
    merger.collect(recorded, map_ids)
    merger.choose()
    merger.limit_size()
    return merger.write(recorded)


class _ExampleMerger:
    """Merge example sentences in steps. Each step creates a database table."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, draft: Path, recipe: CountRecipe
    ) -> None:
        self._connection, self._draft, self._recipe = connection, draft, recipe
        self._sentences: list[str] = []

    def collect(
        self,
        recorded: Iterable[tuple[int, CountPart]],
        map_ids: Callable[[CountPart, str], str],
    ) -> None:
        """Create the table `seen` with all occurrences of the pairs that remain after filtering."""
        entries = duck.parquet(self._draft / counts_files.ENTRIES, numbered=True)
        self._run(
            "CREATE TEMP TABLE entries AS SELECT file_row_number AS entry,"
            f' "row"::BIGINT << 32 | "column"::BIGINT AS key FROM {entries}'
        )
        columns = "rank, word_at, context_at, word_more, context_more"
        for at, part in recorded:
            names = [parts.seen_names(run) for run in range(part.facts.witnessed)]
            files, texts = (
                [part.folder / name for name in one] for one in zip(*names, strict=True)
            )
            for axis in ("words", "contexts"):
                map_ids(part, axis)
            # The upper bits of a sentence number hold the index of the task, so numbers are unique.
            query = (
                f"SELECT words_map.new << 32 | contexts_map.new AS key, {columns},"
                f" {at}::BIGINT << 40 | sentence AS sentence FROM {duck.parquet(*files)} p"
                " JOIN words_map ON words_map.old = p.word"
                " JOIN contexts_map ON contexts_map.old = p.context"
            )
            kept = f"SELECT * FROM ({query}) JOIN entries USING (key)"
            into = "INSERT INTO seen" if self._sentences else "CREATE TEMP TABLE seen AS"
            self._run(f"{into} {kept}")
            self._sentences.append(
                f"SELECT {at}::BIGINT << 40 | sentence AS sentence,"
                f" {at}::BIGINT << 32 | piece AS piece, line, text FROM {duck.parquet(*texts)}"
            )

    def choose(self) -> None:
        """Create the tables `chosen` (the best occurrences of each pair) and `texts` (sentences).

        If a pair occurs in several tasks, the best of all its occurrences are chosen, as in
        `examples.choose`.
        """
        most = self._recipe.evidence
        crowded = f"(SELECT entry FROM seen GROUP BY entry HAVING count(*) > {most})"
        again = (
            "SELECT *, row_number() OVER (PARTITION BY entry, rank ORDER BY sentence, word_at,"
            f" context_at) AS again FROM seen WHERE entry IN {crowded}"
        )
        self._run(
            f"CREATE TEMP TABLE chosen AS SELECT *, 0 AS again FROM seen"
            f" WHERE entry NOT IN {crowded} UNION ALL SELECT * FROM ({again})"
            f" QUALIFY row_number() OVER (PARTITION BY entry ORDER BY {_ORDER}) <= {most}"
        )
        self._run(
            "CREATE TEMP TABLE texts AS SELECT * FROM"
            f" ({' UNION ALL '.join(self._sentences)}) SEMI JOIN chosen USING (sentence)"
        )

    def limit_size(self) -> None:
        """Create the table `used` with the numbered sentences that fit within the size limit.

        The value of a pair is the logarithm of the count of its word or of its context, whichever
        is lower. The value of a sentence is the sum of the values of its pairs, each divided by the
        number of sentences with this pair. Sentences with the highest value per byte are kept. All
        values are integers, so sums do not depend on the order.
        """
        number = "row_number() OVER (ORDER BY sentence) - 1 AS id"
        cost = f"{_TEXT} * any_value(bytes) // 100 + {_OCCURRENCE} * count(*)"
        sizes = "(SELECT sentence, strlen(text) AS bytes FROM texts)"
        every = f"SELECT sentence, {cost} AS cost FROM chosen JOIN {sizes} USING (sentence)"
        total = f"SELECT sum(cost) FROM ({every} GROUP BY sentence)"
        room = self._measure_room()
        if room is None or self._fetch_one(total) <= room:
            self._run(f"CREATE TEMP TABLE used AS SELECT sentence, {number} FROM texts")
            return
        count = f"least(w.n, c.n)::DOUBLE / {self._recipe.per_one}"
        # Drop pairs with a word or context that occurs only once. Their value is log 1 = 0.
        self._run(
            f"CREATE OR REPLACE TEMP TABLE chosen AS SELECT p.*, (16 * log2({count}))::BIGINT"
            " AS value FROM chosen p JOIN words w ON w.id = p.key >> 32"
            f" JOIN contexts c ON c.id = p.key & {_LOW} WHERE {count} > 1"
        )
        shared = "(SELECT entry, count(*) AS many FROM chosen GROUP BY entry)"
        values = (
            f"SELECT sentence, {cost} AS cost, sum(value // many) AS value FROM chosen"
            f" JOIN {sizes} USING (sentence) JOIN {shared} USING (entry) GROUP BY sentence"
        )
        order = "1000000 * value // cost DESC, sentence ROWS UNBOUNDED PRECEDING"
        upto = f"SELECT sentence, sum(cost) OVER (ORDER BY {order}) AS upto FROM ({values})"
        self._run(
            "CREATE TEMP TABLE used AS"
            f" SELECT sentence, {number} FROM ({upto}) WHERE upto <= {room}"
        )

    def _measure_room(self) -> int | None:
        """Return the maximum total size of the sentences in bytes, or None for no limit."""
        if not self._recipe.evidence_size:
            return None
        size = sum((self._draft / name).stat().st_size for name in counts_files.FILES)
        return int(self._recipe.evidence_size * size)

    def write(self, recorded: Iterable[tuple[int, CountPart]]) -> tuple[dict[str, int], int]:
        """Write the tables of sentences and of occurrences.

        Return their numbers of rows, and the number of pairs with an example.
        """
        pieces = ", ".join(
            f"({at << 32 | piece}, {quoted(name)}, {before})"
            for at, piece, name, before in _list_pieces(recorded)
        )
        queries = {
            evidence.SENTENCES: "SELECT source, (line + before) AS line, text"
            " FROM texts JOIN used USING (sentence)"
            f" JOIN (VALUES {pieces}) AS pieces (piece, source, before) USING (piece) ORDER BY id",
            evidence.SEEN: "SELECT entry, id AS sentence, word_at AS word, word_more,"
            " context_at::INTEGER - word_at AS context, context_more FROM chosen"
            f" JOIN used USING (sentence) ORDER BY entry, {_ORDER}",
        }
        rows: dict[str, int] = {}
        for name, query in queries.items():
            types = evidence.TABLES[name].items()
            cast = ", ".join(f'"{one}"::{kind} AS "{one}"' for one, kind in types)
            file = self._draft / name
            duck.copy(self._connection, f"SELECT {cast} FROM ({query})", file, packed=True)
            rows[name] = int(self._fetch_one(f"SELECT count(*) FROM {duck.parquet(file)}"))
        covered = "SELECT count(DISTINCT entry) FROM chosen SEMI JOIN used USING (sentence)"
        return rows, int(self._fetch_one(covered))

    def _run(self, query: str) -> duckdb.DuckDBPyConnection:
        return duck.execute(self._connection, query)

    def _fetch_one(self, query: str) -> Any:
        return self._run(query).fetchall()[0][0]


def _list_pieces(recorded: Iterable[tuple[int, CountPart]]) -> Iterator[tuple[int, int, str, int]]:
    """Yield (task, number within the task, source name, number of preceding lines) for each piece.

    A source is named by its file name, or by its path if two files have the same name.
    """
    pieces = [
        (path, start, at, number, lines)
        for at, part in recorded
        for number, (path, start, lines) in enumerate(part.facts.pieces)
    ]
    paths = {path for path, *_ in pieces}
    plain = len({os.path.basename(path) for path in paths}) == len(paths)
    before: dict[str, int] = {}
    for path, _, at, number, lines in sorted(pieces):
        yield at, number, os.path.basename(path) if plain else path, before.get(path, 0)
        before[path] = before.get(path, 0) + lines
