"""Cuts as SQL: which words, contexts and pairs stay."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import numpy as np

from roget.core.io.duck import quoted
from roget.learn.counting.recipe import Cuts

_LETTERS = r"\p{L}[\p{L}\p{M}]*([-'’‐‑]\p{L}[\p{L}\p{M}]*)*"
"""Letters and their marks; hyphens and apostrophes only between them."""


class Filter:
    """WHERE clauses for the tables of words and contexts, which have a text and its count n."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, cuts: Cuts, tagged: bool) -> None:
        self._connection, self._cuts, self._tagged = connection, cuts, tagged

    def words(self, column: str) -> str:
        """Which words stay; the column holds their texts."""
        return self._where(column, self._cuts.min_count, self._cuts.vocabulary)

    def contexts(self, column: str) -> str:
        """Which contexts stay; the column holds their texts without the slot."""
        return self._where(column, self._cuts.min_context, self._cuts.contexts)

    def _where(self, column: str, least: int, only: Iterable[str] | None) -> str:
        plain = f"regexp_replace({column}, '/[^/]*$', '')" if self._tagged else column
        # A fractional total may be less than 1, which cuts nothing.
        clauses = [f"n >= {least}" if least > 1 else "true"]
        if self._cuts.stop:
            clauses.append(f"NOT {self._listed(column, plain, 'stop', self._cuts.stop)}")
        if only is not None:
            clauses.append(self._listed(column, plain, f"only_{column}", only))
        if self._cuts.alphabetic:
            clauses.append(f"regexp_full_match({plain}, {quoted(_LETTERS)})")
        return " AND ".join(clauses)

    def _listed(self, column: str, plain: str, name: str, texts: Iterable[str]) -> str:
        """Whether a text is in a list; with tags, drink/VERB as such or as drink."""
        # An array of texts must not be empty, and no text is.
        self._connection.register("listed", {"text": np.array([*texts, ""], np.object_)})
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT CAST(text AS VARCHAR) FROM listed"
        )
        self._connection.unregister("listed")
        return f"({column} IN (FROM {name}) OR {plain} IN (FROM {name}))"
