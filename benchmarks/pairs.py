"""Counting pairs that are larger than memory: time and peak memory, beside pandas on a tenth.

Run `python benchmarks/pairs.py [--pairs 200M] [--memory 2GB] [--files N] [--folder DIR]`. The
pairs are words and contexts drawn independently from Zipf's law over a million types each, as
texts in Parquet. Every measurement is a process of its own: wall time, CPU time of all threads,
and the most memory that was ever resident (VmHWM). DIR keeps the data for the next run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from harness import machine, progress

TYPES = 1_000_000
CHUNK = 5_000_000
SEED = 1993
BAR = 3e9
"""Bytes of resident memory that 200 million pairs may take."""

MEASURED = """
import json, re, sys, time
{setup}
start = time.perf_counter()
{work}
took, cpu = time.perf_counter() - start, time.process_time()
status = open("/proc/self/status").read()
peak = int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) * 1024
print(json.dumps({{"seconds": took, "cpu": cpu, "peak": peak, "found": found}}))
"""

ROGET = (
    "from roget.learn.counting.count import Options, run",
    "done = run(sys.argv[2:], sys.argv[1], Options(memory={memory!r}))\n"
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
    """The files of pairs, made unless they are there; the first tenth is a file of its own."""
    names = [folder / f"pairs-{pairs}-{at}-of-{files}.parquet" for at in range(files)]
    tenth = folder / f"pairs-{pairs}-tenth.parquet"
    if all(path.exists() for path in (*names, tenth)):
        return [tenth, *names]
    rng = np.random.default_rng(SEED)
    cumulated = np.cumsum(1 / np.arange(1, TYPES + 1))
    cumulated /= cumulated[-1]
    ranks = [rng.permutation(TYPES).astype(np.int32) for _ in range(2)]
    # Chunks of equal size, so many that some of them are exactly a tenth.
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
) -> dict[str, Any]:
    """Seconds, peak bytes and result of a script in a process of its own."""
    setup, work = script
    code = MEASURED.format(setup=setup, work=work.format(**given) if given else work)
    command = [sys.executable, "-c", code, str(output), *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def line(case: str, result: dict[str, Any], pairs: int) -> str:
    """A row of the table."""
    seconds, cpu, peak = result["seconds"], result["cpu"], result["peak"] / 1e9
    rate = f"{pairs / seconds / 1e6:>7.2f} M/s"
    return f"{case:<30} | {seconds:>7.1f} s | {rate} | {cpu:>7.1f} s CPU | {peak:>5.2f} GB"


def number(text: str) -> int:
    """A number such as 200M.

    >>> number("20M"), number("500k")
    (20000000, 500000)
    """
    units = {"k": 10**3, "m": 10**6}
    scale = units.get(text[-1].lower(), 1)
    return int(float(text[:-1] if scale > 1 else text) * scale)


def main() -> None:
    """Make the data, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=number, default=20_000_000)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="roget.", dir=asked.folder) as scratch:
        tenth, *files = generate(asked.folder or Path(scratch), asked.pairs, asked.files)
        output, few = Path(scratch) / "out.counts", asked.pairs // 10
        floor = measure(BYTES, output, files)
        decoded = measure(DECODED, output, files)
        progress("counting all")
        ours = measure(ROGET, output, files, memory=asked.memory)
        progress("counting a tenth")
        ours_few = measure(ROGET, output, [tenth], memory=asked.memory)
        progress("pandas on a tenth")
        peer = measure(PANDAS, output, [tenth])
    if ours_few["found"] != peer["found"] or ours["found"][1] != asked.pairs:
        sys.exit(f"wrong: {ours_few['found']}, pandas has {peer['found']}; all: {ours['found']}")
    print(f"{asked.pairs:,} pairs in {len(files)} file(s), {floor['found'] / 1e6:,.0f} MB;")
    print(f"{ours['found'][0]:,} distinct; memory limit {asked.memory}; {machine()['cpu']}")
    print(line("the floor: reading the bytes", floor, asked.pairs))
    print(line("the floor: decoding the texts", decoded, asked.pairs))
    print(line("roget count", ours, asked.pairs))
    print(line("roget count, a tenth", ours_few, few))
    print(line("pandas.groupby, a tenth", peer, few))
    wall, cpu = (ours[clock] / 10 / peer[clock] for clock in ("seconds", "cpu"))
    print(f"per pair against pandas: {wall:.2f} of the time, {cpu:.2f} of the CPU time")
    print(f"peak memory within {BAR / 1e9:g} GB: {'yes' if ours['peak'] <= BAR else 'NO'}")


if __name__ == "__main__":
    main()
