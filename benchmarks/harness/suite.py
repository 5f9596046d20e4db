"""Find the benchmarks and run them in one process.

A module of benchmarks/ is a benchmark if it has a function `cases(asked)`, which returns a dict of
cases; each case yields rows and notes. `asked.quick` requests smaller sizes, `asked.folder` is a
folder for files, and the options in the module's `OPTIONS` are further attributes. A module may
also define

- `warm_up()`, called before the cases, for imports and compilation;
- `PEERS`, distributions whose versions are reported;
- `DATA`, files in the folder of test data that all cases require;
- `SLOW`, cases that run only if they are named (or, if all are slow, if the module is named), and
  `SLOW_QUICK`, cases that a quick run of all benchmarks omits;
- `ABOUT`, a sentence that explains the figures;
- `FORKS = True`, if it measures memory in forked children. Such modules run first, because forks
  must precede threads.

A module with a string `TRIAL` measures the quality of results and runs only by its own command; the
string names its requirements. `PEERS`, `DATA`, `TRIAL` and `FORKS` are read without running the
module, so they must be literals.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.environment import describe_machine, find_version
from harness.growth import Curve, find_curves
from harness.measuring import Case, LeftOut, Patience, Row, tell_missing
from harness.options import BenchmarkOptions
from harness.record import Behind, Record
from roget.core.progress import Progress
from roget.core.progress import Report as Tell
from roget.errors import InputError, UnknownName

INTERRUPTED = "interrupted"
"""Reason given for a case that Ctrl-C interrupted."""

_READ = ("PEERS", "DATA", "TRIAL", "FORKS")


def find_folder() -> Path:
    """Return the folder of the benchmarks."""
    return Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Entry:
    """A module of benchmarks/, read without running it."""

    name: str
    path: Path
    title: str
    peers: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    trial: str = ""
    """Requirements of a trial of quality; empty for a benchmark of speed."""
    forks: bool = False

    @property
    def absent(self) -> list[str]:
        """Peers that are not installed."""
        return [name for name in self.peers if not find_version(name)]

    @property
    def reason(self) -> str:
        """Why the benchmark cannot run here; empty if it can."""
        return tell_missing(self.data)


def find_entries(folder: Path | None = None) -> list[Entry]:
    """Return all benchmarks: forking ones first, trials of quality last."""
    found = []
    for path in sorted((folder or find_folder()).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known: dict[str, Any] = {}
        for node in tree.body:
            name = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(name, ast.Name) and isinstance(node, ast.Assign) and name.id in _READ:
                known[name.id.lower()] = ast.literal_eval(node.value)
        timed = any(isinstance(one, ast.FunctionDef) and one.name == "cases" for one in tree.body)
        if timed or "trial" in known:
            title = (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".")
            found.append(Entry(path.stem, path, title, **known))
    return sorted(found, key=lambda one: (bool(one.trial), not one.forks, one.name))


@dataclass(frozen=True)
class Outcome:
    """Results of a benchmark."""

    entry: Entry
    about: str = ""
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall-clock seconds of each case."""

    @property
    def name(self) -> str:
        """Name of the benchmark."""
        return self.entry.name

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C interrupted the benchmark; later cases have no results."""
        return INTERRUPTED in self.left_out.values()


@dataclass(frozen=True)
class Results:
    """Results of a run, and the recorded ratios."""

    facts: Mapping[str, str]
    quick: bool
    outcomes: list[Outcome]
    record: Record
    whole: bool = True
    """Whether all benchmarks were requested."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the run early."""
        return any(one.interrupted for one in self.outcomes)

    @property
    def rows(self) -> list[Row]:
        """Rows of all benchmarks."""
        return [row for one in self.outcomes for row in one.rows]

    @property
    def curves(self) -> list[Curve]:
        """Curves of cost against size."""
        return find_curves(self.rows)

    @property
    def behind(self) -> list[Behind]:
        """Ratios that are worse than recorded."""
        return [
            behind
            for one in self.outcomes
            for behind in self.record.find_behind(one.name, self.quick, one.rows)
        ]

    @property
    def failed(self) -> dict[str, str]:
        """Cases that ended with an error."""
        return {
            f"{one.name}/{case}": why for one in self.outcomes for case, why in one.failed.items()
        }


def run(
    asked: BenchmarkOptions,
    *,
    folder: Path | None = None,
    own: Mapping[str, Any] | None = None,
    progress: Tell | None = None,
    trials: bool = False,
) -> Results:
    """Run benchmarks in this process.

    Parameters
    ----------
    asked : options of the run.
    folder : folder of the benchmarks. Default: the one of the clone.
    own : values of the options of single benchmarks.
    progress : called with the number of finished benchmarks and the name of the current case.
    trials : also run trials of quality.

    Raises
    ------
    UnknownName : `asked.only` matches no benchmark.
    """
    place = folder or find_folder()
    entries = [one for one in find_entries(place) if trials or not one.trial]
    patterns = asked.only or ("*",)
    known = [one.name for one in entries]
    for pattern in patterns:
        if not any(fnmatch(name, pattern.partition("/")[0]) for name in known):
            raise UnknownName("benchmark", pattern, known)
    chosen = [
        one for one in entries if any(fnmatch(one.name, p.partition("/")[0]) for p in patterns)
    ]
    record = Record.load(place)
    Patience.seconds = 1.0 if asked.quick else 4.0
    outcomes: list[Outcome] = []
    for number, entry in enumerate(chosen):

        def tell(what: str, number: int = number) -> None:
            if progress is not None:
                progress(Progress(number, len(chosen), {"what": what}))

        tell(entry.name)
        outcomes.append(_Run(entry, asked, own or {}, record, tell).measure())
        if outcomes[-1].interrupted:
            break
    cases = sum(len(one.seconds) + len(one.left_out) + len(one.failed) for one in outcomes)
    if not cases:
        raise InputError(
            f"no case matches {', '.join(patterns)}; `python -m benchmarks --list` shows them"
        )
    peers = [name for one in chosen for name in one.peers]
    return Results(describe_machine(peers), asked.quick, outcomes, record, not asked.only)


@dataclass
class _Run:
    """A benchmark that is being run."""

    entry: Entry
    asked: BenchmarkOptions
    own: Mapping[str, Any]
    record: Record
    tell: Callable[[str], None]

    def measure(self) -> Outcome:
        """Run the requested cases."""
        if self.entry.reason:
            return Outcome(self.entry, left_out={"": self.entry.reason})
        try:
            module = load(self.entry)
        except ImportError as error:
            said = f"{error.name or error} is not installed: pip install 'roget[bench]'"
            return Outcome(self.entry, left_out={"": said})
        outcome = Outcome(self.entry, getattr(module, "ABOUT", ""))
        with (
            tempfile.TemporaryDirectory(prefix="roget-bench.") as folder,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # of peers
            declared = {name: how.get("default") for name, how in own_options(module).items()}
            given = {**declared, **self.own}
            asked = argparse.Namespace(quick=self.asked.quick, folder=Path(folder), **given)
            try:
                known: dict[str, Case] = module.cases(asked)
                chosen = [name for name in known if self._wants(module, name, known)]
                if chosen and hasattr(module, "warm_up"):
                    self.tell(f"{self.entry.name}: getting warm")
                    module.warm_up()
            except (LeftOut, FileNotFoundError, ImportError) as error:
                outcome.left_out[""] = str(error)
                return outcome
            for name in chosen:
                try:
                    self._run_case(name, known[name], outcome)
                except KeyboardInterrupt:
                    outcome.left_out[name] = INTERRUPTED
                    break
        return outcome

    def _wants(self, module: ModuleType, case: str, known: Collection[str]) -> bool:
        named = False
        for pattern in self.asked.only or ():
            benchmark, slash, cases = pattern.partition("/")
            if slash and fnmatch(self.entry.name, benchmark) and fnmatch(case, cases):
                return True
            named |= not slash and fnmatch(self.entry.name, benchmark)
        slow = getattr(module, "SLOW", ())
        if not self.asked.only:
            hurried = getattr(module, "SLOW_QUICK", ()) if self.asked.quick else ()
            return case not in (*slow, *hurried)
        return named and (case not in slow or set(known) <= set(slow))

    def _run_case(self, name: str, case: Case, outcome: Outcome) -> None:
        self.tell(f"{self.entry.name}: {name}")
        began = time.perf_counter()
        try:
            rows, notes = _collect(case())
            if self.record.find_behind(self.entry.name, self.asked.quick, rows):
                # On a busy machine times vary, so an apparent regression is measured again.
                self.tell(f"{self.entry.name}: {name}, again")
                rows = _better(rows, _collect(case())[0])
        except (LeftOut, FileNotFoundError, ImportError) as error:
            outcome.left_out[name] = str(error)
            return
        except Exception as error:
            outcome.failed[name] = f"{type(error).__name__}: {error}"
            return
        outcome.rows.extend(rows)
        outcome.notes.extend(notes)
        outcome.seconds[name] = time.perf_counter() - began


def _collect(given: Iterator[Row | str]) -> tuple[list[Row], list[str]]:
    items = list(given)
    rows = [item for item in items if isinstance(item, Row)]
    return rows, [item for item in items if not isinstance(item, Row)]


def _better(first: list[Row], second: list[Row]) -> list[Row]:
    """Return the rows of both runs, for each case the one with the lower ratio."""
    again = {(row.case, row.peer_name): row for row in second}
    return [
        min((row, again.get((row.case, row.peer_name), row)), key=lambda one: one.ratio)
        for row in first
    ]


def load(entry: Entry) -> ModuleType:
    """Import a benchmark by its plain name, as other benchmarks and worker processes do."""
    place = str(entry.path.parent)
    if place not in sys.path:
        sys.path.append(place)
    spec = importlib.util.spec_from_file_location(entry.name, entry.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[entry.name] = module
    spec.loader.exec_module(module)
    return module


def own_options(module: ModuleType) -> dict[str, dict[str, Any]]:
    """Return the options that only this benchmark has."""
    found: dict[str, dict[str, Any]] = getattr(module, "OPTIONS", {})
    return found
