"""Measure counting of pairs that do not fit into memory: time and peak memory, compared with pandas
on a tenth.

Words and contexts are drawn independently from Zipf's law over a million types each, and stored as
texts in Parquet. Every measurement is a separate process: wall time, CPU time of all threads, and
peak resident memory. --keep names a folder that keeps the data for the next run.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
from harness.measuring import Case, Row, Rows, Spending, point, progress, spend
from harness.script import run_script

PEERS = ("pandas", "duckdb")
TYPES = 1_000_000
CHUNK = 5_000_000
SEED = 1993
BAR = 3e9
"""Maximum resident memory in bytes for 200 million pairs."""

MEASURED = "import json, sys\n{setup}\n{work}\nprint(json.dumps(found))"

ROGET = (
    "from roget.learn.counting.options import CountOptions\n"
    "from roget.learn.counting.count import run",
    "done = run(sys.argv[2:], sys.argv[1], CountOptions(memory={memory!r}))\n"
    "found = [done.entries, done.total]",
)
PANDAS = (
    "import pandas",
    "table = pandas.concat([pandas.read_parquet(path) for path in sys.argv[2:]])\n"
    "sizes = table.groupby(['word', 'context'], sort=False).size()\n"
    "found = [len(sizes), int(sizes.sum())]",
)
BYTES = (
    "found = 0",
    "for path in sys.argv[2:]:\n"
    "    with open(path, 'rb') as file:\n"
    "        while block := file.read(1 << 24):\n"
    "            found += len(block)",
)
DECODED = (
    "import duckdb",
    "found = duckdb.execute('SELECT max(strlen(word)), max(strlen(context)) FROM"
    " read_parquet(?)', [sys.argv[2:]]).fetchone()",
)


def generate(folder: Path, pairs: int, files: int) -> list[Path]:
    """Write the files of pairs unless they exist; the first tenth is a separate file."""
    names = [folder / f"pairs-{pairs}-{at}-of-{files}.parquet" for at in range(files)]
    tenth = folder / f"pairs-{pairs}-tenth.parquet"
    if all(path.exists() for path in (*names, tenth)):
        return [tenth, *names]
    rng = np.random.default_rng(SEED)
    cumulated = np.cumsum(1 / np.arange(1, TYPES + 1))
    cumulated /= cumulated[-1]
    ranks = [rng.permutation(TYPES).astype(np.int32) for _ in range(2)]
    # The chunks have equal sizes, and some number of them is exactly a tenth.
    size = pairs // 10 // -(-pairs // 10 // CHUNK)
    chunks = []
    for start in range(0, pairs, size):
        word, context = (rank[np.searchsorted(cumulated, rng.random(size))] for rank in ranks)
        drawn = {"word": word, "context": context}
        chunks.append(folder / f"chunk-{start}.parquet")
        texts = "SELECT 'w' || word AS word, 'c' || context AS context FROM drawn"
        duckdb.register("drawn", drawn)
        duckdb.execute(f"COPY ({texts}) TO '{chunks[-1]}' (COMPRESSION zstd)")
        progress(f"{start + size:,} pairs made")
    per_file = -(-len(chunks) // files)
    groups = [chunks[at * per_file : (at + 1) * per_file] for at in range(files)]
    for path, group in [
        (tenth, chunks[: len(chunks) // 10]),
        *zip(names, groups, strict=True),
    ]:
        merged = ", ".join(f"'{chunk}'" for chunk in group)
        duckdb.execute(f"COPY (FROM read_parquet([{merged}])) TO '{path}' (COMPRESSION zstd)")
    for chunk in chunks:
        chunk.unlink()
    return [tenth, *names]


def measure(
    script: tuple[str, str], output: Path, files: list[Path], **given: str
) -> tuple[Spending, list[int]]:
    """Run a script in a new process; return its cost and its result."""
    setup, work = script
    code = MEASURED.format(setup=setup, work=work.format(**given) if given else work)
    took = spend(["-c", code, output, *files])
    found = json.loads(took.said.splitlines()[-1])
    return took, found if isinstance(found, list) else [found]


def number(text: str) -> int:
    """Parse a number such as 200M.

    >>> number("20M"), number("500k")
    (20000000, 500000)
    """
    units = {"k": 10**3, "m": 10**6}
    scale = units.get(text[-1].lower(), 1)
    return int(float(text[:-1] if scale > 1 else text) * scale)


OPTIONS = {
    "pairs": {"type": number, "default": 20_000_000},
    "memory": {"default": "2GB"},
    "files": {"type": int, "default": 1},
    "keep": {"metavar": "DIR", "type": Path, "help": "where the data stay for the next run"},
}


def count(asked: argparse.Namespace) -> Rows:
    """Make the data and measure."""
    pairs = asked.pairs // (10 if asked.quick else 1)
    tenth, *files = generate(asked.keep or asked.folder, pairs, asked.files)
    output, few = asked.folder / "out.counts", pairs // 10
    floor, (size,) = measure(BYTES, output, files)
    decoded, _ = measure(DECODED, output, files)
    ours, found = measure(ROGET, output, files, memory=asked.memory)
    ours_few, found_few = measure(ROGET, output, [tenth], memory=asked.memory)
    peer, expected = measure(PANDAS, output, [tenth])
    if found_few != expected or found[1] != pairs:
        raise ValueError(f"wrong: {found_few}, pandas has {expected}; all: {found}")
    yield Row(f"{few:,} pairs", ours_few.cpu, peer.cpu, "pandas.groupby", "s")
    yield Row(f"{few:,} pairs, peak", ours_few.memory, peer.memory, "pandas.groupby", "MB")
    yield Row(f"{pairs:,} pairs, for each tenth", ours.cpu / 10, peer.cpu, "pandas", "s")
    yield Row(f"{pairs:,} pairs, peak", ours.memory, None, f"limit {asked.memory}", "MB", BAR)
    for n, took in ((few, ours_few), (pairs, ours)):
        yield point("pairs counted", "rows", n, took.cpu)
    rates = (
        f"{name} {pairs / took.clock / 1e6:.2f}"
        for name, took in (
            ("reading the bytes", floor), ("decoding the texts", decoded), ("roget count", ours),
        )
    )  # fmt: skip
    yield (
        f"{pairs:,} pairs in {len(files)} file(s), {size / 1e6:,.0f} MB, {found[0]:,} distinct; "
        f"million pairs per second by the clock: {', '.join(rates)}."
    )


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return the only case."""
    return {"count": partial(count, asked)}


if __name__ == "__main__":
    run_script(__file__)
