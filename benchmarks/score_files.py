"""Scoring of label files beside DuckDB's bare join and group-by, and beside pandas + scikit-learn.

Each way is run in a process of its own, start and imports included: CPU seconds of all threads, and
the most memory it held. Ids and labels are text, and the two files are in different orders.

    python benchmarks/score_files.py [--rows 1e7] [--formats parquet csv] [--rivals]
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import RSS_UNIT

BARS = {"CPU": 2.0, "memory": 1.5}
"""How many times the bare statement the whole default report may cost, from ten million rows on."""

BARE = """
import sys, duckdb
gold, system = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET preserve_insertion_order = false; SET enable_progress_bar = false")
connection.execute(
    f"SELECT g.label, s.label, count(*) FROM '{gold}' g JOIN '{system}' s ON g.item = s.item"
    " GROUP BY ALL"
).fetchall()
"""

RIVAL = """
import sys, pandas
from sklearn.metrics import v_measure_score
read = pandas.read_parquet if sys.argv[1].endswith("parquet") else pandas.read_csv
both = read(sys.argv[1]).merge(read(sys.argv[2]), on="item")
v_measure_score(both["label_x"], both["label_y"])
"""

OURS = "import sys, roget; str(roget.score(*sys.argv[1:]))"


def measure(code: str, *files: str) -> tuple[float, float]:
    """CPU seconds and peak megabytes of a Python process."""
    child = subprocess.Popen([sys.executable, "-c", code, *files])
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"a process failed: {code}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * RSS_UNIT / 1e6


WRITE = """
import sys, duckdb
gold, system, rows, form = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
connection.execute(
    "CREATE TABLE t AS SELECT printf('item_%09d', (i * 7919) % 1000000007) AS item,"
    " 'class ' || hash(i) % 50 AS gold, 'cluster ' || CASE WHEN hash(i + 1) % 3 = 0"
    f" THEN hash(i + 2) % 60 ELSE hash(i) % 50 END AS system FROM range({rows}) r(i)"
)
for file, side in ((gold, "gold"), (system, "system")):
    picked = f"SELECT item, {side} AS label FROM t ORDER BY hash(item || '{side}')"
    connection.execute(f"COPY ({picked}) TO '{file}' (FORMAT {form})")
"""


def write_files(folder: Path, rows: int, form: str) -> tuple[str, str]:
    """Gold and system labels of the same items, shuffled: 50 classes, 60 clusters."""
    files = str(folder / f"gold.{form}"), str(folder / f"system.{form}")
    # In a process of its own: what this one holds would count as its children's peak.
    measure(WRITE, *files, str(rows), form)
    return files


def main() -> int:
    """Print the costs and their ratios; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--formats", nargs="+", default=["parquet", "csv"])
    parser.add_argument("--rivals", action="store_true", help="also pandas + scikit-learn's V")
    asked = parser.parse_args()
    rows, missed = int(asked.rows), 0
    print(f"{'':36}{'rows':>12}{'CPU s':>10}{'MB':>9}{'× CPU':>8}{'× MB':>8}")
    for form in asked.formats:
        costs = []
        for number in (rows // 10, rows):
            with tempfile.TemporaryDirectory() as folder:
                files = write_files(Path(folder), number, form)
                ways = {"DuckDB, bare statement": BARE, "roget, whole report": OURS}
                if asked.rivals:
                    ways["pandas + scikit-learn's V"] = RIVAL
                found = {name: measure(code, *files) for name, code in ways.items()}
            bare = found["DuckDB, bare statement"]
            for name, (cpu, memory) in found.items():
                ratios = cpu / bare[0], memory / bare[1]
                shown = f"{cpu:>10.2f}{memory:>9.0f}{ratios[0]:>8.2f}{ratios[1]:>8.2f}"
                print(f"{form + ': ' + name:36}{number:>12,}{shown}", flush=True)
            ours = found["roget, whole report"]
            costs.append(ours[0])
        exponent = math.log10(costs[1] / costs[0])
        print(f"{form}: ours grows with rows to the power of {exponent:.2f}")
        missed += ours[0] / bare[0] > BARS["CPU"] or ours[1] / bare[1] > BARS["memory"]
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
