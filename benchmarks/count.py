"""Compare counting from CoNLL-U with pyconll and conllu, in one process and in two."""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import conllu as conllu_peer
import numpy as np
import pyconll
from harness.measuring import Case, Row, Rows, cpu, find_data, spend
from harness.script import run_script

from roget.core.io.paths import find
from roget.core.io.source import Source
from roget.learn.corpus import conllu
from roget.learn.corpus.base import ReadContext, Tables
from roget.learn.corpus.pair_extraction import Extractor
from roget.learn.corpus.relations import parse

PEERS = ("pyconll", "conllu", "numba")
DATA = ("amalgum/news.conllu.gz",)
SLOW_QUICK = ("first-run", "two-processes")
ABOUT = "Two processes: wall time."
Objects = Counter[tuple[str, str]]

BARS = {"pyconll": 1 / 10, "conllu": 1 / 20, "two processes": 1 / 1.7}
LARGE = 400_000_000
PATIENCE = 600
"""Seconds without an answer after which a process is ended."""
KERNEL = {
    "mark": "finding tabs and line ends",
    "rows": "ids and heads",
    "not_utf8": "checking UTF-8",
    "intern": "numbering strings",
    "move": "numbering strings",
}


def prepare(packed: Path, folder: Path, *, quick: bool) -> tuple[Path, Path]:
    """Return the corpus as a plain and a compressed file; a quick run uses its first tenth."""
    data = gzip.decompress(packed.read_bytes())
    if quick:
        data = data[: data.index(b"\n\n", len(data) // 10) + 2]
    plain, again = folder / "news.conllu", folder / "news.conllu.gz"
    plain.write_bytes(data)
    again.write_bytes(gzip.compress(data, 6))
    return plain, again


def read(path: Path | str | Source) -> int:
    """Return the number of tokens that roget reads."""
    source = path if isinstance(path, Source) else find([path], [])[0]
    return sum(len(tokens) for tokens in conllu.read(source, Tables(), ReadContext()))


def extract(path: Path) -> Objects:
    """Return the verb–object pairs that roget counts."""
    tables, found = Tables(), Counter[int]()
    extractor = Extractor(parse(["obj"]), tables)
    for tokens in conllu.read(find([path], [])[0], tables, ReadContext()):
        pairs = extractor(tokens)
        keys, counts = np.unique(
            pairs.word.astype(np.int64) << 32 | pairs.context, return_counts=True
        )
        found.update(dict(zip(keys.tolist(), counts.tolist(), strict=True)))
    texts = tables.words.texts
    return Counter({(texts[key >> 32], texts[key & 0xFFFFFFFF]): n for key, n in found.items()})


def read_pyconll(path: Path) -> int:
    """Return the number of tokens that pyconll reads."""
    return sum(len(sentence) for sentence in pyconll.iter_from_file(str(path)))


def extract_pyconll(path: Path) -> Objects:
    """Return the same pairs, read by pyconll."""
    found: Objects = Counter()
    for sentence in pyconll.iter_from_file(str(path)):
        for token in sentence:
            if token.deprel == "obj" and token.upos == "NOUN":
                head = sentence[token.head]
                if head.upos == "VERB":
                    found[token.lemma.lower(), head.lemma.lower()] += 1
    return found


def read_conllu(path: Path) -> int:
    """Return the number of tokens that conllu reads."""
    with path.open(encoding="utf-8") as file:
        return sum(len(sentence) for sentence in conllu_peer.parse_incr(file))


def extract_conllu(path: Path) -> Objects:
    """Return the same pairs, read by conllu."""
    found: Objects = Counter()
    with path.open(encoding="utf-8") as file:
        for sentence in conllu_peer.parse_incr(file):
            words = {token["id"]: token for token in sentence}
            for token in sentence:
                if token["deprel"] == "obj" and token["upos"] == "NOUN":
                    head = words[token["head"]]
                    if head["upos"] == "VERB":
                        found[token["lemma"].lower(), head["lemma"].lower()] += 1
    return found


def split(path: Path) -> int:
    """Split the lines, the least that any reader in plain Python must do."""
    with path.open(encoding="utf-8") as file:
        return sum(len(line.split("\t")) == 10 for line in file)


def side_by_side(plain: Path, packed: Path) -> Rows:
    """Compare reading alone, and reading with counting of objects."""
    tokens = read(plain)
    same = extract(plain) == extract_pyconll(plain) == extract_conllu(plain)
    rates = {"str.split, no more": cpu(partial(split, plain))}
    for what, ours, *peers in (
        ("read", read, read_pyconll, read_conllu),
        ("read + obj", extract, extract_pyconll, extract_conllu),
    ):
        spent = rates[f"roget, {what}"] = cpu(partial(ours, plain), times=7)
        rates[f"roget, {what}, gz"] = cpu(partial(ours, packed), times=5)
        for name, peer in zip(("pyconll", "conllu"), peers, strict=True):
            took = rates[f"{name}, {what}"] = cpu(partial(peer, plain))
            yield Row(f"{what}, plain file", spent, took, name, "s", BARS[name])
    told = (
        f"{name} {tokens / seconds / 1e3:,.0f}"
        for name, seconds in sorted(rates.items(), key=lambda item: item[1])
    )
    yield f"{tokens:,} tokens; pairs the same in all three: {same}."
    yield f"thousand tokens per CPU second: {'; '.join(told)}."


def bottleneck(plain: Path, packed: Path) -> Rows:
    """Report where the time goes, and the speed of memory and zlib."""
    size, data = plain.stat().st_size, plain.read_bytes()
    spent = cpu(partial(read, plain), times=7)
    block = np.frombuffer(data[: 4 << 20], np.uint8)
    copy = cpu(lambda: [block.copy() for _ in range(50)]) / 50 / len(block)
    inflate = cpu(partial(gzip.decompress, packed.read_bytes()))
    yield (
        f"speed: {size / spent / 1e6:.0f} MB/s of plain text; copying it in memory runs at "
        f"{1 / copy / 1e6:.0f} MB/s, inflating gz at {size / inflate / 1e6:.0f} MB/s."
    )
    shares = min((shared(plain) for _ in range(7)), key=Counter.total)
    named = ", ".join(f"{name} {part / shares.total():.0%}" for name, part in shares.most_common())
    yield f"where the time goes: {named}."


def shared(plain: Path) -> Counter[str]:
    """Return the CPU seconds of each kernel during one reading, and of the rest."""
    spent = Counter[str]()
    kernels = {name: getattr(conllu.kernel, name) for name in KERNEL}

    def timed(name: str, *arguments: object) -> object:
        start = time.process_time()
        result = kernels[name](*arguments)
        spent[KERNEL[name]] += time.process_time() - start
        return result

    for name in kernels:
        setattr(conllu.kernel, name, partial(timed, name))
    start = time.process_time()
    read(plain)
    total = time.process_time() - start
    for name, kernel in kernels.items():
        setattr(conllu.kernel, name, kernel)
    spent["blocks, new strings and arrays in Python"] = total - spent.total()
    return spent


def first_run(plain: Path) -> Rows:
    """Return the time of the first run, which compiles kernels, and of later runs."""
    code = (
        "import sys, time; sys.path.append(sys.argv[2]); import count; "
        "t = time.perf_counter(); count.read(sys.argv[1]); print(time.perf_counter() - t)"
    )
    tiny = plain.with_name("tiny.conllu")
    data = plain.read_bytes()
    tiny.write_bytes(data[: data.index(b"\n\n")])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(plain.parent / "cache")}
    run = ["-c", code, tiny, Path(__file__).parent]
    cold, warm = (float(spend(run, env=environment).said) for _ in range(2))
    yield f"first file of the first run ever: {cold:.1f} s, compiling; of later runs: {warm:.1f} s."


def two_processes(plain: Path, size: int) -> Rows:
    """Compare one process that reads all pieces of a large file with two that read half of them
    each.
    """
    large = plain.with_name("large.conllu")
    data = plain.read_bytes()
    with large.open("wb") as file:
        for _ in range(size // len(data) + 1):
            file.write(data)
    pieces = find([large], [])[0].pieces()
    halves = pieces[::2], pieces[1::2]
    shares = [sum((p.stop or p.size) - p.start for p in half) for half in halves]
    (one, cpu_one), (two, cpu_two) = (
        map(min, zip(*(together(parts) for _ in range(3)), strict=True))
        for parts in ([pieces], halves)
    )
    large.unlink()
    yield Row("two processes", two, one, "one process", "s", BARS["two processes"])
    yield (
        f"two processes: {one / two:.2f} × as fast on {len(pieces)} pieces of {size / 1e6:.0f} MB "
        f"by the clock, {cpu_one / cpu_two:.2f} × by the CPU time of the slower one, which a busy "
        f"machine disturbs less; {sum(shares) / max(shares):.2f} × is the most that this cut "
        "allows."
    )


def together(parts: Iterable[list[Source]]) -> tuple[float, float]:
    """Return the seconds until as many processes as parts have read their pieces, after a warm-up.

    The second value is the CPU seconds of the one that needed most.
    """
    context = multiprocessing.get_context("fork")
    parts = list(parts)
    barrier, spent = context.Barrier(len(parts) + 1), context.Array("d", len(parts))

    def work(number: int, pieces: list[Source]) -> None:
        barrier.wait(PATIENCE)
        start = time.process_time()
        for piece in pieces:
            read(piece)
        spent[number] = time.process_time() - start
        barrier.wait(PATIENCE)

    workers = [context.Process(target=work, args=part) for part in enumerate(parts)]
    for worker in workers:
        worker.start()
    barrier.wait(PATIENCE)
    start = time.perf_counter()
    barrier.wait(PATIENCE)
    took = time.perf_counter() - start
    for worker in workers:
        worker.join()
    return took, max(spent)


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name; a quick run uses a tenth of the corpus."""
    plain, packed = prepare(find_data(*DATA), asked.folder, quick=asked.quick)
    read(plain)  # Compile or load before the first case.
    return {
        "side-by-side": partial(side_by_side, plain, packed),
        "bottleneck": partial(bottleneck, plain, packed),
        "first-run": partial(first_run, plain),
        "two-processes": partial(two_processes, plain, LARGE // 2 if asked.quick else LARGE),
    }


if __name__ == "__main__":
    run_script(__file__)
