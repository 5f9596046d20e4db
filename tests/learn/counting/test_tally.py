"""Tallies equal a Counter for any size of buffers and runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pytest

from roget.core.io import duck
from roget.learn.corpus.base import PairColumns, Tables
from roget.learn.counting import tally
from roget.learn.counting.tally import PairTally
from support.errors import refused

Triple = tuple[str, str, str]


def random_tables(words: int, slots: int) -> Tables:
    tables = Tables()
    for number in range(words):
        tables.words.id(f"w{number}")
    for number in range(slots):
        tables.slots.id(f"s{number}" if number else "")
    return tables


def random_pairs(seed: int, size: int, words: int, slots: int) -> PairColumns:
    draw = np.random.default_rng(seed)
    columns = (
        draw.zipf(1.3, size) % words,
        draw.integers(0, slots, size),
        draw.zipf(1.5, size) % words,
    )
    return PairColumns(*(column.astype(np.int32) for column in columns))


def triples(pairs: PairColumns, tables: Tables) -> Counter[Triple]:
    return Counter(
        (tables.words.texts[w], tables.slots.texts[s], tables.words.texts[c])
        for w, s, c in zip(pairs.word, pairs.slot, pairs.context, strict=True)
    )


def written(folder: Path, runs: int) -> Counter[Triple]:
    """What a part says, added up one row at a time; its words' and contexts' totals must agree."""
    with duckdb.connect() as connection:
        words = connection.execute(f"FROM '{folder}/words.parquet'").fetchall()
        contexts = connection.execute(f"FROM '{folder}/contexts.parquet'").fetchall()
        rows = [
            row
            for run in range(runs)
            for row in connection.execute(f"FROM '{folder}/pairs-{run}.parquet'").fetchall()
        ]
    word_of = {number: text for number, text, _ in words}
    context_of = {number: (slot, text) for number, slot, text, _ in contexts}
    found: Counter[Triple] = Counter()
    totals: Counter[object] = Counter()
    for word, context, n in rows:
        found[(word_of[word], *context_of[context])] += n
        totals[word_of[word]] += n
        totals[context_of[context]] += n
    assert {text: n for _, text, n in words} == {k: v for k, v in totals.items() if type(k) is str}
    assert {(s, t): n for _, s, t, n in contexts} == {
        k: v for k, v in totals.items() if type(k) is tuple
    }
    return found


@pytest.mark.parametrize(("buffer", "run"), [(1 << 22, 1 << 23), (1000, 1 << 23), (100, 700)])
def test_tally_equals_counter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: int, run: int
) -> None:
    monkeypatch.setattr(tally, "BUFFER", buffer)
    monkeypatch.setattr(tally, "RUN", run)
    tables = random_tables(500, 7)
    expected: Counter[Triple] = Counter()
    with duck.connect() as connection:
        counted = PairTally(tables, tmp_path, connection)
        for seed, size in enumerate([0, 1, 5000, 999, 3000]):
            pairs = random_pairs(seed, size, 500, 7)
            counted.add(pairs)
            expected += triples(pairs, tables)
        counted.finish()
    assert written(tmp_path, counted.runs) == expected
    assert (counted.runs > 1) == (run == 700)


def test_tally_grows_beyond_its_initial_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = random_tables(10, 2)
    expected: Counter[Triple] = Counter()
    with duck.connect() as connection:
        counted = PairTally(tables, tmp_path, connection)
        monkeypatch.setattr(counted, "_bits", (4, 1))
        for words, slots in ((10, 2), (20, 2), (20, 9), (300, 5000)):
            tables = random_tables(words, slots)
            counted._tables = tables
            pairs = random_pairs(words, 500, words, slots)
            counted.add(pairs)
            expected += triples(pairs, tables)
        counted.finish()
    assert counted.runs > 2
    assert written(tmp_path, counted.runs) == expected


def test_more_words_than_64_bits_can_pair_are_refused(tmp_path: Path) -> None:
    class Huge:
        def __len__(self) -> int:
            return 1 << 32

    tables = random_tables(1, 1)
    tables.words = Huge()  # type: ignore[assignment]
    with duck.connect() as connection, refused("too-large"):
        PairTally(tables, tmp_path, connection).add(random_pairs(0, 1, 1, 1))


def test_tally_without_pairs_is_empty(tmp_path: Path) -> None:
    with duck.connect() as connection:
        counted = PairTally(random_tables(3, 1), tmp_path, connection)
        counted.finish()
    assert counted.runs == 0
    assert written(tmp_path, 0) == Counter()
