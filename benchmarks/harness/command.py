"""The command of `make bench`: run, list, record and publish benchmarks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from harness import record as records
from harness import suite
from harness.growth import draw_curves
from harness.options import BenchmarkOptions
from harness.pages import write_pages
from harness.report import report, report_entries
from roget.cli.command import refuse_inputs
from roget.cli.shared import INTERRUPTED, bar
from roget.core.store import write_atomic
from roget.errors import InputError, RogetError
from roget.report import Report
from roget.report.figures import check_format, save_picture
from roget.report.render import choose_format


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Compare speed and memory with other libraries and with the recorded ratios.",
        epilog="All benchmarks run in one process next to their peers, so ratios are comparable "
        "between machines. A case without its data or peer is skipped and named. A ratio that "
        "seems worse than recorded is measured again before it is reported.",
    )
    parser.add_argument("--list", action="store_true", help="list the benchmarks and stop")
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer cases")
    parser.add_argument(
        "--only",
        metavar="NAME,...",
        action="append",
        help="run only these benchmarks or cases: score, 'score/ami*'; slow cases run only so",
    )
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a ratio got worse or a case failed"
    )
    parser.add_argument(
        "--record", action="store_true", help="save the ratios of this run in record.json"
    )
    parser.add_argument("--docs", action="store_true", help="write the figures into docs/")
    parser.add_argument("--figure", metavar="FILE", help="plot cost against size: .svg, .pdf, .png")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report to a file")
    return parser.parse_args(arguments)


def deliver(found: Report, output: str | None) -> None:
    """Print a report, or write it in the format of the file name."""
    if output is None:
        print(found.render("text"), end="")
    else:
        write_atomic(output, found.render(choose_format(output)))
        print(f"wrote {output}", file=sys.stderr)


def run(chosen: argparse.Namespace) -> int:
    """Run the benchmarks as requested; return the exit code."""
    written = [path for path in (chosen.output, chosen.figure) if path is not None]
    refuse_inputs(written, [str(suite.find_folder() / records.NAME)])
    if chosen.list:
        deliver(report_entries(suite.find_entries()), chosen.output)
        return 0
    if chosen.figure is not None:
        check_format(chosen.figure)
    only = tuple(name for text in chosen.only or () for name in text.split(",")) or None
    with bar("measuring", "benchmarks") as progress:
        found = suite.run(BenchmarkOptions(quick=chosen.quick, only=only), progress=progress)
    made = report(found)
    changed: list[Path | str] = []
    if chosen.record:
        found.record.write(found.facts, found.quick, {one.name: one.rows for one in found.outcomes})
        changed.append(found.record.path)
    if chosen.docs and not found.interrupted:
        changed += write_pages(found)
    deliver(made, chosen.output)
    if chosen.figure is not None:
        if not found.curves:
            raise InputError("this run has no case with several sizes to plot: use --only sizes")
        save_picture(draw_curves(found.curves), chosen.figure)
        changed.append(chosen.figure)
    for path in changed:
        print(f"wrote {path}", file=sys.stderr)
    if found.interrupted:
        print("interrupted; the report covers the cases measured so far", file=sys.stderr)
        return INTERRUPTED
    return int(chosen.check and bool(found.behind or found.failed))


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit; errors of the input end in one message."""
    try:
        sys.exit(run(parse_arguments(arguments)))
    except RogetError as error:
        sys.exit(f"benchmarks: {error}")
