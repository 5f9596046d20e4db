"""Which small faults the tests find: `make mutants`, or `python -m campaigns.mutants`.

Each mutant runs in a copy of the tree: first the tests next to the changed file, then the
tests of its package, then the whole fast suite, up to the first failure.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from campaigns.mutants.cases import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = shutil.ignore_patterns(".git", ".venv", "node_modules", "site", ".*_cache", ".hypothesis")
STAGES = ("file", "package", "all")
"""Tests to run, from few to many."""
NEAREST = 3
"""Number of test files in the first stage."""
MINUTES = 60
"""Time limit of a stage; a mutant that runs longer counts as found."""


def list_tests(file: str, stage: str) -> list[str]:
    """Return the paths of the tests for a file of src/roget, or no path for all tests."""
    if stage == "all":
        return []
    path = Path(file)
    folder = ROOT / "tests" / path.parent
    if stage == "package":
        while not folder.is_dir() or not any(folder.rglob("test_*.py")):
            folder = folder.parent
        return [str(folder.relative_to(ROOT))]
    # The nearest tests that have the name of the file or import it.
    module = re.compile(rf"\b{re.escape('.'.join(('roget', *path.with_suffix('').parts)))}\b")
    found = []
    for test in (ROOT / "tests").rglob("test_*.py"):
        apart = len(path.parts) - len(Path(os.path.commonpath((folder, test))).parts)
        named = test.stem == f"test_{path.stem}" and test.is_relative_to(folder)
        if named or module.search(test.read_text("utf-8")):
            found.append((not named, apart, test.stat().st_size, str(test.relative_to(ROOT))))
    return [name for *_, name in sorted(found)[:NEAREST]]


def plan(
    mutant: Mutant, last: str, tests: list[str] | None, *, slow: bool
) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the pytest arguments of each stage."""
    if tests:
        yield "chosen", tests
        return
    for stage in STAGES[: STAGES.index(last) + 1]:
        many = ["-n", "auto", "--dist", "loadfile"] if stage == "all" else []
        paths = list_tests(mutant.file, stage)
        if paths or many:
            yield stage, [*many, *paths]
        source = f"src/roget/{mutant.file}"
        # Alone, because pytest imports a file a second time for its docstring examples.
        if stage == "file" and ">>> " in (ROOT / source).read_text("utf-8"):
            yield "examples", [source]
    if slow:
        yield "slow", ["-m", "slow", *list_tests(mutant.file, "package")]
        yield "slow, all", ["-m", "slow", "-n", "auto", "--dist", "loadfile"]


def apply(mutant: Mutant, tree: Path) -> None:
    """Edit the file; its kernels and all kernels that include them are compiled again."""
    path = tree / "src" / "roget" / mutant.file
    text = path.read_text("utf-8")
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.file}: {mutant.old!r} occurs {text.count(mutant.old)} times")
    path.write_text(text.replace(mutant.old, mutant.new), "utf-8")
    if "core.kernels.jit import" in text:
        for compiled in (*tree.glob("src/**/*.nbi"), *tree.glob("src/**/*.nbc")):
            compiled.unlink()


def run_tests(tree: Path, arguments: list[str]) -> str | None:
    """Return the first test that failed, or None if all passed."""
    paths = os.pathsep.join(str(tree / name) for name in ("src", "benchmarks"))
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *arguments]
    try:
        done = subprocess.run(
            command, cwd=tree, env={**os.environ, **threads, "PYTHONPATH": paths},
            capture_output=True, text=True, timeout=60 * MINUTES,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "time limit"
    if done.returncode in (0, 5):  # 5: there are no such tests
        return None
    if done.returncode > 2:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0].partition(" ")[2] if failed else done.stdout[-300:]


def try_mutant(
    mutant: Mutant, last: str, tests: list[str] | None, *, slow: bool
) -> tuple[str, str]:
    """Return the stage that found a mutant, or "", and the test that failed."""
    path = Path("src", "roget", mutant.file)
    with tempfile.TemporaryDirectory() as made:
        # Times of files are kept, so compiled kernels of other files stay valid.
        tree = Path(shutil.copytree(ROOT, Path(made) / "tree", ignore=SKIPPED))
        apply(mutant, tree)
        for stage, arguments in plan(mutant, last, tests, slow=slow):
            failed = run_tests(tree, arguments)
            if failed is not None:
                # The test must fail again, and pass without the mutant.
                if "::" in failed and run_tests(tree, [failed]) is None:
                    continue
                shutil.copy2(ROOT / path, tree / path)
                if "::" in failed and run_tests(tree, [failed]) is not None:
                    raise SystemExit(f"{failed} also fails without the mutant")
                return stage, failed
    return "", ""


def main() -> int:
    """Try the mutants and print a line for each; the exit code is 1 if one was not found."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument(
        "--only", metavar="PATTERN", nargs="+", default=["*"], help="files, such as 'learn/*'"
    )
    parser.add_argument("--stage", choices=STAGES, default="all", help="last tests to run [all]")
    parser.add_argument("--tests", metavar="PATH", nargs="+", help="run only these tests")
    parser.add_argument("--slow", action="store_true", help="then run the slow tests too")
    parser.add_argument("--check", action="store_true", help="only check that the edits apply")
    options = parser.parse_args()
    chosen = [
        one for one in MUTANTS if any(fnmatch.fnmatch(one.file, some) for some in options.only)
    ]
    found = 0
    for mutant in chosen:
        if options.check:
            text = (ROOT / "src/roget" / mutant.file).read_text("utf-8")
            if text.count(mutant.old) != 1:
                print(f"{mutant.file}: {mutant.old!r} occurs {text.count(mutant.old)} times")
            found += text.count(mutant.old) == 1
            continue
        begun = time.monotonic()
        stage, test = try_mutant(mutant, options.stage, options.tests, slow=options.slow)
        found += bool(stage)
        state = f"found ({stage})" if stage else "NOT FOUND"
        took = f"{time.monotonic() - begun:.0f} s"
        print(f"{state:16} {took:>6}  {mutant.file}: {mutant.breaks}", flush=True)
        print(f"{'':26}{test}" if test else "", flush=True)
    print(f"{found} of {len(chosen)} mutants {'apply' if options.check else 'found'}")
    return found < len(chosen)


if __name__ == "__main__":
    sys.exit(main())
