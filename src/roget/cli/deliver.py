"""Where every command's report goes: `--format`, `-o`, and the one function that writes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from roget.cli.command import as_typer
from roget.core.options import Option

if TYPE_CHECKING:
    from roget.report import Report


def check_output(context: typer.Context, output: str | None) -> str | None:
    """Refuse a file that has no format or could not be written: better before the work."""
    if output is None or output == "-" or context.resilient_parsing:
        return None
    from roget.core.store import check_file

    check_file(output)
    choose(context.params.get("format"), output)
    return output


Format = Annotated[
    str | None,
    as_typer(
        Option(
            "format",
            None,
            "Form of the report. Default: text, or what FILE's name tells.",
            choices="renderers",
        ),
        is_eager=True,  # so that it is known when the file's name is looked at
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        callback=check_output,
        help="File to write instead of printing; its suffix tells the format.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="The same as --format json.")]


def choose(format: str | None, output: str | None) -> str:
    """The format asked for, or the one that the file's name tells, or text."""
    if format is not None or output is None:
        return format or "text"
    from roget.report.render import choose_format

    return choose_format(output)


def deliver(report: Report, format: str | None, output: str | None = None) -> None:
    """Print a report, or write it whole; warnings go to stderr, unless they stand in the text."""
    chosen = choose(format, output)
    text = report.render(chosen)
    for warning in (*(() if chosen == "text" else report.warnings), *report.talk):
        print(f"warning: {warning}", file=sys.stderr)
    if output is None:
        sys.stdout.write(text)
        return
    from roget.core.store import write_atomic

    write_atomic(output, text)
    print(f"wrote {output}", file=sys.stderr)
