"""The benchmark harness: selection, skipped cases, recorded ratios, curves, pages."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from harness import command, suite
from harness.growth import find_curves, fit_power
from harness.measuring import LeftOut, Row, Spent, beside, cpu, find_data, peak, point, spend
from harness.options import BenchmarkOptions
from harness.pages import BLOCK, write_pages
from harness.record import TOLERANCE, Record
from harness.report import report
from harness.suite import find_entries, find_folder, run

from roget.errors import UnknownName
from support.errors import refused

ROOT = Path(__file__).resolve().parents[2]
TOY = '''"""A toy.

More of it.
"""
from harness.measuring import LeftOut, Row, point

PEERS = ("numpy", "no-such-peer")
SLOW = ("long",)
SLOW_QUICK = ("middling",)
OPTIONS = {"scale": {"type": float, "default": 1.0}}
ABOUT = "Of nothing."
WARM = []


def good(scale):
    assert WARM
    yield Row("sum", 1.0 * scale, 4.0, "numpy", "s", 0.5)
    yield "a note."
    for n in (10, 100, 1000):
        yield point("work", "N", n, n * scale, n**2, "numpy")


def lacking():
    raise LeftOut("needs a treebank")
    yield


def broken():
    raise ValueError("wrong result")
    yield


def other():
    yield "ran"


def cases(asked):
    assert asked.folder.is_dir()
    return {
        "good": lambda: good(asked.scale),
        "lacking": lacking,
        "broken": broken,
        "long": other,
        "middling": other,
    }


def warm_up():
    WARM.append(1)
'''

STOPPED = '''"""Stopped."""
from harness.measuring import Row


def good():
    yield Row("sum", 1.0, 4.0, "numpy", "s", 0.5)


def stops():
    raise KeyboardInterrupt
    yield


def cases(asked):
    return {"good": good, "stops": stops, "never": good}
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of benchmarks in the place of ours."""
    place = tmp_path / "benchmarks"
    place.mkdir()
    (place / "toy.py").write_text(TOY)
    (place / "quality.py").write_text('"""How good?"""\nTRIAL = "hours; a treebank"\n')
    (place / "needy.py").write_text(
        '"""Data."""\nDATA = ("no-such/file.gz",)\n\n\ndef cases(asked):\n    return {}\n'
    )
    (place / "absent.py").write_text(
        '"""A peer."""\nimport no_such_module\n\n\ndef cases(asked):\n    return {}\n'
    )
    (place / "helper.py").write_text('"""Neither."""\n')
    (place / "score.py").write_text('"""S."""\ndef cases(asked):\n    return {}\n')
    monkeypatch.setattr(suite, "find_folder", lambda: place)
    monkeypatch.setattr("harness.pages.find_folder", lambda: place)
    return place


def test_benchmarks_are_listed_without_running_them(folder):
    entries = {one.name: one for one in find_entries(folder)}
    assert set(entries) == {"toy", "quality", "needy", "absent", "score"}
    assert entries["toy"].title == "A toy"
    assert entries["toy"].absent == ["no-such-peer"]
    assert entries["quality"].trial == "hours; a treebank"
    assert "ROGET_TEST_DATA" in entries["needy"].reason
    assert "no_such_module" not in sys.modules


def test_run_reports_measured_omitted_and_failed_cases(folder):
    found = run(BenchmarkOptions())
    toy = next(one for one in found.outcomes if one.name == "toy")
    assert toy.rows[0].case == "sum"
    assert toy.notes == ["a note.", "ran"]
    assert toy.left_out == {"lacking": "needs a treebank"}
    assert toy.failed == {"broken": "ValueError: wrong result"}
    absent = next(one for one in found.outcomes if one.name == "absent")
    assert "no_such_module is not installed" in absent.left_out[""]
    text = str(report(found))
    for message in (
        "left out: toy/lacking: needs a treebank",
        "left out: needy: needs no-such/file.gz",
        "failed: toy/broken",
        "numpy",
        "1.00 ± 0.00",
        "2.00 ± 0.00",
        "1 of 1 bars met",
    ):
        assert message in text, message


@pytest.mark.parametrize(
    ("requested", "notes"),
    [
        (BenchmarkOptions(only=("toy",)), ["a note.", "ran"]),
        (BenchmarkOptions(only=("toy",), quick=True), ["a note.", "ran"]),
        (BenchmarkOptions(only=("toy/long",)), ["ran"]),
        (BenchmarkOptions(only=("toy/l*", "toy/middling")), ["ran", "ran"]),
    ],
)
def test_named_benchmarks_run(folder, requested, notes):
    assert run(requested).outcomes[0].notes == notes


def test_quick_run_omits_slow_cases(folder):
    toy = next(one for one in run(BenchmarkOptions(quick=True)).outcomes if one.name == "toy")
    assert toy.notes == ["a note."]


def test_slow_benchmark_runs_if_named(folder):
    (folder / "slow.py").write_text(
        '"""S."""\nSLOW = ("a",)\n\n\ndef cases(asked):\n    return {"a": lambda: iter(["ran"])}\n'
    )
    assert run(BenchmarkOptions(only=("slow",))).outcomes[0].notes == ["ran"]
    assert not any(one.notes for one in run(BenchmarkOptions()).outcomes if one.name == "slow")


def test_unknown_names_are_refused(folder):
    with pytest.raises(UnknownName, match="did you mean toy"):
        run(BenchmarkOptions(only=("toi",)))


def test_own_options_of_a_benchmark_reach_its_cases(folder):
    (outcome,) = run(BenchmarkOptions(only=("toy/good",)), own={"scale": 3.0}).outcomes
    assert outcome.rows[0].ours == 3.0


def bench(*arguments: object) -> int:
    """Run the command in this process; return its exit code."""
    return command.run(command.parse_arguments([str(one) for one in arguments]))


def test_check_exits_with_1_when_a_ratio_gets_worse(folder, tmp_path):
    only = ("--only", "toy/good")
    assert bench(*only, "--record") == 0
    record = json.loads((folder / "record.json").read_text())
    assert record["full"]["toy"]["ratios"]["sum ÷ numpy"] == [0.25, 0.0]
    assert record["full"]["toy"]["machine"]["numpy"]
    assert bench(*only, "--check") == 0
    # The file gets another length: Python recognises compiled files by size and second alone.
    slower = TOY.replace('"default": 1.0', '"default": 2.00')
    (folder / "toy.py").write_text(slower)
    assert bench(*only, "--check", "-o", tmp_path / "a.json") == 1
    written = json.loads((tmp_path / "a.json").read_text())
    assert written["behind"][0]["case"] == "sum"
    assert written["growth"][0]["exponent"] == pytest.approx(1)
    assert written["machine"]["cores"]
    # Without --check the exit code is 0; no ratio is recorded for another size.
    assert bench(*only) == 0
    assert bench(*only, "--check", "--quick") == 0
    assert bench("--only", "toy/broken", "--check") == 1


def test_differences_within_noise_are_not_regressions(tmp_path):
    def row(ratio, spread=0.0):
        ours = Spent(ratio)
        ours.spread = spread
        return Row("a", ours, 1.0, "peer", "s")

    record = Record(tmp_path / "record.json", {})
    record.write({}, False, {"toy": [row(1.0, 0.1)]})
    record = Record.load(tmp_path)
    allowed = 1 + TOLERANCE + 0.1
    assert not record.find_behind("toy", False, [row(allowed - 0.01)])
    assert record.find_behind("toy", False, [row(allowed + 0.01)])
    assert not record.find_behind("toy", False, [row(allowed + 0.01, 0.2)])
    assert record.find_behind("toy", False, [row(2.01, 9.0)])
    assert not record.find_behind("toy", True, [row(9.0)])
    assert not record.find_behind("toy", False, [Row("a", 9.0, None, "peer", "s")])


def test_apparent_regressions_are_measured_again(folder):
    bench("--only", "toy/good", "--record")
    # Busy the first time only.
    (folder / "toy.py").write_text(
        TOY.replace(
            "    assert WARM\n", "    WARM.append(1)\n    scale = 9 if len(WARM) == 2 else 1\n"
        )
    )
    assert not run(BenchmarkOptions(only=("toy/good",))).behind


def test_power_law_exponents_are_fitted():
    random.seed(0)
    sizes = [10**k for k in range(2, 8)]
    power = fit_power(sizes, [3e-7 * n**1.5 * random.uniform(0.9, 1.1) for n in sizes])
    assert power.error is not None
    assert abs(power.exponent - 1.5) < 4 * power.error < 0.2
    rows = [point("s", "N", n, n) for n in (1, 10)] + [point("t", "K", 1, 1)]
    (curve,) = find_curves(rows)
    assert (curve.series, curve.sizes, curve.peer) == ("s", (1, 10), ())


def test_figures_are_written_between_marks_of_pages(folder, tmp_path):
    docs = tmp_path / "docs"
    (docs / "pictures").mkdir(parents=True)
    page = docs / "performance.md"
    marks = "".join(
        f"<!-- measured: {n} -->\nold\n<!-- end -->\n\n" for n in ("toy", "growth", "x")
    )
    page.write_text(f"# P\n\n{marks}after\n")
    found = run(BenchmarkOptions(only=("toy/good",)))
    assert [path.name for path in write_pages(found)] == ["performance.md"]
    assert "growth -->\nold\n" in page.read_text(), "how costs grow is told of all, not of some"
    written = write_pages(replace(found, whole=True))
    text = page.read_text()
    assert {path.name for path in written} == {"performance.md", "growth.svg"}
    assert "\n`python -m benchmarks --only toy`\n" in text
    assert "| sum | 1 s | 4 s | numpy | 0.25 |" in text
    assert "![Cost against size](pictures/growth.svg)" in text
    assert "<!-- measured: x -->\nold\n<!-- end -->" in text
    assert text.endswith("after\n")
    assert [mark[2] for mark in BLOCK.finditer(text)] == ["toy", "growth", "x"]


@pytest.mark.slow
def test_time_and_memory_are_measured():
    assert cpu(lambda: sum(range(1000))) > 0
    assert peak(lambda: bytearray(30_000_000)) > 20e6
    took = spend(["-c", "print(len(bytearray(50_000_000)))"])
    assert took.said == "50000000\n"
    assert took.memory > 50e6
    held = bytearray(200_000_000)  # of ours, which a child must not be charged with
    assert spend(["-c", "pass"]).memory < len(held) / 2
    assert took.cpu > 0
    with pytest.raises(LeftOut, match="exit code 3"):
        spend(["-c", "raise SystemExit(3)"])
    rows = list(beside("a", lambda: None, lambda: None, "peer", memory=1.0))
    assert [row.unit for row in rows] == ["s", "MB"]


def test_ctrl_c_keeps_finished_measurements(folder, tmp_path):
    (folder / "late.py").write_text(STOPPED)
    (folder / "later.py").write_text(STOPPED.replace("raise KeyboardInterrupt", "pass"))
    assert bench("--only", "late*", "-o", tmp_path / "a.json") == 130
    found = json.loads((tmp_path / "a.json").read_text())["benchmarks"]
    assert set(found) == {"late"}
    late = found["late"]
    assert [row["case"] for row in late["rows"]] == ["sum"]
    assert late["left out"] == {"stops": "interrupted"}


def test_rows_are_json_serialisable_for_any_number_type():
    one = Row("a", np.float32(1), np.float64(4), "numpy", "s", np.float64(0.5))
    assert json.loads(json.dumps(one.as_dict()))["ok"] is True
    assert json.loads(json.dumps(point("s", "N", np.int64(10), np.float32(2)).as_dict()))


def test_missing_data_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("ROGET_TEST_DATA", str(tmp_path))
    with pytest.raises(LeftOut, match="needs a/b: set ROGET_TEST_DATA"):
        find_data("a", "b")


def test_every_module_is_listed():
    """Every module is a benchmark, a trial, or a helper that others import."""
    listed = {one.name for one in find_entries()}
    assert {"score", "count", "sizes", "scaling"} <= listed
    others = {path.stem for path in find_folder().glob("*.py")} - listed
    assert others == {
        "__main__", "background", "documents", "familiar", "gold", "mteb_protocol", "prior",
        "sample",
    }  # fmt: skip


def test_benchmark_runs_as_a_script():
    script = ROOT / "benchmarks" / "score.py"
    done = subprocess.run(
        [sys.executable, script, "--quick", "--only", "help"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "roget --help, heavy imports" in done.stdout
    assert "… score: help" in done.stderr


def test_record_has_only_cases_with_peers():
    record = Record.load(ROOT / "benchmarks")
    assert record.held, "benchmarks/record.json is missing: python -m benchmarks --quick --record"
    for size, benchmarks in record.held.items():
        assert size in ("quick", "full")
        for name, of in benchmarks.items():
            assert {"cpu", "cores", "date", "numpy"} <= set(of["machine"]), name
            assert all(ratio > 0 for ratio, _ in of["ratios"].values())


def test_list_names_missing_peers_and_data(folder, tmp_path):
    assert bench("--list", "-o", tmp_path / "list.json") == 0
    here = {one["name"]: one["here"] for one in json.loads((tmp_path / "list.json").read_text())}
    assert "no-such-peer" in here["toy"]
    assert "no-such/file.gz" in here["needy"]
    assert here["quality"] == "hours; a treebank"


@pytest.mark.parametrize("arguments", [["--list"], ["--only", "toy/good"]])
def test_report_does_not_overwrite_the_record(folder, tmp_path, arguments):
    record, link = folder / "record.json", tmp_path / "link.json"
    record.write_text("{}")
    link.symlink_to(record)
    for path in (record, link):
        with refused("input-is-output"):
            bench(*arguments, "-o", path)
        assert record.read_text() == "{}"
