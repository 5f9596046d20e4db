"""Compare growing a thesaurus with building it from all text: stability, quality, time.

`python benchmarks/growth.py [--only PATTERN] [--keep DIR]`. AMALGUM is split by documents: a
thesaurus of nine tenths grows by every tenth document ("documents"), one of four genres by the
fifth ("genre"). CPU seconds include child processes of `roget build` and `roget grow`; the build is
the default one, and one without the held-out evaluation. Quality is measured as in `thesaurus.py`:
V(jk) and B-cubed F of cuts against gold sets, on the words that all have, and the five nearest of
2,000 frequent words by WordNet. --keep DIR keeps what is built.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import numpy as np
from gold import CATEGORIES, WordNet, categories
from harness.measuring import Case, Row, data_folder, progress
from harness.script import run_script

import roget
from roget import Thesaurus

TRIAL = "an hour; amalgum, word-categories and wordnet30"
CUTS = (64, 128)
FREQUENT = 2000
STAY, WORSE, TIME = 0.95, 0.01, 1 / 3
"""Bars: share of words that keep their class, loss of quality, time relative to a build."""

GENRE = "voyage"


def sentences(path: Path) -> Iterator[tuple[str, str]]:
    """The document and the text of each sentence."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for text in file.read().split("\n\n"):
            if text.strip():
                named = next(line for line in text.splitlines() if line.startswith("# sent_id"))
                yield named.split()[-1].rpartition("-")[0], text


def part(case: str, place: Path) -> None:
    """Write the old and the new text of a case."""
    for path in sorted((data_folder() / "amalgum").glob("*.conllu.gz")):
        genre = path.name.partition(".")[0]
        numbers: dict[str, int] = {}
        sides: tuple[list[str], list[str]] = ([], [])
        for document, text in sentences(path):
            number = numbers.setdefault(document, len(numbers))
            new = genre == GENRE if case == "genre" else number % 10 == 3
            sides[new].append(text)
        for side, texts in zip(("old", "new"), sides, strict=True):
            if texts:
                target = place / f"{side}-{genre}.conllu.gz"
                with gzip.open(target, "wt", encoding="utf-8", compresslevel=1) as file:
                    file.write("\n\n".join(texts) + "\n\n")


def timed(*arguments: Any) -> float:
    """CPU seconds of a command of roget."""
    progress(f"roget {arguments[0]} … {Path(arguments[-1]).name}")
    before = getrusage(RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "roget", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measures(found: Thesaurus, words: set[str]) -> Iterator[tuple[str, float]]:
    """How far the classes of some words agree with gold, and their neighbours with WordNet."""
    rows = {str(word): row for row, word in enumerate(found.words) if str(word) in words}
    for name in CATEGORIES:
        known, right = categories(name, rows)
        for k in CUTS:
            labels = found.clustering.level(min(k, found.tree.n_clusters)).labels[known]
            yield f"V(jk) {name} {k}", roget.measure("v", right, labels, entropy="jk")
            yield f"B³ {name} {k}", roget.measure("b3-f", right, labels)
    totals = found.counts.word_totals
    wordnet = WordNet(found.words.tolist(), totals.tolist())
    frequent = [row for row in wordnet.rows.tolist() if str(found.words[row]) in words]
    frequent = sorted(frequent, key=lambda row: -totals[row])[:FREQUENT:10]
    hits = [
        np.mean(
            [
                wordnet.steps(row, found.row(near.word)) <= 2
                for near in found.neighbours(str(found.words[row]), 5)
            ]
        )
        for row in frequent
    ]
    yield "wn5, frequent words", float(np.mean(hits))


def compare(case: str, place: Path) -> Iterator[Row | str]:
    """Grow, and build from all; what stays, how good both are, and how long they took."""
    place.mkdir(parents=True, exist_ok=True)
    if not list(place.glob("new-*")):
        part(case, place)
    old, new = sorted(place.glob("old-*.gz")), sorted(place.glob("new-*.gz"))
    timed("build", *old[:1], "--no-heldout", "--evidence", 0, "-o", place / "warm")  # compiles
    timed("build", *old, "--no-heldout", "-o", place / "before")
    bare = timed("build", *old, *new, "--no-heldout", "-o", place / "bare")
    whole = timed("build", *old, *new, "-o", place / "scratch")
    grown = timed("grow", place / "before", *new, "-o", place / "grown")
    before, after, scratch = (roget.load(place / name) for name in ("before", "grown", "scratch"))
    was = dict(zip(before.words.tolist(), before.ids[before.places].tolist(), strict=True))
    now = dict(zip(after.words.tolist(), after.ids[after.places].tolist(), strict=True))
    same = [now[w] == was[w] for w in was if _total(before, w) == _total(after, w)]
    every = [now[w] == was[w] for w in was]
    yield Row(f"{case}: moved, unchanged", 1 - float(np.mean(same)), None, "", "", 1 - STAY)
    yield f"{case}: {np.mean(same):.2%} of {len(same):,} words without new tokens keep their class"
    yield f"{case}: {np.mean(every):.2%} of all {len(every):,} words do"
    yield Row(f"{case}: time", grown, whole, "roget build", "s", TIME)
    yield f"{case}: {grown / bare:.2f} of the time of a build without its held-out trial"
    common = set.intersection(*(set(map(str, t.words)) for t in (before, after, scratch)))
    scores = {name: dict(measures(t, common)) for name, t in
              (("before", before), ("grown", after), ("scratch", scratch))}  # fmt: skip
    lost = []
    for name, value in scores["grown"].items():
        lost.append(scores["scratch"][name] - value)
        others = ", ".join(f"{at} {scores[at][name]:.3f}" for at in ("before", "scratch"))
        yield f"{case}: {name}: grown {value:.3f}, {others}"
    yield Row(f"{case}: quality lost", max(float(np.mean(lost)), 0.0), None, "", "", WORSE)
    kinds = [one.kind for one in after.changes]
    yield f"{case}: " + ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def _total(thesaurus: Thesaurus, word: str) -> float:
    return float(thesaurus.counts.word_totals[thesaurus.row(word)])


CASES = ("documents", "genre")
OPTIONS = {"keep": {"type": Path, "help": "where to keep what is built"}}
ABOUT = "CPU seconds, children included."


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Both ways to part the text."""
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    place = asked.keep or asked.folder
    return {name: partial(compare, name, place / name) for name in CASES}


if __name__ == "__main__":
    run_script(__file__)
