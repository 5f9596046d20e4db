"""`roget bench`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.bench.options import Options
from roget.cli.command import refuse_inputs
from roget.cli.shared import INTERRUPTED, Format, Output, bar, deliver, tell, tell_written


def bench(
    *,
    options: Options,
    list: Annotated[
        bool, typer.Option("--list", help="List the benchmarks, and what each lacks here.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check", help="Exit with 1 if a ratio fell behind the recorded one, or a case failed."
        ),
    ] = False,
    record: Annotated[
        bool,
        typer.Option("--record", help="Keep the ratios of this run in benchmarks/record.json."),
    ] = False,
    docs: Annotated[
        bool, typer.Option("--docs", help="Write the figures into the pages of the clone's docs/.")
    ] = False,
    figure: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also draw cost against size: .svg, .pdf or .png."),
    ] = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Measure speed and memory beside other libraries, and say what fell behind the record.

    All benchmarks run in one process, side by side with their peers, so that ratios mean something
    on any machine. What lacks data or a peer is left out and named. A ratio that seems to have
    fallen behind is measured a second time before it is called so.
    """
    from roget.bench import record as records
    from roget.bench import suite
    from roget.bench.report import report, report_entries

    written = [path for path in (output, figure) if path is not None]
    refuse_inputs(written, [str(suite.find_folder() / records.NAME)])
    if list:
        return deliver(report_entries(suite.find_entries()), format, output)
    if figure is not None:
        from roget.report.figures import check_format

        check_format(figure)
    with bar("measuring", "benchmarks") as progress:
        found = suite.run(options, progress=progress)
    said = report(found)
    if record:
        found.record.write(found.facts, found.quick, {one.name: one.rows for one in found.outcomes})
        tell_written([found.record.path])
    if docs and not found.interrupted:
        from roget.bench.pages import write_pages

        tell_written(write_pages(found))
    deliver(said, format, output)
    if figure is not None:
        from roget.bench.growth import draw_curves
        from roget.errors import InputError
        from roget.report.figures import save_picture

        if not found.curves:
            raise InputError(
                "nothing of this run has several sizes to draw: name sizes, --only sizes"
            )
        save_picture(draw_curves(found.curves), figure)
        tell_written([figure])
    if found.interrupted:
        tell("roget: interrupted; this is what was measured before")
        raise typer.Exit(INTERRUPTED)
    if check and (found.behind or found.failed):
        raise typer.Exit(1)
    return None
