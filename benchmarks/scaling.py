"""Measure what one core does per second, compared with the limits of memory and disk.

The peer of each row is the least work that the machine must do for the same bytes: copy them in
memory, read them from disk, or decompress them. The notes extrapolate the rates to a trillion
tokens and ten billion labelled items on a hundred nodes (docs/scaling.md).
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness.growth import fit_power
from harness.measuring import Case, Row, Rows, Spent, cpu, most_memory, spend
from harness.script import run_script
from score_files import write_files
from sizes import write_treebank
from soft import planted

import roget
from roget.core.counts import Counts
from roget.core.io.source import import_zstd
from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import ThreadPool
from roget.learn.clustering.soft.em import SoftMixture
from roget.learn.clustering.spherical.estimator import SphericalTree

PEERS = ("duckdb",)
SLOW_QUICK = ("machine", "count", "score", "soft", "predict")
ABOUT = "One process; the peer is what the machine needs for the same bytes at the least."

NODES, CORES, MEMORY, NETWORK, DISK = 100, 32, 128e9, 10e9 / 8, 1e9
"""The cluster of the plan: bytes, and bytes per second for each node."""
SHARE = 0.8
"""Speed of a core when others are busy, relative to its speed alone; two workers should reach 1.6
times one.
"""
TOKENS, ITEMS = 1e12, 1e10
PASS = """
import sys, duckdb
duckdb.sql(f"SELECT max(item), max(label) FROM '{sys.argv[1]}'").fetchall()
"""
OURS = "import sys, roget; roget.score(*sys.argv[1:3])"


class Bandwidth:
    """Bytes per second of this machine, each measured once when needed."""

    def __init__(self, folder: Path, size: int) -> None:
        random = np.random.default_rng(0)
        self.block = np.ones(size // 8)
        path = folder / "words.conllu"
        write_treebank(path, 200_000)
        self.text = path.read_bytes()
        self.noise = random.bytes(size)
        self.folder = folder

    def copy(self) -> float:
        """Copying an array in memory, read and written bytes together."""
        target = np.empty_like(self.block)
        return 2 * self.block.nbytes / cpu(partial(np.copyto, target, self.block), times=5)

    def read(self) -> float:
        """Reading memory."""
        return self.block.nbytes / cpu(partial(np.max, self.block), times=5)

    def disk(self) -> tuple[float, float]:
        """Writing a file with fsync, and reading it past the cache, by wall-clock time."""
        file = self.folder / "noise"
        began = time.perf_counter()
        with file.open("wb") as target:
            target.write(self.noise)
            target.flush()
            os.fsync(target.fileno())
        written = len(self.noise) / (time.perf_counter() - began)
        with file.open("rb", buffering=0) as source:
            os.posix_fadvise(source.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            began = time.perf_counter()
            while source.read(1 << 22):
                pass
        read = len(self.noise) / (time.perf_counter() - began)
        file.unlink()
        return written, read

    def inflate(self) -> tuple[float, float]:
        """Decompressing plain text from gzip and from Zstandard."""
        found, zstd = [], import_zstd()
        for pack, unpack in (
            (partial(gzip.compress, compresslevel=6), gzip.decompress),
            (zstd.compress, zstd.decompress),
        ):
            packed = pack(self.text)
            found.append(len(self.text) / cpu(partial(unpack, packed)))
        return found[0], found[1]

    def seal(self) -> float:
        """Computing SHA-256, which checks the files of folders."""
        return len(self.noise) / cpu(lambda: hashlib.sha256(self.noise))


def machine(width: Bandwidth) -> Rows:
    """Yield the figures of the machine."""
    copy, read, (written, disk) = width.copy(), width.read(), width.disk()
    gz, zst = width.inflate()
    rates = {
        "memory copied, read and written": copy,
        "memory read": read,
        "disk written until safe (clock)": written,
        "disk read (clock)": disk,
        "gzip inflated": gz,
        "Zstandard inflated": zst,
        "SHA-256": width.seal(),
    }
    yield "the machine, MB per second: " + _list(
        {name: f"{rate / 1e6:,.0f}" for name, rate in rates.items()}
    )


def count(width: Bandwidth, folder: Path, tokens: int) -> Rows:
    """Yield tokens per second from CoNLL-U to counts, bytes in and out, and the growth of distinct
    pairs.
    """
    file, target = folder / "count.conllu", folder / "out.counts"
    seconds: list[float] = []
    distinct: list[int] = []
    at = [tokens // 8, tokens // 4, tokens // 2, tokens]
    for n in at:
        write_treebank(file, n)
        seconds.append(_time(partial(_count, file, target)))
        distinct.append(_count(file, target))
    # The cost of starting is the same at all sizes, so it is subtracted.
    (n, more), (spent, most) = at[-2:], seconds[-2:]
    each = (most - spent) / (more - n)
    size, written = file.stat().st_size, sum(one.stat().st_size for one in target.rglob("*"))
    copied = 2 * size / width.copy()
    yield Row("CoNLL-U counted", Spent(each * tokens), copied, "copying the bytes", "s")
    yield Row(
        "CoNLL-U counted", Spent(each * tokens), size / width.inflate()[0], "inflating gzip", "s"
    )
    power = fit_power(at, distinct)
    rate, plain = 1 / each, size / tokens
    yield (
        f"counted: {rate:,.0f} tokens, {rate * plain / 1e6:.0f} MB per CPU second of a core; "
        f"{plain:.0f} bytes per token in, {written / distinct[-1]:.1f} bytes per distinct pair "
        f"out; distinct pairs grow with tokens to the power of {power}."
    )
    cores = NODES * CORES * SHARE
    pairs = power.factor * TOKENS**power.exponent
    yield (
        f"plan, a trillion tokens: {TOKENS * plain / 1e12:,.0f} TB of plain CoNLL-U, "
        f"{TOKENS * plain / NODES / 1e12:.2f} TB per node; reading and counting "
        f"{TOKENS / rate / cores:,.0f} seconds, the disk alone "
        f"{TOKENS * plain / NODES / DISK:,.0f}; {pairs:.1e} distinct pairs by that power, "
        f"{16 * pairs / NODES / 1e9:,.0f} GB per node at 16 bytes, which crosses the network "
        f"in {16 * pairs / NODES / NETWORK:.1f} seconds if every node adds up the pairs of "
        "its share of words."
    )


def _count(file: Path, target: Path) -> int:
    import shutil

    shutil.rmtree(target, ignore_errors=True)
    return int(roget.count(file, relation="obj", output=target).entries)


def _time(work: Callable[[], object]) -> float:
    work()  # warm
    return float(cpu(work, times=2))


def score(width: Bandwidth, folder: Path, rows: int) -> Rows:
    """Yield items per second from label files to scores, bytes read, and memory."""
    found = []
    for n in (rows // 4, rows):
        files = write_files(folder, n, "parquet")
        found.append((n, spend(["-c", OURS, *files]), spend(["-c", PASS, files[0]])))
    (few, ours_few, once_few), (_, ours, once) = found
    size = sum(Path(file).stat().st_size for file in files)
    spent = (ours.cpu - ours_few.cpu) / (rows - few) * rows
    least = 2 * (once.cpu - once_few.cpu) / (rows - few) * rows
    rate, each = rows / spent, size / rows
    yield Row("label files scored", spent, max(least, 1e-3), "decoding both columns", "s")
    yield Row("label files scored, peak", ours.memory, size, "bytes of the files", "MB")
    yield (
        f"scored: {rate:,.0f} labelled items per CPU second of a core, {each:.1f} bytes per item "
        f"of both files, {(ours.memory - ours_few.memory) / (rows - few):.0f} bytes of memory more "
        "for each item more, as far as there is room."
    )
    cores, texts = NODES * CORES * SHARE, 2 * 40.0
    yield (
        f"plan, ten billion items: {ITEMS * each / 1e9:,.0f} GB of Parquet; dealing out, joining "
        f"and counting {2 * ITEMS / rate / cores:,.0f} seconds (twice the work of one machine, as "
        f"measured on two workers); {ITEMS * texts / NODES / 1e9:.0f} GB per node in memory at "
        f"{texts:.0f} bytes for both sides of an item, and as much over the network, "
        f"{ITEMS * texts / NODES / NETWORK:.0f} seconds; back come cells alone."
    )


def soft_step(width: Bandwidth, words: int, k: int) -> Rows:
    """Yield cells (entries × clusters) per second of one step of soft clustering."""
    counts, labels = planted(words, words // 2, k, 100)
    data = prepare(counts, dtype="float32")
    mixture = SoftMixture(data, False, ThreadPool(None), room=k)
    mixture.k = k
    mixture.q[:] = 0.05 / k
    mixture.q[np.arange(words), labels] += 0.95
    mixture.mass[:k] = np.sum(data.prior[:, None] * mixture.q[:, :k], axis=0)

    def step() -> None:
        mixture.m_step()
        mixture.e_step(3.0)

    spent = _time(step)
    cells = data.rows.values.size * k
    moved = 2 * cells * data.rows.values.itemsize
    yield Row(f"soft step, K = {k}", spent, moved / width.copy(), "copying the cells", "s")
    yield (
        f"soft step: {cells / spent / 1e6:,.0f} million cells (entries × clusters) and "
        f"{moved / spent / 1e9:.1f} GB per CPU second."
    )


def predict(width: Bandwidth, words: int) -> Rows:
    """Yield the words per second that are assigned to existing classes."""
    known, _ = planted(2000, 1000, 50, 100)
    model = SphericalTree(50, random_state=0).fit(Counts(known.astype(np.int64)))
    new, _ = planted(words, 1000, 50, 100)
    spent = _time(partial(model.predict, new))
    moved = new.data.nbytes + new.indices.nbytes
    yield Row("words predicted, K = 50", spent, 2 * moved / width.copy(), "copying the counts", "s")
    yield (
        f"predicted: {words / spent:,.0f} words, {new.nnz / spent / 1e6:.1f} million entries per "
        f"CPU second; most memory so far {most_memory() / 1e9:.1f} GB."
    )


def _list(found: dict[str, Any]) -> str:
    return "; ".join(f"{name} {value}" for name, value in found.items()) + "."


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name; smaller ones for a quick run."""
    less = 4 if asked.quick else 1
    width = Bandwidth(asked.folder, (1 << 28) // less)
    return {
        "machine": partial(machine, width),
        "count": partial(count, width, asked.folder, 1_600_000 // less),
        "score": partial(score, width, asked.folder, 8_000_000 // less),
        "soft": partial(soft_step, width, 8000 // less, 200 // less),
        "predict": partial(predict, width, 100_000 // less),
    }


if __name__ == "__main__":
    run_script(__file__)
