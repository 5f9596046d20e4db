"""Path of `roget score a.tsv b.tsv`: functions, stack depth, data shapes and start-up.

Functions, depth and openings are counted in a process that runs the real command (see
`harness/call_trace.py`). A data shape is a class of roget that holds the data on the way from the
file to the printed values and that one function returns for another to use. Parts of a shape
(a row of a score table), parameters (options, measures, estimators, readers), messages and the
statistics of a contingency table that measures see are not counted; `OTHERS` lists them.

Start-up is in CPU seconds, next to an interpreter that does nothing and to `import numpy`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness import call_trace
from harness.measuring import Case, LeftOut, Row, Rows, spend
from harness.script import run_script

OPTIONS = {
    "functions": {"action": "store_true", "help": "list the functions by module"},
    "runs": {"type": int, "default": 5, "help": "runs of which the best counts"},
}
BARS = {"functions": 200, "depth": 14, "shapes": 9, "openings": 1}
SECONDS = {"roget score": 0.5, "import roget, score two lists": 0.3}

OTHERS = {
    "parts of a shape": (
        "Brief", "Cell", "Column", "EntropyRow", "FirstRow", "Headline", "LabelCodes",
        "ReportTable", "ScoreComponents", "ScoreRow", "SizeBin", "_Verdict",
    ),
    "parameters": (
        "AMI", "ARI", "BCubedF", "ColumnMap", "Completeness", "Homogeneity", "Jackknife",
        "LabelReader", "LabelRoles", "ML", "NVI", "OneToOne", "Option", "PipelineOptions", "Rules",
        "ScoreOptions", "Signature", "V", "VI",
    ),
    "messages and signals": ("Notice", "Progress", "Stop"),
    "statistics": (
        "BCubed", "Chance", "Entropies", "Histogram", "Matched", "PairCounts", "PairSizes",
        "PairTable", "Sizes",
    ),
}  # fmt: skip

GOLD = "a\tx\nb\tx\nc\ty\nd\ty\ne\tz\n"
SYSTEM = "a\t1\nb\t1\nc\t1\nd\t2\ne\t2\n"


def write_files(folder: Path) -> list[str]:
    """Write gold and system labels of five items, without a header."""
    files = folder / "a.tsv", folder / "b.tsv"
    for file, text in zip(files, (GOLD, SYSTEM), strict=True):
        file.write_text(text)
    return [str(file) for file in files]


def trace(files: list[str]) -> dict[str, Any]:
    """Return the record of one run of `roget score`."""
    command = [sys.executable, call_trace.__file__, "score", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "homogeneity" not in done.stdout:
        raise LeftOut(f"the command failed: {done.stderr[-500:]}")
    found: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    return found


def list_shapes(record: dict[str, Any]) -> list[str]:
    """Return the data shapes of a record."""
    left_out = {name for names in OTHERS.values() for name in names}
    return [name for name in record["shapes"] if name not in left_out]


def count_calls(functions: bool) -> Rows:
    """Count functions, frames, shapes and openings; with `functions`, list the functions."""
    with TemporaryDirectory() as folder:
        record = trace(write_files(Path(folder)))
    shapes = list_shapes(record)
    counts = {
        "functions": sum(map(len, record["functions"].values())),
        "depth": len(record["deepest"]),
        "shapes": len(shapes),
        "openings": max(record["opened"].values()),
    }
    for name, number in counts.items():
        yield Row(name, number, None, "", "", BARS[name])
    yield f"Functions that only imports call: {len(record['importing'])}."
    yield f"Data shapes: {', '.join(shapes)}."
    yield f"Large packages imported: {', '.join(record['loaded']) or 'none'}."
    if functions:
        for module, names in record["functions"].items():
            yield f"{module} ({len(names)}): {', '.join(names)}"
        yield f"Deepest: {' > '.join(record['deepest'])}"


IMPORTED = "import roget; roget.score(['a', 'a', 'b'], [1, 1, 2])"


def measure_start(runs: int) -> Rows:
    """Measure the CPU seconds of the command and of the library on tiny inputs."""

    def best(*arguments: str) -> float:
        return min(spend(arguments).cpu for _ in range(runs))

    with TemporaryDirectory() as folder:
        files = write_files(Path(folder))
        ways = {
            "roget score": best("-m", "roget", "score", *files),
            "import roget, score two lists": best("-c", IMPORTED),
        }
    empty, numpy = best("-c", "pass"), best("-c", "import numpy")
    for name, took in ways.items():
        yield Row(name, took, None, "", "s", SECONDS[name])
        yield Row(name, took, empty, "python -c pass", "s")
        yield Row(name, took, numpy, "import numpy", "s")


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name."""
    return {
        "calls": partial(count_calls, asked.functions),
        "start": partial(measure_start, 2 if asked.quick else asked.runs),
    }


if __name__ == "__main__":
    run_script(__file__)
