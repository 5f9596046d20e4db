"""Measure how many words seem to change where nothing changed, and how long the test takes.

    python benchmarks/shift.py [--data ../shared/data] [--splits 2]

The 2.5 million tokens of AMALGUM's five genres are divided at random into two halves, by pair, by
sentence, and by document. Nothing differs between the halves, so .05 of all words should have p ≤
.05. Then the genres are compared with each other. The last line is the time for 5,000 words in
100,000 contexts (drawn at random).
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import sparse

import roget
from roget import Counts
from roget.learn.counting.options import CountOptions
from roget.learn.load import open_pair
from roget.learn.usage.shift import ShiftResult, shift

TRIAL = "minutes; amalgum"
GENRES = ("academic", "bio", "fiction", "news", "voyage")
MIN_COUNT = 20


def sentences(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the document and the lines of each sentence."""
    for genre in GENRES:
        with gzip.open(folder / "amalgum" / f"{genre}.conllu.gz", "rt", encoding="utf-8") as file:
            for text in file.read().split("\n\n"):
                named = next((x for x in text.split("\n") if x.startswith("# sent_id")), "")
                if named:
                    yield named.split(" = ")[1].rpartition("-")[0], text + "\n\n"


def split(folder: Path, place: Path, by: str, seed: int) -> tuple[Path, Path]:
    """Write two files with about half of the text each."""
    random = np.random.default_rng(seed)
    sides: dict[str, int] = {}
    halves = place / f"{by}{seed}a.conllu", place / f"{by}{seed}b.conllu"
    with halves[0].open("w") as first, halves[1].open("w") as second:
        for number, (document, text) in enumerate(sentences(folder)):
            key = document if by == "document" else str(number)
            side = sides.setdefault(key, int(random.integers(2)))
            (first, second)[side].write(text)
    return halves


def tell(name: str, found: list[ShiftResult]) -> None:
    """Print a line of the table: shares of words that seem to have changed."""
    every = [one for each in found for one in each.changes]
    shares = [
        float(np.mean([getattr(one, p) <= bar for one in every]))
        for p in ("p", "p_usual")
        for bar in (0.05, 0.01)
    ]
    told = "  ".join(f"{share:6.3f}" for share in shares)
    print(f"{name:24}{len(every) // len(found):6,}  {told}", end="  ")
    print(f"{sum(x.changed for x in found) / len(found):7.1f}", end="  ")
    print(f"{sum(x.unusual for x in found) / len(found):7.1f}")


def compare(old: Counts, new: Counts) -> ShiftResult:
    return shift(old, new, n=10**6, min_count=MIN_COUNT, changes=1)


def draw(random: np.random.Generator, tokens: int) -> Counts:
    """Return random counts of 5,000 words in 100,000 contexts, with Zipfian frequencies."""
    rows, columns = (
        random.choice(size, tokens, p=(weights := np.arange(1, size + 1) ** -0.9) / weights.sum())
        for size in (5000, 100_000)
    )
    cells = (np.ones(tokens, np.int64), (rows, (columns + 7 * rows) % 100_000))
    return Counts(sparse.coo_array(cells, shape=(5000, 100_000)))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, default=Path("../shared/data"))
    asked.add_argument("--splits", type=int, default=2)
    given = asked.parse_args()
    head = f"{'halves by':24}{'words':>6}  {'p≤.05':>6}  {'p≤.01':>6}  {'usual':>6}  {'usual':>6}"
    print(f"{head}  {'q≤.05':>7}  {'usual':>7}")
    sample = roget.data.sample("nouns")
    tell("token (sample nouns)", [
        compare(*sample.split(0.5, random_state=seed)) for seed in range(given.splits)
    ])  # fmt: skip
    tell("token, 9 to 1", [
        compare(*sample.split(0.9, random_state=seed)) for seed in range(given.splits)
    ])  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for by in ("sentence", "document"):
            found = []
            for seed in range(given.splits):
                halves = split(given.data, Path(folder), by, seed)
                with open_pair(*halves) as (old, new, _):
                    found.append(compare(old, new))
                for half in halves:
                    half.unlink()
            tell(by, found)
    for one, other in combinations(GENRES, 2):
        files = (given.data / "amalgum" / f"{name}.conllu.gz" for name in (one, other))
        with open_pair(*files, CountOptions()) as (old, new, _):
            tell(f"{one}, {other}", [compare(old, new)])
    random = np.random.default_rng(0)
    old, new = draw(random, 4_000_000), draw(random, 2_000_000)
    began = time.process_time()
    found = shift(old, new)
    seconds = time.process_time() - began
    print(f"{found.tested:,} words, {old.entries + new.entries:,} pairs: {seconds:.1f} s of CPU")


if __name__ == "__main__":
    main()
