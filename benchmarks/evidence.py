"""What keeping sentences costs: CPU seconds of commands, and bytes beside those of the counts.

Run `python benchmarks/evidence.py [--quick]`. The corpora are amalgum/*.conllu.gz below the folder
that ROGET_TEST_DATA names (default: ../shared/data beside the repository), and the first 2 MB of
their words as plain text. Each command is run with and without `--evidence 3`, in one process;
`--quick` leaves out `roget build`. Bars: 25 % more time, twice the size of the counts.
"""

from __future__ import annotations

import gzip
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from roget.core.counts.evidence import TABLES
from roget.core.counts.files import FILES

TIME, SIZE = 1.25, 2.0
PLAIN = 2 << 20


def find_corpus() -> list[Path]:
    """The parsed texts."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    files = sorted(Path(os.environ.get("ROGET_TEST_DATA") or beside).glob("amalgum/*.conllu.gz"))
    return files or sys.exit("no amalgum/*.conllu.gz: set ROGET_TEST_DATA")


def write_plain(files: list[Path], target: Path) -> None:
    """Write the words of the first sentences, a sentence in each line."""
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


def spend(arguments: list[str]) -> float:
    """CPU seconds of a roget command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "roget", *arguments]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def weigh(folder: Path, names: tuple[str, ...]) -> int:
    """Bytes of some files, as far as they are there."""
    return sum((folder / name).stat().st_size for name in names if (folder / name).is_file())


def main() -> None:
    """Print a line for each command."""
    files = find_corpus()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        plain = folder / "plain.txt"
        write_plain(files, plain)
        parsed = [str(file) for file in files]
        cases = {
            "count, CoNLL-U": ["count", *parsed],
            "count, plain text, tagged": ["count", str(plain)],
            "count, plain text, window 2": [
                "count",
                str(plain),
                "--reader",
                "text",
                "--window",
                "2",
            ],
            "build, CoNLL-U": ["build", *parsed],
        }
        if "--quick" in sys.argv:
            del cases["build, CoNLL-U"]
        print(
            f"{'':28} {'CPU s':>6} {'with':>6} {'ratio':>6} {'counts':>10} {'evidence':>10} ratio"
        )
        for name, command in cases.items():
            seconds = {}
            for kept in (0, 3):
                target = folder / "out"
                shutil.rmtree(target, ignore_errors=True)
                more = ["--evidence", str(kept), "--processes", "1", "-o", str(target)]
                seconds[kept] = spend([*command, *more])
            counts, sentences = weigh(target, FILES), weigh(target, tuple(TABLES))
            slower, larger = seconds[3] / seconds[0], sentences / counts
            print(
                f"{name:28} {seconds[0]:6.1f} {seconds[3]:6.1f} {slower:6.2f} {counts:10,}"
                f" {sentences:10,} {larger:5.2f}"
                f"{'' if slower <= TIME else ' slow'}{'' if larger <= SIZE else ' large'}"
            )


if __name__ == "__main__":
    main()
