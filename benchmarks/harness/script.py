"""Command line of the modules of benchmarks/, each of which can run alone."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.measuring import progress as say
from harness.options import BenchmarkOptions
from harness.report import report
from harness.suite import Entry, load, own_options, run
from roget.core.progress import Progress
from roget.core.store import write_atomic


def parse_options(doc: str | None, **own: Mapping[str, Any]) -> argparse.Namespace:
    """Parse the shared options and the options of this benchmark."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer cases")
    parser.add_argument("--only", metavar="PATTERN", help="run only these cases, e.g. 'a*'")
    parser.add_argument(
        "--json", metavar="FILE", type=Path, help="also write the report to this file, as JSON"
    )
    for name, how in own.items():
        parser.add_argument(f"--{name}", **how)
    return parser.parse_args()


def run_script(file: str) -> None:
    """Run the cases of a module and print the report; with --json, also write it as JSON."""
    path = Path(file).resolve()
    module = load(Entry(path.stem, path, ""))
    asked = vars(parse_options(module.__doc__, **own_options(module)))
    quick, only, target = (asked.pop(name) for name in ("quick", "only", "json"))

    def tell(now: Progress) -> None:
        say(str(now["what"]))

    chosen = BenchmarkOptions(quick=quick, only=(f"{path.stem}/{only}" if only else path.stem,))
    found = report(run(chosen, folder=path.parent, own=asked, progress=tell, trials=True))
    print(found)
    if target is not None:
        write_atomic(target, found.render("json"))
