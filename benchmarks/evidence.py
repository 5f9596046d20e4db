"""Measure the cost of storing sentences: CPU seconds of commands, and bytes relative to the counts.

The corpora are AMALGUM's, and the first 2 MB of their words as plain text. Each command is run with
and without `--evidence 3`, in one process. Bars: 25 % more time, twice the size of the counts.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
from functools import partial
from pathlib import Path

from harness.measuring import Case, Row, Rows, find_data, spend
from harness.script import run_script

from roget.core.counts.evidence import TABLES
from roget.core.counts.files import FILES

DATA = ("amalgum",)
SLOW = ("build",)
SLOW_QUICK = ("conllu", "tagged")
TIME, SIZE = 1.25, 2.0
PLAIN = 2 << 20


def write_plain(files: list[Path], target: Path) -> None:
    """Write the words of the first sentences, one sentence per line."""
    written, words = 0, []
    with gzip.open(files[0], "rt", encoding="utf-8") as rows, target.open("w") as text:
        for row in rows:
            if row[0].isdigit():
                words.append(row.split("\t")[1])
            elif not row.strip() and words:
                written += text.write(" ".join(words) + "\n")
                words = []
                if written > PLAIN:
                    break


def weigh(folder: Path, names: tuple[str, ...]) -> int:
    """Return the total size of the files that exist."""
    return sum((folder / name).stat().st_size for name in names if (folder / name).is_file())


def keep(case: str, command: list[str], folder: Path) -> Rows:
    """Compare one command without and with sentences."""
    target, seconds = folder / "out", {}
    for kept in (0, 3):
        shutil.rmtree(target, ignore_errors=True)
        more = ["--evidence", str(kept), "--processes", "1", "-o", str(target)]
        seconds[kept] = spend(["-m", "roget", *command, *more]).cpu
    yield Row(case, seconds[3], seconds[0], "without sentences", "s", TIME)
    held = weigh(target, tuple(TABLES)), weigh(target, FILES)
    yield Row(f"{case}, sentences", *held, "counts", "MB", SIZE)


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return a case for each command."""
    files = sorted(find_data("amalgum").glob("*.conllu.gz"))
    plain, parsed = asked.folder / "plain.txt", [str(file) for file in files]
    write_plain(files, plain)
    window = ["--reader", "text", "--window", "2"]
    known = {
        "conllu": ("count, CoNLL-U", ["count", *parsed]),
        "tagged": ("count, plain text, tagged", ["count", str(plain)]),
        "window": ("count, plain text, window 2", ["count", str(plain), *window]),
        "build": ("build, CoNLL-U", ["build", *parsed]),
    }
    return {name: partial(keep, *case, asked.folder) for name, case in known.items()}


if __name__ == "__main__":
    run_script(__file__)
